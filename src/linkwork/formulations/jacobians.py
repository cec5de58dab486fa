"""Jacobians of the position evaluated last: of the constraints, dense or sparse, of points; and M.

For analyses in Python; the methods work on the packed values themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.formulations.workspace import Work
from linkwork.lazy_import import lazy_functions
from linkwork.numerics.tree_matrix import scatter
from linkwork.system.compile import Compiled
from linkwork.system.tables import System

if TYPE_CHECKING:
    from scipy.sparse import csr_array
else:
    (csr_array,) = lazy_functions("scipy.sparse", "csr_array")


def entries(system: System) -> tuple[np.ndarray, np.ndarray]:
    """Row and motion of every value of the packed Phi_v."""
    of_row = system.constraints[system.rows["constraint"]]
    counts = of_row["column_count"].astype(np.int64)
    rows = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(rows)) - np.repeat(system.rows["first_value"], counts)
    return rows, system.columns["dof"][np.repeat(of_row["first_column"], counts) + within].astype(np.int64)


def dense_jacobian(system: System, work: Work) -> np.ndarray:
    """Phi_v [row, motion]."""
    J = np.zeros((len(system.rows), len(system.dofs)))
    J[entries(system)] = work.J
    return J


def sparse_jacobian(system: System, work: Work) -> csr_array:
    """Phi_v [row, motion]."""
    return csr_array((work.J, entries(system)), (len(system.rows), len(system.dofs)))


def sparse_mass(system: System, work: Work) -> csr_array:
    """M [motion, motion] (kg, kg m, kg m2)."""
    dofs = system.dofs
    own, at = np.arange(len(dofs)), np.arange(len(dofs))
    rows, columns, values = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    while len(own):  # each motion with itself, then with those on which it hangs
        entry = work.M[dofs["row"][own] + dofs["depth"][at]]
        both = own != at
        rows += [own, at[both]]
        columns += [at, own[both]]
        values += [entry, entry[both]]
        at = dofs["parent"][at]
        own, at = own[at >= 0], at[at >= 0]
    places = tuple(np.concatenate([np.zeros(0, np.int64), *parts]) for parts in (rows, columns))
    return csr_array((np.concatenate([np.zeros(0), *values]), places), (len(dofs), len(dofs)))


def row_rates(system: System, work: Work, v: np.ndarray, *, sizes: bool = False) -> np.ndarray:
    """Phi_v v [row]; `sizes`: |Phi_v| |v|."""
    rows, motions = entries(system)
    parts = work.J * v[motions]
    return np.bincount(rows, np.abs(parts) if sizes else parts, len(system.rows))


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
