"""Whether a mechanism moves in a plane, however it is given; and its tables.

It does where all rotations of its tree are about one direction, the normal, and all slides across it: then every
body keeps its height and its tilt, whatever the forces; what these do across the plane the joints resist.  A row
between such bodies holds something within the plane, or nothing (ACROSS); one that mixes both has no place in a plane.
Heights, masses and products of inertia do not matter.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.constraints.rows import ANGLE, PARALLEL, POINT
from linkwork.elements.family import Phase
from linkwork.elements.joints.motions import ROTATE, SLIDE
from linkwork.formulations.equations import Equations, family_kernels
from linkwork.formulations.plane.records import (
    ACROSS,
    PLANE,
    PLANE_BODY,
    PLANE_CONSTRAINT,
    PLANE_MOTION,
    PLANE_ROW,
    PlaneTables,
    in_space,
)
from linkwork.formulations.plane.weights import Weights
from linkwork.numerics.rotations import frame_with_axis
from linkwork.numerics.status import LEVEL_POSITION

EXACT = 1e-12  # sine of an angle up to which directions are parallel
IN_PLANE_TOO = (Phase.SIGNALS, Phase.FORCES, Phase.PACE)  # what families do with poses and twists alone


def plane_tables(equations: Equations) -> PlaneTables:
    """The tables of a mechanism in a plane; empty ones of any other, and of those with parts that are found in space
    alone: open trees, flexible bodies, couplings, rolling, locks and impulses, friction by the joints' loads.
    """
    system, work = equations.system, equations.work
    turns = system.dofs["kind"] == ROTATE
    if not _is_fit(equations) or not turns.any():
        return in_space()
    equations.evaluate(0.0, np.zeros(len(work.rate)), work.angle.copy(), LEVEL_POSITION)
    normal = work.S[np.argmax(turns), 3:]
    axes = frame_with_axis(normal * np.sign(normal[np.argmax(np.abs(normal))]))
    rows = _rows(equations, axes)
    if not _stays(work.S[: len(turns)], turns, axes) or rows is None:
        return in_space()
    heights = heights_of(equations, axes[:, 2])
    plane = np.zeros(1, PLANE)
    plane["x"], plane["y"], plane["normal"] = axes.T
    motions = np.zeros(len(turns), PLANE_MOTION)
    motions["sense"] = np.where(turns, np.sign(work.S[: len(turns), 3:] @ axes[:, 2]), 0.0)
    motions["along"] = np.where(turns[:, None], 0.0, work.S[: len(turns), :3] @ axes[:, :2])
    tables = PlaneTables(plane, _bodies(equations, axes), motions, _constraints(equations, axes, heights), rows)
    Weights(tables, system, heights).put()
    return tables


def heights_of(equations: Equations, normal: np.ndarray) -> np.ndarray:
    """Of the centres of mass along the normal of the plane, m, of a mechanism whose positions were evaluated there."""
    work = equations.work
    return np.asarray((work.p + _turned(work.R, equations.system.bodies["p_LC"])) @ normal)


def described(tables: PlaneTables) -> str:
    """For the reasons of a run; nothing of a mechanism in space."""
    if not len(tables.plane):
        return ""
    normal = ", ".join(f"{value:.4g}" for value in np.round(tables.plane[0]["normal"], 12) + 0.0)
    return f"; planar: it moves in the plane normal to ({normal})"


def _is_fit(equations: Equations) -> bool:
    """Whether all of its parts can be found from poses and twists in a plane."""
    system, whole = equations.system, equations.system.whole[0]
    special = whole["open_tree"] or whole["flexible"] or whole["misfit"] > 0.0 or len(system.changes) > 0
    phases = {phase for phase, _, _ in family_kernels(equations.compiled)}
    motions = np.isin(system.dofs["kind"], (ROTATE, SLIDE)).all()
    return bool(not special and motions and phases <= set(IN_PLANE_TOO))


def _stays(S: np.ndarray, turns: np.ndarray, axes: np.ndarray) -> bool:
    """Whether all motions are within the plane."""
    leaves = np.where(turns, np.abs(S[:, 3:] @ axes[:, :2]).max(axis=1), np.abs(S[:, :3] @ axes[:, 2]))
    return bool(leaves.max() < EXACT)


def _turned(R: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """R[k] @ vectors[k]."""
    return np.asarray(np.einsum("kij,kj->ki", R, vectors))


def _bodies(equations: Equations, axes: np.ndarray) -> np.ndarray:
    given, R_0, flat, normal = equations.system.bodies, equations.work.R, axes[:, :2], axes[:, 2]
    bodies = np.zeros(len(given), PLANE_BODY)
    for field in ("parent", "first_dof", "dof_count"):
        bodies[field] = given[field]
    bodies["p_P"] = _turned(R_0[given["parent"]], given["p_PF"]) @ flat
    bodies["p_C"] = _turned(R_0, given["p_LC"]) @ flat
    own = R_0.transpose(0, 2, 1) @ axes  # x, y and the normal in the axes of each body
    upright = own[:, :, 2]
    bodies["J_C"] = np.einsum("ki,kij,kj->k", upright, given["J_C"], upright)
    bodies["per_inertia"] = own.transpose(0, 2, 1) @ given["J_C_inverse"] @ own
    bodies["height"] = equations.work.p @ normal
    bodies["R_still"] = normal[:, None] * upright[:, None, :]
    bodies["R_cos"] = R_0 - bodies["R_still"]
    bodies["R_sin"] = np.cross(normal, R_0, axisb=1, axisc=1)
    return bodies


def _constraints(equations: Equations, axes: np.ndarray, heights: np.ndarray) -> np.ndarray:
    given, R_0, p = equations.system.constraints, equations.work.R, equations.work.p
    a, b = given["body_a"], given["body_b"]
    constraints, p_BM = np.zeros(len(given), PLANE_CONSTRAINT), _turned(R_0[b], given["p_BM"])
    constraints["p_F"] = _turned(R_0[a], given["p_AF"]) @ axes[:, :2]
    constraints["p_M"] = p_BM @ axes[:, :2]
    above = (p[b] + p_BM) @ axes[:, 2]
    constraints["rise_a"], constraints["rise_b"] = above - heights[a], above - heights[b]
    return constraints


def _rows(equations: Equations, axes: np.ndarray) -> np.ndarray | None:
    """The rows in the plane; None: one of them is neither in it nor across it, or drives something across it."""
    given, constraints, R_0 = equations.system.rows, equations.system.constraints, equations.work.R
    kind, of = given["kind"], constraints[given["constraint"]]
    if not np.isin(kind, (POINT, PARALLEL, ANGLE)).all():
        return None
    F, M = R_0[of["body_a"]] @ of["R_AF"], R_0[of["body_b"]] @ of["R_BM"]
    angle, each = kind == ANGLE, np.arange(len(given))
    x_F = F[each, :, np.where(angle, 0, given["i"])] @ axes  # along x, y and the normal of the plane
    x_M = M[each, :, np.where(angle, 0, given["j"])] @ axes
    flat_F, flat_M = np.abs(x_F[:, 2]) < EXACT, np.abs(x_M[:, 2]) < EXACT
    along_F, along_M = (np.abs(one[:, :2]).max(axis=1, initial=0.0) < EXACT for one in (x_F, x_M))
    held = flat_F & ((kind == POINT) | flat_M)
    free = ((kind == POINT) & along_F) | ((kind == PARALLEL) & ((along_F & flat_M) | (flat_F & along_M)))
    free &= (given["op_count"] == 0) & (given["mode"] == 0)
    if not (held | free).all() or (given["active"].astype(bool) & ~held).any():
        return None
    rows = np.zeros(len(given), PLANE_ROW)
    rows["kind"] = np.where(held, kind, ACROSS)
    rows["x_F"], rows["x_M"] = x_F[:, :2], x_M[:, :2]
    rows["sense"] = np.where(angle, np.sign(F[:, :, 2] @ axes[:, 2]), 0.0)
    return rows
