"""Straight beam finite elements in space: Euler-Bernoulli or Timoshenko, consistent mass, any section.

Six unknowns per node: displacement (ux, uy, uz) and rotation (rx, ry, rz); the beam lies along x.  The interpolation is
that of the homogeneous Timoshenko beam (Przemieniecki 1968; Friedman & Kosmatka 1993), with the ratio of bending to
shear stiffness  Phi = 12 E I / (k G A l^2); Phi = 0 is Hermite's cubic of Euler and Bernoulli.  A point (y, z) of the
section moves by  u + r x (0, y, z).  All follows from these fields by Gauss quadrature, exact for its integrands:

    K     = sum (strain rows)^T diag(EA, ky GA, kz GA, GJ, EIy, EIz) (strain rows)
    M     = sum (point rows)^T rho dV (point rows)           section points with the section's second moments
    K_geo = sum (slope rows)^T N(x) (slope rows)             slopes uy', uz', and r_x' with (Iy + Iz) / A

To second order a section that turns by r also moves its points by  1/2 r x (r x (0, y, z)):  what a spinning beam's
sections pull at as they tilt and twist.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import ModelError, nearest
from linkwork.flexible.finite_elements.finite_model import (
    PRODUCTS,
    Drawing,
    FiniteModel,
    Nodes,
    Particles,
    Prestress,
    SectionTable,
    rigid_motions,
)
from linkwork.flexible.finite_elements.materials import Material, unit_warnings
from linkwork.flexible.finite_elements.sections import Section
from linkwork.flexible.shape_integrals import axial, gyration
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import scipy.sparse as sp
else:
    sp = lazy_module("scipy.sparse")

GAUSS_X, GAUSS_W = (np.polynomial.legendre.leggauss(4)[0] + 1) / 2, np.polynomial.legendre.leggauss(4)[1] / 2
PLANES = {None: range(6), "xy": (0, 1, 5), "xz": (0, 2, 4)}  # unknowns of a node that a planar beam keeps
THEORIES = ("euler-bernoulli", "timoshenko")


@dataclass(frozen=True)
class Beam:
    """A straight beam along x from `start` to `start + length`; nodes are called "1", "2", ... from there.

    One section, or one for each element.  `plane` keeps the motions in that plane only (no torsion).  Without
    `rotary_inertia` sections have mass but no inertia of rotation (the classical beam; only in a plane).
    """

    name: str
    length: float  # m
    section: Section | tuple[Section, ...]
    material: Material
    elements: int = 10
    theory: str = "euler-bernoulli"
    plane: str | None = None  # "xy", "xz"; None: space
    start: float = 0.0  # m, x of node 1
    rotary_inertia: bool = True

    def __post_init__(self) -> None:
        who = f"beam '{self.name}'"
        if not (math.isfinite(self.length) and self.length > 0.0):
            raise ModelError(f"{who}: length is {self.length:g} m; it must be finite and > 0", element=self.name)
        if self.elements < 1:
            raise ModelError(f"{who}: {self.elements} elements; it needs at least 1", element=self.name)
        if self.theory not in THEORIES:
            raise ModelError(f"{who}: theory '{self.theory}'; {nearest(self.theory, THEORIES)}", element=self.name)
        if self.plane not in PLANES:
            raise ModelError(f"{who}: plane is '{self.plane}'; it is 'xy', 'xz' or None", element=self.name)
        if isinstance(self.section, tuple) and len(self.section) != self.elements:
            raise ModelError(
                f"{who}: {len(self.section)} sections for {self.elements} elements; give one, or one for each",
                element=self.name,
            )
        if not self.rotary_inertia and self.plane is None:
            raise ModelError(
                f"{who}: without rotary inertia its torsion has no mass; give plane='xy' or 'xz'", element=self.name
            )

    @property
    def x(self) -> np.ndarray:
        """Positions of the nodes along x, m."""
        return self.start + np.linspace(0.0, self.length, self.elements + 1)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The section of each element."""
        return self.section if isinstance(self.section, tuple) else (self.section,) * self.elements

    @property
    def kept(self) -> np.ndarray:
        """Numbers of the unknowns that the beam keeps, of six per node."""
        return np.array([6 * k + i for k in range(self.elements + 1) for i in PLANES[self.plane]])


