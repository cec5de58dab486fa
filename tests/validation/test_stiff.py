"""Stiff mechanisms with generalized-alpha: closed forms, the flyball governor of IFToMM, unresolved modes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.integrators.implicit.scheme import RHO
from linkwork.mechanism import Mechanism
from linkwork.reproduce.benchmarks.flyball_governor import flyball_governor
from linkwork.results.result import Result
from validation.plane_linkages import FORMULATIONS, FourBar, column, mechanism, place


def run(model: Mechanism, until: float, integrator: str = "generalized-alpha", **options) -> Result:
    return simulate(model, Options(until=until, integrator=integrator, **options))


# ------------------------------------------------------------------------------------------------ flyball governor

# IFToMM benchmark A05: t (s), s (m), alpha (rad below the horizontal), spin of the shaft (rad/s), to nine digits.
# From the Lagrangian of its three freedoms by Radau at 1e-12 and DOP853 at 1e-11, which agree to 2e-13, and with
# EXUDYN's trapezoidal rule extrapolated to h = 0 to 4e-11.  Data: RehabEngGroup/MBSbenchmarksInOpenSim and EXUDYN's
# Examples/stiffFlyballGovernorKT.py.
GOVERNOR = np.array([
    [0.0, 0.5, 0.5235987755982988, 6.283185307179586],
    [0.5, 0.7432494247863259, 0.2594913815434132, 5.103415421971545],
    [1.0, 0.5014209223795673, 0.5218333016255455, 6.271125741876561],
    [1.5, 0.7406845959686542, 0.2621460611820642, 5.110289151813],
    [2.0, 0.5059092942967027, 0.5166637973645998, 6.236223614435973],
])  # fmt: skip


def governor() -> Mechanism:
    """As on the shelf of benchmarks, which checks it against Lagrange's equations."""
    return flyball_governor().mechanism


def governor_error(result: Result) -> np.ndarray:
    """Largest errors of s (m), alpha (rad) and spin (rad/s) at the times of the reference."""
    s = result.position[:, column(result, "slider"), 2]
    alpha = np.arcsin((1.0 - result.position[:, column(result, "right"), 2]) / 0.5)
    spin = result.angular_velocity[:, column(result, "shaft"), 2]
    return np.abs(np.column_stack([s, alpha, spin]) - GOVERNOR[:, 1:]).max(axis=0)


@pytest.fixture(scope="module")
def explicit() -> dict[str, Result]:
    """An explicit method on the governor: stability sets its steps, whatever the tolerance."""
    return {name: run(governor(), 2.0, name, rtol=1e-4, every=0.5) for name in ("adams", "dop853")}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("rtol", "fewer"), [(1e-4, 20), (1e-5, 6), (1e-6, 1.8)])
def test_governor(explicit, formulation: str, rtol: float, fewer: float):
    """The error follows rtol; the steps of an explicit method at 1e-4, which stability sets, are many times as many."""
    one = run(governor(), 2.0, formulation=formulation, rtol=rtol, every=0.5)
    assert np.all(governor_error(one) < rtol * np.array([3.0, 3.0, 20.0])), governor_error(one)
    assert one.certificate.steps * fewer < explicit["adams"].certificate.steps
    assert max(one.certificate.max_violation.values()) < 1e-10
    if formulation == "joint":
        assert one.certificate.evaluations * 0.4 * fewer < explicit["adams"].certificate.evaluations
        assert one.certificate.evaluations * 0.5 * fewer < explicit["dop853"].certificate.evaluations


def test_explicit_methods_agree_on_the_governor(explicit):
    """The model is the benchmark's: seven digits."""
    for name, result in explicit.items():
        assert np.all(governor_error(result) < 3e-5), name
    assert np.all(governor_error(run(governor(), 2.0, "dop853", rtol=1e-8, every=0.5)) < 1e-8)


# ------------------------------------------------------------------------------------------------------ closed forms


