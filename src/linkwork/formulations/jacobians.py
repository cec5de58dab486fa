"""Jacobians of the position evaluated last, as dense matrices: of the constraints, of points, of joints; and M.

For analyses that solve small systems in Python; the methods work on the packed values themselves.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.joints.motions import BALL, SLIDE
from linkwork.formulations.workspace import Work
from linkwork.numerics.tree_matrix import scatter
from linkwork.system.compile import Compiled
from linkwork.system.tables import System


def dense_jacobian(system: System, work: Work) -> np.ndarray:
    """Phi_v [row, motion]."""
    J = np.zeros((len(system.rows), len(system.dofs)))
    for con in system.constraints:
        columns = system.columns["dof"][con["first_column"] : con["first_column"] + con["column_count"]]
        for r in range(con["first_row"], con["first_row"] + con["row_count"]):
            first = system.rows[r]["first_value"]
            J[r, columns] = work.J[first : first + len(columns)]
    return J


def dense_mass(system: System, work: Work) -> np.ndarray:
    """M [motion, motion] (kg, kg m, kg m2)."""
    M = np.zeros((len(system.dofs), len(system.dofs)))
    scatter(system.dofs, work.M, M)
    return M


def point_jacobian(compiled: Compiled, work: Work, body: int, point: np.ndarray) -> np.ndarray:
    """B [6, motion] with B v = (velocity of the point of a body that is at `point` (m, world), angular velocity)."""
    bodies = compiled.system.bodies
    B = np.zeros((6, compiled.layout.v_count))
    k = body
    while k:
        for first, count in (("first_dof", "dof_count"), ("first_axis", "axis_count")):
            own = slice(bodies[k][first], bodies[k][first] + bodies[k][count])
            B[:, compiled.system.axes["dof"][own]] = work.S[own].T
        k = int(bodies[k]["parent"])
    B[:3] += np.cross(B[3:].T, point - work.O[body]).T
    return B


def joint_jacobian(compiled: Compiled, work: Work, name: str) -> np.ndarray:
    """B [velocity, motion] with B v = the velocities of a joint, frame M against F in the axes of F, as modelled."""
    joint = compiled.layout.joints[name]
    F = work.R[joint.body_a] @ joint.R_AF
    p_M = work.p[joint.body_b] + work.R[joint.body_b] @ joint.p_BM
    relative = point_jacobian(compiled, work, joint.body_b, p_M) - point_jacobian(compiled, work, joint.body_a, p_M)
    rows = []
    for motion, axis in joint.type.motions:
        if motion == BALL:
            rows += list(F.T @ relative[3:])
        elif motion == SLIDE:
            rows.append(F[:, axis] @ relative[:3])
        else:
            rows.append((F if axis == 2 else work.R[joint.body_b] @ joint.R_BM)[:, axis] @ relative[3:])
    return np.array(rows).reshape(-1, compiled.layout.v_count)
