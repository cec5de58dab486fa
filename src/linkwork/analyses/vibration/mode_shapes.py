"""How the bodies move with the independent coordinates: displacements, rotations, masses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwork.elements.bodies.rigid_body import Body
from linkwork.flexible.modal_equations import mass_matrix
from linkwork.flexible.shape_integrals import tilde
from linkwork.numerics.status import LEVEL_ALL

if TYPE_CHECKING:
    from linkwork.analyses.vibration.linearization import Linearization


def body_directions(linear: Linearization) -> tuple[np.ndarray, np.ndarray]:
    """[coordinate, body, 3] displacement of body origins and rotation for a unit of each independent coordinate."""
    layout, motion = linear.reduction.layout, linear.along_x.motion
    dR = motion[..., :9].reshape(*motion.shape[:2], 3, 3)
    dp = motion[..., 9:12] + np.einsum("kbij,bj->kbi", dR, layout.p_LB)
    R = places(linear)[0]
    spin = np.einsum("kbij,blj->kbil", dR, R)
    return dp, np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)


class MovingMass(NamedTuple):
    """A body in small motions: z = (v, omega, eta') of its frame, body axes."""

    R: np.ndarray  # [3, 3] axes of the frame in the world
    z: np.ndarray  # [coordinate, 6 + modes] for a unit of each independent coordinate
    M: np.ndarray  # [6 + modes, 6 + modes]


def moving_masses(linear: Linearization) -> dict[str, MovingMass]:
    """Every body by name; a flexible one as it is bent at the reference point."""
    layout, (dp, turn), R = linear.reduction.layout, body_directions(linear), places(linear)[0]
    found = {}
    for body in linear.reduction.mechanism.body:
        k = layout.body(body.name)
        axes = R[k] @ layout.R_LB[k]
        eta, bending = modal_directions(linear, body)
        z = np.hstack([dp[:, k] @ axes, turn[:, k] @ axes, bending])
        M = rigid_mass(body) if body.modal is None else mass_matrix(body.modal, eta)
        found[body.name] = MovingMass(axes, z, M)
    return found


def modal_directions(linear: Linearization, body: Body) -> tuple[np.ndarray, np.ndarray]:
    """Modal coordinates of a body at the reference point [mode], and for a unit of each independent one [.., mode]."""
    if body.modal is None:
        return np.zeros(0), np.zeros((len(linear.independent), 0))
    first = linear.reduction.layout.q_names.index(f"{body.name}.mode1")
    own = slice(first, first + body.modal.modes)
    return linear.point.y[own], linear.along_x.dq[:, own]


def rigid_mass(body: Body) -> np.ndarray:
    """M of z = (v, omega) of a rigid body's frame, whose origin need not be the centre of mass."""
    m, c = body.mass_kg, tilde(body.p_BC)
    return np.block([[m * np.eye(3), -m * c], [m * c, body.J_C - m * c @ c]])


def places(linear: Linearization) -> tuple[np.ndarray, np.ndarray]:
    """Link frames at the reference point."""
    r = linear.reduction
    r.real.evaluate(r.t, linear.point.y, linear.point.angles, LEVEL_ALL)
    return r.real.work.R.copy(), r.real.work.p.copy()
