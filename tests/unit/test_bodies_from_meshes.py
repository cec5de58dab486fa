"""Mass properties of closed meshes against closed forms: box, tetrahedron, sphere, and random solids moved about."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError
from step_box import step_box

TETRAHEDRON = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
BOX_CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
BOX_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def write_obj(path: Path, points: np.ndarray, faces: object) -> Path:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(points, float).tolist()]
    lines += ["f " + " ".join(f"{k + 1}//1" for k in face) for face in faces]  # type: ignore[attr-defined]
    path.write_text("\n".join(lines))
    return path


def write_stl(path: Path, points: np.ndarray, triangles: object, binary: bool) -> Path:
    corners = np.asarray(points, float)[np.array(triangles)]
    if binary:
        rows = np.zeros(len(corners), [("n", "<f4", 3), ("p", "<f4", (3, 3)), ("a", "<u2")])
        rows["p"] = corners
        path.write_bytes(b"solid in a binary file".ljust(80) + len(rows).to_bytes(4, "little") + rows.tobytes())
        return path
    facet = "facet normal 0 0 0\nouter loop\n{}\nendloop\nendfacet"
    text = [facet.format("\n".join(f"vertex {x!r} {y!r} {z!r}" for x, y, z in c.tolist())) for c in corners]
    path.write_text("solid part\n" + "\n".join(text) + "\nendsolid part\n")
    return path


def sphere(n: int) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """A ball of n x 2n faces; its volume and inertia go to those of a ball as 1 / n^2."""
    theta = np.pi * np.arange(1, n) / n
    ring = 2.0 * np.pi * np.arange(2 * n) / (2 * n)
    points = [(0.0, 0.0, 1.0)]
    points += [(math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a)) for a in theta for b in ring]
    points.append((0.0, 0.0, -1.0))
    at = lambda i, j: 1 + i * 2 * n + j % (2 * n)  # noqa: E731
    faces: list[tuple[int, ...]] = [(0, at(0, j), at(0, j + 1)) for j in range(2 * n)]
    faces += [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for i in range(n - 2) for j in range(2 * n)]
    faces += [(at(n - 2, j), len(points) - 1, at(n - 2, j + 1)) for j in range(2 * n)]
    return np.array(points), faces


def test_a_box_in_millimetres_is_the_box(tmp_path):
    sides = np.array([100.0, 200.0, 300.0])
    path = write_obj(tmp_path / "box.obj", BOX_CORNERS * sides + (40.0, 0.0, -20.0), BOX_FACES)
    found, exact = lw.mesh(path, scale=1e-3, density=2700.0), lw.box((0.1, 0.2, 0.3), density=2700.0)
    assert found.mass_kg == pytest.approx(exact.mass_kg, rel=1e-14)
    assert found.centre == pytest.approx((0.09, 0.1, 0.13), rel=1e-14)
    np.testing.assert_allclose(found.inertia(), exact.inertia(), atol=1e-13 * exact.inertia().max())


@pytest.mark.parametrize("how", ["text", "binary", "obj"])
def test_a_tetrahedron(tmp_path, how):
    """Unit tetrahedron: V = 1/6, centre 1/4; integral of x^2 = 1/60, of x y = 1/120."""
    points, faces = TETRAHEDRON
    path = tmp_path / ("t.obj" if how == "obj" else "t.stl")
    write_obj(path, points, faces) if how == "obj" else write_stl(path, points, faces, how == "binary")
    found = lw.mesh(path, mass=1.0)
    assert found.volume() == pytest.approx(1 / 6, rel=1e-14)
    assert found.centre == pytest.approx((0.25,) * 3, rel=1e-14)
    S = np.full((3, 3), 1 / 120) + np.eye(3) / 120 - np.full((3, 3), 1 / 6 / 16)
    np.testing.assert_allclose(found.inertia(), 6.0 * (np.trace(S) * np.eye(3) - S), atol=1e-15)


def test_a_ball_is_met_with_second_order(tmp_path):
    off = []
    for n in (10, 20, 40):
        found = lw.mesh(write_obj(tmp_path / "b.obj", *sphere(n)), mass=1.0)
        off.append((4 / 3 * np.pi - found.volume(), 0.4 - found.inertia()[0, 0], 0.4 - found.inertia()[2, 2]))
    ratios = np.array(off)[:-1] / np.array(off)[1:]
    assert np.all((ratios > 3.8) & (ratios < 4.2)), ratios


def test_random_solids_turned_moved_and_inside_out(tmp_path):
    """x' = R A x + c: V' = |det A| V, centre' = R A centre + c, S' = |det A| (R A) S (R A)^T."""
    rng = np.random.default_rng(5)
    points, faces = TETRAHEDRON
    S = np.full((3, 3), 1 / 120) + np.eye(3) / 120 - np.full((3, 3), 1 / 6 / 16)
    for n in range(20):
        A, c = rng.normal(size=(3, 3)), 10.0 * rng.normal(size=3)
        moved = np.array(points) @ A.T + c
        turned = [face[::-1] for face in faces] if n % 2 else faces
        found = lw.mesh(write_obj(tmp_path / "r.obj", moved, turned), density=3.0)
        volume = abs(np.linalg.det(A)) / 6.0
        assert found.volume() == pytest.approx(volume, rel=1e-9)
        np.testing.assert_allclose(found.centre, A @ np.full(3, 0.25) + c, rtol=1e-9)
        moments = 3.0 * abs(np.linalg.det(A)) * A @ S @ A.T
        exact = np.trace(moments) * np.eye(3) - moments
        np.testing.assert_allclose(found.inertia(), exact, atol=1e-8 * np.abs(exact).max())


def test_a_body_from_a_mesh_swings_as_the_box(tmp_path):
    """Off its centre on a pin: in a model file, run, saved with its result and read back without the mesh."""
    write_obj(tmp_path / "bar.obj", BOX_CORNERS * (1.0, 0.1, 0.1) - (0.0, 0.05, 0.05), BOX_FACES)
    (tmp_path / "swing.toml").write_text(
        'gravity = [0, 0, -9.81]\n[parameters]\nrho = "2700 kg/m3"\n'
        '[[body]]\nname = "bar"\nshape = {kind = "mesh", file = "bar.obj", density = "rho"}\n'
        '[[joint]]\nname = "pin"\nkind = "revolute"\nbetween = ["ground", "bar"]\nat = [0, 0, 0]\naxis = "y"\n'
    )
    run = lw.Model.read(tmp_path / "swing.toml").simulate(1.0, rtol=1e-10, progress=False)
    other = lw.Model("box", gravity=(0, 0, -9.81))
    other.body("bar", lw.box((1.0, 0.1, 0.1), density=2700.0), at=(0.5, 0, 0))
    other.revolute("pin", other.ground, "bar", at=(0, 0, 0), axis="y")
    np.testing.assert_allclose(
        run["pin.angle"], other.simulate(1.0, rtol=1e-10, progress=False)["pin.angle"], atol=1e-8
    )
    run.save(tmp_path / "run.h5")
    (tmp_path / "bar.obj").unlink()
    assert lw.load(tmp_path / "run.h5")["pin.force.z"] == pytest.approx(run["pin.force.z"])


def test_meshes_that_give_no_mass_are_refused(tmp_path):
    points, faces = TETRAHEDRON
    with pytest.raises(ModelError, match=r"open at 3 edges; close it"):
        lw.mesh(write_obj(tmp_path / "open.obj", points, faces[:-1]), mass=1.0)
    with pytest.raises(ModelError, match=r"encloses no volume"):
        lw.mesh(write_obj(tmp_path / "flat.obj", np.array(points) * (1, 1, 0), faces), mass=1.0)
    with pytest.raises(ModelError, match=r"is not a mesh; its name has to end with .stl or .obj"):
        lw.mesh(tmp_path / "part.iges", mass=1.0)
    with pytest.raises(ModelError, match=r"check the path"):
        lw.mesh(tmp_path / "none.stl", mass=1.0)
    (tmp_path / "noise.stl").write_bytes(bytes(range(256)))
    with pytest.raises(ModelError, match=r"holds no triangles"):
        lw.mesh(tmp_path / "noise.stl", mass=1.0)
    (tmp_path / "model.toml").write_text(
        'gravity = [0, 0, 0]\n[[body]]\nname = "b"\nshape = {kind = "mesh", file = "../secret.stl", mass = 1}\n'
    )
    with pytest.raises(ModelError, match="outside the model's folder"):
        lw.Model.read(tmp_path / "model.toml")


@pytest.mark.parametrize("seed", range(3))
def test_a_step_file_gives_the_mass_properties_of_its_solid(seed, tmp_path):
    """Boxes of random size in mm, by Open Cascade: those of lw.box."""
    pytest.importorskip("cascadio", reason="the extra `step` is not installed")
    size = np.random.default_rng(seed).uniform(5.0, 500.0, 3)
    (tmp_path / "box.step").write_text(step_box(*size))
    found, known = lw.mesh(tmp_path / "box.step", density=2700.0), lw.box(tuple(size / 1000.0), density=2700.0)
    assert found.mass_kg == pytest.approx(known.mass_kg, rel=1e-5)
    m = lw.Model("m", gravity=(0, 0, 0))
    m.body("read", found)
    m.body("drawn", known)
    read, drawn = m.mechanism.body
    np.testing.assert_allclose(read.p_BC, size / 2000.0, rtol=1e-5)
    np.testing.assert_allclose(read.J_C, drawn.J_C, rtol=1e-4, atol=1e-6 * np.abs(drawn.J_C).max())


def test_without_open_cascade_a_step_file_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cascadio", None)
    (tmp_path / "box.step").write_text(step_box(1.0, 2.0, 3.0))
    with pytest.raises(ModelError, match=r"'box.step' is a STEP file, .* install it: .*; or export it as STL"):
        lw.mesh(tmp_path / "box.step", density=1.0)
