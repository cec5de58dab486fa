"""The HMMWV's corners against spheres and circles that meet; its account of freedoms."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.optimize import brentq
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.errors import NumericalError, OptionError
from linkwork.library import library_model
from linkwork.library.hmmwv import FREE_LENGTH, SPRINGS, TYRE, hardpoint, spring_end
from wishbone import corner, turned

TRAVEL = np.linspace(-0.1, 0.1, 9)  # m


@pytest.fixture(scope="module")
def vehicle():
    return library_model("hmmwv")


def by_spheres(axle: str, travel: float) -> dict[str, float]:
    """Camber, toe, track change and spring length at a travel of the wheel's centre."""
    there, at = corner(axle), hardpoint(axle, "left", "spindle")
    angle = brentq(lambda a: there.at(a)[1][2] - at[2] - travel, -0.4, 0.4, xtol=1e-15)
    R, spindle, _, _ = there.at(angle)
    axis = R[:, 1]
    camber = -np.arcsin(axis[2])
    lowest = spindle[1] + TYRE["radius"] * np.sin(-camber) * axis[1] / np.hypot(axis[0], axis[1])
    end = turned(hardpoint(axle, "left", "shock", "arm"), there.p["lower a"], there.p["lower b"], angle)
    return {"camber": camber, "toe": np.arctan2(axis[0], axis[1]), "track": lowest - at[1],
            "length": float(np.linalg.norm(end - spring_end(axle, "left")))}  # fmt: skip


@pytest.mark.parametrize("axle", ["front", "rear"])
def test_a_corner_moves_as_spheres_and_circles_say(vehicle, axle) -> None:
    swept = vehicle.corner_sweep(f"{axle} left tyre", TRAVEL)
    spring = f"{axle} left spring"
    said = [by_spheres(axle, z) for z in TRAVEL]
    assert list(swept.spring_length) == [spring]
    for ours, key in ((swept.camber, "camber"), (swept.toe, "toe"), (swept.track_change, "track"),
                      (swept.spring_length[spring], "length")):  # fmt: skip
        assert np.abs(ours - [entry[key] for entry in said]).max() < 1e-9, key
    h = 1e-5
    slope = [(by_spheres(axle, z - h)["length"] - by_spheres(axle, z + h)["length"]) / (2 * h) for z in TRAVEL]
    assert np.abs(swept.motion_ratio[spring] - slope).max() < 1e-8
    load = SPRINGS[axle][0] * (FREE_LENGTH - swept.spring_length[spring]) * swept.motion_ratio[spring]
    assert np.allclose(swept.spring_load, load, rtol=1e-12)
    h = 1e-4
    ends = np.array([[by_spheres(axle, z + step)["length"] for step in (-h, 0.0, h)] for z in TRAVEL])
    bend = ends @ (1.0, -2.0, 1.0) / h**2
    rate = SPRINGS[axle][0] * (swept.motion_ratio[spring] ** 2 - (FREE_LENGTH - swept.spring_length[spring]) * bend)
    assert np.allclose(swept.wheel_rate, rate, rtol=1e-5)


def test_left_and_right_corners_are_mirror_images(vehicle) -> None:
    left, right = (vehicle.corner_sweep(f"front {side} tyre", TRAVEL) for side in ("left", "right"))
    for name in ("camber", "toe", "track_change", "base_change", "spring_load"):
        scale = np.abs(getattr(left, name)).max()
        assert np.abs(getattr(left, name) - getattr(right, name)).max() < 1e-11 * scale, name
    assert np.allclose(left.wheel_rate, right.wheel_rate, rtol=1e-9)  # rounding of the load over 0.2 mm


def test_the_freedoms_are_the_papers(vehicle) -> None:
    found = vehicle.check()
    assert (found.bodies, found.loops, found.dof, found.velocities, found.rank) == (13, 8, 10, 78, 68)
    assert (found.papers["coordinates"], found.papers["equations"], found.papers["redundant"]) == (98, 88, 0)


def test_a_travel_that_is_not_reached_or_not_a_number_is_told(vehicle) -> None:
    with pytest.raises(NumericalError, match=r"'front left tyre': its wheel does not reach a travel of 0.\d+ m"):
        vehicle.corner_sweep("front left tyre", (0.0, 0.6))
    with pytest.raises(OptionError, match=r"travel is .*; give finite numbers"):
        vehicle.corner_sweep("front left tyre", (0.0, np.nan))


def quarter_car() -> lw.Model:
    """A wheel that slides on a car that slides on ground, with a spring between the two."""
    m = lw.Model("quarter", gravity=(0, 0, -9.81))
    m.body("car", mass=400.0, inertia=(1, 1, 1), at=(0, 0.5, 1.0))
    m.body("wheel", mass=40.0, inertia=(1, 1, 1), at=(0, 0.5, 0.3))
    m.prismatic("heave", m.ground, "car", at=(0, 0.5, 1.0), axis="z")
    m.prismatic("strut", "car", "wheel", at=(0, 0.5, 0.3), axis="z")
    m.spring_damper("spring", "car", "wheel", points=((0, 0.5, 1.0), (0, 0.5, 0.3)), stiffness=2e4)
    m.tyre("tyre", "wheel", radius=0.3, stiffness=1e5, lateral_stiffness=1e4)
    return m


def test_a_chassis_that_is_loose_is_refused_and_one_that_is_locked_is_held() -> None:
    m = quarter_car()
    with pytest.raises(OptionError, match=r"'tyre': the travel .* does not determine how spring 'spring' moves; lock"):
        m.corner_sweep("tyre", (0.0, 0.05))
    m.lock("post", "heave")
    swept = m.corner_sweep("tyre", (0.0, 0.05))
    assert swept.motion_ratio["spring"] == pytest.approx(1.0) and swept.wheel_rate == pytest.approx(2e4)


def test_a_steering_that_nothing_holds_is_refused() -> None:
    m = quarter_car()
    m.lock("post", "heave")
    m.body("rim", mass=10.0, inertia=(1, 1, 1), at=(0, 0.5, 0.3))
    m.revolute("kingpin", "wheel", "rim", at=(0, 0.5, 0.3), axis="z")
    m.tyre("steered", "rim", radius=0.3, stiffness=1e5, lateral_stiffness=1e4)
    with pytest.raises(OptionError, match=r"'steered': the travel .* does not determine how the wheel moves"):
        m.corner_sweep("steered", (0.0,))
    m.lock("steering", "kingpin")
    assert m.corner_sweep("steered", (0.0,)).toe == pytest.approx(0.0, abs=1e-12)


def test_the_command_prints_a_table_and_writes_a_plot(tmp_path) -> None:
    path = tmp_path / "corner.png"
    answer = CliRunner().invoke(app, ["suspension", "hmmwv", "--corner", "rear left tyre", "--travel", "-0.05:0.05:3",
                                      "--plot", str(path)])  # fmt: skip
    assert answer.exit_code == 0, answer.output
    assert "rear left tyre: wheel moved against the chassis" in answer.stdout and path.stat().st_size > 1e4
    facts = json.loads(CliRunner().invoke(app, ["suspension", "hmmwv", "--travel", "-0.05:0.05:3", "--json"]).stdout)
    assert facts["corners"][0]["motion_ratio"]["front left spring"][1] == pytest.approx(0.45391, abs=1e-5)
    assert CliRunner().invoke(app, ["suspension", "hmmwv", "--corner", "rear"]).exit_code == 2
    assert CliRunner().invoke(app, ["suspension", "four-bar"]).exit_code == 2
    assert CliRunner().invoke(app, ["suspension", "hmmwv", "--travel", "0:1"]).exit_code == 2
