"""What is typical of a mechanism: sizes of its coordinates, a speed, an energy; units of absolute tolerances."""

from __future__ import annotations

import numpy as np

from linkwork.system.compile import Compiled


def typical_sizes(compiled: Compiled) -> np.ndarray:
    """Unit of the absolute tolerance for each entry of y: lengths in the mechanism's size, angles and speeds in 1."""
    layout = compiled.layout
    length = float(compiled.system.whole[0]["length"])
    units = compiled.mechanism.coordinate_units()
    sizes = [
        layout.modal_sizes.get(name, length if units.get(name, "").startswith("m") else 1.0)
        for name in (*layout.q_names, *layout.v_names)
    ]
    states = np.ones(len(layout.state_starts))
    states[list(layout.works)] = typical_energy(compiled)
    return np.array([*sizes, *states])


def typical_energy(compiled: Compiled) -> float:
    """Unit of the absolute tolerance of the work integral, J; 0, not counted, where no force does work without a
    potential: then the integral stays zero.
    """
    system = compiled.system
    idle = not len(system.loads) and not np.any(system.rows["op_count"]) and not compiled.families
    if idle and not np.any(system.springs["damping"]) and not np.any(system.torsions["damping"]):
        return 0.0
    return lifted_energy(compiled)


def lifted_energy(compiled: Compiled) -> float:
    """All bodies lifted by the mechanism's size, J."""
    return float(compiled.system.bodies["mass"].sum()) * typical_speed(compiled) ** 2


def typical_speed(compiled: Compiled) -> float:
    """Of a fall: sqrt(g l) with the mechanism's size l and at least 1 m/s2, m/s."""
    whole = compiled.system.whole[0]
    return float(np.sqrt(whole["length"] * max(float(np.linalg.norm(whole["gravity"])), 1.0)))
