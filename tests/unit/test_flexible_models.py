"""Flexible bodies as users say them: Python, files, meshes, arrays; what is refused, what is warned of."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.flexible.finite_elements.beam_elements import Beam, finite_model
from linkwork.flexible.finite_elements.materials import material
from linkwork.flexible.finite_elements.sections import rectangle

BEAM = {"length": 1.0, "width": 0.02, "height": 0.01, "material": "steel", "elements": 4}

FILE = """\
name = "pointer"
gravity = [0, 0, -9.81]
duration = 0.1

[parameters]
L = "1 m"

[[body]]
name = "pointer"
flexible = {kind = "beam", length = "L", width = "20 mm", height = "10 mm", material = "steel", elements = 4, modes = 2, supports = {1 = "clamped"}, damping = 0.01}

[[frame]]
name = "tip"
body = "pointer"
node = "5"

[[joint]]
name = "hub"
kind = "revolute"
between = ["ground", "pointer"]
at = [0, 0, 0]
axis = "y"

[[measure]]
name = "deflection"
of = "z(tip, pointer)"
"""  # noqa: E501


def held(flexible, **more) -> lw.Model:
    """A cantilever on ground."""
    m = lw.Model("cantilever", gravity=(0, 0, -9.81))
    m.body("bar", flexible=flexible, **more)
    m.fixed("wall", m.ground, "bar", at=(0, 0, 0))
    return m


def sag(m: lw.Model, node: str) -> float:
    """How far a node of the bar hangs at rest, m."""
    m.frame("tip", "bar", node=node)
    point = m.equilibrium().point
    body = m.mechanism.body[0].modal
    return float(body.nodes.S[body.nodes.index(node), 2] @ point.y[: body.modes])


def test_all_ways_to_say_a_cantilever_hang_alike():
    """w = q L^4 / (8 EI): a beam, the same from a mesh of solid elements, and from the beam's own matrices."""
    exact = -7850 * 2e-4 * 9.81 / (8 * 210e9 * 0.02 * 0.01**3 / 12)
    supports = {"1": "clamped"}
    assert sag(held(lw.beam(**BEAM, supports=supports, modes=6)), "5") == pytest.approx(exact, rel=1e-3)
    model = finite_model(Beam("bar", 1.0, rectangle(0.02, 0.01), material("steel"), 4))
    arrays = lw.body_from_arrays("bar", model.M, model.K, model.nodes.x, modes=6, supports=supports)
    assert sag(held(arrays), "5") == pytest.approx(exact, rel=1e-3)


def test_a_mesh_is_a_body_in_three_lines():
    skfem = pytest.importorskip("skfem")
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, 1, 13), np.linspace(-0.01, 0.01, 2), np.linspace(-0.005, 0.005, 2))
    ends = {"wall": lw.Interface(lambda x: x[0] < 1e-9), "tip": lw.Interface(lambda x: x[0] > 1 - 1e-9)}
    solid = lw.solid_body("bar", mesh, lw.material("steel"), modes=6, interfaces=ends, supports={"wall": "clamped"})
    exact = -7850 * 2e-4 * 9.81 / (8 * 210e9 * 0.02 * 0.01**3 / 12)
    assert sag(held(solid), "tip") == pytest.approx(exact, rel=2e-2)


def test_a_file_says_it_and_the_import_is_told(tmp_path):
    path = tmp_path / "pointer.toml"
    path.write_text(FILE)
    model = lw.Model.read(path)
    again = tmp_path / "again.toml"
    model.save(again)
    assert lw.Model.read(again).mechanism == model.mechanism
    told = CliRunner().invoke(app, ["check", str(path)])
    assert told.exit_code == 0 and "frequencies" in told.stdout and "mass         1.57 kg" in told.stdout
    run = model.simulate(0.02)
    assert np.abs(run["deflection"]).max() > 1e-6
    assert run.certificate.dof == 3


def test_warnings_of_the_import_reach_the_run(tmp_path):
    soft = {key: value for key, value in BEAM.items() if key != "material"}
    said = lw.beam(**soft, modulus=210e9, density=7.85, supports={"1": "clamped"})
    run = held(said).simulate(0.01)
    assert any("body 'bar'" in text and "are the units SI?" in text for text in run.certificate.warnings)


def test_modal_data_survive_a_file(tmp_path):
    """Sections, pictures and the account of the import travel with the data."""
    body = lw.beam(**BEAM, supports={"1": "clamped"}, modes=2).modal
    held(body).save(tmp_path / "bar.json")
    found = lw.Model.read(tmp_path / "bar.json").mechanism.body[0]
    assert found.flexible.account == body.report.words
    for part in ("sections", "picture", "nodes"):
        for key, value in vars(getattr(body, part)).items():
            np.testing.assert_array_equal(np.asarray(getattr(getattr(found.modal, part), key)), np.asarray(value))


def test_modal_start_is_kept():
    """A cantilever let go from its first mode swings with that mode alone."""
    m = held(lw.beam(**BEAM, supports={"1": "clamped"}, modes=2), modal_start=(0.01, 0.0), modal_rates=(0.0, 0.2))
    m = lw.Model.of(m.mechanism.model_copy(update={"gravity": (0.0, 0.0, 0.0)}))
    run = m.simulate(0.05, rtol=1e-9)
    w = m.mechanism.body[0].modal.omega
    np.testing.assert_allclose(run["bar.mode1"], 0.01 * np.cos(w[0] * run.t), atol=1e-8)
    np.testing.assert_allclose(run["bar.mode2"], 0.2 / w[1] * np.sin(w[1] * run.t), atol=1e-8)


