"""IFToMM benchmarks A01 (pendulum), A02 (N four-bars in a row), A03 (Andrews' squeezer) against what is known exactly.

Each bound is a multiple of the tolerance asked for; the errors measured are some 3 to 10 times smaller.
Sources of the numbers: IFToMM Library of Computational Benchmark Problems (lim.ii.udc.es/mbsbenchmark), Test Set for
IVP Solvers (Bari), problem `andrews`; the digits given here are own solutions in closed form or at 1e-13.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import ModelError
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from validation.plane_linkages import (
    FORMULATIONS,
    GRAVITY,
    link,
    mechanism,
    one_freedom,
    pin,
    points_on,
    turn_angle,
    turn_rate,
)

ADAPTIVE = ("adams", "dop853")


def assert_on_the_constraints(result: Result) -> None:
    assert result.certificate.max_violation["position"] < 1e-12
    assert result.certificate.max_violation["velocity"] < 1e-12


# ----------------------------------------------------------------------------------------------------- A01 pendulum


def released_pendulum(t: np.ndarray, phi0: float, omega: float) -> tuple[np.ndarray, np.ndarray]:
    """phi'' = -omega^2 sin(phi), at rest at phi0: sin(phi/2) = k sn(K + omega t), phi' = 2 k omega cn (rad, rad/s)."""
    k = math.sin(phi0 / 2)
    sn, cn, _, _ = ellipj(ellipk(k * k) + omega * t, k * k)
    return 2.0 * np.arcsin(k * sn), 2.0 * k * omega * cn


def hanging_bar(length: float, mass: float, phi0: float, plane: str | None) -> Mechanism:
    end = -1j * length * cmath.exp(1j * phi0)
    return mechanism([link("bar", 0j, end, mass)], [pin("pivot", "ground", "bar", 0j)], plane)


@pytest.mark.parametrize("integrator", ADAPTIVE)
@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("degrees", [5.0, 90.0, 170.0])
def test_a01_compound_pendulum_follows_the_elliptic_functions(
    degrees: float, formulation: str, plane: str | None, integrator: str
) -> None:
    length, phi0, rtol = 1.3, math.radians(degrees), 1e-10
    bar = hanging_bar(length, 2.7, phi0, plane)
    run = simulate(bar, Options(until=10.0, formulation=formulation, integrator=integrator, rtol=rtol, every=0.05))
    phi, rate = released_pendulum(run.t, phi0, math.sqrt(1.5 * GRAVITY / length))
    assert np.abs(turn_angle(run, "bar") + np.pi / 2 - phi).max() < 1e4 * rtol
    assert np.abs(turn_rate(run, "bar") - rate).max() < 2e4 * rtol
    assert run.certificate.energy_drift < 300 * rtol
    assert_on_the_constraints(run)


# t (s), angle from the downward vertical (rad), its rate (rad/s), x, y (m), tension of the rod (N); mass 1 kg, rod 1 m
A01 = (
    (0.5, -0.40177084980808336, 4.249430361256138, -0.3910487915505464, -0.9203699487851922, 27.086487592748206),
    (2.0, -0.916647589663245, -3.4552068990593297, -0.7935661953433217, -0.6084839304437916, 17.907682072960785),
    (5.0, -1.2294518114853856, 2.5627875681926295, -0.9423054350437573, -0.3347543384140006, 9.851820179524037),
    (7.5, -0.8146109716786031, 3.6690995350795093, -0.7274587213083755, -0.6861514474169557, 20.193437097481006),
    (10.0, -0.27868067356998294, 4.343160692864683, -0.2750874625761169, -0.961419205099125, 28.29456720606725),
)


POINT_INERTIA = {"joint": 1e-11, "absolute": 1e-9}  # kg m2; it slows the pendulum and puts the angle off by up to 22 J


