"""Pictures of tyres and roads: closed surfaces of the right size and height, arrows with the force of the road."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.vehicles.vehicle_loads import tyre_forces
from linkwork.elements.tyres.road import Road
from linkwork.elements.tyres.tyre import Tyre
from linkwork.library import library_model
from linkwork.view.scene.road_picture import road_part, tyre_parts
from linkwork.view.scene.run_scene import scene_of


def edges_are_paired(triangles: np.ndarray, vertices: np.ndarray) -> bool:
    """Every edge is passed once in each direction, vertices in one place being one."""
    _, same = np.unique(np.round(vertices, 9), axis=0, return_inverse=True)
    corners = same.ravel()[triangles]
    passed = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    passed = passed[passed[:, 0] != passed[:, 1]]
    there, back = ({tuple(edge) for edge in passed}, {tuple(edge) for edge in passed[:, ::-1]})
    return there == back


def test_a_road_is_a_closed_slab_with_the_roads_surface() -> None:
    road = Road(name="road", pieces=({"kind": "half-round", "at": 3.0, "radius": 0.1, "side": "left"},))
    mesh = road_part(road, np.array([0.0, -1.0, 0.0]), np.array([6.0, 1.0, 0.0])).mesh
    flat = 9.0 * 3.5 * 0.06
    assert edges_are_paired(mesh.triangles, mesh.vertices)
    assert mesh.volume() == pytest.approx(flat + 1.75 * np.pi * 0.1**2 / 2.0, rel=1e-3)
    assert len(mesh.vertices) < 400


def test_a_tyre_has_its_radius_about_its_axis() -> None:
    tyre = Tyre(name="t", body="b", radius=0.4, stiffness=1e5, lateral_stiffness=1e4, at=(0.1, 0.2, 0.3))
    tread, rim = tyre_parts(tyre)
    assert tread.at == rim.at == (0.1, 0.2, 0.3)
    assert np.hypot(*tread.mesh.vertices[:, :2].T).max() == pytest.approx(0.4)
    assert tread.mesh.volume() > 0.0


def test_arrows_show_the_forces_of_the_road_and_the_eye_follows_the_vehicle() -> None:
    run = library_model("hmmwv", {"meet": 0.3}).simulate(2.5, rtol=1e-5)
    forces = tyre_forces(run.result)
    assert np.linalg.norm(forces["front left tyre"][0]) == pytest.approx(run["front left load"][0], rel=1e-3)
    assert np.array([f[0] for f in forces.values()]).sum(axis=0)[2] == pytest.approx(2662.0 * 9.81, rel=1e-6)
    scene = scene_of(run.result)
    assert {"front left tyre", "rear right tyre"} <= {arrow.name for arrow in scene.arrows}
    assert scene.bodies[scene.follow].name == "chassis"
    assert scene.high[0] - scene.low[0] < 7.0
