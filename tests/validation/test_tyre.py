"""Tyres and roads against closed forms: springs, slopes, slip, friction, rolling and standing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.linalg import eigh
from scipy.signal import welch

from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.kernels import kernel
from linkwork.elements.tyres.road import CLASS_A, Road, Roughness
from linkwork.elements.tyres.road_surface import road_at
from linkwork.errors import ModelError, NumericalError
from linkwork.expressions import data_ops
from linkwork.formulations.equations import Equations
from linkwork.formulations.kinematics import displace
from linkwork.model import Model
from linkwork.numerics.status import LEVEL_ALL

K, R, C = 2e5, 0.4, 6e4  # N/m, m, N/rad
TYRE = {"radius": R, "stiffness": K, "lateral_stiffness": C}
BUMP = {"kind": "half-round", "at": 0.1, "radius": 0.1}
G = 9.81


def wheel(at=(0.0, 0.0, 0.37), road=(), velocity=(0.0, 0.0, 0.0), mass=50.0, inertia=2.0, **more) -> Model:
    m = Model("wheel", gravity=(0, 0, -G))
    m.road("road", *road)
    m.body("wheel", mass=mass, inertia=np.eye(3) * inertia, at=at, velocity=velocity)
    m.tyre("tyre", "wheel", road="road", **(TYRE | more))
    for what in ("load", "longitudinal", "lateral", "deflection"):
        m.measure(what, f"tyre(tyre, {what})")
    return m


def guided(m: Model, *axes: str) -> Model:
    """The wheel held but for sliding along these axes, one carriage each."""
    carried = m.ground
    for axis in axes[:-1]:
        m.body(f"carriage {axis}", mass=1e-3, inertia=np.eye(3) * 1e-3, at=(0, 0, 0.37))
        m.prismatic(axis, carried, f"carriage {axis}", at=(0, 0, 0), axis=axis)
        carried = f"carriage {axis}"
    m.prismatic(axes[-1], carried, "wheel", at=(0, 0, 0), axis=axes[-1])
    return m


# -- the radial force -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(3))
def test_the_radial_force_is_the_slope_of_its_energy_on_a_bump_and_a_bank(seed) -> None:
    """Any place on the bump, any heading and camber: nothing is gained by going round."""
    road = ({"kind": "slope", "grade": 0.05, "bank": -0.1}, BUMP)
    rng = np.random.default_rng(seed)
    start = assemble(wheel(road=road, friction=1.0).mechanism, "joint")
    equations = Equations(start.compiled.as_open_tree(False))
    y = start.y.copy()
    displace(equations.system.dofs, y, np.array([*rng.uniform(-0.1, 0.1, 2), 0.06, *rng.uniform(-0.3, 0.3, 3)]))

    def potential(state: np.ndarray) -> float:
        equations.evaluate(0.0, state, start.angles, LEVEL_ALL)
        return float(equations.work.energy[1])

    assert potential(y) > 0.0
    force, h = equations.work.Q.copy(), 1e-6
    for j in range(6):
        ends = []
        for sign in (h, -h):
            state, step = y.copy(), np.zeros(6)
            step[j] = sign
            displace(equations.system.dofs, state, step)
            ends.append(potential(state))
        assert (ends[1] - ends[0]) / (2.0 * h) == pytest.approx(force[j], abs=1e-6 * np.abs(force).max()), j


@pytest.mark.parametrize("deflection", [0.0, 0.01, 0.08])
def test_the_envelope_is_the_height_on_the_flat_and_near_the_distance_on_a_slope(deflection) -> None:
    """On the flat but for what the stations do not reach, 4e-8 R.  With l^2 = s^2 + (h + g s)^2 the integral of l^-m is
    that of the flat at the distance h / sqrt(1 + g^2), over sqrt(1 + g^2): so L is longer by its power 1 / (m - 1).
    """
    flat = {"kind": "table", "x": (-9.0, 9.0), "z": (1e-300, 1e-300)}
    run = guided(wheel(at=(0, 0, R - deflection), road=(flat,), mass=1e6), "z").simulate(1e-6, rtol=1e-3)
    assert run["deflection"][0] == pytest.approx(deflection, abs=4e-8 * R)
    grade = 0.2
    distance = R - deflection - 1e-3
    height = distance * np.hypot(1.0, grade)
    run = guided(wheel(at=(0, 0, height), road=({"kind": "slope", "grade": grade},), mass=1e6), "z").simulate(1e-6)
    assert R - run["deflection"][0] == pytest.approx(distance * (1 + grade**2) ** (0.5 / 59), rel=4e-6)


def test_a_mass_on_a_tyre_and_a_quarter_car_have_the_frequencies_of_their_springs() -> None:
    m = guided(wheel(), "z")
    assert m.linearize().modes().undamped == pytest.approx([np.sqrt(K / 50.0)], rel=1e-9)
    m = guided(wheel(at=(0, 0, 0.3866)), "z")
    m.body("car", mass=400.0, inertia=np.eye(3) * 9.0, at=(0, 0, 1.0))
    m.prismatic("car z", m.ground, "car", at=(0, 0, 0), axis="z")
    m.spring_damper("spring", "wheel", "car", points=((0, 0, 0.3866), (0, 0, 1.0)), stiffness=2e4, free_length=0.8)
    stiffness = np.array([[K + 2e4, -2e4], [-2e4, 2e4]])
    expected = np.sqrt(eigh(stiffness, np.diag([50.0, 400.0]), eigvals_only=True))
    assert m.linearize().modes().undamped == pytest.approx(expected, rel=1e-9)


def test_a_half_car_bounces_and_pitches_as_its_matrices_say() -> None:
    """Body with two axles, 1.2 m before and 1.5 m behind its centre; vertical motion alone, pitch small."""
    m = Model("half car", gravity=(0, 0, -G))
    mass, inertia, axle, k = 800.0, 1000.0, 45.0, (2e4, 2.5e4)
    m.body("car", mass=mass, inertia=np.diag([300.0, inertia, 1000.0]), at=(0, 0, 0.8))
    m.body("lift", mass=1e-6, inertia=np.eye(3) * 1e-6, at=(0, 0, 0.8))
    m.prismatic("heave", m.ground, "lift", at=(0, 0, 0.8), axis="z")
    m.revolute("pitch", "lift", "car", at=(0, 0, 0.8), axis="y")
    K_all, place = np.zeros((4, 4)), (1.2, -1.5)
    for n, (x, stiffness) in enumerate(zip(place, k, strict=True)):
        load = mass * G * abs(place[1 - n]) / 2.7
        z = R - (load + axle * G) / K
        m.body(f"axle {n}", mass=axle, inertia=np.eye(3), at=(x, 0, z))
        m.prismatic(f"axle {n} z", m.ground, f"axle {n}", at=(x, 0, z), axis="z")
        m.tyre(f"tyre {n}", f"axle {n}", **TYRE)
        m.spring_damper(f"spring {n}", f"axle {n}", "car", points=((x, 0, z), (x, 0, 0.8)), stiffness=stiffness,
                        free_length=0.8 - z + load / stiffness)  # fmt: skip
        up = np.array([1.0, -x, 0.0, 0.0]) - np.eye(4)[2 + n]  # shortening of the spring
        K_all += stiffness * np.outer(up, up) + K * np.outer(np.eye(4)[2 + n], np.eye(4)[2 + n])
    found = m.linearize().modes().undamped
    expected = np.sqrt(eigh(K_all, np.diag([mass, inertia, axle, axle]), eigvals_only=True))
    assert found == pytest.approx(expected, rel=1e-6)


def test_a_tyre_never_pulls() -> None:
    run = guided(wheel(at=(0, 0, 0.6), damping=3e4), "z").simulate(1.5, rtol=1e-7, every=1e-3)
    assert run["load"].min() == 0.0
    assert run["load"].max() > 50.0 * G
    assert run.certificate.energy_drift < 1e-5


# -- slip -------------------------------------------------------------------------------------------------------------
def rolling(speed: float, lean: float, **more) -> Model:
    """A wheel driven straight on at a height with a deflection of 3 cm, its plane turned by `lean` (rad)."""
    m = Model("rig", gravity=(0, 0, -G))
    m.body("wheel", mass=50.0, inertia=np.eye(3), at=(0, 0, 0.37))
    m.prismatic("x", m.ground, "wheel", at=(0, 0, 0), axis="x")
    m.driver("drive", "x", f"{speed}*t")
    m.tyre("tyre", "wheel", axis=(-np.sin(lean), np.cos(lean), 0.0), **(TYRE | more))
    m.measure("lateral", "tyre(tyre, lateral)")
    m.measure("longitudinal", "tyre(tyre, longitudinal)")
    return m


def test_side_force_builds_up_over_the_relaxation_length() -> None:
    """Small slip: C alpha (1 - exp(-V t cos / sigma)), the first-order answer of a stretched string."""
    speed, lean, length = 5.0, 1e-3, 0.5
    run = rolling(speed, lean, curve="linear", relaxation=length, friction=5.0).simulate(0.5, rtol=1e-9)
    rolls = speed * np.cos(lean)
    told = C * np.tan(lean) * (1.0 - np.exp(-rolls * run.t / length))
    low_speed = 0.05 / (1.0 + rolls**2) * speed * np.sin(lean) / length * C  # damping of the tread
    assert np.abs(run["lateral"] - told - low_speed).max() < 1e-5 * told.max()


@pytest.mark.parametrize("curve", ["linear", "fiala", "magic-formula"])
def test_side_force_over_slip_angle_follows_its_curve_and_ends_at_the_friction_limit(curve) -> None:
    load, mu, shape, bend = K * 0.03, 0.8, 1.3, -1.0
    speed = 30.0
    for lean in (0.02, 0.1, 0.25):
        run = rolling(speed, lean, curve=curve, friction=mu).simulate(0.6, rtol=1e-7)
        slip = np.tan(lean) * (1.0 + 0.05 / (1.0 + (speed * np.cos(lean)) ** 2) * speed * np.cos(lean) / R)
        rho = C * slip / (mu * load)
        u = rho / shape
        share = {
            "linear": min(rho, 1.0),
            "fiala": rho - rho**2 / 3 + rho**3 / 27 if rho < 3 else 1.0,
            "magic-formula": np.sin(shape * np.arctan(u - bend * (u - np.arctan(u)))),
        }[curve]
        assert run["lateral"][-1] == pytest.approx(mu * load * share, rel=2e-4)


def test_a_locked_wheel_slides_with_friction_and_both_directions_share_it() -> None:
    """A wheel that cannot turn, dragged at an angle: the force is mu N against the motion, whatever the angle."""
    run = rolling(4.0, 0.5, spin="body", friction=0.7).simulate(2.0, rtol=1e-7)
    T, Y = run["longitudinal"][-1], run["lateral"][-1]
    assert np.hypot(T, Y) == pytest.approx(0.7 * K * 0.03, rel=1e-6)
    assert np.arctan2(Y, -T) == pytest.approx(0.5, abs=1e-6)
    run = rolling(4.0, 0.5, spin="body", friction=(0.9, 0.5)).simulate(2.0, rtol=1e-7)
    T, Y = run["longitudinal"] / 0.9, run["lateral"] / 0.5
    assert np.hypot(T, Y).max() <= K * 0.03 * (1.0 + 1e-9)
    assert np.hypot(T, Y)[-1] == pytest.approx(K * 0.03, rel=1e-6)


def test_traction_over_slip_has_its_own_stiffness() -> None:
    """A wheel that is driven on and turned at given rates: T = C_x kappa, kappa = (omega L - V) / (omega L)."""
    V, slip, L, stiffness = 10.0, 0.02, 0.37, 9e4
    omega = V / L / (1.0 - slip)
    m = Model("rig", gravity=(0, 0, -G))
    m.body("hub", mass=1.0, inertia=np.eye(3), at=(0, 0, L))
    m.prismatic("x", m.ground, "hub", at=(0, 0, 0), axis="x")
    m.body("wheel", mass=50.0, inertia=np.eye(3), at=(0, 0, L))
    m.revolute("axle", "hub", "wheel", at=(0, 0, L), axis="y")
    m.driver("drive", "x", f"{V}*t")
    m.driver("turn", "axle", f"{omega}*t")
    m.tyre("tyre", "wheel", spin="body", curve="linear", friction=5.0, longitudinal_stiffness=stiffness, **TYRE)
    for what in ("longitudinal", "lateral", "slip"):
        m.measure(what, f"tyre(tyre, {what})")
    run = m.simulate(1.0, rtol=1e-8)
    tread = 0.05 / (1.0 + (omega * L) ** 2) * (omega * L - V) / R  # its damping at walking speed, what is left of it
    assert run["slip"][-1] == pytest.approx(slip, rel=1e-5)
    assert run["longitudinal"][-1] == pytest.approx(stiffness * (slip + tread), rel=1e-5)
    assert abs(run["lateral"][-1]) < 1e-6


def test_a_sliding_wheel_spins_up_to_rolling() -> None:
    """From v without spin: angular momentum about the contact leaves v m L^2 / (m L^2 + J), L the loaded radius."""
    mass, inertia, v = 50.0, 2.0, 6.0
    L = R - mass * G / K
    m = Model("wheel", gravity=(0, 0, -G))
    m.body("hub", mass=1e-9, inertia=np.eye(3) * 1e-9, at=(0, 0, L), velocity=(v, 0, 0))
    m.planar("plane", m.ground, "hub", at=(0, 0, L), axis="y")
    m.body("wheel", mass=mass, inertia=np.eye(3) * inertia, at=(0, 0, L), velocity=(v, 0, 0))
    m.revolute("axle", "hub", "wheel", at=(0, 0, L), axis="y")
    m.driver("upright", "plane", 0.0, "angle")
    m.tyre("tyre", "wheel", spin="body", **TYRE)
    run = m.simulate(4.0, rtol=1e-8)
    told = v * mass * L**2 / (mass * L**2 + inertia)
    assert run.velocity("wheel")[-1, 0] == pytest.approx(told, rel=1e-6)
    assert run.angular_velocity("wheel")[-1, 1] == pytest.approx(told / L, rel=1e-6)
    assert run.certificate.energy_drift < 1e-6


def test_a_locked_wheel_stands_on_a_slope_and_stays() -> None:
    """30 s on a grade of 20 %: what moves it stays below a nanometre a second once it has come to rest."""
    m = guided(wheel(at=(0, 0, 0.4), road=({"kind": "slope", "grade": 0.2},), spin="body", damping=2e3), "x", "z")
    run = m.simulate(30.0, rtol=1e-8)
    late = run.t > 20.0
    assert np.ptp(run.position("wheel")[late, 0]) < 1e-8
    assert run["longitudinal"][-1] == pytest.approx(50.0 * G * 0.2 / np.hypot(1.0, 0.2), rel=1e-6)


# -- roads ------------------------------------------------------------------------------------------------------------
def test_pieces_of_a_road_add_up_and_lie_on_their_side() -> None:
    road = Road(name="road", pieces=(
        {"kind": "cosine", "at": 1.0, "length": 2.0, "height": 0.1, "side": "left"},
        {"kind": "step", "at": 5.0, "height": 0.05, "length": 0.1},
        {"kind": "ramp", "at": 6.0, "length": 2.0, "height": 1.0},
        {"kind": "sine", "at": 10.0, "length": 1.0, "height": 0.02, "count": 2},
        {"kind": "slope", "bank": 0.1}, {"kind": "half-round", "at": 20.0, "radius": 0.1},
        {"kind": "table", "x": (30.0, 31.0, 32.0), "z": (0.0, 0.3, 0.0), "interpolation": "linear"},
    ))  # fmt: skip
    x = np.array([2.0, 2.0, 5.05, 5.5, 7.0, 10.25, 13.0, 20.0, 20.06, 30.5])
    y = np.array([1.0, -1.0, 0, 0, 0, 0, 0, 0, 0, 0])
    z = [0.2, -0.1, 0.025, 0.05, 0.55, 1.07, 1.05, 1.15, 1.05 + 0.08, 1.2]
    assert road.height(x, y) == pytest.approx(z, abs=1e-12)


KNOTS = np.array([0.0, 0.4, 1.0, 1.5]), np.array([0.02, 0.1, -0.05, 0.03])
WALLS = np.radians(75.0)
PIECES = {  # what is said, and height over x by a plain formula
    "half-round": ({"at": 0.6, "radius": 0.1}, lambda x: max(
        np.sqrt(max(0.01 - (x - 0.6) ** 2, 0.0)) if abs(x - 0.6) < 0.1 * np.sin(WALLS) else
        (0.1 - abs(x - 0.6) * np.sin(WALLS)) / np.cos(WALLS), 0.0)),
    "cosine": ({"at": 0.3, "length": 0.8, "height": -0.07}, lambda x: -0.07 * np.sin(np.pi * (x - 0.3) / 0.8) ** 2
               if 0.3 < x < 1.1 else 0.0),
    "step": ({"at": 0.5, "height": 0.08, "length": 0.2}, lambda x: 0.08 * np.polyval(
        [-2.0, 3.0, 0.0, 0.0], np.clip((x - 0.5) / 0.2, 0.0, 1.0))),
    "ramp": ({"at": 0.2, "height": 0.3, "length": 0.9}, lambda x: 0.3 * np.clip((x - 0.2) / 0.9, 0.0, 1.0)),
    "sine": ({"at": 0.1, "height": 0.02, "length": 0.3, "count": 4},
             lambda x: 0.02 * np.sin(2.0 * np.pi * (x - 0.1) / 0.3) if 0.1 < x < 1.3 else 0.0),
    "slope": ({"grade": 0.07}, lambda x: 0.07 * x),
    "table": ({"x": tuple(KNOTS[0]), "z": tuple(KNOTS[1]), "interpolation": "linear"}, lambda x: np.interp(x, *KNOTS)),
    "spline": ({"kind": "table", "x": tuple(KNOTS[0]), "z": tuple(KNOTS[1])},
               lambda x: CubicSpline(*KNOTS, bc_type="natural")(np.clip(x, 0.0, 1.5))),
}  # fmt: skip


@kernel
def surface(ops, count, x):
    return road_at(ops, 0, count, x, 0.5 + 0.0 * x)


@pytest.mark.jit
@pytest.mark.parametrize("kind", PIECES)
def test_every_kind_of_road_in_the_kernel_is_its_formula_and_its_slope(kind) -> None:
    """Heights at 60 places by the formula; the slope along the road by a complex step through the same kernel."""
    said, formula = PIECES[kind]
    road = Road(name="road", pieces=({"kind": kind} | said,))
    x = np.random.default_rng(5).uniform(-0.2, 1.7, 60)
    assert road.height(x, 0.5 + 0.0 * x) == pytest.approx([float(formula(place)) for place in x], abs=1e-13)
    ops = data_ops(road.numbers(0))
    for place in x[:20]:
        told, along = surface(ops, 1, place), surface(ops, 1, place + 1e-30j)
        assert told[1] == pytest.approx(along[0].imag / 1e-30, abs=1e-12)
        assert told[2] == 0.0


def test_random_roughness_has_the_spectrum_of_its_class() -> None:
    """ISO 8608: G(n) = G0 (n / 0.1)^-2, G0 = 16e-6 m3 for A, 64e-6 for B ...; the same seed the same road."""
    made = {"kind": "iso-8608", "roughness": "C", "seed": 3, "length": 2000.0}
    road, x = Road(name="road", pieces=(made,)), np.arange(5.0, 1995.0, 0.05)
    z = road.height(x, np.zeros_like(x))
    n, density = welch(z, fs=20.0, nperseg=8192, detrend="linear")
    for low, high in ((0.02, 0.1), (0.1, 0.5), (0.5, 2.5)):
        band = (n > low) & (n < high)
        told = 16.0 * CLASS_A * (n[band] / 0.1) ** -2
        assert np.exp(np.mean(np.log(density[band] / told))) == pytest.approx(1.0, abs=0.15)
    k, amplitude, phase = Roughness(**made).waves()
    assert amplitude**2 * 2000.0 / 2.0 == pytest.approx(256e-6 * (k / (2.0 * np.pi) / 0.1) ** -2, rel=1e-12)
    few = x[100:20100:100]
    exact = [float(np.sum(amplitude * np.cos(k * place + phase))) for place in few]
    assert np.abs(z[100:20100:100] - exact).max() < 1e-4 * np.abs(z).max()
    assert np.array_equal(z, Road(name="again", pieces=(made,)).height(x, np.zeros_like(x)))
    assert not np.allclose(z, Road(name="other", pieces=(made | {"seed": 4},)).height(x, np.zeros_like(x)))


# -- bad input --------------------------------------------------------------------------------------------------------
def test_bad_tyres_and_roads_are_told() -> None:
    m = wheel()
    with pytest.raises(ModelError, match=r"tyre 'bare'.*no load data.*stiffness"):
        m.tyre("bare", "wheel", radius=0.4, lateral_stiffness=1e4)
    with pytest.raises(ModelError, match=r"x goes from 1 to 0.5 m; x must increase"):
        m.road("bad", {"kind": "table", "x": (0.0, 1.0, 0.5), "z": (0.0, 0.1, 0.2)})
    m.tyre("lost", "wheel", road="rod", **TYRE)
    with pytest.raises(ModelError, match="there is no road 'rod'; did you mean 'road'"):
        m.simulate(0.1)
    m = wheel()
    m.measure("what", "tyre(tyre, laod)")
    with pytest.raises(ModelError, match="no quantity of a tyre 'laod'; did you mean 'load'"):
        m.simulate(0.1)


def test_a_wheel_below_the_road_is_raised_and_it_is_said() -> None:
    m = wheel(at=(0, 0, -0.2), road=({"kind": "slope", "bank": 0.0, "grade": 0.0},))
    run = m.simulate(0.01)
    assert run.position("wheel")[0, 2] == pytest.approx(R, abs=1e-12)
    assert any("starts 0.6 m deep in the road; 'wheel' was raised" in note for note in run.certificate.warnings)


def test_a_wheel_that_starts_in_equilibrium_stays_there_and_is_trusted() -> None:
    m = guided(wheel(at=(0, 0, 0.39), damping=1e3), "z")
    run = m.simulate(2.0, rtol=1e-6, from_equilibrium=True)
    assert run.certificate.status == "finished"
    assert run["load"] == pytest.approx(np.full(len(run.t), 50.0 * G), abs=1e-6 * K)


def test_over_a_half_round_bump_the_force_is_smooth_and_near_that_of_a_rigid_rim() -> None:
    """A wheel led over the bump at one height: its deflection is that of a disc against the bump's circle, less what
    the tyre takes up of a sharp edge (some 8 mm); no ripple of the stations is seen.
    """
    m = Model("rig", gravity=(0, 0, -G))
    m.road("road", {"kind": "half-round", "at": 1.0, "radius": 0.1})
    m.body("wheel", mass=50.0, inertia=np.eye(3), at=(0, 0, 0.45))
    m.prismatic("x", m.ground, "wheel", at=(0, 0, 0), axis="x")
    m.driver("drive", "x", "t")
    m.tyre("tyre", "wheel", road="road", **TYRE)
    m.measure("deflection", "tyre(tyre, deflection)")
    run = m.simulate(2.0, every=1e-3)
    x, found = run.t - 1.0, run["deflection"]
    disc = R - (np.hypot(x, 0.45) - 0.1)
    deep = disc > 0.015
    assert np.abs(found - np.maximum(disc, 0.0)).max() < 0.010
    assert np.all((disc - found)[deep] > 0.0)
    assert np.abs(found - found[::-1]).max() < 1e-12  # the same coming and going
    bend = np.abs(np.diff(found[found > 0.0], 2)).max() / 1e-6  # 1/m, of the deflection over the way
    assert bend < 3.0 / 0.45 + 1.0


def test_a_wheel_that_a_torque_turns_has_no_equilibrium_and_its_axle_is_named() -> None:
    """The tread of a standing tyre holds nothing until it has been moved; what remains is named by its size."""
    m = guided(wheel(at=(0, 0, 0.37), damping=1e3), "x", "z")
    m.body("drum", mass=5.0, inertia=np.eye(3), at=(0, 0.2, 0.37))
    m.revolute("axle", "wheel", "drum", at=(0, 0.2, 0.37), axis="y")
    m.joint_force("engine", "axle", 150.0)
    with pytest.raises(NumericalError, match=r"no equilibrium was found: 150 N m on 'axle\.angle' remain"):
        m.equilibrium()
