"""Every model of the library runs, in both formulations alike; and a number of each against a closed form or a
computation of its own.
"""

from __future__ import annotations

import cmath
import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from linkwork.errors import LinkworkError, OptionError
from linkwork.library import LIBRARY, library_model
from linkwork.model import Model
from linkwork.numerics.rotations import rotation_matrix
from linkwork.run import Run

G = 9.81  # m/s2
NEW = (
    "quick-return", "windscreen-wiper", "bricard", "hooke-shaft", "gyroscope", "bouncing-ball", "stewart-platform",
    "excavator", "quarter-car",
)  # fmt: skip
SHORT = {"bricard": 2.0, "gyroscope": 0.5, "bouncing-ball": 0.6, "excavator": 6.0}  # s, enough to compare formulations


@cache
def run_of(name: str, rtol: float = 1e-8, formulation: str = "auto", until: float | None = None) -> Run:
    return library_model(name).simulate(until, rtol=rtol, formulation=formulation, every=0.01, progress=False)


@pytest.mark.parametrize("name", NEW)
def test_runs_as_it_comes(name: str) -> None:
    run = library_model(name).simulate(progress=False)
    assert run.certificate.status == "finished", run.certificate.warnings
    assert run.certificate.energy_drift < 1e-4
    assert not run.certificate.warnings
    assert all(np.isfinite(run[name]).all() for name in run.result.names["measures"])


@pytest.mark.parametrize("name", NEW)
def test_formulations_agree(name: str) -> None:
    until = SHORT.get(name)
    joint, absolute = (run_of(name, 1e-9, formulation, until) for formulation in ("joint", "absolute"))
    size = max(float(np.abs(joint.result.position).max()), 0.1)  # m
    assert np.abs(joint.result.position - absolute.result.position).max() < 1e-6 * size
    turned = 1.0 - np.abs(np.sum(joint.result.orientation * absolute.result.orientation, axis=-1))
    assert np.abs(turned).max() < 1e-8


@pytest.mark.parametrize("name", sorted(LIBRARY))
def test_files_of_library_models_make_the_same_model(name: str, tmp_path) -> None:
    model = library_model(name)
    model.save(tmp_path / "model.toml")
    assert Model.read(tmp_path / "model.toml").mechanism == model.mechanism


@pytest.mark.parametrize("value", [0.0, -1.0, 1e9, math.inf])
def test_parameters_make_a_model_or_one_sentence(value: float) -> None:
    for name, entry in LIBRARY.items():
        for parameter in entry.parameters:
            try:
                assert library_model(name, {parameter: value}).mechanism.body
            except LinkworkError as refused:
                assert refused.exit_code == 2 and "\n" not in refused.message, refused.message


# ------------------------------------------------------------------------------------------------------ quick-return


