"""Flexible bodies in one call: a finite-element model, a choice of shapes and a body frame -> a ModalBody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwork.errors import ModelError
from linkwork.flexible.finite_elements.beam_elements import Beam
from linkwork.flexible.finite_elements.beam_elements import finite_model as beam_model
from linkwork.flexible.finite_elements.finite_model import FiniteModel, Prestress, Support
from linkwork.flexible.modal_body import ModalBody, NodeTable, Picture, from_moments
from linkwork.flexible.reduction import Frame, Modes, check_count, craig_bampton, mode_numbers, normal_modes, reduce
from linkwork.flexible.report import ImportReport, RigidData, check_mass, rigid_data
from linkwork.flexible.shape_integrals import Moments, gyration, moments, product

Selection = int | Sequence[int]  # the lowest so many, or numbers from 1


def flexible_beam(
    beam: Beam,
    *,
    modes: Selection,
    supports: dict[str, Support] | None = None,
    interfaces: Sequence[str] = (),
    frame: Frame | None = None,
    damping: float | Sequence[float] = 0.0,
    nodes: Sequence[str] | None = None,
    stiffening: bool = True,
) -> ModalBody:
    """A beam with the modes of its supports, or of Craig and Bampton for its interfaces.

    `supports`: {node: "clamped" | "pinned" | "roller" | "guided" | dofs}, {} for a free beam.  `interfaces`: nodes of
    the joints.  `frame`: see `default_frame`.  `damping`: ratio, one for all or one per mode.  `nodes`: those kept in
    the table, all unless given.
    """
    return modal_body(
        beam_model(beam), modes=modes, supports=supports, interfaces=interfaces, frame=frame, damping=damping,
        nodes=nodes, stiffening=stiffening,
    )  # fmt: skip


def modal_body(
    model: FiniteModel,
    *,
    modes: Selection,
    supports: dict[str, Support] | None = None,
    interfaces: Sequence[str] = (),
    frame: Frame | None = None,
    damping: float | Sequence[float] = 0.0,
    nodes: Sequence[str] | None = None,
    stiffening: bool = True,
    rigid: RigidData | None = None,
    shapes: np.ndarray | None = None,
) -> ModalBody:
    """Reduce a finite-element model; arguments as in `flexible_beam`, or `shapes` (n, ..) that someone else computed.

    Fixed-interface modes are as many as the highest mode requested, so that the modes chosen from the orthonormalized
    whole are good ones; the constraint modes come on top.
    """
    frame = frame or default_frame(model, supports, interfaces)
    basis = shape_basis(model, modes, supports, interfaces) if shapes is None else shapes
    reduced = reduce(model, basis, frame, modes)
    p, Phi = model.particles, reduced.shapes
    integrals = moments(p.x, p.shapes(Phi), p.m)
    integrals = integrals if model.consistent else with_mass_matrix(integrals, model, Phi)
    found = rigid_data(integrals.mass, integrals.h0, gyration(integrals.P0))
    check_mass(model.name, found, rigid)
    body = from_moments(
        model.name, integrals, np.diag(reduced.omega**2), node_table(model, Phi), damping, np.eye(Phi.shape[1]),
        picture=picture(model, Phi),
        sections=None if model.section_table is None else model.section_table(Phi),
        stiffening=prestress(model, Phi, frame, interfaces) if stiffening else None,
        report=report(model, reduced, found, rigid),
    )  # fmt: skip
    return body if nodes is None else keep_nodes(body, nodes)


def shape_basis(
    model: FiniteModel, modes: Selection, supports: dict[str, Support] | None, interfaces: Sequence[str]
) -> np.ndarray:
    """Normal modes under supports, or constraint and fixed-interface modes."""
    if (supports is None) == (not interfaces):
        raise ModelError(
            f"flexible body '{model.name}': give either supports, as supports={{'1': 'clamped'}} ({{}}: a free "
            "body), or interfaces, the nodes of its joints",
            element=model.name,
        )
    highest = mode_numbers(model.name, modes)[-1]
    if supports is None:
        held = model.size - model.support_rows(dict.fromkeys(interfaces, "clamped")).shape[0]
        return craig_bampton(model, interfaces, min(highest, held))
    C = model.support_rows(supports)
    loose = model.rigid.shape[1] - int(np.linalg.matrix_rank(C @ model.rigid)) if C.shape[0] else model.rigid.shape[1]
    available = model.size - C.shape[0] - loose
    return normal_modes(model, C, check_count(model.name, highest, available) + loose)[1]


def default_frame(model: FiniteModel, supports: dict[str, Support] | None, interfaces: Sequence[str]) -> Frame:
    """Tangent at the clamped (or only) node, chord between the first and last of several, mean axis of a free body."""
    held = list(interfaces) or [name for name, what in (supports or {}).items() if what != "free"]
    clamped = [name for name, what in (supports or {}).items() if what == "clamped"]
    if clamped or len(held) == 1:
        return Frame("tangent", (str((clamped or held)[0]),))
    return Frame("chord", (str(held[0]), str(held[-1]))) if held else Frame("mean")


def with_mass_matrix(of: Moments, model: FiniteModel, Phi: np.ndarray) -> Moments:
    """The moments with mass, h0, J0, C_t and int x x S_j dm from [R Phi]^T M [R Phi], R the six rigid motions.

    For mass matrices that no particles reproduce (rotary inertia at nodes, coupled directions): what acts on the
    undeformed body is then exact, and only what its deformation adds (eta omega^2, eta' omega) comes from particles.
    """
    B = model.rigid.T @ (model.M @ np.hstack([model.rigid, Phi]))
    P0, P1 = product(B[3:6, 3:6]), of.P1.copy()
    axial_part = B[3:6, 6:].T  # int x x S_j dm = (P_yz - P_zy, ..)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        mean = (of.P1[:, b, c] + of.P1[:, c, b]) / 2
        P1[:, b, c], P1[:, c, b] = mean + axial_part[:, a] / 2, mean - axial_part[:, a] / 2
    return Moments(float(B[0, 0]), np.array([B[1, 5], B[2, 3], B[0, 4]]), P0, B[:3, 6:], P1, of.P2)


def node_table(model: FiniteModel, Phi: np.ndarray) -> NodeTable:
    """Displacement and rotation of every node in every mode."""
    motion = (model.nodes.rows @ Phi).reshape(len(model.nodes.names), 6, Phi.shape[1])
    return NodeTable(model.nodes.names, model.nodes.x, motion[:, :3], motion[:, 3:])


def keep_nodes(body: ModalBody, names: Sequence[str]) -> ModalBody:
    """The body with a shorter table of nodes."""
    k = [body.nodes.index(name) for name in names]
    table = NodeTable(tuple(body.nodes.names[i] for i in k), body.nodes.x[k], body.nodes.S[k], body.nodes.Theta[k])
    s = body.stiffening
    return replace(body, nodes=table, stiffening=None if s is None else replace(s, node_force=s.node_force[k]))


def picture(model: FiniteModel, Phi: np.ndarray) -> Picture | None:
    """Points and lines or triangles of the deformed body."""
    if model.drawing is None:
        return None
    d = model.drawing
    return Picture(d.points, (d.rows @ Phi).reshape(len(d.points), 3, Phi.shape[1]), d.cells)


def prestress(model: FiniteModel, Phi: np.ndarray, frame: Frame, interfaces: Sequence[str]) -> Prestress | None:
    """Geometric stiffness, with the body supported where its frame is, else at its first interface or node."""
    if model.prestress is None:
        return None
    return model.prestress(model, Phi, str((*frame.nodes, *interfaces, model.nodes.names[0])[0]))


def report(model: FiniteModel, reduced: Modes, found: RigidData, rigid: RigidData | None) -> ImportReport:
    """The account of the import."""
    return ImportReport(
        model.name, found, rigid, model.size, reduced.rigid, reduced.omega / (2 * np.pi), reduced.dropped,
        model.warnings,
    )  # fmt: skip
