"""MATLAB's version 5: the arrays of the result with the names along their axes; or chosen channels by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from linkwork.results.metadata import axis_names, header
from linkwork.results.result import SAMPLED, Result
from linkwork.results.tables import library


def write(result: Result, path: Path, channels: Sequence[str]) -> None:
    """`channel` is a matrix [sample, channel]; `channel_name` and `channel_unit` name its columns."""
    io = library("scipy.io", "scipy")
    names = list(dict.fromkeys(channels or result.recorded()))
    arrays: Mapping[str, np.ndarray] = {
        **({} if channels else {name: getattr(result, name) for name in SAMPLED}),
        **{axis: np.array(along, dtype=object) for axis, along in axis_names(result).items()},
        "t": result.t, "channel": np.column_stack([result.channel(name) for name in names]),
        "channel_name": np.array(names, dtype=object),
        "channel_unit": np.array([result.unit(name) for name in names], dtype=object),
    }  # fmt: skip
    io.savemat(path, {**arrays, **header(result)}, do_compression=True, oned_as="column")