def fields(xi: float, l: float, Phi_y: float, Phi_z: float) -> tuple[np.ndarray, np.ndarray]:
    """(u, r) of the section at x = xi l from the 12 unknowns of the element, and the derivative along x; (6, 12)."""
    U, dU = np.zeros((6, 12)), np.zeros((6, 12))
    for i in (0, 3):  # stretch and twist: linear
        U[i, [i, 6 + i]] = 1 - xi, xi
        dU[i, [i, 6 + i]] = -1 / l, 1 / l
    for w, r, sign, Phi in ((1, 5, 1.0, Phi_y), (2, 4, -1.0, Phi_z)):  # uy with rz; uz with -ry
        at, signs, c = [w, r, 6 + w, 6 + r], np.array([1.0, sign, 1.0, sign]), 1 / (1 + Phi)
        cubic = np.array(  # coefficients of 1, xi, xi^2, xi^3
            [
                [1 + Phi, -Phi, -3.0, 2.0],
                [0.0, l * (1 + Phi / 2), -l * (2 + Phi / 2), l],
                [0.0, Phi, 3.0, -2.0],
                [0.0, -l * Phi / 2, -l * (1 - Phi / 2), l],
            ]
        )
        turn = np.array([[0, -6 / l, 6 / l], [1 + Phi, -4 - Phi, 3.0], [0, 6 / l, -6 / l], [0, -2 + Phi, 3.0]])
        U[w, at] = c * signs * (cubic @ [1, xi, xi**2, xi**3])
        dU[w, at] = c / l * signs * (cubic @ [0, 1, 2 * xi, 3 * xi**2])
        U[r, at] = sign * c * signs * (turn @ [1, xi, xi**2])
        dU[r, at] = sign * c / l * signs * (turn @ [0, 1, 2 * xi])
    return U, dU


def strain_rows(U: np.ndarray, dU: np.ndarray) -> np.ndarray:
    """(ux', uy' - rz, uz' + ry, rx', ry', rz'): stretch, shear, twist, curvatures; with EA ..: N Vy Vz T My Mz."""
    rows = dU.copy()
    rows[1] -= U[5]
    rows[2] += U[4]
    return rows


def point_rows(U: np.ndarray, y: float, z: float) -> np.ndarray:
    """Displacement of the section's point (y, z): u + r x (0, y, z); (3, 12)."""
    displacement: np.ndarray = U[:3] + np.array([z * U[4] - y * U[5], -z * U[3], y * U[3]])
    return displacement


@dataclass(frozen=True)
class Station:
    """One quadrature point of one element: where it is, its weight (m) and the fields there."""

    element: int
    x: float
    weight: float
    U: np.ndarray
    dU: np.ndarray


def stations(beam: Beam, points: tuple[np.ndarray, np.ndarray] = (GAUSS_X, GAUSS_W)) -> list[Station]:
    """Quadrature points along the beam."""
    l = beam.length / beam.elements
    found = []
    for e in range(beam.elements):
        Phi = [0.0, 0.0]
        if beam.theory == "timoshenko":
            _, shear_y, shear_z, _, bend_y, bend_z = rigidities(beam, e)
            Phi = [12 * bend_z / (shear_y * l**2), 12 * bend_y / (shear_z * l**2)]
        for xi, w in zip(*points, strict=True):
            U, dU = fields(float(xi), l, *Phi)
            found.append(Station(e, float(beam.x[e] + xi * l), float(w * l), U, dU))
    return found


def rigidities(beam: Beam, e: int) -> np.ndarray:
    """(EA, ky GA, kz GA, GJ, EIy, EIz) of an element, N and N m2."""
    s, E, G = beam.sections[e], beam.material.modulus, beam.material.shear_modulus
    return np.array([E * s.A, s.ky * G * s.A, s.kz * G * s.A, G * s.J, E * s.Iy, E * s.Iz])


def section_points(s: Section, rotary: bool) -> list[tuple[float, float, float]]:
    """(y, z, share of the mass): four points with the section's area, centroid and second moments."""
    if not rotary:
        return [(0.0, 0.0, 1.0)]
    y, z = math.sqrt(2 * s.Iz / s.A), math.sqrt(2 * s.Iy / s.A)
    return [(y, 0.0, 0.25), (-y, 0.0, 0.25), (0.0, z, 0.25), (0.0, -z, 0.25)]


def mass_points(beam: Beam) -> list[tuple[Station, float, float, float]]:
    """Where the mass is: quadrature points along the beam, points (y, z) of the section there, and masses, kg."""
    return [
        (s, y, z, share * beam.material.density * beam.sections[s.element].A * s.weight)
        for s in stations(beam)
        for y, z, share in section_points(beam.sections[s.element], beam.rotary_inertia)
    ]


