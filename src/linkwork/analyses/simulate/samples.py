"""The rows that a compiled loop has written, one a sample, as a Result with names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.elements.signals.signals import UNITS
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.results.body_motion import body_motion
from linkwork.results.result import Certificate, Result
from linkwork.system.force_signals import force_unit
from linkwork.system.layout import Layout, coordinate_unit

FORCE = re.compile(r"force\(\s*(?P<quote>['\"]?)(?P<name>[^'\",()]+)(?P=quote)\s*(?:,\s*\w+\s*)?\)")


def row_width(equations: Equations) -> int:
    """Numbers in a row (integrators/loop/chunks.py: write_sample)."""
    system, y_count = equations.system, len(equations.work.rate)
    return y_count + len(system.dofs) + len(system.rows) + 5 + int(system.whole[0]["signal_count"])


def _as_held(layout: Layout, names: Sequence[str]) -> list[str]:
    """Names of coordinates or velocities; where the tree has a joint from B to A and this changes them, they say so."""
    turned = {joint.name for joint in layout.tree if joint.turned}
    parts = [name.partition(".") for name in names]
    return [f"{joint}.backward.{rest}" if joint in turned else f"{joint}{dot}{rest}" for joint, dot, rest in parts]


def samples_as_result(
    equations: Equations, t: np.ndarray, rows: np.ndarray, history: np.ndarray, options: dict[str, Any],
    certificate: Certificate, before: np.ndarray | None = None,
) -> Result:  # fmt: skip
    """Samples cut into their columns; `before`: orientations of the bodies at the sample before these."""
    layout, mechanism = equations.compiled.layout, equations.compiled.mechanism
    q_count, v_count = layout.q_count, layout.v_count
    cuts = np.cumsum([q_count, v_count, len(layout.state_starts), v_count, len(layout.rows), 5])
    q, v, states, v_dot, lam, last, signals = np.split(rows, cuts, axis=1)
    position, orientation, velocity, spin = body_motion(equations, rows[:, : q_count + v_count], before)
    return Result(
        model=mechanism.name,
        model_text=mechanism.model_dump_json(exclude_none=True),
        options=options,
        names={
            "bodies": [body.name for body in mechanism.body],
            "joints": [joint.name for joint in mechanism.joint],
            "q": _as_held(layout, layout.q_names),
            "q_units": [coordinate_unit(name) for name in layout.q_names],
            "v": _as_held(layout, layout.v_names),
            "v_units": [coordinate_unit(name) for name in layout.v_names],
            "rows": [f"{row.element}: {row.equation}" for row in layout.rows],
            "row_units": [row.unit for row in layout.rows],
            "measures": list(layout.measures),
            "measure_units": [measure_unit(mechanism, name) for name in layout.measures],
        },
        t=t, q=q, v=v, v_dot=v_dot, lam=lam, energy=np.column_stack([last[:, :2], states[:, 0]]),
        states=states, measures=signals[:, list(layout.measures.values())],
        position=position, orientation=orientation, velocity=velocity, angular_velocity=spin,
        strength=last[:, 3], rank=last[:, 4],
        steps=history, certificate=certificate,
        functions={force.name: force.function for force in mechanism.python_force},
    )  # fmt: skip


def measure_unit(mechanism: Mechanism, name: str) -> str:
    """Unit of a named measure: as said, or that of the one function that it is."""
    said = next(measure for measure in mechanism.measure if measure.name == name)
    function = str(said.of).partition("(")[0]
    if said.unit is None and (force := FORCE.fullmatch(str(said.of).strip())):
        return force_unit(mechanism, force["name"].strip())
    return said.unit if said.unit is not None else UNITS.get(function.strip(), "")