def crossings(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Times at which x changes sign, on the cubic through the four samples around."""
    found = []
    for k in np.flatnonzero(x[1:-2] * x[2:-1] < 0.0) + 1:
        cubic = np.polynomial.polynomial.polyfit(t[k - 1 : k + 3] - t[k], x[k - 1 : k + 3], 3)
        found.append(t[k] + brentq(np.polynomial.Polynomial(cubic), 0.0, t[k + 1] - t[k]))
    return np.array(found)


@pytest.mark.parametrize(("crank", "ratio"), [(0.2, 2.0), (0.15, (180 + 2 * 41.810315) / (180 - 2 * 41.810315))])
def test_quick_return_cuts_longer_than_it_returns(crank: float, ratio: float) -> None:
    model = library_model("quick-return", {"crank": crank, "offset": 0.1})
    run = model.simulate(rtol=1e-9, every=1e-3, progress=False)
    turns = crossings(run.t, run["ram speed"])
    slow, fast = sorted(np.diff(turns)[:2])[::-1]
    assert slow / fast == pytest.approx(ratio, rel=1e-6)
    assert slow + fast == pytest.approx(1.0, rel=1e-7)  # s, one turn of the crank
    assert np.ptp(run["ram position"]) == pytest.approx(2 * 0.15, rel=1e-5)  # m, twice the arm: sampled each ms


def test_quick_return_says_why_a_short_crank_will_not_do() -> None:
    with pytest.raises(OptionError, match="crank > offset"):
        library_model("quick-return", {"crank": 0.08})


# -------------------------------------------------------------------------------------------------- windscreen wiper


def test_wiper_sweeps_the_angle_between_the_two_stretched_positions() -> None:
    """The rocker turns back where crank and rod are in line: triangles with the sides rod + crank and rod - crank."""
    crank, rocker, rod, ground = 0.045, 0.065, 0.4, abs(-0.4 + 0.05j)
    ends = [math.acos((ground**2 + rocker**2 - (rod + s * crank) ** 2) / (2 * ground * rocker)) for s in (-1, 1)]
    run = library_model("windscreen-wiper").simulate(rtol=1e-9, every=1e-3, progress=False)
    assert np.ptp(run["left angle"]) == pytest.approx(ends[1] - ends[0], rel=1e-5)
    assert np.abs(run["left angle"] - run["right angle"]).max() < 1e-9
    assert math.degrees(ends[1] - ends[0]) == pytest.approx(88.5, abs=5.0)


# ----------------------------------------------------------------------------------------------------------- Bricard


def test_bricard_moves_though_the_count_gives_no_freedom() -> None:
    found = library_model("bricard").check()
    assert (found.gruebler, found.dof, len(found.redundant)) == (0, 1, 1)


def test_bricard_keeps_the_relation_of_its_two_angles() -> None:
    """cos a + cos b + cos a cos b = 0 for the angles at every other hinge (Chen, You and Tarnai 2005, twist 90 deg)."""
    run = run_of("bricard")
    edges = [np.tile([0.0, 0.0, -1.0], (len(run.t), 1))]
    along = ([1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [-1.0, 0, 0], [0, -1.0, 0])
    for i, start in enumerate(along, start=1):
        turn = Rotation.from_quat(run.orientation(f"rod {i}"), scalar_first=True)
        edges.append(turn.apply(np.array(start)))
    cosines = np.array([np.sum(edges[i - 1] * edges[i], axis=1) for i in range(6)])
    assert np.ptp(cosines[0::2], axis=0).max() < 1e-9 and np.ptp(cosines[1::2], axis=0).max() < 1e-9
    a, b = cosines[0], cosines[1]
    assert np.ptp(a) == pytest.approx(0.5, rel=1e-3)  # down to -1/2, where the hexagon is a flat triangle
    assert np.abs(a + b + a * b).max() < 1e-9


# ------------------------------------------------------------------------------------------------ double Cardan shaft


def test_middle_shaft_turns_as_hooke_says_and_output_evenly() -> None:
    """w2 / w1 = cos b / (1 - sin^2 b sin^2 a), a counted from the yoke's position across the plane of the shafts."""
    run = run_of("hooke-shaft")
    bend, turn = math.radians(30.0), run["input bearing.angle"]
    ratio = math.cos(bend) / (1.0 - math.sin(bend) ** 2 * np.sin(turn) ** 2)
    assert np.abs(run["middle speed"] / run["input speed"] - ratio).max() < 1e-9
    assert np.abs(run["output speed"] / run["input speed"] - 1.0).max() < 1e-9


def test_yokes_at_right_angles_double_the_error() -> None:
    """Both joints then work in phase: w3 / w1 lies between cos^2 b and 1 / cos^2 b."""
    run = library_model("hooke-shaft", {"phase": 90.0}).simulate(rtol=1e-8, every=1e-3, progress=False)
    ratio = run["output speed"] / run["input speed"]
    assert ratio.min() == pytest.approx(0.75, rel=1e-5) and ratio.max() == pytest.approx(1 / 0.75, rel=1e-5)


# --------------------------------------------------------------------------------------------------------- gyroscope


class Gimbals:
    """The heavy gyroscope by its two cyclic momenta, from masses and inertias alone.

    2 T = (outer + level sin^2 + upright cos^2) phi'^2 + nod theta'^2 + C (psi' + phi' cos)^2,  U = moment cos(theta)
    """

    def __init__(self, model: Model, tilt: float) -> None:
        outer, inner, rotor = model.mechanism.body
        axle = np.array([0.0, -math.sin(tilt), math.cos(tilt)])
        side, across = np.array([1.0, 0, 0]), np.cross(axle, [1.0, 0, 0])
        R = rotation_matrix(np.array(inner.orientation))  # from the axes of inner gimbal and rotor to the world
        spinning = R @ rotor.J_C @ R.T
        self.C, rotor_across = axle @ spinning @ axle, side @ spinning @ side
        d = R @ inner.p_BC
        J = R @ inner.J_C @ R.T + inner.mass_kg * (d @ d * np.eye(3) - np.outer(d, d))
        self.nod, self.level = side @ J @ side + rotor_across, across @ J @ across + rotor_across
        self.upright, self.outer = axle @ J @ axle, outer.J_C[2, 2]
        self.moment = inner.mass_kg * G * float(d @ axle)  # N m

    def inertia(self, theta: float) -> float:
        return self.outer + self.level * math.sin(theta) ** 2 + self.upright * math.cos(theta) ** 2

    def square_of_rate(self, theta: float, tilt: float, spin: float, precession: float) -> float:
        """theta'^2 of a gyroscope that started at `tilt` with theta' = 0."""
        p_psi = self.C * (spin + precession * math.cos(tilt))
        p_phi = self.inertia(tilt) * precession + p_psi * math.cos(tilt)

        def potential(x: float) -> float:
            return (p_phi - p_psi * math.cos(x)) ** 2 / (2 * self.inertia(x)) + self.moment * math.cos(x)

        return 2.0 * (potential(tilt) - potential(theta)) / self.nod


def test_gyroscope_nods_between_the_angles_and_in_the_time_of_its_momenta() -> None:
    tilt, spin = math.radians(60.0), 150.0
    model = library_model("gyroscope")
    known = Gimbals(model, tilt)

    def square(x: float) -> float:
        return known.square_of_rate(x, tilt, spin, 0.0)

    low = brentq(square, tilt + 1e-4, tilt + 0.5)
    half = 0.5 * (low - tilt)

    def slowness(u: float) -> float:  # theta = tilt + half (1 - cos u) takes the roots at both ends out of the integral
        return half * math.sin(u) / math.sqrt(square(tilt + half * (1.0 - math.cos(u))))

    period = 2.0 * quad(slowness, 1e-7, math.pi - 1e-7, epsabs=1e-12, limit=200)[0]
    run = model.simulate(1.0, rtol=1e-10, every=2e-4, progress=False)
    turns = crossings(run.t[1:], run["tilt.rate"][1:])
    assert turns[1::2] == pytest.approx(period * np.arange(1, len(turns[1::2]) + 1), rel=1e-6)
    assert run["nutation"].max() == pytest.approx(low, rel=1e-6)
    assert run["nutation"].min() == pytest.approx(tilt, rel=1e-9)


def test_gyroscope_precesses_steadily_at_the_right_rate() -> None:
    """dL/d theta = 0 at constant theta: phi'^2 cos (A - c) ... a quadratic in the precession rate; its slow root."""
    tilt, spin = math.radians(60.0), 150.0
    known = Gimbals(library_model("gyroscope"), tilt)
    s, c = math.sin(tilt), math.cos(tilt)
    quadratic = [(known.level - known.upright) * s * c - known.C * s * c, -known.C * spin * s, known.moment * s]
    slow = min(np.roots(quadratic), key=abs).real
    run = library_model("gyroscope", {"precession": slow}).simulate(2.0, rtol=1e-10, progress=False)
    assert np.abs(run["nutation"] - tilt).max() < 1e-8
    assert run["precession"][-1] == pytest.approx(2.0 * slow, rel=1e-8)


# ----------------------------------------------------------------------------------------------------- bouncing ball


def test_ball_bounces_with_the_restitution_asked_for() -> None:
    """The first rebound: exactly e, but for gravity during the contact, which acts over its depth."""
    depth = (1.25 * 0.5 * 2.0 * G / 1e7) ** 0.4  # m, (5/4 m v^2 / k)^(2/5), from a height of 1 m
    for e in (0.5, 0.8, 0.95):
        run = library_model("bouncing-ball", {"restitution": e}).simulate(0.7, rtol=1e-9, every=1e-3, progress=False)
        k = np.searchsorted(run.t, 0.5)
        rebound = math.sqrt(run["ball.velocity.z"][k] ** 2 + 2.0 * G * run["height"][k])
        assert rebound / math.sqrt(2.0 * G) == pytest.approx(e, rel=2.0 * depth)


def test_ball_follows_the_equation_of_its_own() -> None:
    """z'' = -g + k d^1.5 (1 - c z') / m by scipy; friction does not change it."""
    model = library_model("bouncing-ball")
    floor = model.mechanism.contact[0]

    def rate(t: float, y: np.ndarray) -> list[float]:
        depth = max(-y[0], 0.0)
        return [y[1], -G + max(floor.stiffness * depth**1.5 * (1.0 - floor.damping * y[1]), 0.0) / 0.5]

    run = model.simulate(rtol=1e-10, every=0.01, progress=False)
    own = solve_ivp(rate, (0.0, 3.0), [1.0, 0.0], method="DOP853", rtol=1e-10, atol=1e-12, max_step=1e-3, t_eval=run.t)
    assert np.abs(run["height"] - own.y[0]).max() < 1e-5
    bounces = [event["t"] for event in run.certificate.events if event["name"] == "bounce"]
    assert bounces[0] == pytest.approx(math.sqrt(2.0 / G), rel=1e-8) and len(bounces) >= 5


def test_ball_rolls_at_five_sevenths_of_its_speed() -> None:
    """Friction at the floor's level keeps the angular momentum about a line there: v = 5/7 v0 once it rolls."""
    run = run_of("bouncing-ball")
    assert run["slip"][-1] == pytest.approx(0.0, abs=1e-6)
    assert run["ball.velocity.x"][-1] == pytest.approx(5.0 / 7.0 * 0.5, rel=1e-3)  # the floor gives way by 10 um


# --------------------------------------------------------------------------------------------------- Stewart platform


def test_platform_goes_where_the_legs_send_it() -> None:
    """The cabin's motion said in the docstring, and leg lengths as distances between joints by scipy's rotations."""
    run = run_of("stewart-platform")
    w, tilt = 2.0 * math.pi / 4.0, math.radians(15.0)
    roll, pitch = tilt * np.sin(w * run.t), tilt / 2 * np.sin(2 * w * run.t)
    wanted = Rotation.from_euler("XY", np.column_stack([roll, pitch]))
    at = np.column_stack([0.15 * np.sin(w * run.t), 0 * run.t, 1.6 + 0.2 * np.sin(2 * w * run.t)])
    assert np.abs(run.position("platform") - at).max() < 1e-9
    turn = Rotation.from_quat(run.orientation("platform"), scalar_first=True)
    assert (wanted.inv() * turn).magnitude().max() < 1e-9
    for k in range(6):
        pair, side = k // 2, 2 * (k % 2) - 1
        foot = 1.5 * cmath.exp(1j * math.radians(120 * pair + 14 * side))
        head = 1.1 * cmath.exp(1j * math.radians(120 * pair + 46 * side))
        tip = run.position("platform") + turn.apply([head.real, head.imag, 0.0])
        length = np.linalg.norm(tip - [foot.real, foot.imag, 0.0], axis=1)
        assert np.abs(run[f"leg {k + 1}.distance"] - length).max() < 1e-9


def test_platform_has_six_freedoms_when_the_drives_are_off() -> None:
    model = library_model("stewart-platform")
    free = model.mechanism.model_copy(update={"driver": ()})
    found = Model.of(free).check()
    assert (found.dof, found.gruebler, found.redundant) == (6, 6, ())


# --------------------------------------------------------------------------------------------------------- excavator


def side_angle(opposite: float, a: float, b: float) -> float:
    """Angle between the sides a and b of a triangle."""
    return math.acos((a * a + b * b - opposite * opposite) / (2 * a * b))


def teeth_of(boom: float, stick: float, bucket: float) -> complex:
    """Teeth from the lengths of the three cylinders, triangle by triangle (m), in the plane of the house."""
    arm = 2.55 + 0.7j
    base = (1.0 + 1.35j) - (0.4 + 1.75j)
    a = cmath.phase(base) + side_angle(boom, abs(base), abs(arm)) - cmath.phase(arm)
    top, tail = (2.6 + 1.35j) - 5.6, -0.75 + 0.2j  # both seen from the stick's pivot
    b = cmath.phase(top) - side_angle(stick, abs(top), abs(tail)) - cmath.phase(tail)
    foot, hinge = (0.3 + 0.6j) - (2.45 + 0.05j), 2.9 - (2.45 + 0.05j)  # seen from the rocker's pivot
    rocker = cmath.phase(foot) - side_angle(bucket, abs(foot), 0.6)
    end = cmath.rect(0.6, rocker)
    ear = -0.1 + 0.45j
    to_end = end - hinge
    c = cmath.phase(to_end) - side_angle(0.6, abs(to_end), abs(ear)) - cmath.phase(ear)
    pivot = (0.4 + 1.75j) + 5.6 * cmath.exp(1j * a)
    return pivot + (2.9 + 1.45 * cmath.exp(1j * c)) * cmath.exp(1j * (a + b))


def test_teeth_are_where_three_triangles_and_a_four_bar_put_them() -> None:
    run = run_of("excavator")
    turn = Rotation.from_quat(run.orientation("bucket"), scalar_first=True)
    at = next(frame.at for frame in library_model("excavator").mechanism.frame if frame.name == "teeth")
    teeth = run.position("bucket") + turn.apply(np.array(at))
    lengths = zip(*(run[f"{name} cylinder"] for name in ("boom", "stick", "bucket")), strict=True)
    wanted = np.array([teeth_of(*three) for three in lengths])
    assert np.ptp(wanted.real) > 3.0 and np.ptp(wanted.imag) > 3.0
    assert np.abs(run["reach of the teeth"] - np.abs(wanted.real)).max() < 1e-9
    assert np.abs(run["height of the teeth"] - wanted.imag).max() < 1e-9
    assert np.abs(np.arctan2(teeth[:, 1], teeth[:, 0]) - run["swing.angle"]).max() < 1e-9


def test_excavator_has_four_freedoms_and_no_redundant_equation() -> None:
    model = library_model("excavator")
    found = Model.of(model.mechanism.model_copy(update={"driver": ()})).check()
    assert (found.dof, found.gruebler, found.redundant) == (4, 4, ())


# ------------------------------------------------------------------------------------------------------- quarter car


def test_quarter_car_follows_its_two_linear_equations() -> None:
    ms, mu, k, c, kt = 400.0, 40.0, 20e3, 1500.0, 180e3

    def road(t: float) -> float:
        return 0.025 * (1.0 - math.cos(20.0 * math.pi * (t - 0.2))) if 0.2 < t < 0.3 else 0.0

    def rate(t: float, y: np.ndarray) -> list[float]:
        strut = k * (y[0] - y[1]) + c * (y[2] - y[3])
        return [y[2], y[3], -strut / ms, (strut - kt * (y[1] - road(t))) / mu]

    run = run_of("quarter-car", 1e-9)
    own = solve_ivp(rate, (0.0, 3.0), np.zeros(4), method="DOP853", rtol=1e-10, atol=1e-12, max_step=2e-3, t_eval=run.t)
    assert np.abs(run["body travel"] - own.y[0]).max() < 1e-7
    assert np.abs(run["wheel travel.distance"] - own.y[1]).max() < 1e-7
    load = (ms + mu) * G + kt * (np.array([road(t) for t in run.t]) - own.y[1])
    assert np.abs(run["tyre load"] - load).max() < 1e-7 * kt
    assert np.abs(run["body travel"]).max() > 0.01


def test_quarter_car_rings_at_its_natural_frequencies() -> None:
    """Without damping the response after the bump has the eigenvalues of M^-1 K and no other frequency."""
    run = library_model("quarter-car", {"damping": 0.0}).simulate(rtol=1e-10, every=0.005, progress=False)
    K, M = np.array([[20e3, -20e3], [-20e3, 200e3]]), np.diag([400.0, 40.0])
    omega = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    t = run.t[run.t > 0.35]
    waves = np.column_stack([f(w * t) for w in omega for f in (np.cos, np.sin)])
    x = run["body travel"][run.t > 0.35]
    rest = x - waves @ np.linalg.lstsq(waves, x, rcond=None)[0]
    known = math.sqrt(20e3 * 180e3 / 200e3 / 400.0), math.sqrt(200e3 / 40.0)  # springs in a row; wheel alone
    assert np.sort(omega) == pytest.approx(known, rel=1e-3)
    assert np.abs(rest).max() < 1e-6 * np.abs(x).max()
