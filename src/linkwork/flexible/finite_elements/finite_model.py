"""A finite-element model as the reduction sees it: stiffness, mass, nodes and mass particles, whatever the elements.

Displacements of material points follow from the unknowns d by `u_g = N_g d` (small deformation).  The *particles* say
how mass is spread: the kinetic energy of any velocity field is

    T = 1/2 sum_gh m_gh  u_g' . u_h'                                                                             (1)

For beams the particles are quadrature points (m diagonal, exact for the interpolation of the elements); for solids they
are the nodes and m is the consistent mass of the scalar shape functions.  In both cases M = N^T (m x I3) N is the
consistent mass matrix, and since x itself lies in the space of the elements, (1) holds as well for large rotations
of the deformed body: u_g' = v + omega x (x_g + u_g) + N_g d'.  No mass is lumped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import ModelError, nearest
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import scipy.sparse as sp
    import scipy.sparse.linalg as sparse_linalg
else:
    sp = lazy_module("scipy.sparse")
    sparse_linalg = lazy_module("scipy.sparse.linalg")

DOFS = ("ux", "uy", "uz", "rx", "ry", "rz")  # of a node: displacement, rotation, body axes
WORDS = {
    "clamped": DOFS,
    "pinned": ("ux", "uy", "uz", "rx"),  # turns about y and z; twist is held
    "roller": ("uy", "uz", "rx"),  # a pin that slides along x
    "guided": ("ux", "rx", "ry", "rz"),  # slides across, keeps its direction
    "free": (),
}
Support = str | tuple[str, ...] | list[str]


@dataclass(frozen=True)
class Particles:
    """How mass is spread: positions, u = interpolation @ d, masses."""

    x: np.ndarray  # (g, 3) m
    interpolation: sp.csr_matrix  # (3 g, n)
    m: np.ndarray | sp.csr_matrix  # (g,) or (g, g) kg

    def shapes(self, modes: np.ndarray) -> np.ndarray:
        """Displacement of every particle in every mode, (g, 3, modes)."""
        displacements: np.ndarray = (self.interpolation @ modes).reshape(len(self.x), 3, -1)
        return displacements


@dataclass(frozen=True)
class Nodes:
    """Named places: position and the rows that give displacement and rotation, six per node, from the unknowns."""

    names: tuple[str, ...]
    x: np.ndarray  # (k, 3) m
    rows: sp.csr_matrix  # (6 k, n)

    def index(self, name: str, of: str) -> int:
        """Number of a node by name."""
        if str(name) not in self.names:
            raise ModelError(
                f"flexible body '{of}': node '{name}' is not in the mesh; {nearest(str(name), self.names)}", element=of
            )
        return self.names.index(str(name))


@dataclass(frozen=True)
class Drawing:
    """What a picture of the deformed body needs: points and the lines or triangles between them."""

    points: np.ndarray  # (p, 3) m
    rows: sp.csr_matrix  # (3 p, n)
    cells: np.ndarray  # (c, 2) lines or (c, 3) triangles: numbers of points


@dataclass(frozen=True)
class FiniteModel:
    """Stiffness, mass, rigid motions, nodes and particles of one body, in body axes and SI units."""

    name: str
    K: sp.csr_matrix  # (n, n)
    M: sp.csr_matrix  # (n, n)
    rigid: np.ndarray  # (n, <= 6): those rigid motions about the origin that the unknowns can follow
    nodes: Nodes
    particles: Particles
    drawing: Drawing | None = None
    prestress: Callable[[FiniteModel, np.ndarray, str], Prestress] | None = None  # (self, modes, supported node)
    section_table: Callable[[np.ndarray], SectionTable] | None = None
    warnings: tuple[str, ...] = ()
    consistent: bool = True  # the particles reproduce M; if not, inertia of first order is taken from M itself

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return int(self.K.shape[0])

    @property
    def shift(self) -> float:
        """omega^2 (1/s2) far below that of any mode, yet above the rounding of K."""
        return 1e-9 * float(self.K.diagonal().sum() / self.M.diagonal().sum())

    @cached_property
    def factor(self) -> sparse_linalg.SuperLU:
        """Factors of K + shift M, positive definite, in a symmetric order that keeps them sparse."""
        near = (self.K + self.shift * self.M).tocsc()
        symmetric = {"SymmetricMode": True}
        return sparse_linalg.splu(near, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric)

    def node_rows(self, name: str, dofs: Support = DOFS) -> sp.csr_matrix:
        """Rows of the named displacements and rotations of a node; rows that are identically zero are left out."""
        names = WORDS.get(dofs) if isinstance(dofs, str) else tuple(dofs)
        if names is None:
            raise ModelError(
                f"flexible body '{self.name}': node '{name}': unknown support '{dofs}'; {nearest(str(dofs), WORDS)}",
                element=self.name,
            )
        for dof in names:
            if dof not in DOFS:
                raise ModelError(
                    f"flexible body '{self.name}': node '{name}' has no '{dof}'; {nearest(dof, DOFS)}",
                    element=self.name,
                )
        k = self.nodes.index(name, self.name)
        rows = self.nodes.rows[[6 * k + DOFS.index(d) for d in names]]
        return rows[np.flatnonzero(np.asarray(abs(rows).sum(axis=1)).ravel() > 0)]

    def support_rows(self, supports: dict[str, Support]) -> sp.csr_matrix:
        """C of the support conditions C d = 0, from {node: "clamped" | "pinned" | ... | names of dofs}."""
        empty = sp.csr_matrix((0, self.size))
        return sp.vstack([empty] + [self.node_rows(name, what) for name, what in supports.items()], format="csr")


@dataclass(frozen=True)
class Prestress:
    """Geometric stiffness K_geo of a body, linear in what loads it; (.., m, m) in modal coordinates, body axes.

    The inertia load of a particle is -m ((a_O - g) + alpha x x + omega x (omega x x)).  The internal forces of these
    loads, and of forces f_n at the nodes, with the body supported at one node, change the stiffness against eta by,
    theory (6.11),

        K_geo = sum_k (a_O - g)_k acceleration[k] + sum_k alpha_k angular_acceleration[k]
              + sum_kl omega_k omega_l spin[kl] + sum_nk f_nk node_force[n, k]

    kl = xx, yy, zz, xy, xz, yz.  Where all that acts on the body is in the sum it balances, so that the choice of the
    supported node does not matter.  For a beam along x the same matrix is the foreshortening of node n:
    u_nx = S_nx eta - 1/2 eta^T node_force[n, x] eta, seen from the supported node.
    """

    acceleration: np.ndarray  # (3, m, m) kg per unit modal^2
    angular_acceleration: np.ndarray  # (3, m, m)
    spin: np.ndarray  # (6, m, m)
    node_force: np.ndarray  # (nodes, 3, m, m)


PRODUCTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # of angular velocity: xx, yy, zz, xy, xz, yz


@dataclass(frozen=True)
class SectionTable:
    """The sections of a beam at its nodes, and how mass is spread between them: what internal forces follow from.

    A mass at `points` moves by shapes @ eta; those of element e, from node e to node e + 1, have `element` e.
    """

    x: np.ndarray  # (s,) m
    A: np.ndarray  # (s,) m2
    Iy: np.ndarray  # (s,) m4
    Iz: np.ndarray  # (s,) m4
    fibres: np.ndarray  # (s, f, 2) m: points (y, z) of the section
    element: np.ndarray  # (g,)
    points: np.ndarray  # (g, 3) m
    masses: np.ndarray  # (g,) kg
    shapes: np.ndarray  # (g, 3, m)


def rigid_motions(x: np.ndarray, dofs: int = 6) -> np.ndarray:
    """(3 or 6 unknowns per node, 6): unit translations and unit rotations about the origin, of nodes at x (k, 3)."""
    k = len(x)
    R = np.zeros((k, dofs, 6))
    for a in range(3):
        R[:, a, a] = 1.0
        R[:, :3, 3 + a] = np.cross(np.eye(3)[a], x)
        if dofs == 6:
            R[:, 3 + a, 3 + a] = 1.0
    return R.reshape(k * dofs, 6)
