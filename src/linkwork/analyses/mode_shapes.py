"""How the bodies move with the independent coordinates: displacements, rotations, masses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.numerics.codes import LEVEL_ALL

if TYPE_CHECKING:
    from linkwork.analyses.linearization import Linearization


def body_directions(linear: Linearization) -> tuple[np.ndarray, np.ndarray]:
    """[coordinate, body, 3] displacement of body origins and rotation for a unit of each independent coordinate."""
    layout, motion = linear.reduction.layout, linear.along_x.motion
    dR = motion[..., :9].reshape(*motion.shape[:2], 3, 3)
    dp = motion[..., 9:12] + np.einsum("kbij,bj->kbi", dR, layout.p_LB)
    R = places(linear)[0]
    spin = np.einsum("kbij,blj->kbil", dR, R)
    return dp, np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)


def mass_directions(linear: Linearization) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses [body], displacement of the centres of mass [coordinate, body, 3], inertias in world axes [body, 3, 3]."""
    bodies, motion = linear.reduction.system.bodies, linear.along_x.motion
    dR = motion[..., :9].reshape(*motion.shape[:2], 3, 3)
    dc = motion[..., 9:12] + np.einsum("kbij,bj->kbi", dR, bodies["p_LC"])
    R = places(linear)[0]
    return bodies["mass"], dc, np.einsum("bij,bjk,blk->bil", R, bodies["J_C"], R)


def places(linear: Linearization) -> tuple[np.ndarray, np.ndarray]:
    """Link frames at the reference point."""
    r = linear.reduction
    r.real.evaluate(r.t, linear.point.y, linear.point.angles, LEVEL_ALL)
    return r.real.work.R.copy(), r.real.work.p.copy()