def test_single_calls_know_of_modes():
    """A bar on a hinge with a weight at its tip: inverse dynamics undo forward dynamics."""
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    bar = m.body("bar", flexible=lw.beam(**BEAM, supports={"1": "clamped"}, modes=3))
    tip = m.body("tip", lw.sphere(mass=2.0, radius=0.05), at=(BEAM["length"], 0, 0))
    m.revolute("pin", m.ground, bar, at=(0, 0, 0), axis="y")
    m.fixed("glue", bar, tip, at=(BEAM["length"], 0, 0))
    calls, rng = m.calls(), np.random.default_rng(3)
    q, v = 0.1 * rng.standard_normal(len(calls.q_names)), rng.standard_normal(len(calls.v_names))
    tau = rng.standard_normal(len(v))
    v_dot = calls.forward(q, v, tau)
    np.testing.assert_allclose(calls.inverse(q, v, v_dot), tau, atol=1e-8 * np.abs(v_dot).max())


def test_a_name_like_a_node_is_another_thing():
    """Nodes are bodies of the tree; their names cannot be those of bodies."""
    m = held(lw.beam(**BEAM, supports={"1": "clamped"}))
    m.body("bar#5", lw.sphere(mass=0.1, radius=0.02), at=(1, 0, 0))
    m.spherical("tip", "bar", "bar#5", at=(1, 0, 0))
    assert m.simulate(0.01).certificate.status == "finished"


def test_a_blow_on_a_node_bends_the_body():
    """Momentum given to a free beam at its end: p / m for its centre, and its modes at once."""
    m = lw.Model("free", gravity=(0, 0, 0))
    m.body("bar", flexible=lw.beam(**BEAM, supports={}, modes=3))
    m.impulse("blow", "bar", 0.01, impulse=(0, 0, 0.1), at=(1, 0, 0))
    run = m.simulate(0.02, rtol=1e-9)
    body = m.mechanism.body[0].modal
    rates = [run[f"bar.mode{k + 1}_rate"][251] for k in range(3)]
    np.testing.assert_allclose(np.abs(rates), np.abs(0.1 * body.nodes.S[4, 2]), rtol=0.2, atol=1e-3)
    assert run.certificate.energy_drift < 1e-7


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"supports": {"1": "clamped"}, "modes": 40}, "body 'bar': 40 modes requested"),
        ({"supports": {"9": "clamped"}}, "node '9' is not in the mesh"),
        ({"interfaces": ("1", "7")}, "node '7' is not in the mesh"),
        ({"supports": {"1": "glued"}}, "unknown support 'glued'"),
        ({}, "give either supports"),
        ({"supports": {}, "damping": (0.1, 0.1, 0.1)}, "3 damping ratios for 2 modes"),
        ({"supports": {}, "elements": 0}, "0 elements; it needs at least 1"),
    ],
)
def test_bad_beams_are_refused_by_the_body_that_has_them(said, words):
    with pytest.raises(lw.ModelError, match="bar") as failure:
        held(lw.beam(**(BEAM | said))).check()
    assert words in failure.value.message


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"material": "adamant"}, "material is 'adamant'"),
        ({"radius": 0.1}, "width and radius"),
        ({"length": -1.0}, "length is -1; it must be >= 0"),
        ({"damping": -0.1}, "damping is -0.1; it must be >= 0"),
    ],
)
def test_bad_fields_are_refused_at_once(said, words):
    with pytest.raises(lw.ModelError) as failure:
        lw.beam(**(BEAM | {"supports": {}} | said))
    assert words in failure.value.message


def test_bad_modal_data_are_refused():
    body = lw.beam(**BEAM, supports={"1": "clamped"}, modes=2).modal
    for change, words in (
        ({"K_e": np.array([[1.0, 0.0], [0.0, -1.0]])}, "indefinite"),
        ({"K_e": np.array([[1.0, 0.5], [0.0, 1.0]])}, "not symmetric"),
        ({"C_t": np.zeros((3, 5))}, "C_t has the size (3, 5)"),
        ({"J0": np.full((3, 3), np.nan)}, "not finite"),
    ):
        with pytest.raises(lw.ModelError) as failure:
            held(replace(body, **change))
        assert words in failure.value.message


def test_what_is_attached_between_nodes_is_refused():
    m = held(lw.beam(**BEAM, supports={"1": "clamped"}))
    m.applied_force("push", "bar", force=(0, 0, 1), at=(0.3, 0, 0))
    with pytest.raises(lw.ModelError, match="no node"):
        m.check()


def test_as_many_modal_coordinates_as_modes():
    with pytest.raises(lw.ModelError, match="modal_start has 3 numbers, the body 2 modes"):
        held(lw.beam(**BEAM, supports={"1": "clamped"}), modal_start=(0, 0, 0))


def test_a_body_that_bends_too_far_is_told():
    rubber = BEAM | {"material": None, "modulus": 5e8, "density": 1200.0, "width": 0.04, "height": 0.012}
    m = held(lw.beam(**rubber, supports={"1": "clamped"}))
    m.body("knob", lw.sphere(mass=0.3, radius=0.05), at=(1, 0, 0))
    m.revolute("end", "bar", "knob", at=(1, 0, 0), axis="y")
    (warning,) = m.simulate(0.5).certificate.warnings
    assert re.match(r"body 'bar' bends by 0.* of its size: modes are for small deflections, .*stiffening", warning)
    assert not held(lw.beam(**BEAM, supports={"1": "clamped"})).simulate(0.1).certificate.warnings
