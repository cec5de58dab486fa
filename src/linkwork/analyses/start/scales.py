"""Scales of a mechanism: sizes of its coordinates, a speed, an energy; the units of absolute tolerances."""

from __future__ import annotations

import numpy as np

from linkwork.system.compile import Compiled


def state_scales(compiled: Compiled) -> np.ndarray:
    """Unit of the absolute tolerance for each entry of y: lengths in the mechanism's size, angles and speeds in 1."""
    layout = compiled.layout
    sizes = np.where(layout.lengths, float(compiled.system.whole[0]["length"]), 1.0)
    if layout.modal_sizes:
        names = (*layout.q_names, *layout.v_names)
        sizes = np.array([layout.modal_sizes.get(name, size) for name, size in zip(names, sizes, strict=True)])
    states = np.ones(len(layout.state_starts))
    states[list(layout.works)] = work_scale(compiled)
    return np.concatenate([sizes, states])


def motion_sizes(compiled: Compiled) -> np.ndarray:
    """Of each motion [motion]: 1 rad, the mechanism's size (m) of a translation, or a modal coordinate's size."""
    return state_scales(compiled)[compiled.layout.velocities]


def row_sizes(compiled: Compiled) -> np.ndarray:
    """Of each constraint equation [row]: 1 rad, or the mechanism's size (m)."""
    return np.where(compiled.layout.length_rows, float(compiled.system.whole[0]["length"]), 1.0)


def row_unit(compiled: Compiled, row: int) -> str:
    """Of a constraint equation, m or rad: its multiplier's unit times this is work."""
    return "m" if compiled.layout.length_rows[row] else "rad"


def work_scale(compiled: Compiled) -> float:
    """Unit of the absolute tolerance of the work integral, J; 0, not counted, where no force does work without a
    potential: then the integral stays zero.
    """
    system = compiled.system
    conservative = all(table.family.conservative(table.records(system.block)) for table in compiled.families)
    return 0.0 if conservative and not np.any(system.rows["op_count"]) else energy_scale(compiled)


def energy_scale(compiled: Compiled) -> float:
    """All bodies lifted by the mechanism's size, J."""
    return float(compiled.system.bodies["mass"].sum()) * speed_scale(compiled) ** 2


def speed_scale(compiled: Compiled) -> float:
    """Of a fall: sqrt(g l) with the mechanism's size l and at least 1 m/s2, m/s."""
    whole = compiled.system.whole[0]
    return float(np.sqrt(whole["length"] * max(float(np.linalg.norm(whole["gravity"])), 1.0)))
