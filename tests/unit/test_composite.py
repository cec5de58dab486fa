"""Bodies of several solids: the same as the whole that they make up, in Python and in files, and drawn part by part."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import linkwork as lw
from linkwork.numerics.rotations import axis_rotation, euler_parameters
from linkwork.view.scene.pictures import body_parts


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    axis = rng.normal(size=3)
    return axis_rotation(axis / np.linalg.norm(axis), float(rng.uniform(-3.0, 3.0)))


@pytest.mark.parametrize("seed", range(5))
def test_a_box_cut_into_boxes_is_the_box(seed):
    """Cut at random along its axes, the whole turned and moved: mass, centre and inertia of the one box."""
    rng = np.random.default_rng(seed)
    size, R, p = rng.uniform(0.1, 1.0, 3), random_rotation(rng), rng.normal(size=3)
    edges = [np.concatenate([[-s / 2], np.sort(rng.uniform(-s / 2, s / 2, 2)), [s / 2]]) for s in size]
    parts = []
    for i in itertools.product(range(3), repeat=3):
        low, high = (np.array([edges[k][i[k] + j] for k in range(3)]) for j in (0, 1))
        middle = p + R @ ((low + high) / 2)
        parts.append(lw.part(lw.box(tuple(high - low), density=7850), at=middle, orientation=euler_parameters(R)))
    whole, cut = lw.box(tuple(size), density=7850), lw.composite(*parts)
    assert cut.mass_kg == pytest.approx(whole.mass_kg) and cut.volume() == pytest.approx(whole.volume())
    np.testing.assert_allclose(cut.centre, p, atol=1e-12)
    np.testing.assert_allclose(cut.inertia(), R @ whole.inertia() @ R.T, atol=1e-9 * whole.mass_kg)
    heavier = lw.composite(*parts, mass=3.0 * whole.mass_kg)
    np.testing.assert_allclose(heavier.inertia(), 3.0 * cut.inertia())
    assert heavier.centre == cut.centre and heavier.mass_kg == pytest.approx(3.0 * whole.mass_kg)


@pytest.mark.parametrize("seed", range(3))
def test_a_tube_is_a_cylinder_less_its_bore(seed):
    rng = np.random.default_rng(seed)
    radius, length = rng.uniform(0.1, 1.0, 2)
    bore = rng.uniform(0.1, 0.9) * radius
    tube, full, hole = (lw.cylinder(radius=r, bore=b, length=length, density=7850, axis=(1, 2, 2))
                        for r, b in ((radius, bore), (radius, 0.0), (bore, 0.0)))  # fmt: skip
    assert tube.mass_kg == pytest.approx(full.mass_kg - hole.mass_kg)
    np.testing.assert_allclose(tube.inertia(), full.inertia() - hole.inertia(), rtol=1e-10)
    with pytest.raises(lw.ModelError, match="bore is 2 m; it must be below the radius, 1 m"):
        lw.cylinder(radius=1.0, bore=2.0, length=1.0, mass=1.0)


FILE = """
name = "hammer"
gravity = [0, 0, -9.81]
[parameters]
l = "40 cm"
[[body]]
name = "hammer"
shape = {kind = "composite", parts = [
  {shape = {kind = "rod", length = "l", mass = 0.3}, at = ["l/2", 0, 0]},
  {shape = {kind = "cylinder", radius = "2 cm", length = "12 cm", mass = "1 kg"}, at = ["l", 0, 0], @},
]}
[[joint]]
name = "pin"
kind = "revolute"
between = ["ground", "hammer"]
at = [0, 0, 0]
axis = "y"
""".replace("@", 'orientation = {angle = "30 deg", axis = "x"}')


def test_a_file_has_parts_with_parameters_units_and_angles(tmp_path):
    path = tmp_path / "hammer.toml"
    path.write_text(FILE)
    model = lw.Model.read(path, {"l": 50})
    body = model.mechanism.body[0]
    assert body.mass_kg == pytest.approx(1.3) and body.p_BC[0] == pytest.approx((0.3 * 0.25 + 0.5) / 1.3)
    lw.Model.of(model.mechanism).save(tmp_path / "plain.toml")
    text = (tmp_path / "plain.toml").read_text()
    assert 'orientation = {angle = "30 deg", axis = "x"}' in text
    assert lw.Model.read(tmp_path / "plain.toml").mechanism == model.mechanism
    assert (
        pytest.approx(2.0 * lw.Model.read(path).mechanism.body[0].J_C)
        == lw.Model.read(path, {"hammer.mass": "2.6 kg"}).mechanism.body[0].J_C
    )
    run = model.simulate(0.2, progress=False)
    assert run.certificate.status == "finished"


def test_every_part_is_drawn_where_it_is():
    parts = [
        lw.part(lw.box((0.2, 0.1, 0.1), mass=1.0), at=(1, 0, 0)),
        lw.part(lw.rod(length=0.5, mass=1.0, axis="x"), at=(0, 1, 0), orientation={"angle": "90 deg", "axis": "z"}),
        lw.part(lw.cylinder(radius=0.1, bore=0.05, length=0.02, mass=1.0), at=(0, 0, 1)),
    ]
    model = lw.Model("m", gravity=(0, 0, 0))
    model.body("b", lw.composite(*parts))
    drawn = body_parts(model.mechanism.body[0], [], [], 0.01)
    assert [part.at for part in drawn] == [pytest.approx(part.at) for part in parts]
    rod = drawn[1].mesh.vertices
    turned = rod @ _matrix(drawn[1].turn).T
    assert np.ptp(turned, axis=0)[1] == pytest.approx(0.5)


def _matrix(e):
    from linkwork.numerics.rotations import rotation_matrix

    return rotation_matrix(np.array(e))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lw.composite(), "parts is \\(\\); give at least one"),
        (lambda: lw.composite([lw.box((1, 1, 1), mass=1.0)]), "list is not a solid"),
        (lambda: lw.composite(lw.part(lw.box((1, 1, 1), mass=1.0)), mass=0.0), "mass is 0; it must be > 0"),
        (lambda: lw.part(lw.box((1, 1, 1), mass=1.0), at=(1, 2)), "at is \\(1, 2\\)"),
    ],
)
def test_what_no_composite_can_be_is_refused(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()
