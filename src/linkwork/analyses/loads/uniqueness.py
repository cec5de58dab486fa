"""Which components of a reaction are unique: those that every admissible set of multipliers agrees on.

Where rows are dependent - redundant everywhere, or at a singular position - the equations of motion

    M v_dot + Phi_v^T lam = Q

fix the motion but not lam: with any n of the null space of Phi_v^T, lam + n will do as well.  Physically that is a
load locked in between the bodies, which depends on tolerances and elasticity that rigid bodies do not have.  A
component of a reaction is unique if no such n changes it.  The null space is found at each sample by the rank-revealing
factorization of the mass-weighted rows, cut where the dynamics cuts them (methods/normal_step.py).

A planar model does not resolve out-of-plane loads; they count as not unique.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.loads.replay import DriverRow, Replay
from linkwork.analyses.loads.sample_kernels import factor_at_samples, influence_at_samples, null_space_at_samples
from linkwork.elements.constraints.rows import IDLE, POINT
from linkwork.elements.declaration.planes import PLANES
from linkwork.errors import Entry, NumericalError
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import OK

CHANGES = 1e-6  # of the size of a set of multipliers: below this a component does not change with it
EFFORT = 5e9  # operations spent on factorizations; beyond it not every sample is checked
MEMORY = 4_000_000  # numbers held at once


@dataclass(frozen=True)
class Indeterminacy:
    """Wrenches that could be added to the reactions without changing the motion; at `checked` samples of the run."""

    joints: tuple[str, ...]
    checked: np.ndarray  # samples checked; all others take the answer of the nearest
    nearest: np.ndarray  # [sample] which of the checked ones that is
    wrench: np.ndarray  # [checked, set, joint, 6] of unit size (moments: unit size x length), at the joint, world axes
    lam: np.ndarray  # [checked, set, row] the multipliers that make them
    length: float  # m, the mechanism's size

    def components(self, joint: str, R: np.ndarray, shift: np.ndarray) -> np.ndarray:
        """Is each component unique?  [sample, 6] in axes R [sample, 3, 3], moments about a point `shift` from the
        joint's [sample, 3].
        """
        wrench = self.wrench[:, :, self.joints.index(joint)]
        R, shift = R[self.checked, None], shift[self.checked, None]
        force, torque = wrench[..., :3], wrench[..., 3:] - np.cross(shift, wrench[..., :3])
        along = np.concatenate([force[..., None, :] @ R, torque[..., None, :] @ R / self.length], axis=-1)[..., 0, :]
        return np.asarray(~np.any(np.abs(along) > CHANGES, axis=1)[self.nearest])

    def driver(self, driver: DriverRow) -> np.ndarray:
        """Is the driving force unique?  [sample]"""
        unit = 1.0 if driver.unit == "N" else 1.0 / self.length
        return np.asarray(~np.any(np.abs(self.lam[:, :, driver.row]) * unit > CHANGES, axis=1)[self.nearest])

    def affected(self) -> tuple[str, ...]:
        """Joints whose reactions take part."""
        sizes = np.abs(self.wrench[:, : self.lam.shape[1]]).max(axis=(0, 1, 3), initial=0.0)
        return tuple(name for name, size in zip(self.joints, sizes, strict=True) if size > CHANGES)


def indeterminacy(replay: Replay, joints: tuple[str, ...]) -> Indeterminacy:
    """The null space of Phi_v^T at the samples, and what it does to the joints."""
    checked = _samples_to_check(replay)
    nearest = np.arange(len(replay.t))
    if len(checked) < len(replay.t):
        nearest = np.abs(replay.t[:, None] - replay.t[None, checked]).argmin(axis=1)
    length = float(replay.compiled.system.whole[0]["length"])
    samples = replay.part(checked)
    lam = free_multipliers(samples, length)
    wrench = influence(samples, joints, lam)
    across = _out_of_plane(replay.mechanism.plane, length)
    if len(across):
        wide = np.broadcast_to(across[None, :, None], (len(checked), len(across), len(joints), 6))
        wrench = np.concatenate([wrench, wide], axis=1)
    return Indeterminacy(joints, checked, nearest, wrench, lam, length)


def _samples_to_check(replay: Replay) -> np.ndarray:
    """All samples, or as many, evenly spread, as the effort allows."""
    rows, motions, count = len(replay.layout.rows), replay.layout.v_count, len(replay.t)
    effort = 2.0 * rows * rows * max(motions, 1)
    most = max(2, int(EFFORT / effort)) if rows else 1
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def free_multipliers(replay: Replay, length: float) -> np.ndarray:
    """Null space of Phi_v^T [sample, set, row]: multipliers of unit size (N; N m / length), zero where fewer."""
    count, rows = len(replay.t), len(replay.layout.rows)
    if not rows:
        return np.zeros((count, 0, 0))
    step = max(1, MEMORY // (rows * max(rows, replay.layout.v_count)))
    parts = [null_space(replay.part(np.arange(k, min(k + step, count)))) for k in range(0, count, step)]
    most = max(part.shape[1] for part in parts)
    lam = np.concatenate([np.pad(part, ((0, 0), (0, most - part.shape[1]), (0, 0))) for part in parts])
    unit = np.where(replay.compiled.system.rows["kind"] == POINT, 1.0, 1.0 / length)
    size = np.abs(lam * unit).max(axis=2, keepdims=True)
    return lam / np.where(size > 0.0, size, 1.0)


def null_space(replay: Replay) -> np.ndarray:
    """Sets of multipliers [sample, set, row] that do nothing to the motion; zero where a sample has fewer."""
    equations = Equations(replay.compiled, reactions=True)
    count, rows, motions = len(replay.t), len(replay.layout.rows), replay.layout.v_count
    A = np.zeros((count, rows, motions))
    scales, diagonal = np.zeros((count, rows)), np.zeros((count, max(rows, motions)))
    pivots, rank = np.zeros((count, rows), np.int64), np.zeros(count, np.int64)
    angles = replay.first_angles()
    for s in replay.segments():
        replay.hold_rows_of(s.start, equations)
        status = factor_at_samples(
            equations.system_ref, equations.work_ref, replay.t[s], replay.states[s], angles,
            A[s], scales[s], diagonal[s], pivots[s], rank[s],
        )  # fmt: skip
        if status != OK:
            raise NumericalError(
                "a motion of the mechanism has no inertia; give its bodies mass and inertia", entry=Entry.NO_INERTIA
            )
    sets = np.zeros((count, rows - int(rank.min()), rows))
    if sets.size:
        null_space_at_samples(A, scales, diagonal, pivots, rank, np.zeros(rows), sets)
    return np.where(replay.modes[:, None] == IDLE, 0.0, sets)  # what an idle row could bear, it does not


def influence(replay: Replay, joints: tuple[str, ...], multipliers: np.ndarray) -> np.ndarray:
    """Wrenches [sample, set, joint, 6] of sets of multipliers [sample, set, row] by themselves."""
    equations, (chosen, owner) = replay.open_equations, replay.chosen(joints)
    wrench = np.zeros((*multipliers.shape[:2], len(joints), 6))
    angles, multipliers = replay.first_angles(), np.ascontiguousarray(multipliers)
    for s in replay.segments():
        replay.hold_rows_of(s.start, equations)
        influence_at_samples(
            equations.system_ref, equations.work_ref, replay.t[s], replay.states[s], angles,
            replay.outside, owner, chosen, multipliers[s], wrench[s],
        )  # fmt: skip
    return wrench


def _out_of_plane(plane: str | None, length: float) -> np.ndarray:
    """Forces along the normal and moments within the plane, which a planar model does not resolve."""
    if plane is None:
        return np.zeros((0, 6))
    normal = np.array(PLANES[plane])
    within = np.eye(3)[np.abs(normal) < 0.5]
    return np.vstack([np.append(normal, np.zeros(3)), np.hstack([np.zeros((2, 3)), within * length])])
