"""Bodies that spin fast, at any sample: free bodies and the heavy top, against closed forms and published data.

A free spherical body turns about a fixed axis, a free symmetric one about its momentum L and about its own axis,

    R(t) = exp(t L / A) R(0) exp(t (1 - C / A) w_3 e_3),   A across, C along the axis

(Landau and Lifshitz, Mechanics, section 35).  The heavy top is that of Bruls, Cardona and Arnold, Mech. Mach. Theory 48
(2012) 121, section 5: 15 kg at 1 m from a fixed point, a spin of 150 rad/s.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.mechanism import Mechanism
from linkwork.reproduce.benchmarks.heavy_top import heavy_top
from linkwork.results.result import Result
from validation.plane_linkages import FORMULATIONS

ADAPTIVE = ("adams", "dop853", "generalized-alpha", "radau")
TOLERATED = 50.0  # multiple of rtol: error of an orientation, for each radian that the body turns
TOP_TOLERATED = 1000.0  # multiple of rtol, m: the error of the heavy top, whose axis turns 30 times as slow as it spins


def scalar_first(R: Rotation) -> np.ndarray:
    return np.roll(R.as_quat(), 1)


def rotations(run: Result) -> Rotation:
    return Rotation.from_quat(np.roll(run.orientation[:, 0], -1, axis=1))


def free_body(R: Rotation, w: np.ndarray, across: float, along: float) -> Mechanism:
    body = {"name": "body", "mass": 1.0, "inertia": (across, across, along), "orientation": scalar_first(R),
            "angular_velocity": w}  # fmt: skip
    return Mechanism.model_validate({"gravity": (0.0, 0.0, 0.0), "body": (body,)})


def closed_form(t: np.ndarray, R: Rotation, w: np.ndarray, across: float, along: float) -> Rotation:
    in_body = R.inv().apply(w)
    momentum = R.apply(in_body * (across, across, along))
    own = np.outer(t, (0.0, 0.0, (1.0 - along / across) * in_body[2]))
    return Rotation.from_rotvec(np.outer(t, momentum / across)) * R * Rotation.from_rotvec(own)


def free_body_error(seed: int, integrator: str, spherical: bool) -> float:
    """Largest error of orientation (rad) over 200 samples / (rtol x radians turned)."""
    rng = np.random.default_rng(seed)
    R, w = Rotation.random(random_state=seed), rng.normal(size=3)
    w *= 10.0 ** rng.uniform(0.0, 2.3) / np.linalg.norm(w)
    across, along = 0.3, 0.3 if spherical else 0.3 * rng.uniform(0.2, 1.8)
    until, rtol = 10.0 ** rng.uniform(-0.5, 0.5), 10.0 ** rng.uniform(-7.0, -4.0)
    run = simulate(free_body(R, w, across, along), Options(until, integrator=integrator, rtol=rtol, every=until / 200))
    assert run.certificate.status == "finished"
    error = (closed_form(run.t, R, w, across, along).inv() * rotations(run)).magnitude()
    return float(error.max() / (rtol * max(np.linalg.norm(w) * until, 1.0)))


@pytest.mark.parametrize("integrator", ADAPTIVE)
@pytest.mark.parametrize("spherical", [True, False])
def test_free_bodies_follow_their_closed_form_at_every_sample(integrator: str, spherical: bool) -> None:
    worst = max(free_body_error(seed, integrator, spherical) for seed in range(12))
    assert worst < TOLERATED


def top_error(formulation: str, **options) -> tuple[float, int]:
    """Largest error of the centre of mass in 2 s, m, against dop853 at 1e-12; and the steps."""
    exact = simulate(heavy_top().mechanism, Options(2.0, formulation, integrator="dop853", rtol=1e-12))
    one = simulate(heavy_top().mechanism, Options(2.0, formulation, integrator="generalized-alpha", **options))
    assert one.certificate.status == "finished"
    return float(np.abs(one.position - exact.position).max()), one.certificate.steps


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("rtol", [1e-4, 1e-5, 1e-6])
def test_heavy_top_is_as_accurate_as_asked(formulation: str, rtol: float) -> None:
    assert top_error(formulation, rtol=rtol)[0] < TOP_TOLERATED * rtol


@pytest.mark.parametrize(("formulation", "constant"), [("joint", 1.3e4), ("absolute", 500.0)])
def test_heavy_top_is_of_order_2(formulation: str, constant: float) -> None:
    """Error / h^2 in m/s2, which the commutator of the velocities at both ends of a step lowers by 19 and 16."""
    steps = [1000, 2000, 4000]
    errors = np.array([top_error(formulation, rtol=0.1, hmax=2.0 / n)[0] for n in steps])
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx(2.0, abs=0.15)
    assert np.all(errors < constant * (2.0 / np.array(steps)) ** 2)
