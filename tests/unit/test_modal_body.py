"""The precomputed integrals against direct summation over the finite elements, for random states."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from flexible_reference import kinetic_energy, reference
from linkwork.errors import ModelError
from linkwork.flexible.bodies import flexible_beam, shape_basis
from linkwork.flexible.finite_elements.beam_elements import Beam, finite_model
from linkwork.flexible.finite_elements.finite_model import FiniteModel
from linkwork.flexible.finite_elements.materials import material
from linkwork.flexible.finite_elements.sections import rectangle
from linkwork.flexible.modal_body import ModalBody
from linkwork.flexible.modal_equations import geometric_stiffness, mass_matrix, velocity_forces
from linkwork.flexible.reduction import Frame, craig_bampton, natural_frequencies, normal_modes, reduce
from linkwork.flexible.stresses import FrameMotion, internal_forces, normal_stress

BEAM = Beam("arm", 1.0, rectangle(0.03, 0.05), material("aluminium"), elements=6, start=-0.3, theory="timoshenko")
FRAMES = (Frame("tangent", ("1",)), Frame("tangent", ("4",)), Frame("chord", ("1", "7")), Frame("mean"))
MODES = 7


def craig_bampton_arm(frame: Frame) -> tuple[ModalBody, np.ndarray, FiniteModel]:
    model = finite_model(BEAM)
    body = flexible_beam(BEAM, modes=MODES, interfaces=("1", "7"), frame=frame)
    shapes = reduce(model, shape_basis(model, MODES, None, ("1", "7")), frame, MODES).shapes
    return body, shapes, model


@pytest.mark.parametrize("frame", FRAMES, ids=lambda f: f.kind + "".join(f.nodes))
def test_mass_matrix_and_velocity_forces_against_direct_summation(frame, rng):
    body, shapes, model = craig_bampton_arm(frame)
    for _ in range(3):
        eta, z = 0.05 * rng.standard_normal(MODES), rng.standard_normal(6 + MODES)
        M, Q_v = reference(partial(kinetic_energy, model.particles, model.particles.shapes(shapes)), eta, z)
        assert mass_matrix(body, eta) == pytest.approx(M, abs=1e-10 * np.abs(M).max())
        found = velocity_forces(body, eta, z[:3], z[3:6], z[6:])
        assert found == pytest.approx(Q_v, abs=1e-10 * np.abs(Q_v).max())


@pytest.mark.parametrize("frame", FRAMES, ids=lambda f: f.kind + "".join(f.nodes))
def test_integrals_at_rest_are_those_of_the_consistent_mass_matrix(frame):
    """[R Phi]^T M [R Phi] of the finite elements is the mass matrix of the undeformed body."""
    body, shapes, model = craig_bampton_arm(frame)
    basis = np.hstack([model.rigid, shapes])
    consistent = basis.T @ (model.M @ basis)
    assert mass_matrix(body, np.zeros(MODES)) == pytest.approx(consistent, abs=1e-10 * np.abs(consistent).max())


def test_frame_conditions_hold():
    tangent, chord, mean = (craig_bampton_arm(f)[0] for f in FRAMES[1:])
    size = np.abs(tangent.nodes.S).max()
    k = tangent.nodes.index("4")
    assert np.abs(tangent.nodes.S[k]).max() < 1e-10 * size and np.abs(tangent.nodes.Theta[k]).max() < 1e-9 * size
    assert np.abs(chord.nodes.S[0]).max() < 1e-10 * size and np.abs(chord.nodes.S[-1][1:]).max() < 1e-10 * size
    assert np.abs(chord.nodes.Theta[0][0]).max() < 1e-9 * size
    M = mass_matrix(mean, np.zeros(MODES))
    assert np.abs(M[:6, 6:]).max() < 1e-9


def test_all_frames_describe_the_same_free_body():
    """Natural frequencies of the free body, rigid motions included, do not depend on where the frame is."""
    from scipy.linalg import eigh

    model = finite_model(BEAM)
    expected = natural_frequencies(model, {}, 10)[6:]
    for frame in FRAMES:
        body = flexible_beam(BEAM, modes=range(1, 37), interfaces=("1", "7"), frame=frame)
        K = np.zeros((6 + body.modes,) * 2)
        K[6:, 6:] = body.K_e
        squares = eigh(K, mass_matrix(body, np.zeros(body.modes)), eigvals_only=True)
        assert np.sqrt(squares[6:10]) == pytest.approx(expected, rel=1e-8)
        assert np.abs(squares[:6]).max() < 1e-6 * squares[6]


def test_rigid_limit_is_a_rigid_body(rng):
    """With eta = eta' = 0 the first six rows are Newton and Euler's equations about O."""
    body, *_ = craig_bampton_arm(FRAMES[2])
    m, c, J = body.report.found.mass, body.report.found.centre, body.report.found.inertia
    L, b, h = 1.0, 0.03, 0.05
    assert m == pytest.approx(2700 * L * b * h)
    assert c == pytest.approx([0.2, 0, 0], abs=1e-12)
    assert pytest.approx(m / 12 * np.diag([b**2 + h**2, L**2 + h**2, L**2 + b**2]), abs=1e-12) == J
    zero, v, w = np.zeros(MODES), rng.standard_normal(3), rng.standard_normal(3)
    J_O = J + m * (c @ c * np.eye(3) - np.outer(c, c))
    f = m * (np.cross(w, v) + np.cross(w, np.cross(w, c)))
    expected = np.concatenate([f, np.cross(w, J_O @ w) + m * np.cross(c, np.cross(w, v))])
    assert velocity_forces(body, zero, v, w, zero)[:6] == pytest.approx(-expected, abs=1e-12)


def test_moved_frame_has_the_same_energy(rng):
    from scipy.spatial.transform import Rotation

    body, *_ = craig_bampton_arm(FRAMES[0])
    p, R = rng.standard_normal(3), Rotation.random(rng=rng).as_matrix()
    moved = body.in_frame(p, R)
    eta, z = 0.1 * rng.standard_normal(MODES), rng.standard_normal(6 + MODES)
    w = z[3:6]
    seen = np.concatenate([R.T @ (z[:3] + np.cross(w, p)), R.T @ w, z[6:]])
    assert seen @ mass_matrix(moved, eta) @ seen == pytest.approx(z @ mass_matrix(body, eta) @ z, rel=1e-12)
    forces = velocity_forces(body, eta, z[:3], w, z[6:])
    found = velocity_forces(moved, eta, seen[:3], seen[3:6], z[6:])
    # power of the velocity forces is -1/2 z^T M' z: the same seen from any frame
    assert found @ seen == pytest.approx(forces @ z, rel=1e-10)
    # stiffening: a_O = a_F - alpha x p - omega x (omega x p)
    a, alpha = rng.standard_normal(3), rng.standard_normal(3)
    a_F = a + np.cross(alpha, p) + np.cross(w, np.cross(w, p))
    K = geometric_stiffness(body, a, alpha, w)
    assert geometric_stiffness(moved, R.T @ a_F, R.T @ alpha, R.T @ w) == pytest.approx(K, abs=1e-10 * np.abs(K).max())
    assert moved.nodes.x[2] == pytest.approx(R.T @ (body.nodes.x[2] - p))


def test_stiffening_does_not_depend_on_the_supported_node_when_all_loads_are_in():
    """A free beam pulled at one end along x accelerates; the geometric stiffness is that of N = F (x - x_0) / L."""
    model = finite_model(BEAM)
    shapes = reduce(model, craig_bampton(model, ("1", "7"), 4), Frame("mean"), 6).shapes
    F, mass = 1000.0, 2700 * 0.0015
    found = []
    for node in ("1", "4", "7"):
        s = model.prestress(model, shapes, node)
        found.append(F * s.node_force[6, 0] + F / mass * s.acceleration[0])
    assert found[1] == pytest.approx(found[0], abs=1e-9 * np.abs(found[0]).max())
    assert found[2] == pytest.approx(found[0], abs=1e-9 * np.abs(found[0]).max())


def test_beam_stress_of_a_statically_bent_cantilever():
    """Moment F (L - x) and stress N / A + M z / I, whatever modes: with one of them as with all."""
    beam = replace(BEAM, start=0.0, theory="euler-bernoulli")
    F = 1e-3 * np.array([30.0, 10.0, 20.0])  # so small that it stays straight
    for modes in (range(1, 2), range(1, 37)):
        body = flexible_beam(beam, modes=modes, interfaces=("1", "7"), frame=Frame("tangent", ("1",)))
        eta = body.nodes.S[-1].T @ F / np.diag(body.K_e)
        at_rest = FrameMotion(np.zeros(3), np.zeros(3), np.zeros(3), eta, 0.0 * eta, 0.0 * eta)
        loads = np.zeros((7, 6))
        loads[-1] = np.append(F, np.cross(body.nodes.x[-1] + body.nodes.S[-1] @ eta, F))
        loads[0] = -loads[-1]
        forces = internal_forces(body, at_rest, loads)
        arm = beam.length - body.sections.x
        assert forces[:, 0] == pytest.approx(0.03, rel=1e-4)
        assert forces[:, 4] == pytest.approx(-0.02 * arm, abs=2e-6)
        assert forces[:, 5] == pytest.approx(0.01 * arm, abs=2e-6)
        s = beam.sections[0]
        y, z = np.array(s.fibres).T
        stress = normal_stress(body.sections, np.stack([forces, 2 * forces]))
        bending = (-0.02 * z / s.Iy - 0.01 * y / s.Iz) * beam.length
        assert stress[0, 0] == pytest.approx(0.03 / s.A + bending, rel=1e-3)
        assert stress[1] == pytest.approx(2 * stress[0])


def test_damping_ratio_of_each_mode():
    body = flexible_beam(BEAM, modes=3, supports={"1": "clamped"}, damping=(0.01, 0.02, 0.03))
    assert np.diag(body.D_e) == pytest.approx(2 * np.array([0.01, 0.02, 0.03]) * body.omega)
    assert np.count_nonzero(body.D_e - np.diag(np.diag(body.D_e))) == 0


def test_mode_selection_counts_from_one():
    one_to_four = flexible_beam(BEAM, modes=4, supports={})
    two_and_four = flexible_beam(BEAM, modes=(2, 4), supports={}, nodes=("1", "7"))
    assert two_and_four.omega == pytest.approx(one_to_four.omega[[1, 3]])
    assert two_and_four.nodes.names == ("1", "7") and two_and_four.stiffening.node_force.shape == (2, 3, 2, 2)
    assert one_to_four.report.rigid_modes == 6
    assert one_to_four.omega == pytest.approx(natural_frequencies(finite_model(BEAM), {}, 10)[6:], rel=1e-9)


def test_sparse_and_dense_eigensolvers_agree():
    beam = replace(BEAM, elements=80)
    model = finite_model(beam)
    assert model.size > 400
    C = model.support_rows({"1": "clamped", "81": ("uy",)})
    sparse, shapes = normal_modes(model, C, 6)
    dense = natural_frequencies(finite_model(replace(BEAM, elements=60)), {"1": "clamped", "61": ("uy",)}, 6)
    assert sparse == pytest.approx(dense, rel=1e-4)
    assert np.abs(C @ shapes).max() < 1e-10 * np.abs(shapes).max()
    assert natural_frequencies(model, {}, 8)[6:] == pytest.approx(
        natural_frequencies(finite_model(replace(BEAM, elements=60)), {}, 8)[6:], rel=1e-4
    )


def test_reports_what_it_got():
    text = str(flexible_beam(BEAM, modes=2, interfaces=("1", "7")).report)
    for words in ("42 unknowns, 2 modes", "4.05 kg", "rigid modes  6 found", "dropped      6 modes of", "Hz"):
        assert words in text


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: flexible_beam(BEAM, modes=99, supports={"1": "clamped"}), ("99 modes", "has 36", "fewer")),
        (lambda: flexible_beam(BEAM, modes=2, interfaces=("1", "12")), ("node '12'", "not in the mesh")),
        (lambda: flexible_beam(BEAM, modes=2, supports={"1": "clampd"}), ("'clampd'", "did you mean 'clamped'")),
        (lambda: flexible_beam(BEAM, modes=2, supports={"1": ("uw",)}), ("no 'uw'",)),
        (lambda: flexible_beam(BEAM, modes=2), ("supports", "interfaces")),
        (lambda: flexible_beam(BEAM, modes=(0, 1), supports={}), ("count from 1",)),
        (lambda: flexible_beam(BEAM, modes=2, supports={}, damping=(0.1,)), ("1 damping ratios for 2 modes",)),
        (lambda: flexible_beam(BEAM, modes=2, supports={}, damping=-0.1), ("damping ratio -0.1", ">= 0")),
        (lambda: replace(BEAM, length=-1.0), ("beam 'arm'", "length is -1 m")),
        (lambda: replace(BEAM, rotary_inertia=False), ("torsion has no mass", "plane")),
        (lambda: material("steal"), ("'steal'", "did you mean 'steel'")),
        (lambda: rectangle(0.0, 1.0), ("rectangle", "width is 0 m")),
        (lambda: Frame("tangent"), ("tangent", "1 nodes")),
        (lambda: flexible_beam(BEAM, modes=2, supports={}, frame=Frame("chord", ("2", "2"))), ("coincide",)),
    ],
)
def test_bad_input_is_refused_in_one_sentence(build, words):
    with pytest.raises(ModelError) as caught:
        build()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("modulus", "density", "warned"),
    [
        (210e9, 7850.0, []),
        (20e9, 100.0, []),
        (210e9, 7.85, ["density 7.85 kg/m3"]),
        (210e9, 7.85e-9, ["density 7.85e-09 kg/m3"]),
        (210e3, 7850.0, ["modulus 210000 Pa"]),
        (2.7e9, 1140.0, []),
        (70e9, 2.7, ["density 2.7 kg/m3"]),
        (210.0, 7850.0, ["modulus 210 Pa"]),
        (1.0e7, 1100.0, []),  # rubber
    ],
)
def test_units_that_look_wrong_are_warned_of(modulus, density, warned):
    from linkwork.flexible.finite_elements.materials import Material

    beam = replace(BEAM, material=Material(modulus, density, 0.3, "mine"))
    found = flexible_beam(beam, modes=1, supports={"1": "clamped"}).report.warnings
    assert len(found) == len(warned)
    for text, words in zip(found, warned, strict=True):
        assert words in text and "SI" in text
