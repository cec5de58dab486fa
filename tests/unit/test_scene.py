"""What a scene holds for the page: which plots come first, the floor, and what stands on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.scene import rotations


# -- what is shown first ----------------------------------------------------------------------------------------------
def test_first_plots_are_what_was_measured_and_driven_and_energy_comes_last() -> None:
    """Measures by unit, driven coordinates and what drives them; otherwise joint coordinates."""
    energies = ["energy.kinetic", "energy.potential", "energy"]
    run = lw.library_model("quick-return").simulate(0.5, progress=False)
    scene = scene_of(run.result)
    assert scene.plots == [["ram position"], ["ram speed"], ["crank shaft.angle"], ["motor.torque"], energies]
    torque = next(channel for channel in scene.channels if channel.name == "motor.torque")
    assert torque.unit == "N m"
    assert torque.values == pytest.approx(run.driving_force("crank shaft").values, rel=1e-9)
    assert next(j for j in scene.joints if j.name == "crank shaft").numbers == ["crank shaft.angle", "motor.torque"]
    assert scene_of(run.result, loads=False).plots == [["ram position"], ["ram speed"], ["crank shaft.angle"], energies]
    run = lw.library_model("slider-crank").simulate(0.2, progress=False)
    assert scene_of(run.result).plots == [["main bearing.angle", "crank pin.angle"], energies]


def test_a_coordinate_that_is_measured_is_not_shown_twice() -> None:
    model = lw.Model("lift", gravity=(0, 0, -9.81))
    model.body("cabin", lw.box(size=(1.0, 1.0, 2.0), mass=300.0), at=(0, 0, 1))
    model.prismatic("guide", model.ground, "cabin", at=(0, 0, 0), axis="z")
    model.driver("winch", "guide", "0.5*t^2")
    model.measure("height", "coordinate(guide)", unit="m")
    scene = scene_of(model.simulate(1.0, progress=False).result)
    assert scene.plots == [["height"], ["winch.force"], ["energy.kinetic", "energy.potential", "energy"]]
    force = next(channel for channel in scene.channels if channel.name == "winch.force")
    assert force.values == pytest.approx(300.0 * (9.81 + 1.0), rel=1e-6)


def test_torques_of_joints_are_channels_where_there_are_any() -> None:
    """A clamped bar transmits m g l / 2, a pin none."""
    model = lw.Model("clamped", gravity=(0, 0, -9.81))
    model.body("arm", lw.rod(mass=2.0, length=1.0), at=(0.5, 0, 0))
    model.body("bob", lw.sphere(radius=0.05, mass=1.0), at=(1.0, 0, -0.5))
    model.fixed("clamp", model.ground, "arm", at=(0, 0, 0))
    model.revolute("pin", "arm", "bob", at=(1.0, 0, 0), axis="y")
    scene = scene_of(model.simulate(0.1, progress=False).result)
    torques = {channel.name: channel.values for channel in scene.channels if channel.unit == "N m"}
    assert torques["clamp.torque"] == pytest.approx(2.0 * 9.81 * 0.5 + 9.81, rel=1e-6)
    assert "pin.torque" not in torques


# -- what stands on the floor -----------------------------------------------------------------------------------------
def world_points(part: Any) -> np.ndarray:
    return part.mesh.vertices @ rotations(np.array(part.turn)).T + np.array(part.at)


@pytest.mark.parametrize(
    ("name", "count"), [("four-bar", 2), ("slider-crank", 3), ("stewart-platform", 6), ("quick-return", 4)]
)
def test_pedestals_stand_on_the_floor_and_nothing_passes_through_them(name: str, count: int) -> None:
    """Their base is at the floor, which is below everything; in a planar mechanism they are behind all that moves."""
    scene = scene_of(lw.library_model(name).simulate(0.4, progress=False).result, loads=False)
    parts = [part for joint in scene.joints for part in joint.parts_ground]
    low = [points[:, 2].min() for points in map(world_points, parts)]
    assert sum(abs(z - scene.floor) < 1e-6 for z in low) == count
    assert min(low) > scene.floor - 1e-6
    assert scene.outline[:, 2].min() > scene.floor - 1e-6
    if name == "stewart-platform":
        return
    moving = [world_points(part) @ [0, 1, 0] for body in scene.bodies[1:] for part in body.parts]  # motion: x-z plane
    columns = [
        world_points(part) @ [0, 1, 0] for part in parts if abs(world_points(part)[:, 2].min() - scene.floor) < 1e-6
    ]
    eye = np.sign(scene.look[1])
    assert max(eye * y.max() for y in columns) < min((eye * y).min() for y in moving)


def test_brackets_are_turned_away_from_their_body() -> None:
    """What hangs is held from above, also where only its neighbours hang; a robot's base is held from below."""
    model = lw.Model("hanging", gravity=(0, 0, -9.81))
    model.body("bob", lw.rod(mass=1.0, length=1.0), at=(0, 0, -0.5), angle=np.pi / 2, axis="y")
    model.spherical("ball", model.ground, "bob", at=(0, 0, 0))
    hanging = scene_of(model.simulate(0.05, progress=False).result, loads=False)
    (bracket,) = hanging.joints[0].parts_ground
    assert world_points(bracket)[:, 2].max() > 3.0 * hanging.unit
    assert world_points(bracket)[:, 2].min() > -hanging.unit
    governor = scene_of(lw.library_model("governor").simulate(0.3, progress=False).result, loads=False)
    (bracket,) = next(joint for joint in governor.joints if joint.name == "spindle").parts_ground
    heights = (world_points(bracket) - np.array(bracket.at)) @ np.array(governor.up)
    assert heights.max() == pytest.approx(3.6 * governor.unit, rel=1e-6)


def test_floor_is_where_things_roll_bounce_and_stand() -> None:
    ball = scene_of(lw.library_model("bouncing-ball").simulate(0.2, progress=False).result)
    assert ball.floor == 0.0
    excavator = scene_of(lw.library_model("excavator").simulate(0.2, progress=False).result, loads=False)
    tracks = next(body for body in excavator.bodies if body.name == "tracks")
    lowest = min(world_points(part)[:, 2].min() for part in tracks.parts)
    assert excavator.floor == pytest.approx(excavator.position[0, excavator.bodies.index(tracks) - 1, 2] + lowest)


def test_what_a_controller_moves_and_its_torque_are_plotted_first() -> None:
    m = lw.Model("m", gravity=(0, 0, -9.81))
    m.body("arm", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    m.revolute("pin", m.ground, "arm", at=(0, 0, 0), axis="y")
    m.controller("servo", "pin", "0.5", p=80.0, d=8.0)
    plots = scene_of(m.simulate(0.5, progress=False).result).plots
    assert plots[:2] == [["pin.angle"], ["servo.torque"]] and "energy" in plots[-1]
