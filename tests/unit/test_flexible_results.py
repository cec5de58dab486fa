"""What a run says of its flexible bodies: nodes, deflections, energy, internal forces; and how they are drawn."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.loads.cases.contact_forces import contact_forces
from linkwork.results.flexible import modal_body
from linkwork.view.export.gltf import glb
from linkwork.view.scene.mode_scene import SHARE, mode_scene
from linkwork.view.scene.run_scene import scene_at_start, scene_of
from linkwork.view.scene.scene import rotations

BEAM = {"length": 1.0, "width": 0.02, "height": 0.01, "material": "steel", "elements": 4, "supports": {"1": "clamped"}}
EI = 210e9 * 0.02 * 0.01**3 / 12


@pytest.fixture(scope="module")
def run() -> lw.Run:
    """A pointer on a pivot, bent by its weight and let go."""
    m = lw.Model("pointer", gravity=(0, 0, -9.81))
    m.body("arm", flexible=lw.beam(**BEAM, modes=3, stiffening=True), angle=0.3, axis="z")
    m.frame("tip", "arm", node="5")
    m.revolute("pivot", m.ground, "arm", at=(0, 0, 0), axis=(-np.sin(0.3), np.cos(0.3), 0))
    for axis in "xyz":
        m.measure(f"tip {axis}", f"{axis}(tip)")
    m.measure("local", "z(tip, arm)")
    return m.simulate(0.3)


def test_nodes_are_where_the_kernels_have_them(run):
    tip = np.column_stack([run[f"tip {axis}"] for axis in "xyz"])
    np.testing.assert_allclose(run.nodes("arm")[:, 4], tip, atol=1e-12)
    np.testing.assert_allclose(run.deflection("arm", "5")[:, 2], run["local"], atol=1e-12)


def test_strain_energy_is_the_part_of_the_potential_that_is_not_weight(run):
    """m g z of the centre of mass of the deformed body, foreshortening included, and 1/2 eta K eta."""
    modal = modal_body(run.result, "arm")
    eta = np.column_stack([run[f"arm.mode{k}"] for k in (1, 2, 3)])
    first = modal.h0 + eta @ modal.C_t.T + 0.5 * np.einsum("ti,kij,tj->tk", eta, modal.stiffening.acceleration, eta)
    turned = np.einsum("tab,tb->ta", rotations(run.orientation("arm")), first)
    weight = 9.81 * (modal.mass * run.position("arm")[:, 2] + turned[:, 2])
    np.testing.assert_allclose(run["arm.strain_energy"], run["energy.potential"] - weight, atol=1e-9)
    assert run.result.unit("arm.strain_energy") == "J"


def test_internal_forces_of_a_cantilever_under_a_tip_load():
    """M = P (L - x), V = P, sigma = M z / I: of all modes of the elements these are exact."""
    m = lw.Model("cantilever", gravity=(0, 0, 0))
    m.body("bar", flexible=lw.beam(**BEAM, modes=24))
    m.fixed("wall", m.ground, "bar", at=(0, 0, 0))
    m.applied_force("load", "bar", force=(0, 0, -3.0), at=(1, 0, 0))
    rest = m.equilibrium().coordinates
    start = [rest[f"bar.mode{k}"] for k in range(1, 25)]
    bent = m.mechanism.body[0].model_copy(update={"modal_start": tuple(start)})
    run = lw.Model.of(m.mechanism.model_copy(update={"body": (bent,)})).simulate(1e-4)
    loads = run.beam_loads("bar")
    moment = 3.0 * (1 - loads.x)
    np.testing.assert_allclose(loads.forces[0, :, 4], moment, atol=1e-6)  # on the section, from larger x
    np.testing.assert_allclose(loads.forces[0, :, 2], -3.0, atol=1e-4)
    assert loads.peak_stress[0] == pytest.approx(3.0 * 0.005 / (0.02 * 0.01**3 / 12), rel=1e-6)


def test_what_is_no_beam_has_no_internal_forces(run):
    with pytest.raises(lw.OptionError, match="no flexible body"):
        run.beam_loads("arms")


def test_the_surface_that_is_drawn_bends_with_the_nodes(run, tmp_path):
    scene = scene_of(run.result, loads=False)
    (bend,) = scene.bends
    assert bend.mesh.volume() == pytest.approx(1.0 * 0.02 * 0.01, rel=1e-12)
    sample = int(np.argmin(run["local"]))
    moved = bend.at(sample).vertices - bend.mesh.vertices
    at_tip = np.abs(bend.mesh.vertices[:, 0] - 1.0) < 1e-12
    np.testing.assert_allclose(moved[at_tip].mean(axis=0), run.deflection("arm", "5")[sample], atol=1e-9)
    run.plot_beam("arm", tmp_path / "beam.png")
    assert (tmp_path / "beam.png").stat().st_size > 10_000


def with_a_knob(**more) -> lw.Model:
    """A bent arm that turns, with a knob fixed at its tip and a spring at its middle."""
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    m.body("arm", flexible=lw.beam(**BEAM, modes=4, stiffening=True), **more)
    m.body("knob", lw.sphere(mass=0.3, radius=0.03), at=(1, 0, 0))
    m.revolute("pivot", m.ground, "arm", at=(0, 0, 0), axis=(0.2, 1, 0.3))
    m.fixed("glue", "arm", "knob", at=(1, 0, 0))
    m.spring_damper("spring", m.ground, "arm", points=((0.5, 0.3, 0.6), (0.5, 0, 0)), stiffness=300.0)
    m.frame("tip", "arm", node="5")
    return m


def test_what_is_attached_to_a_node_is_drawn_where_the_node_is():
    """The kernels glue the knob to the node: the node that is drawn has the motion of the knob, turns included."""
    run = with_a_knob().simulate(0.2, rtol=1e-9)
    scene = scene_of(run.result)
    names = [body.name for body in scene.bodies]
    k, tip = names.index("knob") - 1, names.index("arm.5")
    assert names[3:] == ["arm.5", "arm.3"] and {body.of for body in scene.bodies[3:]} == {names.index("arm")}
    for values in (scene.position, scene.velocity, scene.angular_velocity):
        np.testing.assert_allclose(values[:, tip - 1], values[:, k], atol=1e-9 * np.abs(values[:, k]).max())
    turned = np.einsum("tji,tjk->tik", *(rotations(scene.orientation[:, n]) for n in (tip - 1, k)))
    np.testing.assert_allclose(turned, np.broadcast_to(np.eye(3), turned.shape), atol=1e-9)
    assert np.ptp(run.deflection("arm", "5")[:, 2]) > 0.002  # m: so far off it would be without
    glue, (spring,) = next(joint for joint in scene.joints if joint.name == "glue"), scene.links
    assert (glue.a, glue.b, spring.b) == (tip, k + 1, names.index("arm.3"))
    assert next(trace for trace in scene.traces if trace.name == "tip").body == tip
    assert next(arrow for arrow in scene.arrows if arrow.name == "glue").body == k + 1
    bent = scene_at_start(with_a_knob(modal_start=(0.01, 0, 0, 0)).mechanism)
    assert np.abs(bent.position[0, tip - 1] - (1, 0, 0)).max() > 1e-3


def test_a_contact_and_a_spring_at_the_tip_of_a_beam_give_what_bends_it():
    """At rest after damping: statics of the cantilever, and the measures that the kernels themselves write."""
    m = lw.Model("tip", gravity=(0, 0, -9.81))
    m.body("bar", flexible=lw.beam(length=1.0, width=0.02, height=0.01, material="steel", elements=4, modes=2,
                                   supports={"1": "clamped"}, damping=0.05))  # fmt: skip
    m.fixed("wall", m.ground, "bar", at=(0, 0, 0))
    m.contact("floor", "bar", at=(1, 0, 0), plane_at=(0, 0, -0.001), stiffness=1e5)
    m.spring_damper("strut", m.ground, "bar", points=((1, 0, -1), (1, 0, 0)), stiffness=100.0, free_length=1.0)
    m.measure("push", "force(floor, z)")
    m.measure("pull", "force(strut)")
    run = m.simulate(0.3)
    touch = contact_forces(run.result)[0].force[:, 2]
    assert touch[-1] > 1.0
    np.testing.assert_allclose(touch, run["push"], atol=1e-9 * touch.max())
    np.testing.assert_allclose(run.shock_loads()["strut"], run["pull"], atol=1e-9)
    assert run["pull"][-1] < -0.1


def test_paths_of_frames_and_points_bend_with_the_body():
    """A node as measures have it, and a point beside it as a body has it that is welded there and turns with it."""
    m = lw.Model("swing", gravity=(0, 0, -9.81))
    m.body("bar", flexible=lw.beam(length=1.0, width=0.02, height=0.002, material="steel", elements=4, modes=2,
                                   supports={"1": "clamped"}))  # fmt: skip
    m.body("knob", lw.sphere(mass=0.01, radius=0.01), at=(1.1, 0, 0.05))
    m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis="y")
    m.fixed("weld", "bar", "knob", at=(1, 0, 0))
    m.frame("tip", "bar", node="5")
    for axis in "xyz":
        m.measure(axis, f"{axis}(tip)")
    run = m.simulate(0.5)
    assert np.abs(run.deflection("bar", "5")[:, 2]).max() > 0.01
    np.testing.assert_allclose(run.path("tip"), np.stack([run[axis] for axis in "xyz"], axis=1), atol=1e-12)
    np.testing.assert_allclose(run.path("bar", at=(1, 0, 0)), run.path("tip"), atol=1e-14)
    np.testing.assert_allclose(run.path("tip", at=(0.1, 0, 0.05)), run.position("knob"), atol=1e-10)
    np.testing.assert_array_equal(run.path("bar"), run.position("bar"))
    with pytest.raises(lw.ModelError, match="where it has no node"):
        run.path("bar", at=(0.3, 0.1, 0))


def test_gltf_bends_by_morph_targets(run):
    """Read back from the bytes: vertices + sum of weights times targets are the surface that is drawn."""
    scene = scene_of(run.result, loads=False)
    file = glb(scene)
    length = struct.unpack("<I", file[12:16])[0]
    tables, binary = json.loads(file[20 : 20 + length]), file[28 + length :]

    def array(n: int) -> np.ndarray:
        about, view = tables["accessors"][n], tables["bufferViews"][tables["accessors"][n]["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3}[about["type"]]
        return np.frombuffer(binary, np.float32, about["count"] * width, view["byteOffset"]).reshape(-1, width)

    (mesh,) = [mesh for mesh in tables["meshes"] if "weights" in mesh]
    (surface,), (animation,) = mesh["primitives"], tables["animations"]
    (moved,) = [channel for channel in animation["channels"] if channel["target"]["path"] == "weights"]
    assert tables["nodes"][moved["target"]["node"]]["mesh"] == tables["meshes"].index(mesh)
    targets = np.array([array(target["POSITION"]) for target in surface["targets"]])
    weights = array(animation["samplers"][moved["sampler"]]["output"]).reshape(len(scene.t), len(targets))
    assert np.abs(weights).max(axis=0) == pytest.approx(1.0)
    np.testing.assert_allclose(mesh["weights"], weights[0], atol=1e-7)
    for sample in (0, 40, len(scene.t) - 1):
        drawn = array(surface["attributes"]["POSITION"]) + np.tensordot(weights[sample], targets, 1)
        np.testing.assert_allclose(drawn, scene.bends[0].at(sample).vertices, atol=1e-6)


def test_a_mode_of_vibration_bends_the_body():
    """The first mode of a clamped beam: its surface swings by a share of its size, as the modal coordinate does."""
    m = lw.Model("cantilever", gravity=(0, 0, 0))
    m.body("bar", flexible=lw.beam(**BEAM, modes=3))
    m.fixed("wall", m.ground, "bar", at=(0, 0, 0))
    modes = m.linearize(about="start").modes()
    scene = mode_scene(modes, 0)
    (bend,) = scene.bends
    moved = np.array([bend.at(n).vertices - bend.mesh.vertices for n in range(len(scene.t))])
    assert np.linalg.norm(moved, axis=2).max() == pytest.approx(SHARE * 1.0, rel=0.02)
    swing = np.cos(modes.omega[0] * scene.t)
    np.testing.assert_allclose(bend.eta[:, 0], bend.eta[0, 0] * swing, atol=1e-9)
    assert np.abs(bend.eta[:, 1:]).max() < 1e-6 * np.abs(bend.eta[:, 0]).max()
