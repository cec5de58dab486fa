"""A result as a table for other programs: xarray, pandas, CSV, MATLAB, NetCDF; their libraries load when needed."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.results.metadata import AXES, attributes, axis_names, axis_units, header
from linkwork.results.result import SAMPLED, Result

if TYPE_CHECKING:
    import pandas
    import xarray


def to_xarray(result: Result) -> xarray.Dataset:
    """The samples with their names as coordinates and units as attributes: what xarray reads from the file."""
    xr = library("xarray", "xarray")
    coordinates: dict[str, Any] = {"t": ("t", result.t, attributes("t"))}
    coordinates |= {axis: (axis, np.array(names, dtype=str)) for axis, names in axis_names(result).items()}
    data = {name: (("t", *AXES[name]), getattr(result, name), attributes(name)) for name in SAMPLED if name != "t"}
    units = {name: (axis, np.array(along, dtype=str)) for name, (axis, along) in axis_units(result).items()}
    return xr.Dataset(data | units, coordinates, header(result))


def to_dataframe(result: Result, channels: Sequence[str] = ()) -> pandas.DataFrame:
    """One row per sample time, one column per channel (default: all); `frame.attrs["units"]` has the SI units."""
    pd = library("pandas", "pandas")
    names = list(dict.fromkeys(channels or result.recorded()))
    frame = pd.DataFrame({name: result.channel(name) for name in names}, index=pd.Index(result.t, name="t"))
    frame.attrs["units"] = {"t": "s"} | {name: result.unit(name) for name in names}
    return frame


def write_csv(result: Result, path: Path, channels: Sequence[str] = ()) -> None:
    """One row per sample time, one column per channel, the first row names with units; every digit is kept."""
    names = list(dict.fromkeys(channels or result.recorded()))
    columns = [result.t, *(result.channel(name) for name in names)]
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(["t [s]", *(f"{name} [{result.unit(name) or '-'}]" for name in names)])
        table.writerows(np.column_stack(columns).tolist())


def write_mat(result: Result, path: Path, channels: Sequence[str] = ()) -> None:
    """MATLAB's version 5: the arrays of the result with the names along their axes; or chosen channels by name.

    `channel` is a matrix [sample, channel], `channel_name` and `channel_unit` say what its columns are.
    """
    io = library("scipy.io", "scipy")
    names = list(dict.fromkeys(channels or result.recorded()))
    arrays: dict[str, Any] = {} if channels else {name: getattr(result, name) for name in SAMPLED}
    arrays |= {axis: np.array(along, dtype=object) for axis, along in axis_names(result).items()}
    arrays |= {
        "t": result.t, "channel": np.column_stack([result.channel(name) for name in names]),
        "channel_name": np.array(names, dtype=object),
        "channel_unit": np.array([result.unit(name) for name in names], dtype=object),
    }  # fmt: skip
    io.savemat(path, arrays | header(result), do_compression=True, oned_as="column")


def write_netcdf(result: Result, path: Path, channels: Sequence[str] = ()) -> None:
    """NetCDF 4; chosen channels, or the whole dataset."""
    library("h5netcdf", "h5netcdf")
    if channels:
        xr = library("xarray", "xarray")
        data = {n: ("t", result.channel(n), {"units": result.unit(n)}) for n in dict.fromkeys(channels)}
        dataset = xr.Dataset(data, {"t": ("t", result.t, attributes("t"))}, header(result))
    else:
        dataset = to_xarray(result)
    dataset.to_netcdf(path, engine="h5netcdf")


def library(module: str, package: str) -> Any:
    """A module of the extra `export`, or one sentence on how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise OptionError(
            f"this needs {package}, which is not installed; install it with: pip install 'linkwork[export]'",
            element=package,
        ) from error
