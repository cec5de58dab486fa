"""A result as an xarray.Dataset or a pandas.DataFrame; these libraries load when needed."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import OptionError
from linkwork.installation import install_hint
from linkwork.results.metadata import AXES, attributes, axis_names, axis_units, header
from linkwork.results.result import SAMPLED, Result

if TYPE_CHECKING:
    import pandas
    import xarray


def to_xarray(result: Result) -> xarray.Dataset:
    """The samples with their names as coordinates and units as attributes: what xarray reads from the file."""
    xr = library("xarray", "xarray")
    times = {"t": ("t", result.t, attributes("t"))}
    names = {axis: (axis, np.array(along, dtype=str)) for axis, along in axis_names(result).items()}
    data = {name: (("t", *AXES[name]), getattr(result, name), attributes(name)) for name in SAMPLED if name != "t"}
    units = {name: (axis, np.array(along, dtype=str)) for name, (axis, along) in axis_units(result).items()}
    dataset: xarray.Dataset = xr.Dataset({**data, **units}, {**times, **names}, header(result))
    return dataset


def to_dataframe(result: Result, channels: Sequence[str] = ()) -> pandas.DataFrame:
    """One row per sample time, one column per channel (default: all); `frame.attrs["units"]` has the SI units."""
    pd = library("pandas", "pandas")
    names = list(dict.fromkeys(channels or result.recorded()))
    columns = {name: result.channel(name) for name in names}
    frame: pandas.DataFrame = pd.DataFrame(columns, index=pd.Index(result.t, name="t"))
    frame.attrs["units"] = {"t": "s"} | {name: result.unit(name) for name in names}
    return frame


def library(module: str, package: str) -> ModuleType:
    """A module of the extra `export`, or one sentence on how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise OptionError(
            f"this needs {package}, which is not installed; {install_hint('export')}",
            element=package,
        ) from error