def finite_model(beam: Beam) -> FiniteModel:
    """Assemble stiffness, consistent mass, nodes and particles."""
    n = 6 * (beam.elements + 1)
    at = stations(beam)
    strain = [(s.element, s.weight * rigidities(beam, s.element), strain_rows(s.U, s.dU)) for s in at]
    masses = mass_points(beam)
    B = _stacked([(e, rows) for e, _, rows in strain], n)
    N = _stacked([(s.element, point_rows(s.U, y, z)) for s, y, z, _ in masses], n)
    m = np.array([dm for *_, dm in masses])
    kept = beam.kept
    B, N = B[:, kept], N[:, kept]
    x = np.column_stack([beam.x, np.zeros((len(beam.x), 2))])
    rigid = rigid_motions(x)[kept]
    rows = sp.identity(n, format="csr")[:, kept]
    picture = Drawing(x, rows[[6 * k + i for k in range(len(x)) for i in range(3)]], _pairs(len(x)))
    return FiniteModel(
        beam.name,
        K=(B.T @ sp.diags(np.concatenate([D for _, D, _ in strain])) @ B).tocsr(),
        M=(N.T @ sp.diags(np.repeat(m, 3)) @ N).tocsr(),
        rigid=rigid[:, np.abs(rigid).max(axis=0) > 0],
        nodes=Nodes(tuple(str(k + 1) for k in range(len(x))), x, rows),
        particles=Particles(np.array([(s.x, y, z) for s, y, z, _ in masses]), N, m),
        drawing=picture,
        prestress=lambda _, modes, node: prestress(beam, modes, node),
        section_table=lambda modes: section_table(beam, modes),
        warnings=tuple(unit_warnings(beam.material)),
    )


