"""NetCDF 4, by xarray and h5netcdf."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linkwork.results.metadata import attributes, header
from linkwork.results.result import Result
from linkwork.results.tables import library, to_xarray


def write(result: Result, path: Path, channels: Sequence[str]) -> None:
    """The named channels, or the whole dataset."""
    library("h5netcdf", "h5netcdf")
    if channels:
        xr = library("xarray", "xarray")
        data = {n: ("t", result.channel(n), {"units": result.unit(n)}) for n in dict.fromkeys(channels)}
        dataset = xr.Dataset(data, {"t": ("t", result.t, attributes("t"))}, header(result))
    else:
        dataset = to_xarray(result)
    dataset.to_netcdf(path, engine="h5netcdf")