def oscillators(*springs: tuple[float, float, float]) -> Mechanism:
    """Masses of 1 kg on guides along x, each with a spring (k N/m, c N s/m) of 1 m, released at a stretch x0 (m)."""
    bodies, joints, dampers = [], [], []
    for i, (k, c, x0) in enumerate(springs):
        at, anchor = (1.0 + x0, float(i), 0.0), (0.0, float(i), 0.0)
        bodies.append({"name": f"mass{i}", "mass": 1.0, "inertia": (1e-2, 1e-2, 1e-2), "at": at})
        joints.append(
            {"name": f"guide{i}", "kind": "prismatic", "between": ("ground", f"mass{i}"), "at": at, "axis": "x"}
        )
        dampers.append({"name": f"spring{i}", "between": ("ground", f"mass{i}"), "points": (anchor, at),
                        "stiffness": k, "damping": c, "free_length": 1.0})  # fmt: skip
    parts = {"body": bodies, "joint": joints, "spring_damper": dampers}
    return Mechanism.model_validate({"gravity": (0.0, 0.0, 0.0), **parts})


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("c", [1e4, 1e6, 1e8])
def test_overdamped_oscillator_takes_steps_far_beyond_its_fast_mode(formulation: str, c: float):
    """x'' + c x' + c x = 0: x = (b exp(-a t) - a exp(-b t)) x0 / (b - a), a near 1/s, b near c."""
    root = math.sqrt(c * c - 4.0 * c)
    b = 0.5 * (c + root)
    a = c / b
    one = run(oscillators((c, c, 0.3)), 5.0, formulation=formulation, rtol=1e-5)
    x = 0.3 * (b * np.exp(-a * one.t) - a * np.exp(-b * one.t)) / (b - a)
    error = np.abs(one.position[:, 0, 0] - 1.0 - x)
    assert error.max() < 3e-4
    assert one.certificate.steps < 500
    after = one.steps["h"][one.steps["t"] > 0.1]
    assert after.mean() * c > 200.0  # explicit methods need h c < 2
    assert max(one.certificate.max_violation.values()) < 1e-10


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_mode_too_fast_for_the_step_dies_and_the_slow_one_stays(formulation: str):
    """omega = 2 rad/s beside 1e4 rad/s, neither damped, at h = 0.02 s: too small a mode for the error control.

    What a step leaves of the fast one tends to RHO; before that its velocity rises by the factor omega h.
    """
    model = oscillators((4.0, 0.0, 0.3), (1e8, 0.0, 1e-9))
    until, steps = math.pi, 157
    h = until / steps
    one = run(model, until, formulation=formulation, rtol=0.1, hmax=h, every=h)
    x, v = one.position[:, :, 0] - 1.0, one.velocity[:, :, 0]
    energy = 0.5 * v**2 + 0.5 * np.array([4.0, 1e8]) * x**2
    assert np.abs(energy[:, 0] / energy[0, 0] - 1.0).max() < 2e-3
    assert x[-1, 0] == pytest.approx(0.3, abs=2e-3)  # one period
    assert one.certificate.steps == steps
    assert energy[100, 1] / energy[0, 1] < 1e-10
    assert energy[80, 1] / energy[40, 1] < 100 * RHO ** (2 * 40)  # multiple roots: n RHO^n


def test_tolerance_decides_whether_a_fast_mode_is_followed():
    """An undamped mode of 1000 rad/s that matters is resolved: error control sees it."""
    one = run(oscillators((1e6, 0.0, 1e-2)), 0.05, rtol=1e-6)
    assert np.abs(one.position[:, 0, 0] - 1.0 - 1e-2 * np.cos(1e3 * one.t)).max() < 1e-3 * 1e-2 * 50
    assert one.certificate.steps > 500


def test_stiff_pendulum_tends_to_the_rigid_one():
    """A point mass on a spring of 1e8 N/m with its damper against a bar without stretch, over half a swing."""
    mass = {"name": "bob", "mass": 1.0, "inertia": (1e-6, 1e-6, 1e-6), "at": (1.0, 0.0, 0.0)}
    spring = {"name": "spring", "between": ("ground", "bob"), "points": ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
              "stiffness": 1e8, "damping": 1e4, "free_length": 1.0}  # fmt: skip
    pin = {"name": "pin", "kind": "revolute", "between": ("ground", "bob"), "at": (0.0, 0.0, 0.0), "axis": "y"}
    soft = Mechanism.model_validate(
        {"gravity": (0.0, 0.0, -9.81), "plane": "xz", "body": (mass,), "spring_damper": (spring,)}
    )
    rigid = Mechanism.model_validate({"gravity": (0.0, 0.0, -9.81), "plane": "xz", "body": (mass,), "joint": (pin,)})
    one = run(soft, 1.0, rtol=1e-5)
    exact = run(rigid, 1.0, "dop853", rtol=1e-12)
    assert np.abs(one.position - exact.position).max() < 1e-5
    assert one.certificate.steps < 2000


# -------------------------------------------------------------------------------------------------- redundant equations


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_stiff_spatial_four_bar_with_redundant_equations(formulation: str):
    """A spatial four-bar, three equations too many, with a stiff damper across: the same motion as in its plane."""

    def model(plane: str | None) -> Mechanism:
        bodies, joints = FourBar().parts(math.radians(60.0), -4.0)
        B, D = 0.5 * complex(math.cos(math.pi / 3), math.sin(math.pi / 3)), 1.2
        strut = {"name": "strut", "between": ("crank", "ground"), "points": (place(B), (D, 0.0, 0.0)),
                 "stiffness": 1e5, "damping": 1e5}  # fmt: skip
        return mechanism(bodies, joints, plane, spring_damper=(strut,))

    plane, space = (run(model(p), 0.5, formulation=formulation, rtol=1e-6) for p in ("xz", None))
    assert space.certificate.dof == 1
    assert np.abs(plane.position - space.position).max() < 1e-5
    assert max(space.certificate.max_violation.values()) < 1e-10
    assert space.certificate.steps < 2500
