"""Bodies from arrays of elsewhere: the same as the built-in way where the arrays come from there; bad input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from linkwork.errors import ModelError
from linkwork.flexible.arrays import body_from_arrays, model_from_arrays
from linkwork.flexible.bodies import flexible_beam, shape_basis
from linkwork.flexible.finite_elements.beam_elements import Beam, finite_model
from linkwork.flexible.finite_elements.materials import material
from linkwork.flexible.finite_elements.sections import rectangle
from linkwork.flexible.modal_body import ModalBody
from linkwork.flexible.modal_equations import mass_matrix, velocity_forces
from linkwork.flexible.reduction import Frame, normal_modes, reduce
from linkwork.flexible.report import RigidData

BEAM = Beam("arm", 1.0, rectangle(0.03, 0.05), material("steel"), elements=12)
MODEL = finite_model(BEAM)
CLAMP = {"modes": 4, "supports": {"1": "clamped"}}


def arm(**changes) -> ModalBody:
    given = {"mass": MODEL.M, "stiffness": MODEL.K, "positions": MODEL.nodes.x} | CLAMP | changes
    return body_from_arrays("arm", **given)


def frame_of_bars(n: int = 3) -> tuple[np.ndarray, sp.csr_matrix, sp.csr_matrix]:
    """A lattice of points with masses, every near pair joined by a spring: three unknowns a node, lumped mass."""
    x = np.array([(i, j, k) for i in range(n) for j in range(2) for k in range(2)], float)
    K = np.zeros((3 * len(x),) * 2)
    for a in range(len(x)):
        for b in range(a):
            if np.linalg.norm(x[a] - x[b]) < 1.8:
                e = (x[a] - x[b]) / np.linalg.norm(x[a] - x[b])
                row = np.zeros(3 * len(x))
                row[3 * a : 3 * a + 3], row[3 * b : 3 * b + 3] = e, -e
                K += 1e4 * np.outer(row, row)
    return x, sp.csr_matrix(np.diag(np.repeat(1.0 + 0.1 * np.arange(len(x)), 3))), sp.csr_matrix(K)


def test_beam_matrices_give_the_beam_back(rng):
    """First order exactly; what deformation adds to inertia within the error of the mesh."""
    ours, built_in = arm(), flexible_beam(BEAM, **CLAMP)
    assert ours.omega == pytest.approx(built_in.omega, rel=1e-9)
    signs = np.sign(np.einsum("kaj,kaj->j", ours.nodes.S, built_in.nodes.S))
    zero, eta = np.zeros(4), 0.01 * rng.standard_normal(4)
    flip = np.diag(np.concatenate([np.ones(6), signs]))
    M = mass_matrix(built_in, zero)
    assert flip @ mass_matrix(ours, zero) @ flip == pytest.approx(M, abs=1e-9 * np.abs(M).max())
    M = mass_matrix(built_in, eta)
    assert flip @ mass_matrix(ours, signs * eta) @ flip == pytest.approx(M, abs=1e-3 * np.abs(M).max())


def test_inconsistent_arrays_still_conserve_energy(rng):
    """z . Q_v + 1/2 z . M' z = 0 along any motion: the velocity forces do no work of their own."""
    body = arm()
    eta, z = 0.05 * rng.standard_normal(4), rng.standard_normal(10)
    h = 1e-6
    M_dot = (mass_matrix(body, eta + h * z[6:]) - mass_matrix(body, eta - h * z[6:])) / (2 * h)
    power = z @ velocity_forces(body, eta, z[:3], z[3:6], z[6:])
    assert power == pytest.approx(-0.5 * z @ M_dot @ z, rel=1e-7)


def test_modes_from_elsewhere():
    shapes = normal_modes(MODEL, MODEL.support_rows({"1": "clamped"}), 4)[1]
    mixed = shapes @ np.array([[1.0, 0.3, 0, 0], [0, 2.0, 0, 0], [0, 0, 1.0, 0.5], [0, 0, 0, 3.0]])
    body = arm(shapes=mixed, supports=None, frame=Frame("tangent", ("1",)))
    assert body.omega == pytest.approx(arm().omega, rel=1e-9)
    repeated = arm(shapes=np.hstack([mixed, mixed[:, :1]]), supports=None, frame=Frame("tangent", ("1",)))
    assert repeated.report.dropped == ("1 shapes that repeat others",)


