"""Solids from meshes against beams and closed forms; connections; files; bad input."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.errors import FileError, ModelError
from linkwork.flexible.bodies import flexible_beam
from linkwork.flexible.finite_elements.beam_elements import Beam
from linkwork.flexible.finite_elements.materials import Material, material
from linkwork.flexible.finite_elements.meshes import Interface, solid_body, solid_model
from linkwork.flexible.finite_elements.sections import rectangle
from linkwork.flexible.modal_equations import geometric_stiffness, mass_matrix, velocity_forces
from linkwork.flexible.reduction import Frame, natural_frequencies, static_solution

skfem = pytest.importorskip("skfem")
pytest.importorskip("meshio")

L, B, H = 1.0, 0.06, 0.1
NO_POISSON = Material(210e9, 7850.0, 0.0, "steel without Poisson's ratio")  # clamping then holds no cross-strain back


def bar(cells: str, n=(10, 1, 2)):
    axes = [np.linspace(0, L, n[0] + 1), np.linspace(-B / 2, B / 2, n[1] + 1), np.linspace(-H / 2, H / 2, n[2] + 1)]
    kind = skfem.MeshTet if cells == "tet" else skfem.MeshHex
    return kind.init_tensor(*axes)


def ends(kind: str) -> dict[str, Interface]:
    return {
        "left": Interface(lambda x: x[0] < 1e-9, kind),
        "right": Interface(lambda x: x[0] > L - 1e-9, kind),
    }


def beam(of: Material) -> Beam:
    return Beam("beam", L, rectangle(B, H), of, elements=20, theory="timoshenko")


@pytest.mark.parametrize("cells", ["tet", "hex"])
def test_bar_of_quadratic_elements_has_the_frequencies_of_the_beam(cells):
    mesh = bar(cells, (16, 2, 2) if cells == "tet" else (10, 1, 2))
    body = solid_body("bar", mesh, NO_POISSON, modes=4, interfaces=ends("rigid"), supports={"left": "clamped"},
                      stiffening=False)  # fmt: skip
    expected = flexible_beam(beam(NO_POISSON), modes=4, supports={"1": "clamped"})
    assert body.omega == pytest.approx(expected.omega, rel=6e-3)
    found = body.report.found
    mass = 7850 * L * B * H
    assert found.mass == pytest.approx(mass, rel=1e-12)
    assert found.centre == pytest.approx([L / 2, 0, 0], abs=1e-12)
    inertia = mass / 12 * np.diag([B**2 + H**2, L**2 + H**2, L**2 + B**2])
    assert found.inertia == pytest.approx(inertia, abs=1e-12 * inertia.max())


@pytest.mark.parametrize("kind", ["rigid", "averaged"])
def test_tip_load_through_a_connection_bends_the_bar_like_a_beam(kind):
    model = solid_model("bar", bar("hex"), NO_POISSON, {"left": ends("rigid")["left"], "right": ends(kind)["right"]})
    s = rectangle(B, H)
    d, reaction = static_solution(model, {"left": "clamped"}, {"right": (0, 10.0, 20.0, 0, 0, 0)})
    tip = model.nodes.rows[6:] @ d
    E, G = NO_POISSON.modulus, NO_POISSON.shear_modulus
    assert tip[1] == pytest.approx(10 * (L**3 / (3 * E * s.Iz) + L / (5 / 6 * G * s.A)), rel=5e-3)
    assert tip[2] == pytest.approx(20 * (L**3 / (3 * E * s.Iy) + L / (5 / 6 * G * s.A)), rel=5e-3)
    assert tip[5] == pytest.approx(10 * L**2 / (2 * E * s.Iz), rel=5e-3)
    assert reaction == pytest.approx([0, -10, -20, 0, 20 * L, -10 * L], abs=1e-6)


@pytest.mark.parametrize("kind", ["rigid", "averaged"])
def test_connections_follow_rigid_motions(kind, rng):
    """A rigid motion of the mesh is the same motion of the interface's point, wherever the point is."""
    point = (1.2, 0.3, -0.1)
    tied = {"a": Interface(lambda x: x[0] < 1e-9, kind, point), "b": Interface(lambda x: x[0] > L - 1e-9, kind)}
    model = solid_model("bar", bar("tet", (3, 1, 1)), NO_POISSON, tied)
    t, r = rng.standard_normal(3), rng.standard_normal(3)
    moved = (model.nodes.rows @ (model.rigid @ np.concatenate([t, r]))).reshape(2, 6)
    for k, p in enumerate((np.array(point), np.array([L, 0.0, 0.0]))):
        assert moved[k] == pytest.approx(np.concatenate([t + np.cross(r, p), r]), abs=1e-9)
    assert np.abs(model.K @ model.rigid).max() < 1e-9 * abs(model.K).max()


