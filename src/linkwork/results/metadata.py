"""What describes the samples of a run in files and tables: names and units along the axes, long names, the header."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from linkwork import __version__
from linkwork.results.channels import ENERGY_PARTS, EULER
from linkwork.results.result import Result

FAMILY = "linkwork-run-"
FORMAT = FAMILY + "2"  # 2: with checksums and checkpoints

AXES: dict[str, tuple[str, ...]] = {  # of the samples, after the time
    "t": (), "q": ("q_name",), "v": ("v_name",), "v_dot": ("v_name",), "lam": ("row",), "energy": ("energy_part",),
    "position": ("body", "axis"), "orientation": ("body", "parameter"),
    "velocity": ("body", "axis"), "angular_velocity": ("body", "axis"),
    "states": ("state",), "measures": ("measure",), "strength": (), "rank": (),
}  # fmt: skip
UNITS = {"t": "s", "h": "s", "energy": "J", "position": "m", "velocity": "m/s", "angular_velocity": "rad/s"}
LONG_NAMES = {
    "t": "time", "q": "coordinates", "v": "velocities", "v_dot": "accelerations", "lam": "multipliers of the rows",
    "energy": "energies and work", "position": "origin of the body frame, world axes",
    "orientation": "Euler parameters of the body frame, scalar first", "velocity": "velocity of that origin",
    "angular_velocity": "angular velocity, world axes",
    "strength": "logarithm of the volume that the constraint rows span", "rank": "independent constraint rows",
    "h": "step size", "order": "order of the integrator",
}  # fmt: skip


def attributes(name: str) -> dict[str, str]:
    """Unit and long name of an array, as far as it has one of its own."""
    return {key: table[name] for key, table in (("units", UNITS), ("long_name", LONG_NAMES)) if name in table}


def axis_names(result: Result) -> dict[str, list[str]]:
    """What stands along each axis of the samples but the time."""
    names = result.names
    return {
        "q_name": names["q"], "v_name": names["v"], "row": names["rows"], "body": names["bodies"], "axis": list("xyz"),
        "parameter": list(EULER), "energy_part": list(ENERGY_PARTS), "measure": names["measures"],
        "state": ["work", *(f"state {k}" for k in range(1, result.states.shape[1]))],
    }  # fmt: skip


def axis_units(result: Result) -> dict[str, tuple[str, list[str]]]:
    """Units along the axes on which they differ: name -> axis, SI units ("" without dimension)."""
    names = result.names
    return {
        "q_unit": ("q_name", names["q_units"]),
        "v_unit": ("v_name", names["v_units"]),
        "v_dot_unit": ("v_name", [result.unit(f"{name}.dot") for name in names["v"]]),
        "lam_unit": ("row", names["row_units"]),
        "measure_unit": ("measure", names["measure_units"]),
    }


def header(result: Result) -> dict[str, str]:
    """What a file says about itself; whatever is not text is JSON."""
    versions = {"linkwork": __version__} | {package: _version(package) for package in ("numpy", "numba", "h5py")}
    return {
        "format": FORMAT, "model": result.model, "model_text": result.model_text, "options": as_json(result.options),
        "names": as_json(result.names), "versions": as_json(versions),
    }  # fmt: skip


def as_json(content: object) -> str:
    """JSON; NumPy's numbers and arrays as Python's, anything else that JSON lacks as text."""
    return json.dumps(content, default=_plain)


def _plain(value: object) -> object:
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else str(value)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
