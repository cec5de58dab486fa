"""The whole vehicle: wheel loads against weights, energy, both formulations, left and right, ride, standing still."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import wishbone_vehicle as by_hand
from linkwork.library import library_model
from linkwork.library.hmmwv import GRAVITY, TYRE, add_vehicle, hardpoint
from linkwork.model import Model

AXLES = ("front", "rear")
SIDES = ("left", "right")


@pytest.fixture(scope="module")
def bump():
    """The bump met at 0.2 s, front and rear wheels over it."""
    return library_model("hmmwv", {"meet": 0.2})


@pytest.fixture(scope="module")
def run(bump):
    return bump.simulate(1.0, rtol=1e-8)


def contact_x(run, axle: str) -> float:
    """Where a left tyre stands at the start: below the wheel's centre along its leaning plane."""
    knuckle = f"{axle} left knuckle"
    w, x, y, z = run.result.orientation[0, run.result.names["bodies"].index(knuckle)]
    R = Rotation.from_quat([x, y, z, w]).as_matrix()
    axis, spindle = R[:, 1], hardpoint(axle, "left", "spindle") - hardpoint(axle, "left", "upright_cg")
    centre, level = run.position(knuckle)[0] + R @ spindle, np.hypot(axis[0], axis[1])
    down = np.cross(axis, [axis[1] / level, -axis[0] / level, 0.0])
    return float((centre + centre[2] / level * down)[0])


def test_wheel_loads_balance_the_weights(bump) -> None:
    """At rest: all four carry the weight, and their moments about the rear wheels that of all bodies."""
    found = bump.equilibrium()
    still = library_model("hmmwv", {"speed": 1e-9}).simulate(1e-3, rtol=1e-6)
    loads = {axle: [still[f"{axle} {side} load"][0] for side in SIDES] for axle in AXLES}
    assert found.stable
    weights = {body.name: 9.81 * body.mass_kg for body in bump.mechanism.body}
    weight = sum(weights.values())
    assert sum(map(sum, loads.values())) == pytest.approx(weight, rel=1e-9)
    front, rear = (contact_x(still, axle) for axle in AXLES)
    moment = sum(weights[name] * (still.position(name)[0, 0] - rear) for name in weights)
    assert sum(loads["front"]) == pytest.approx(moment / (front - rear), rel=1e-9)
    assert sum(loads["front"]) / weight == pytest.approx(0.4, abs=2e-3)  # chosen at design height, it stands 5 mm lower
    for axle in AXLES:  # it stands level, where the hardpoints are said
        place = found.positions[f"{axle} left knuckle"][2]
        assert place == pytest.approx(hardpoint(axle, "left", "upright_cg")[2], abs=0.01)
    assert found.positions["chassis"][2] == pytest.approx(bump.mechanism.body[0].at[2], abs=6e-3)


def test_energy_balance_closes_over_the_bump(run) -> None:
    """Kinetic and potential energy (tyres' springs included) change by the work of dampers and treads alone."""
    assert run.certificate.status == "finished"
    assert run.certificate.energy_drift < 1e-6
    assert run["energy.work"][-1] < -1e3  # J, taken by dampers


def test_the_work_is_that_of_the_shock_absorbers_where_they_alone_take_energy(bump) -> None:
    """Tyres that are frictionless springs: the work is the integral of c l'^2, read from the motion of the ends."""
    bare = {f"{tyre.name}.{key}": value for tyre in bump.mechanism.tyre
            for key, value in (("damping", 0.0), ("friction", 1e-9))}  # fmt: skip
    run = bump.with_settings(bare).simulate(0.8, rtol=1e-9, every=2e-4)
    said = {body.name: np.array(body.at) for body in bump.mechanism.body}
    loads, taken = run.shock_loads(), np.zeros(len(run.t))
    for spring in bump.mechanism.spring_damper:
        ends = [run.path(body, point - said[body]) for body, point in zip(spring.between, spring.points, strict=True)]
        length = np.linalg.norm(ends[1] - ends[0], axis=1)
        damped = loads[spring.name] - spring.stiffness * (length - spring.free_length)  # c l'
        taken += damped**2 / spring.damping
    assert run["energy.work"][-1] == pytest.approx(-np.trapezoid(taken, run.t), rel=1e-5)


def test_both_formulations_and_another_integrator_give_one_motion(bump) -> None:
    run = bump.simulate(1.0, rtol=1e-10)
    other = bump.simulate(1.0, rtol=1e-10, formulation="absolute", integrator="dop853")
    for name in ("chassis", "front right knuckle", "rear left upper arm"):
        assert np.abs(run.position(name) - other.position(name)).max() < 1e-6, name
    assert np.abs(run["front left load"] - other["front left load"]).max() < 1e-4 * run["front left load"].max()