def test_modal_body_of_a_solid_against_its_mass_matrix(rng):
    """T(eta, z) by the consistent mass matrix of the deformed, rotating mesh; M(eta) from the integrals."""
    frame = Frame("chord", ("left", "right"))
    mesh, tied = bar("tet", (4, 1, 1)), ends("averaged")
    body = solid_body("bar", mesh, material("steel"), modes=5, interfaces=tied, frame=frame, stiffening=False)
    model = solid_model("bar", mesh, material("steel"), tied)
    from linkwork.flexible.bodies import shape_basis
    from linkwork.flexible.reduction import reduce

    shapes = reduce(model, shape_basis(model, 5, None, tuple(tied)), frame, 5).shapes
    S = model.particles.shapes(shapes)
    eta, z = 0.05 * rng.standard_normal(5), rng.standard_normal(11)
    velocity = z[:3] + np.cross(z[3:6], model.particles.x + S @ eta) + S @ z[6:]
    energy = 0.5 * velocity.ravel() @ (model.M @ velocity.ravel())
    assert 0.5 * z @ mass_matrix(body, eta) @ z == pytest.approx(energy, rel=1e-10)
    assert np.abs(body.nodes.S[0]).max() < 1e-9 * np.abs(body.nodes.S).max()
    assert body.report.rigid_modes == 6


def test_spinning_bar_stiffens_as_the_beam_does():
    """The solid's stress under spin, hub acceleration and tip pull gives the beam's geometric stiffness."""
    solid = solid_body("bar", bar("hex"), NO_POISSON, modes=2, interfaces=ends("rigid"), supports={"left": "clamped"})
    line = flexible_beam(beam(NO_POISSON), modes=2, supports={"1": "clamped"})
    tip = np.zeros((21, 3))
    tip[-1, 0] = 1.0
    for loads in ({"omega": (0, 0, 1.0)}, {"omega": (0, 1.0, 0)}, {"acceleration": (1.0, 0, 0)}, "pull"):
        if loads == "pull":
            K = [geometric_stiffness(b, node_forces=f) for b, f in ((solid, tip[[0, 20]]), (line, tip))]
        else:
            K = [geometric_stiffness(b, **loads) for b in (solid, line)]
        assert np.diag(K[0]) == pytest.approx(np.diag(K[1]), rel=2e-2)
    turning = [np.diag(geometric_stiffness(b, omega=(1.0, 0, 0))) for b in (solid, line)]  # of the sections alone
    assert turning[0] == pytest.approx(turning[1], rel=5e-2)
    zero = np.zeros(2)
    w = np.array([0.0, 0.0, 3.0])
    fields = [velocity_forces(b, zero, np.zeros(3), w, zero)[:6] for b in (solid, line)]
    assert fields[0] == pytest.approx(fields[1], rel=1e-9, abs=1e-9)


def test_a_mesh_file_with_a_named_boundary(tmp_path):
    mesh = bar("tet", (4, 1, 1)).with_boundaries({"foot": lambda x: x[0] < 1e-9})
    path = tmp_path / "bar.msh"
    mesh.save(str(path))
    given = {"material": material("steel"), "modes": 2, "supports": {"foot": "clamped"}, "stiffening": False}
    by_name = solid_body("bar", path, interfaces={"foot": Interface("foot")}, **given)
    vertices = np.flatnonzero(mesh.p[0] < 1e-9)
    by_number = solid_body("bar", mesh, interfaces={"foot": Interface(vertices)}, **given)
    assert by_name.omega == pytest.approx(by_number.omega, rel=1e-9)
    assert by_name.picture.cells.shape[1] == 3


def test_quadratic_meshes_are_read(tmp_path):
    mesh = skfem.MeshTet2.from_mesh(bar("tet", (4, 1, 1)))
    path = tmp_path / "bar.vtk"
    mesh.save(str(path))
    curved = solid_body("bar", path, material("steel"), modes=2, interfaces={}, supports={})
    straight = solid_body("bar", bar("tet", (4, 1, 1)), material("steel"), modes=2, interfaces={}, supports={})
    assert curved.omega == pytest.approx(straight.omega, rel=1e-6)
    with pytest.raises(ModelError, match="quadratic"):
        solid_body("bar", path, material("steel"), modes=2, interfaces={}, supports={}, order="linear")


def test_linear_elements_converge_from_above():
    exact = flexible_beam(beam(NO_POISSON), modes=1, supports={"1": "clamped"}).omega[0]
    errors = []
    for n in ((10, 1, 2), (20, 2, 4)):
        model = solid_model("bar", bar("hex", n), NO_POISSON, ends("rigid"), "linear")
        errors.append(natural_frequencies(model, {"left": "clamped"}, 1)[0] / exact - 1)
    assert errors[0] > errors[1] > 0 and np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: {"interfaces": {"a": Interface([0, 1, 9999])}}, ModelError, ("node 9999", "not in the mesh", "0 to")),
        (lambda: {"interfaces": {"a": Interface("foot")}}, ModelError, ("boundary 'foot'", "not in the mesh")),
        (lambda: {"interfaces": {"a": Interface(lambda x: x[0] > 99)}}, ModelError, ("no face", "units")),
        (lambda: {"interfaces": ends("glued")}, ModelError, ("'glued'", "'rigid' or 'averaged'")),
        (lambda: {"mesh": "nowhere.msh"}, FileError, ("no mesh file 'nowhere.msh'",)),
        (lambda: {"mesh": skfem.MeshTri()}, FileError, ("MeshTri", "tetrahedra or hexahedra")),
        (lambda: {"order": "cubic"}, ModelError, ("order is 'cubic'",)),
        (lambda: {"modes": 100000}, ModelError, ("100000 modes", "request fewer")),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_sentence(build, error, words):
    given = {"mesh": bar("tet", (3, 1, 1)), "interfaces": {}, "modes": 2, "supports": {}} | build()
    with pytest.raises(error) as caught:
        solid_body("bar", given.pop("mesh"), material("steel"), **given)
    for word in words:
        assert word in str(caught.value)
