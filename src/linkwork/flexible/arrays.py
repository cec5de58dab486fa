"""Flexible bodies from arrays of other programs: mass and stiffness matrix, node positions, and modes if given.

Three unknowns per node (displacements) or six (and rotations), node after node.  With three, a consistent or lumped
mass matrix of solid elements is m_ij 1_3 in blocks, and all inertia follows from m exactly.  Where it is not (six
unknowns, coupled directions), mass, centre, inertia and all that couples the undeformed body to its modes come from the
matrix itself; the terms that deformation adds (eta omega^2, eta' omega) from the mean of the three displacement
directions: rotary inertia of single nodes is left out of these terms alone, an error that vanishes as the mesh is
refined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import ModelError
from linkwork.flexible.bodies import Selection, modal_body
from linkwork.flexible.finite_elements.connections import Connection, connect, rigid_of
from linkwork.flexible.finite_elements.finite_model import FiniteModel, Nodes, Particles, Support, rigid_motions
from linkwork.flexible.modal_body import ModalBody, check_symmetric
from linkwork.flexible.reduction import Frame
from linkwork.flexible.report import RigidData
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import scipy.sparse as sp
    import scipy.sparse.linalg as sparse_linalg
else:
    sp = lazy_module("scipy.sparse")
    sparse_linalg = lazy_module("scipy.sparse.linalg")


def body_from_arrays(
    name: str,
    mass: np.ndarray | sp.csr_matrix,
    stiffness: np.ndarray | sp.csr_matrix,
    positions: np.ndarray,
    *,
    modes: Selection,
    shapes: np.ndarray | None = None,
    sets: dict[str, tuple[str, Sequence[int]]] | None = None,
    supports: dict[str, Support] | None = None,
    interfaces: Sequence[str] = (),
    frame: Frame | None = None,
    damping: float | Sequence[float] = 0.0,
    rigid: RigidData | None = None,
) -> ModalBody:
    """A modal body from M and K (dense or sparse, SI) and the positions of the nodes (k, 3), m.

    `shapes` (n, ..): modes of another program; without them they are computed, for `supports` or `interfaces`.  `sets`:
    {name: ("rigid" | "averaged", numbers of nodes from 0)}, the interfaces of meshes with three unknowns per node (with
    `shapes`, averaged ones only, since those shapes bend a rigid set).  With six, every node is named by its number
    from 1.  `rigid`: mass and inertia of the rigid body, to compare with.
    """
    model = model_from_arrays(name, mass, stiffness, positions, sets or {})
    if shapes is not None:
        shapes = np.asarray(shapes, float)
        if shapes.ndim != 2 or shapes.shape[0] != model.size:
            raise ModelError(
                f"flexible body '{name}': shapes of size {shapes.shape} for {model.size} unknowns; give one column for "
                "each mode",
                element=name,
            )
    return modal_body(
        model, modes=modes, shapes=shapes, supports=supports, interfaces=interfaces, frame=frame, damping=damping,
        rigid=rigid, stiffening=False,
    )  # fmt: skip


def model_from_arrays(
    name: str, mass: np.ndarray | sp.csr_matrix, stiffness: np.ndarray | sp.csr_matrix, positions: np.ndarray,
    sets: dict[str, tuple[str, Sequence[int]]],
) -> FiniteModel:  # fmt: skip
    """Checked matrices, named nodes, particles."""
    M, K, x = sp.csr_matrix(mass, dtype=float), sp.csr_matrix(stiffness, dtype=float), np.asarray(positions, float)
    dofs = _check(name, M, K, x)
    rigid = rigid_motions(x, dofs)
    _check_free(name, K, rigid)
    m, consistent = _scalar_mass(M, dofs)
    displacements = _displacements(len(x), dofs)
    if dofs == 6:
        if sets:
            raise ModelError(f"flexible body '{name}': sets are for three unknowns per node; name nodes '1', '2', ..")
        nodes = Nodes(tuple(str(k + 1) for k in range(len(x))), x, sp.identity(M.shape[0], format="csr"))
        particles = Particles(x, displacements, m)
        return FiniteModel(name, K, M, rigid, nodes, particles, consistent=consistent)
    connections = []
    for key, (kind, members) in sets.items():
        numbers = np.asarray(members, int)
        missing = numbers[(numbers < 0) | (numbers >= len(x))]
        if len(missing):
            raise ModelError(
                f"flexible body '{name}': interface '{key}': node {missing[0]} is not in the mesh, which has the nodes "
                f"0 to {len(x) - 1}",
                element=name,
            )
        connections.append(Connection(key, kind, numbers, np.ones(len(numbers))))
    T, nodes, places = connect(name, x, connections)
    particles = Particles(x, T, m)
    return FiniteModel(
        name, (T.T @ K @ T).tocsr(), (T.T @ M @ T).tocsr(), rigid_of(x, nodes, places), nodes, particles,
        consistent=consistent,
    )  # fmt: skip


def _check(name: str, M: sp.csr_matrix, K: sp.csr_matrix, x: np.ndarray) -> int:
    """Shapes, symmetry and definiteness; the number of unknowns per node."""
    if x.ndim != 2 or x.shape[1] != 3:
        raise ModelError(f"flexible body '{name}': positions have the size {x.shape}; give three numbers per node")
    n = M.shape[0]
    if M.shape != (n, n) or K.shape != (n, n) or n not in (3 * len(x), 6 * len(x)):
        raise ModelError(
            f"flexible body '{name}': mass {M.shape} and stiffness {K.shape} for {len(x)} nodes; both must be square, "
            "with three or six unknowns per node",
            element=name,
        )
    check_symmetric(name, "mass", M)
    check_symmetric(name, "stiffness", K)
    for what, A, least in (("mass", M, 1e-14), ("stiffness", K, -1e-9)):
        lowest, highest = _extremes(A)
        if lowest < least * highest:
            raise ModelError(
                f"flexible body '{name}': the {what} matrix is indefinite: an eigenvalue is {lowest:.3g}, the largest "
                f"{highest:.3g}; it must be {'positive' if what == 'mass' else 'zero (rigid motions) or positive'}",
                element=name,
            )
    return int(n) // len(x)


def _extremes(A: sp.csr_matrix) -> tuple[float, float]:
    """Lowest and highest eigenvalue, after the unknowns are scaled to a unit diagonal (signs stay)."""
    d = np.abs(A.diagonal())
    scale = sp.diags(1 / np.sqrt(np.where(d > 0, d, 1.0)))
    B = (scale @ A @ scale).tocsr()
    if A.shape[0] <= 1500:
        values = np.linalg.eigvalsh(B.toarray())
        return float(values[0]), float(values[-1])
    ends = sparse_linalg.eigsh(B, k=2, which="BE", return_eigenvectors=False, tol=1e-6)
    return float(min(ends)), float(max(ends))


def _check_free(name: str, K: sp.csr_matrix, rigid: np.ndarray) -> None:
    """A free body resists no rigid motion."""
    size = (abs(K) @ np.abs(rigid)).max(axis=0)
    left = np.abs(K @ rigid).max(axis=0) / size
    if np.max(left) > 1e-6:
        motion = ("x", "y", "z", "rotation x", "rotation y", "rotation z")[int(np.argmax(left))]
        raise ModelError(
            f"flexible body '{name}': the stiffness resists the rigid motion '{motion}' (residual {np.max(left):.2g}); "
            "give the matrix of the free body, in m and with positions in the same axes",
            element=name,
        )


def _scalar_mass(M: sp.csr_matrix, dofs: int) -> tuple[sp.csr_matrix, bool]:
    """m of M = m x 1_3, the mean of the three directions, and whether that is all of M."""
    directions = [M[a::dofs, a::dofs] for a in range(3)]
    m = (directions[0] + directions[1] + directions[2]) / 3
    exact = dofs == 3 and abs(M - sp.kron(m, sp.identity(3))).max() <= 1e-9 * abs(M).max()
    return m.tocsr(), bool(exact)


def _displacements(k: int, dofs: int) -> sp.csr_matrix:
    """(3 k, dofs k): the displacements among the unknowns."""
    columns = (dofs * np.arange(k)[:, None] + np.arange(3)).ravel()
    return sp.csr_matrix((np.ones(3 * k), (np.arange(3 * k), columns)), (3 * k, dofs * k))