@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a01_point_mass_on_a_rod_has_the_published_motion(formulation: str, plane: str | None) -> None:
    J = POINT_INERTIA[formulation]
    mass_point = {"name": "mass", "mass": 1.0, "inertia": (J, J, J), "at": (-1.0, 0.0, 0.0)}
    rod = mechanism([mass_point], [pin("pivot", "ground", "mass", 0j)], plane)
    run = simulate(rod, Options(until=10.0, formulation=formulation, rtol=1e-11, every=0.5))
    samples = np.searchsorted(run.t, [row[0] for row in A01])
    angle, rate, x, y, tension = np.array(A01).T[1:]
    off = 25 * J + 2e-9
    assert np.abs(turn_angle(run, "mass")[samples] - np.pi / 2 - angle).max() < off
    assert np.abs(turn_rate(run, "mass")[samples] - rate).max() < 5 * off
    assert np.abs(run.position[samples, 0] - np.column_stack([x, 0 * x, y])).max() < off
    if formulation == "absolute":  # the multipliers of the pin's point rows are the force that it carries
        points = [row.startswith("pivot: point") for row in run.names["rows"]]
        assert np.abs(np.linalg.norm(run.lam[samples][:, points], axis=1) - tension).max() < 30 * off


def test_a01_body_with_hardly_any_inertia_is_refused_in_absolute_coordinates() -> None:
    """Its constraints cannot be told apart by mass: said before the first step, not simulated wrongly."""
    mass_point = {"name": "mass", "mass": 1.0, "inertia": (1e-11, 1e-11, 1e-11), "at": (-1.0, 0.0, 0.0)}
    rod = mechanism([mass_point], [pin("pivot", "ground", "mass", 0j)])
    with pytest.raises(ModelError, match="'mass': its inertia is so small"):
        simulate(rod, Options(until=1.0, formulation="absolute", rtol=1e-8))
    assert simulate(rod, Options(until=1.0, formulation="joint", rtol=1e-8)).certificate.dof == 1


# ------------------------------------------------------------------------------------------------- A02 N four-bars


def n_four_bar(n: int, plane: str | None = "xz") -> Mechanism:
    """n + 1 cranks and n bars, all 1 m and 1 kg; upright, the tops moving at 1 m/s."""
    moving = {"velocity": (0.5, 0.0, 0.0), "angular_velocity": (0.0, 1.0, 0.0)}
    cranks = [link(f"crank{i}", i + 0j, i + 1j, 1.0, **moving) for i in range(n + 1)]
    bars = [link(f"bar{i}", i - 1 + 1j, i + 1j, 1.0) for i in range(1, n + 1)]
    pins = [pin(f"pivot{i}", "ground", f"crank{i}", i + 0j) for i in range(n + 1)]
    for i in range(1, n + 1):
        pins.append(pin(f"left{i}", f"crank{i - 1}", f"bar{i}", i - 1 + 1j))
        pins.append(pin(f"right{i}", f"bar{i}", f"crank{i}", i + 1j))
    return mechanism(cranks + bars, pins, plane)


