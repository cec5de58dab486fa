"""The whole vehicle: wheel loads against weights, energy, both formulations, left and right, ride, standing still."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from linkwork.library import library_model
from linkwork.library.hmmwv import LOWER_ARM, UPPER_ARM, hardpoint
from wishbone import corner

AXLES = ("front", "rear")
SIDES = ("left", "right")


@pytest.fixture(scope="module")
def bump():
    """The bump met at 0.2 s, front and rear wheels over it."""
    return library_model("hmmwv", {"meet": 0.2})


@pytest.fixture(scope="module")
def run(bump):
    return bump.simulate(1.0, rtol=1e-8)


def test_wheel_loads_balance_the_weights(bump) -> None:
    """At rest: all four carry the weight, and their moments about the rear wheels that of all bodies."""
    found = bump.equilibrium()
    still = library_model("hmmwv", {"speed": 1e-9}).simulate(1e-3, rtol=1e-6)
    loads = {axle: [still[f"{axle} {side} load"][0] for side in SIDES] for axle in AXLES}
    assert found.stable
    weight = 9.81 * sum(body.mass_kg for body in bump.mechanism.body)
    assert sum(map(sum, loads.values())) == pytest.approx(weight, rel=1e-9)
    places = found.positions
    tyres = {axle: places[f"{axle} left knuckle"][0] for axle in AXLES}  # the spindle is abeam of the knuckle's centre
    moment = 9.81 * sum(body.mass_kg * (places[body.name][0] - tyres["rear"]) for body in bump.mechanism.body)
    assert sum(loads["front"]) == pytest.approx(moment / (tyres["front"] - tyres["rear"]), rel=2e-4)
    assert sum(loads["front"]) / weight == pytest.approx(0.4, abs=2e-3)
    for axle in AXLES:  # it stands level, where the hardpoints are said
        assert places[f"{axle} left knuckle"][2] == pytest.approx(hardpoint(axle, "left", "upright_cg")[2], abs=0.01)
    assert places["chassis"][2] == pytest.approx(bump.mechanism.body[0].at[2], abs=6e-3)


def test_energy_balance_closes_over_the_bump(run) -> None:
    """Kinetic and potential energy (tyres' springs included) change by the work of dampers and treads alone."""
    assert run.certificate.status == "finished"
    assert run.certificate.energy_drift < 1e-6
    assert run["energy.work"][-1] < -1e3  # J, taken by dampers


def test_both_formulations_and_another_integrator_give_one_motion(bump) -> None:
    run = bump.simulate(1.0, rtol=1e-10)
    other = bump.simulate(1.0, rtol=1e-10, formulation="absolute", integrator="dop853")
    for name in ("chassis", "front right knuckle", "rear left upper arm"):
        assert np.abs(run.position(name) - other.position(name)).max() < 1e-6, name
    assert np.abs(run["front left load"] - other["front left load"]).max() < 1e-4 * run["front left load"].max()


def test_left_is_the_mirror_image_of_right(run) -> None:
    mirror = np.array([1.0, -1.0, 1.0])
    for axle in AXLES:
        for part in ("lower arm", "upper arm", "knuckle"):
            left, right = (run.position(f"{axle} {side} {part}") for side in SIDES)
            assert np.abs(left - right * mirror).max() < 1e-9, (axle, part)
    assert np.abs(run.position("chassis")[:, 1]).max() < 1e-9


def test_wheels_leave_the_road_and_loads_stay_plausible(run) -> None:
    """The tyre is pressed by less than the bump's height, and no force jumps."""
    front = run["front left load"]
    assert front.min() == 0.0
    assert 2e4 < front.max() < 296315.0 * 0.1
    assert np.abs(np.diff(front)).max() < 0.5 * front.max()


def test_shocks_and_arms_carry_what_the_wheels_get(bump, run) -> None:
    """A shock's force is that of its spring at rest; two ways to the load of an arm's pivot agree over the bump."""
    shock = run.shock_loads()["front left spring"]
    assert shock[0] == pytest.approx(42381.0 * (0.3176 - 0.566), rel=0.02)
    two = [run.loads(["front left lower arm pivot"], way=way)["front left lower arm pivot"].force
           for way in ("newton-euler", "multipliers")]  # fmt: skip
    assert np.nanmax(np.abs(two[0] - two[1])) < 1e-6 * np.nanmax(np.abs(two[0]))


def moved_mass(axle: str) -> float:
    """Twice the kinetic energy of a corner's arms and knuckle at unit vertical speed of its wheel, chassis held; kg.

    By differences of positions from intersected spheres (wishbone.py).
    """
    there, h = corner(axle), 1e-5
    (R0, low0, ball0, up0), (R1, low1, ball1, up1) = (there.at(angle) for angle in (-h, h))
    rise = (low1 - low0)[2]
    energy = 0.0
    for key, (mass, inertia), way in (("lower", LOWER_ARM, ball1 - ball0), ("upper", UPPER_ARM, up1 - up0)):
        a, b, ball = there.p[f"{key} a"], there.p[f"{key} b"], there.p[key]
        k = (b - a) / np.linalg.norm(b - a)
        rate = np.linalg.norm(way) / rise / np.linalg.norm(np.cross(k, ball - a))
        arm = np.linalg.norm(np.cross(k, hardpoint(axle, "left", f"{key}_arm", "cg") - a))
        energy += (k @ np.diag(inertia) @ k + mass * arm**2) * rate**2
    spin = (R1 - R0) / rise
    centre = hardpoint(axle, "left", "upright_cg") - there.p["lower"]
    v = (ball1 + R1 @ centre - ball0 - R0 @ centre) / rise
    return energy + float(v @ v) + 0.5 * float(np.sum(spin * spin))  # the knuckle: 1 kg, 1 kg m2 about every axis


def test_ride_modes_are_bounce_pitch_roll_and_wheel_hop(bump) -> None:
    """Hop above that of a wheel under a held chassis; bounce and pitch below those of a chassis without arms."""
    found = bump.ride_modes("chassis", {"drive.x": 8.0})
    assert sorted(mode.name for mode in found) == ["bounce", *["hop"] * 4, "pitch", "roll"]
    rates = {axle: bump.corner_sweep(f"{axle} left tyre", (-0.005, 0.0, 0.005)).wheel_rate[1] for axle in AXLES}
    hop = sorted(mode.frequency_hz for mode in found if mode.name == "hop")
    told = sorted(np.sqrt((296315.0 + rates[axle]) / moved_mass(axle)) / (2.0 * np.pi) for axle in AXLES)
    recoil = np.sqrt(1.0 + 4.0 * moved_mass("front") / 2298.0)  # of the chassis, if all four went together
    assert told[0] < hop[0]
    assert hop[-1] < told[1] * recoil
    x = {axle: hardpoint(axle, "left", "spindle")[0] - bump.mechanism.body[0].at[0] for axle in AXLES}
    k = {axle: 2.0 / (1.0 / rates[axle] + 1.0 / 296315.0) for axle in AXLES}
    K = np.array([[k["front"] + k["rear"], -k["front"] * x["front"] - k["rear"] * x["rear"]],
                  [0.0, k["front"] * x["front"] ** 2 + k["rear"] * x["rear"] ** 2]])  # fmt: skip
    K[1, 0] = K[0, 1]
    both = np.sqrt(eigh(K, np.diag([2298.0, 4449.0]), eigvals_only=True)) / (2.0 * np.pi)
    low = sorted(mode.frequency_hz for mode in found if mode.name in ("bounce", "pitch"))
    assert all(0.7 * b < a < b for a, b in zip(low, both, strict=True))  # the arms' mass, left out there, slows it
    assert all(0.0 < mode.damping < 2.0 for mode in found)


def test_a_standing_vehicle_does_not_drift() -> None:
    """60 s standing on its treads: the chassis stays within a micrometre."""
    run = library_model("hmmwv", {"speed": 0.0}).simulate(60.0, rtol=1e-7)
    assert np.abs(run.position("chassis") - run.position("chassis")[0]).max() < 1e-6