def geometric_stiffness(beam: Beam, force: np.ndarray) -> sp.csr_matrix:
    """K_geo of the axial forces (N, tension > 0) at the beam's stations, or of one force everywhere: (n, n).

    1/2 d^T K_geo d = 1/2 int N (uy'^2 + uz'^2 + (Iy + Iz)/A rx'^2) dx  (Przemieniecki 1968, ch. 15; theory (6.12)).
    """
    rows, D = _slope_rows(beam)
    weights = np.repeat(np.broadcast_to(force, len(D) // 3), 3) * D
    return (rows.T @ sp.diags(weights) @ rows).tocsr()


def _slope_rows(beam: Beam) -> tuple[sp.csr_matrix, np.ndarray]:
    at = stations(beam)
    rows = _stacked([(s.element, s.dU[[1, 2, 3]]) for s in at], 6 * (beam.elements + 1))[:, beam.kept]
    polar = [(q.Iy + q.Iz) / q.A for q in beam.sections]
    return rows, np.array([w for s in at for w in (s.weight, s.weight, s.weight * polar[s.element])])


def prestress(beam: Beam, modes: np.ndarray, supported: str) -> Prestress:
    """Geometric stiffness per unit of each load, in modal coordinates; axial force by statics from the supported node.

    A straight beam along x is stretched by (a_O - g)_x, by omega_y^2 + omega_z^2 and by node forces along x only:
    N(x) = what is pulled at beyond x, seen from the support.  Angular velocity and acceleration also act on what turned
    sections are shifted by.
    """
    m, nodes = modes.shape[1], beam.x
    x_ref = nodes[int(supported) - 1]
    x = np.array([s.x for s in stations(beam)])
    rows, D = _slope_rows(beam)
    slopes = (rows @ modes).reshape(len(x), 3, m)

    def stiffness(force: np.ndarray) -> np.ndarray:
        K: np.ndarray = np.einsum("s,sa,sai,saj->ij", force, D.reshape(-1, 3), slopes, slopes)
        return K

    rho_A = beam.material.density * np.array([s.A for s in beam.sections])
    free_end = np.where(x > x_ref, nodes[-1], nodes[0])
    mass, first_moment = (_integral(nodes, rho_A, x, free_end, power) for power in (0, 1))
    acceleration = np.zeros((3, m, m))
    acceleration[0] = stiffness(-mass)
    G = gyration(turned_sections(beam, modes))
    spin = np.array([-G[..., k, l] if k == l else -G[..., k, l] - G[..., l, k] for k, l in PRODUCTS])
    spin[1:3] += stiffness(first_moment)
    forces = np.zeros((len(nodes), 3, m, m))
    for k, x_n in enumerate(nodes):
        between = (x > min(x_ref, x_n)) & (x < max(x_ref, x_n))
        forces[k, 0] = stiffness(np.where(between, np.sign(x_n - x_ref), 0.0))
    return Prestress(acceleration, np.moveaxis(axial(G), 2, 0), spin, forces)


def turned_sections(beam: Beam, modes: np.ndarray) -> np.ndarray:
    """int s u_ij^T dm (m, m, 3, 3), kg m2, where 1/2 sum eta_i eta_j u_ij is by how much a section's point s shifts.

    s = (0, y, z) by 1/2 r x (r x s), so that  u_ij = (1/2 (r_i r_j^T + r_j r_i^T) - r_i . r_j 1) s,  theory (6.12).
    """
    m, at = modes.shape[1], stations(beam)
    if not beam.rotary_inertia:
        return np.zeros((m, m, 3, 3))
    density = beam.material.density
    rho_I = [s.weight * density * np.array([0.0, q.Iz, q.Iy]) for s in at for q in [beam.sections[s.element]]]
    rows = _stacked([(s.element, s.U[3:]) for s in at], 6 * (beam.elements + 1))[:, beam.kept]
    r = (rows @ modes).reshape(len(at), 3, m)
    both = np.einsum("sa,sai,sbj->ijab", rho_I, r, r)
    other = np.einsum("sa,saj,sbi->ijab", rho_I, r, r)
    squares = np.einsum("sa,sci,scj->ija", rho_I, r, r)
    found: np.ndarray = 0.5 * (both + other) - squares[..., None] * np.eye(3)
    return found


def _integral(nodes: np.ndarray, density: np.ndarray, a: np.ndarray, b: np.ndarray, power: int) -> np.ndarray:
    """int_a^b density x^power dx of a density constant in each element."""
    steps = density * np.diff(nodes ** (power + 1)) / (power + 1)
    total = np.concatenate([[0.0], np.cumsum(steps)])

    def up_to(x: np.ndarray) -> np.ndarray:
        e = np.clip(np.searchsorted(nodes, x, side="right") - 1, 0, len(density) - 1)
        integral: np.ndarray = total[e] + density[e] * (x ** (power + 1) - nodes[e] ** (power + 1)) / (power + 1)
        return integral

    difference: np.ndarray = up_to(b) - up_to(a)
    return difference


def section_table(beam: Beam, modes: np.ndarray) -> SectionTable:
    """Sections at the nodes, those of the element before at the last one, and the masses with their shapes."""
    k = beam.elements + 1
    masses = mass_points(beam)
    N = _stacked([(s.element, point_rows(s.U, y, z)) for s, y, z, _ in masses], 6 * k)[:, beam.kept]
    of = [beam.sections[min(i, beam.elements - 1)] for i in range(k)]
    longest = max(len(s.fibres) for s in of)
    fibres = np.array([list(s.fibres) + [(0.0, 0.0)] * (longest - len(s.fibres)) for s in of]).reshape(k, longest, 2)
    A, Iy, Iz = (np.array([getattr(s, key) for s in of]) for key in ("A", "Iy", "Iz"))
    return SectionTable(
        beam.x, A, Iy, Iz, fibres,
        element=np.array([s.element for s, *_ in masses]),
        points=np.array([(s.x, y, z) for s, y, z, _ in masses]),
        masses=np.array([dm for *_, dm in masses]),
        shapes=(N @ modes).reshape(len(masses), 3, -1),
    )  # fmt: skip


def _stacked(blocks: list[tuple[int, np.ndarray]], n: int) -> sp.csr_matrix:
    """Rows of element matrices (r, 12), each at the unknowns of its element, one below the other."""
    values = np.array([rows for _, rows in blocks])
    count, r, _ = values.shape
    first = 6 * np.array([e for e, _ in blocks])
    columns = np.broadcast_to((first[:, None] + np.arange(12))[:, None, :], values.shape)
    lines = np.broadcast_to(np.arange(count * r).reshape(count, r, 1), values.shape)
    return sp.csr_matrix((values.ravel(), (lines.ravel(), columns.ravel())), shape=(count * r, n))


def _pairs(k: int) -> np.ndarray:
    return np.column_stack([np.arange(k - 1), np.arange(1, k)])
