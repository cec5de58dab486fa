"""The rows that a compiled loop has written, one a sample, as a Result with names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from linkwork.elements.forces.python_force import PythonForce
from linkwork.formulations.equations import Equations
from linkwork.integrators.loop.rows import SampleRow, sample_row
from linkwork.results.body_motion import ComputedMotion, Motion
from linkwork.results.result import Certificate, Result
from linkwork.system.layout import Layout

DESCRIBED = ("model", "source", "names", "functions")  # fields of a Result that its parts share


def columns_of(equations: Equations) -> SampleRow:
    """Where the parts of a row begin, and its width."""
    work = equations.work
    columns: SampleRow = sample_row.py_func(len(work.rate), len(work.v_dot), len(work.lam), len(work.signals))
    return columns


def _as_held(layout: Layout, names: Sequence[str]) -> list[str]:
    """Names of coordinates or velocities; of a joint that is in the tree from B to A, where this changes them, so."""
    turned = {joint.name for joint in layout.tree if joint.reversed and joint.turned}
    if not turned:
        return list(names)
    parts = [name.partition(".") for name in names]
    return [f"{joint}.backward.{rest}" if joint in turned else f"{joint}{dot}{rest}" for joint, dot, rest in parts]


def samples_as_result(
    equations: Equations, t: np.ndarray, rows: np.ndarray, history: np.ndarray, options: dict[str, Any],
    certificate: Certificate, empty: Result | None = None, motion: Motion | None = None,
) -> Result:  # fmt: skip
    """The samples as they stand in the rows, which the Result keeps, and how the bodies move; `empty`: a part of the
    same run, of whose motion these are a part.
    """
    described = {name: getattr(empty, name) for name in DESCRIBED} if empty is not None else _described(equations)
    samples: dict[str, Any] = {name: rows[:, columns] for name, columns in places_of(equations).items()}
    moves = motion_of(equations, rows) if motion is None else motion
    return Result(
        options=options, steps=history, certificate=certificate, t=t, motion=moves, **described, **samples
    )  # fmt: skip


def places_of(equations: Equations) -> dict[str, Any]:
    """Which columns of the rows are which field of a Result."""
    layout, column = equations.compiled.layout, columns_of(equations)
    place = layout.velocities.stop
    return {
        "q": slice(layout.q_count), "v": layout.velocities, "v_dot": slice(column.v_dot, column.lam),
        "lam": slice(column.lam, column.kinetic), "energy": [column.kinetic, column.potential, place],
        "states": slice(place, column.v_dot),
        "measures": [column.signals + signal for signal in layout.measures.values()], "strength": column.volume,
        "rank": column.rank,
    }  # fmt: skip


def motion_of(equations: Equations, rows: np.ndarray) -> ComputedMotion:
    """How the bodies move at the samples in the rows."""
    compiled = equations.compiled
    return ComputedMotion(partial(Equations, compiled), rows, len(compiled.body_places))


def _described(equations: Equations) -> dict[str, Any]:
    """The model and its names, the same for all parts of a run."""
    compiled, layout = equations.compiled, equations.compiled.layout
    mechanism, q_count = compiled.mechanism, layout.q_count
    names = {
        "bodies": list(compiled.connections.body.name),
        "joints": list(compiled.connections.joint.name),
        "q": _as_held(layout, layout.q_names),
        "q_units": list(layout.units[:q_count]),
        "v": _as_held(layout, layout.v_names),
        "v_units": list(layout.units[q_count:]),
        "rows": [f"{row.element}: {row.equation}" for row in layout.rows],
        "row_units": [row.unit for row in layout.rows],
        "measures": list(layout.measures),
        "measure_units": [layout.measure_units[name] for name in layout.measures],
    }
    functions = {force.name: force.function for force in mechanism.of(PythonForce)}
    return {"model": mechanism.name, "source": mechanism, "names": names, "functions": functions}
