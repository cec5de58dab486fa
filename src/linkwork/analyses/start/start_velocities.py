"""Velocities at the start, in order of priority: the constraints, given joint rates, given velocities of bodies.

Each set of rows A v = b is met as well as those before it leave free, by least squares in what is left:

    v <- v + N x,   A N x = b - A v,      N <- N null(A N)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.start.closing import motion_units
from linkwork.analyses.start.rough_state import modal_values
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, joint_jacobian, point_jacobian
from linkwork.formulations.workspace import Work
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.numerics.subspaces import RANK_CUT, null_space
from linkwork.system.compile import Compiled

MISSED = 1e-6  # rad/s or m/s, and of the value: a given velocity is not met


@dataclass(frozen=True)
class WantedVelocities:
    """Rows A v = b, and the element that gives each of them."""

    A: np.ndarray  # [row, motion]
    b: np.ndarray  # rad/s, m/s
    owners: tuple[str, ...] = ()

    def missed(self, v: np.ndarray) -> list[str]:
        """Elements whose rows v does not meet."""
        off = np.abs(self.A @ v - self.b) > MISSED * (1.0 + np.abs(self.b))
        return sorted({self.owners[k] for k in np.flatnonzero(off)})


def meet_velocities(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> tuple[str, ...]:
    """Write velocities into y that meet the constraints exactly and what is given as nearly as can be; notes name what
    is not met.
    """
    compiled, work = equations.compiled, equations.work
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    joints, bodies = _given_joint_rates(compiled, work), _given_body_velocities(compiled, work)
    y[compiled.layout.velocities] = v = _by_priority(compiled, [_constraints(compiled, work), joints, bodies])
    impossible = "is not possible with the {}; the nearest possible one is used"
    notes = [f"body '{name}': its velocity at the start {impossible.format('joints')}" for name in bodies.missed(v)]
    if joints.missed(v):
        notes.append(f"a joint rate given for the start {impossible.format('loops')}")
    return tuple(notes)


def _by_priority(compiled: Compiled, wanted: list[WantedVelocities]) -> np.ndarray:
    """v that meets the first rows exactly, the next ones as nearly as these leave it free, and so on."""
    v, free = np.zeros(compiled.layout.v_count), np.diag(motion_units(compiled))
    for rows in wanted:
        if len(rows.A) and free.shape[1]:
            open_to = rows.A @ free
            v = v + free @ np.linalg.lstsq(open_to, rows.b - rows.A @ v, rcond=RANK_CUT)[0]
            free = free @ null_space(open_to)
    return v


def _constraints(compiled: Compiled, work: Work) -> WantedVelocities:
    """Phi_v v = nu, without the rows that only hold the start."""
    real = slice(compiled.layout.held_from)
    return WantedVelocities(dense_jacobian(compiled.system, work)[real], work.nu[real])


def _given_joint_rates(compiled: Compiled, work: Work) -> WantedVelocities:
    """Rows of the joint velocities and modal rates that are given, on tree and cut joints alike."""
    layout = compiled.layout
    modal = modal_values(compiled.mechanism, "modal_rates", "_rate")
    rows, values = [np.eye(layout.v_count)[[layout.v_names.index(name) for name in modal]]], list(modal.values())
    owners = list(modal)
    for joint in compiled.mechanism.joint:
        if joint.rate_values is not None:
            rows.append(joint_jacobian(compiled, work, joint.name))
            values += list(joint.rate_values)
            owners += [joint.name] * len(joint.rate_values)
    return WantedVelocities(np.vstack(rows), np.array(values), tuple(owners))


def _given_body_velocities(compiled: Compiled, work: Work) -> WantedVelocities:
    """Rows of the velocity of a body frame's origin, and of its angular velocity, where given."""
    layout = compiled.layout
    rows, values, owners = [np.zeros((0, layout.v_count))], list[float](), list[str]()
    for body in compiled.mechanism.body:
        i = layout.body(body.name)
        B = point_jacobian(compiled, work, i, work.p[i] + work.R[i] @ layout.p_LB[i])
        axes = work.R[i] @ layout.R_LB[i] if body.angular_velocity_axes == "body" else np.eye(3)
        for given, block, R in ((body.velocity, B[:3], np.eye(3)), (body.angular_velocity, B[3:], axes)):
            if given is not None:
                rows.append(block)
                values += (R @ given).tolist()
                owners += [body.name] * 3
    return WantedVelocities(np.vstack(rows), np.array(values), tuple(owners))
