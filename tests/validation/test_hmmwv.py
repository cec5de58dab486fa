"""The whole vehicle: wheel loads against weights, energy, both formulations, left and right, ride, standing still."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

import wishbone_vehicle as by_hand
from linkwork.library import library_model
from linkwork.library.hmmwv import hardpoint

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


def test_ride_frequencies_are_those_of_energies_written_by_hand(bump) -> None:
    """Second differences of energies in NumPy (wishbone_vehicle.py): equilibrium and frequencies; at a speed x is held,
    and side force, which has no energy, is left out.
    """
    x = by_hand.equilibrium()
    assert bump.equilibrium().positions["chassis"] - bump.mechanism.body[0].at == pytest.approx(x[:3], abs=1e-8)
    K, M = by_hand.stiffness(x), by_hand.mass(x)
    slippery = bump.with_settings({f"{tyre.name}.lateral_stiffness": 1e-3 for tyre in bump.mechanism.tyre})
    for free, modes in ((0, bump.ride_modes("chassis")), (1, slippery.ride_modes("chassis", {"drive.x": 8.0}))):
        squares = eigh(K[free:, free:], M[free:, free:], eigvals_only=True)[-7:]
        assert [mode.frequency_hz for mode in modes] == pytest.approx(np.sqrt(squares) / (2.0 * np.pi), rel=1e-7)
        assert [mode.name for mode in modes] == ["bounce", "pitch", "roll", "hop", "hop", "hop", "hop"]


def test_a_standing_vehicle_does_not_drift() -> None:
    """60 s standing on its treads: the chassis stays within a micrometre."""
    run = library_model("hmmwv", {"speed": 0.0}).simulate(60.0, rtol=1e-7)
    assert np.abs(run.position("chassis") - run.position("chassis")[0]).max() < 1e-6