@pytest.mark.parametrize("kind", ["rigid", "averaged"])
def test_three_unknowns_a_node_with_sets(kind, rng):
    x, M, K = frame_of_bars()
    sets = {"left": (kind, np.flatnonzero(x[:, 0] == 0)), "right": (kind, np.flatnonzero(x[:, 0] == 2))}
    frame = Frame("tangent", ("left",))
    body = body_from_arrays("lattice", M, K, x, modes=5, sets=sets, interfaces=("left", "right"), frame=frame)
    m = M.diagonal()[::3]
    assert body.report.found.mass == pytest.approx(m.sum())
    assert body.report.found.centre == pytest.approx(m @ x / m.sum())
    assert body.report.rigid_modes == 6
    at = body.nodes.index("left")
    assert np.abs(body.nodes.S[at]).max() < 1e-10 and np.abs(body.nodes.Theta[at]).max() < 1e-10
    model = model_from_arrays("lattice", M, K, x, sets)
    assert model.consistent
    S = model.particles.shapes(reduce(model, shape_basis(model, 5, None, ("left", "right")), frame, 5).shapes)
    eta, z = 0.1 * rng.standard_normal(5), rng.standard_normal(11)
    u = z[:3] + np.cross(z[3:6], x + S @ eta) + S @ z[6:]
    assert 0.5 * z @ mass_matrix(body, eta) @ z == pytest.approx(0.5 * m @ np.sum(u * u, axis=1), rel=1e-10)


def test_the_report_compares_with_the_rigid_body():
    mass = 7850 * 0.0015
    inertia = mass / 12 * np.diag([0.03**2 + 0.05**2, 1 + 0.05**2, 1 + 0.03**2])
    text = str(arm(rigid=RigidData(mass, np.array([0.5, 0, 0]), inertia)).report)
    assert text.count("rigid body") == 3
    differences = [float(line.split("difference ")[1]) for line in text.splitlines() if "difference" in line]
    assert max(differences) < 1e-10


def skewed() -> sp.csr_matrix:
    K = MODEL.K.tolil()
    K[0, 7] += 1e7
    return K.tocsr()


def indefinite() -> sp.csr_matrix:
    """Free of rigid motions, but one elastic mode has a negative stiffness."""
    shape = MODEL.M @ normal_modes(MODEL, MODEL.support_rows({}), 8)[1][:, 7]
    row = shape / np.linalg.norm(shape)
    return (MODEL.K - 1e9 * sp.csr_matrix(np.outer(row, row))).tocsr()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (lambda: {"stiffness": skewed()}, ("stiffness matrix is not symmetric",)),
        (lambda: {"stiffness": indefinite()}, ("stiffness matrix is indefinite", "eigenvalue")),
        (lambda: {"stiffness": MODEL.K + sp.identity(MODEL.size) * 1e6}, ("resists the rigid motion", "free body")),
        (lambda: {"mass": -MODEL.M}, ("mass matrix is indefinite",)),
        (lambda: {"mass": MODEL.M[:6, :6]}, ("three or six unknowns per node",)),
        (lambda: {"stiffness": MODEL.K * np.nan}, ("not finite",)),
        (lambda: {"modes": 999}, ("999 modes", "has 72")),
        (lambda: {"supports": {"99": "clamped"}}, ("node '99' is not in the mesh",)),
        (lambda: {"rigid": RigidData(20.0)}, ("11.775 kg", "20 kg", "difference of -8.225 kg")),
        (lambda: {"shapes": np.ones((5, 2))}, ("shapes of size (5, 2)", "78 unknowns")),
        (lambda: {"positions": MODEL.nodes.x * 1000}, ("resists the rigid motion",)),
    ],
)
def test_bad_input_is_refused_in_one_sentence(changes, words):
    with pytest.raises(ModelError) as caught:
        arm(**changes())
    for word in words:
        assert word in str(caught.value)


def test_sets_outside_the_mesh_are_refused():
    x, M, K = frame_of_bars()
    with pytest.raises(ModelError, match="node 77 is not in the mesh, which has the nodes 0 to 11"):
        body_from_arrays("lattice", M, K, x, modes=1, sets={"a": ("rigid", [0, 77])}, interfaces=("a",))
    with pytest.raises(ModelError, match="two rigid connections"):
        sets = {"a": ("rigid", [0, 1, 2]), "b": ("rigid", [2, 3, 4])}
        body_from_arrays("lattice", M, K, x, modes=1, sets=sets, interfaces=("a",))
    with pytest.raises(ModelError, match="in one line"):
        body_from_arrays("lattice", M, K, x, modes=1, sets={"a": ("averaged", [0, 1])}, interfaces=("a",))
