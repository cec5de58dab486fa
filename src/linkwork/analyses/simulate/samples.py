"""The rows that a compiled loop has written, one a sample, as a Result with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.elements.forces.python_force import PythonForce
from linkwork.formulations.equations import Equations
from linkwork.integrators.loop.rows import SampleRow, sample_row
from linkwork.results.body_motion import body_motion
from linkwork.results.result import Certificate, Result
from linkwork.system.layout import Layout

DESCRIBED = ("model", "model_text", "names", "functions")  # fields of a Result that its parts share


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
    certificate: Certificate, parts: Sequence[Result] = (),
) -> Result:  # fmt: skip
    """Samples cut into their columns; `parts`: those of the same run before."""
    layout = equations.compiled.layout
    column, work_place = columns_of(equations), layout.velocities.stop
    states, signals = rows[:, work_place : column.v_dot], rows[:, column.signals :]
    before = next((part.orientation[-1] for part in reversed(parts) if len(part.t)), None)
    position, orientation, velocity, spin = body_motion(equations, rows[:, :work_place], before)
    described = {name: getattr(parts[0], name) for name in DESCRIBED} if parts else _described(equations)
    return Result(
        options=options,
        t=t, q=rows[:, : layout.q_count], v=rows[:, layout.velocities], v_dot=rows[:, column.v_dot : column.lam],
        lam=rows[:, column.lam : column.kinetic],
        energy=rows[:, [column.kinetic, column.potential, work_place]],
        states=states, measures=signals[:, list(layout.measures.values())],
        position=position, orientation=orientation, velocity=velocity, angular_velocity=spin,
        strength=rows[:, column.volume], rank=rows[:, column.rank],
        steps=history, certificate=certificate,
        **described,
    )  # fmt: skip


def _described(equations: Equations) -> dict[str, Any]:
    """The model and its names, the same for all parts of a run."""
    layout, mechanism = equations.compiled.layout, equations.compiled.mechanism
    names = {
        "bodies": [body.name for body in mechanism.body],
        "joints": [joint.name for joint in mechanism.joint],
        "q": _as_held(layout, layout.q_names),
        "q_units": list(layout.units[: layout.q_count]),
        "v": _as_held(layout, layout.v_names),
        "v_units": list(layout.units[layout.q_count :]),
        "rows": [f"{row.element}: {row.equation}" for row in layout.rows],
        "row_units": [row.unit for row in layout.rows],
        "measures": list(layout.measures),
        "measure_units": [layout.measure_units[name] for name in layout.measures],
    }
    functions = {force.name: force.function for force in mechanism.of(PythonForce)}
    text = mechanism.model_dump_json(exclude_none=True)
    return {"model": mechanism.name, "model_text": text, "names": names, "functions": functions}