@pytest.mark.slow
def test_exudyn_drives_the_same_vehicle_over_the_bump() -> None:
    """The peer of `python -m benchmarks.vehicle`, 0.4 s; its error falls with the square of its step."""
    peer = pytest.importorskip("benchmarks.exudyn_vehicle", reason="exudyn is not installed", exc_type=ImportError)
    place, speed = (hardpoint("front", "left", "spindle")[0] + 0.6, 0.1), 8.0
    m = Model("frictionless", gravity=GRAVITY)
    m.road("road", {"kind": "half-round", "at": place[0], "radius": place[1]})
    add_vehicle(m, speed)
    bare = m.with_settings({f"{tyre.name}.friction": 1e-9 for tyre in m.mechanism.tyre})
    ours = bare.simulate(0.4, rtol=1e-10, every=0.01).position("chassis")[:, 2]
    coarse, fine = (np.abs(peer.drive(place, (speed, 0, 0), 0.4, 0.01, h)[1] - ours).max() for h in (1e-3, 2.5e-4))
    assert fine < 1e-6
    assert fine < coarse / 8.0


def test_left_is_the_mirror_image_of_right(run) -> None:
    mirror = np.array([1.0, -1.0, 1.0])
    for axle in AXLES:
        for part in ("lower arm", "upper arm", "knuckle"):
            left, right = (run.position(f"{axle} {side} {part}") for side in SIDES)
            assert np.abs(left - right * mirror).max() < 1e-11, (axle, part)
        assert np.abs(run[f"{axle} left load"] - run[f"{axle} right load"]).max() < 1e-10 * 296315.0 * 0.1, axle
    assert np.abs(run.position("chassis")[:, 1]).max() < 1e-11


def test_wheels_leave_the_road_and_loads_stay_plausible(run) -> None:
    """The tyre is pressed by less than the bump's height, and no force jumps."""
    front = run["front left load"]
    assert front.min() == 0.0
    assert 2e4 < front.max() < 296315.0 * 0.1
    assert np.abs(np.diff(front)).max() < 0.5 * front.max()


def test_shocks_and_arms_carry_what_the_wheels_get(bump, run) -> None:
    """A shock's force is that of its spring at rest, and what the run measured; two ways to the load of an arm's pivot
    agree over the bump.
    """
    loads = run.shock_loads()
    for axle in AXLES:
        for side in SIDES:
            assert np.allclose(loads[f"{axle} {side} spring"], run[f"{axle} {side} shock"], rtol=1e-9, atol=1e-6)
    shock = loads["front left spring"]
    assert shock[0] == pytest.approx(42381.0 * (0.3176 - 0.566), rel=0.02)
    two = [run.loads(["front left lower arm pivot"], method=method)["front left lower arm pivot"].force
           for method in ("newton-euler", "multipliers")]  # fmt: skip
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
    """60 s standing on its treads: the chassis stays within a tenth of a micrometre, along and across within 1 nm."""
    run = library_model("hmmwv", {"speed": 0.0}).simulate(60.0, rtol=1e-7)
    moved = np.abs(run.position("chassis") - run.position("chassis")[0]).max(axis=0)
    assert moved[2] < 1e-7
    assert moved[:2].max() < 1e-9


def test_a_vehicle_put_into_the_road_is_raised_and_it_is_said() -> None:
    """On a road half a metre higher than where it was put: raised until its deepest wheel touches."""
    m = Model("sunk", gravity=GRAVITY)
    m.road("road", {"kind": "step", "at": -20.0, "height": 0.5})
    add_vehicle(m, 0.0)
    run = m.simulate(0.01, rtol=1e-6)
    (note,) = [note for note in run.certificate.warnings if "deep in the road; 'chassis' was raised" in note]
    lowest = run.position("front left knuckle")[0, 2] - TYRE["radius"]
    assert lowest == pytest.approx(0.5, abs=1e-9), note


def test_the_share_of_the_weight_in_front_moves_the_largest_peak() -> None:
    """P5's is that of the front wheels: with 60 % in front, the vehicle level, it is; with 40 % the rear wheels' is."""
    for share, order in ((0.4, -1.0), (0.6, 1.0)):
        model = library_model("hmmwv", {"meet": 0.3, "front_share": share})
        standing = model.equilibrium()
        for axle in AXLES:
            assert standing.positions[f"{axle} left knuckle"][2] == pytest.approx(
                hardpoint(axle, "left", "upright_cg")[2], abs=6e-3
            )
        run = model.simulate(1.0, rtol=1e-6, every=0.005, progress=False)
        chassis = run["chassis acceleration"]
        front, rear = chassis[run.t < 0.5].max(), chassis[run.t >= 0.5].max()
        assert order * (front - rear) > 2.0