def upright_row(n: int, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Crank angle and rate on the parallelogram branch: ((n+1)/3 + n) th'' = -g ((n+1)/2 + n) cos th."""
    pull = GRAVITY * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    return one_freedom(lambda theta: -pull * math.cos(theta), math.pi / 2, -1.0, t)


A02_AT_10 = {  # crank angle and rate at t = 10 s: rotating pendulum by Jacobi's am, 40 digits
    1: (-30.343944970943127, -1.9669347194403195),
    2: (-30.179800860191204, -1.5066421808418295),
    10: (-30.050933495986975, -1.2122622165278674),
    40: (-30.02663741719084, -1.167622108751707),
}


def assert_row_of_four_bars(n: int, run: Result, rtol: float) -> None:
    theta, rate = upright_row(n, run.t)
    assert np.abs([turn_angle(run, f"crank{i}") - theta for i in range(n + 1)]).max() < 1e4 * rtol
    assert np.abs([turn_rate(run, f"crank{i}") - rate for i in range(n + 1)]).max() < 2e4 * rtol
    assert np.abs([turn_angle(run, f"bar{i}") for i in range(1, n + 1)]).max() < 1e-7  # the parallelogram branch
    assert (turn_angle(run, "crank0")[-1], turn_rate(run, "crank0")[-1]) == pytest.approx(A02_AT_10[n], abs=1e4 * rtol)
    assert run.certificate.dof == 1
    assert run.certificate.energy_drift < 100 * rtol
    assert_on_the_constraints(run)


@pytest.mark.parametrize("rtol", [1e-9, 1e-10])
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("n", [1, 2])
def test_a02_short_row_turns_over_through_its_flat_positions(
    n: int, plane: str | None, formulation: str, rtol: float
) -> None:
    run = simulate(n_four_bar(n, plane), Options(until=10.0, formulation=formulation, rtol=rtol, every=0.05))
    assert_row_of_four_bars(n, run, rtol)


@pytest.mark.parametrize("n", [10, 40])
def test_a02_long_row_turns_over_through_its_flat_positions(n: int) -> None:
    run = simulate(n_four_bar(n), Options(until=10.0, rtol=1e-9, every=0.05))
    assert_row_of_four_bars(n, run, 1e-9)


@pytest.mark.parametrize(
    ("n", "formulation"), [(1, "joint"), (1, "absolute"), (2, "joint"), (2, "absolute"), (10, "joint"), (40, "joint")]
)
def test_a02_with_dop853(n: int, formulation: str) -> None:
    options = Options(until=10.0, formulation=formulation, integrator="dop853", rtol=1e-9, every=0.05)
    assert_row_of_four_bars(n, simulate(n_four_bar(n), options), 1e-9)


@pytest.mark.parametrize("integrator", ADAPTIVE)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a02_sample_does_not_depend_on_the_samples_before_it(formulation: str, integrator: str) -> None:
    runs = [
        simulate(n_four_bar(2), Options(until=10.0, formulation=formulation, integrator=integrator, every=every))
        for every in (0.01, 0.05)
    ]
    assert np.abs(runs[0].position[::5] - runs[1].position).max() < 1e-11
    assert np.abs(runs[0].velocity[::5] - runs[1].velocity).max() < 1e-10


def test_a02_comes_to_the_published_position() -> None:
    """EXUDYN, fourBarMechanismIftomm.py: tip of the first crank at 10 s, extrapolated to h = 0 from its three h."""
    published = {"position": (0.3284580986, 0.9445185427), "velocity": (1.423051428, -0.4948688096)}
    run = simulate(n_four_bar(2), Options(until=10.0, rtol=1e-10))
    theta, rate = turn_angle(run, "crank0")[-1], turn_rate(run, "crank0")[-1]
    tip = points_on(run, "crank0", (0.5, 0.0, 0.0))[-1]
    assert (tip[0], tip[2]) == pytest.approx(published["position"], abs=1e-6)
    assert rate * np.array([-math.sin(theta), math.cos(theta)]) == pytest.approx(published["velocity"], abs=1e-6)


# ---------------------------------------------------------------------------------------------- A03 Andrews' squeezer


def andrews(plane: str | None = "xz") -> Mechanism:
    """Seven bodies K1 ... K7; lengths in m, masses in kg, inertias in kg m2, as in the Test Set for IVP Solvers."""
    beta, gamma, phi, delta = -0.06171389001427645, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256
    omega, epsilon = -0.22266839016588588, 1.2305474445498212
    A, B, C = complex(-0.06934, -0.00227), complex(-0.03635, 0.03273), complex(0.014, 0.072)
    e_beta, e_gamma, e_delta, e_epsilon = (cmath.exp(1j * angle) for angle in (beta, gamma, delta, epsilon))
    F = 0.007 * e_beta
    E = F - 0.028 * e_beta
    D = B + (0.02 - 0.018j) * e_gamma
    G = A + 0.04 * e_delta
    H = A - 0.04j * e_epsilon
    bodies = [
        point_of_mass("K1", 0.04325, 2.194e-06, 0.00092 * e_beta),
        point_of_mass("K2", 0.00365, 4.410e-07, F - 0.0115 * e_beta),
        point_of_mass("K3", 0.02373, 5.255e-06, B + complex(0.01874, 0.01043) * e_gamma),
        point_of_mass("K4", 0.00706, 5.667e-07, G + (0.02 - 0.01421) / 0.02 * (E - G)),
        point_of_mass("K5", 0.07050, 1.169e-05, A + complex(0.02308, -0.00916) * e_delta),
        point_of_mass("K6", 0.00706, 5.667e-07, H + (0.02 - 0.01421) / 0.02 * (E - H)),
        point_of_mass("K7", 0.05498, 1.912e-05, A + complex(0.01228, -0.00449) * e_epsilon),
    ]
    assert abs(G - 0.02j * cmath.exp(1j * (phi + delta)) - E) < 1e-15  # the data close
    assert abs(H + 0.02 * cmath.exp(1j * (omega + epsilon)) - E) < 1e-15
    pins = [
        pin("O", "ground", "K1", 0j), pin("F", "K1", "K2", F), pin("E23", "K2", "K3", E), pin("B", "ground", "K3", B),
        pin("A5", "ground", "K5", A), pin("G", "K5", "K4", G), pin("E43", "K4", "K3", E),
        pin("A7", "ground", "K7", A), pin("H", "K7", "K6", H), pin("E63", "K6", "K3", E),
    ]  # fmt: skip
    spring = {"name": "spring", "between": ("K3", "ground"), "stiffness": 4530.0, "free_length": 0.07785,
              "points": ((D.real, 0.0, D.imag), (C.real, 0.0, C.imag))}  # fmt: skip
    motor = {"name": "motor", "body": "K1", "torque": (0.0, -0.033, 0.0)}
    return mechanism(bodies, pins, plane, gravity=0.0, spring_damper=(spring,), applied_force=(motor,))


def point_of_mass(name: str, mass: float, inertia: float, at: complex) -> dict:
    """A body with its frame at the centre of mass, along world axes."""
    return {"name": name, "mass": mass, "inertia": (inertia,) * 3, "at": (at.real, 0.0, at.imag)}


ANDREWS_START = -0.06171389001427645  # rad, beta
ANDREWS_BETA = {0.03: 15.810771195152, 0.05: 33.82586776694}  # rad; one-freedom equation at 1e-13, here to 1e-11
ANDREWS_BETA_RATE = 1139.9203022589  # rad/s at 0.03 s
ANDREWS_PUBLISHED = {  # at 0.03 s, Test Set for IVP Solvers; holds to 1.1e-9: (angle, rate) of each body
    "K1": (15.81077119629904, 1139.920302151208),
    "K2": (15.81077119629904 - 15.75637105984298, 1139.920302151208 - 1424.379294994111),
    "K3": (0.04082224013073101, 11.03291221937134),
    "K4": (0.5244099658805303 - 0.5347301163226948, 0.5735699284790808 + 19.29337464421385),
    "K5": (0.5244099658805303, 0.5735699284790808),
    "K6": (1.048080741042263 + 0.5347301163226948, 0.3231791658026955 - 19.29337464421385),
    "K7": (1.048080741042263, 0.3231791658026955),
}
ANDREWS_AT_START = {  # of the same angles
    "K1": ANDREWS_START,
    "K2": ANDREWS_START,
    "K3": 0.45527981916307037,
    "K4": 0.22266839016588588 + 0.48736497954384256,
    "K5": 0.48736497954384256,
    "K6": -0.22266839016588588 + 1.2305474445498212,
    "K7": 1.2305474445498212,
}


@pytest.mark.parametrize("integrator", ADAPTIVE)
@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a03_andrews_squeezer(formulation: str, plane: str | None, integrator: str) -> None:
    rtol = 1e-11
    options = Options(until=0.05, formulation=formulation, integrator=integrator, rtol=rtol, every=1e-4)
    run = simulate(andrews(plane), options)
    beta = ANDREWS_START + turn_angle(run, "K1")
    k = int(np.searchsorted(run.t, 0.03 - 1e-9))
    assert beta[k] == pytest.approx(ANDREWS_BETA[0.03], abs=100 * rtol)
    assert beta[-1] == pytest.approx(ANDREWS_BETA[0.05], abs=200 * rtol)
    assert turn_rate(run, "K1")[k] == pytest.approx(ANDREWS_BETA_RATE, rel=5 * rtol)
    for body, (angle, rate) in ANDREWS_PUBLISHED.items():
        assert ANDREWS_AT_START[body] + turn_angle(run, body)[k] == pytest.approx(angle, abs=4e-9)
        assert turn_rate(run, body)[k] == pytest.approx(rate, abs=1e-6)
    assert run.certificate.dof == 1
    assert run.certificate.energy_drift < 20 * rtol
    assert_on_the_constraints(run)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a03_is_as_exact_as_asked(formulation: str) -> None:
    errors = []
    for rtol in (1e-6, 1e-8, 1e-10):
        run = simulate(andrews(), Options(until=0.03, formulation=formulation, rtol=rtol, every=1e-4))
        errors.append(abs(ANDREWS_START + turn_angle(run, "K1")[-1] - ANDREWS_BETA[0.03]) / rtol)
    assert max(errors) < 300
