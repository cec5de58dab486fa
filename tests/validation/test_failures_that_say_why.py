"""Runs that cannot be right say so: a dead centre, redundant constraints that contradict each other, a branch left."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import AssemblyError, DeadCentreError, NumericalError
from linkwork.library import library_model

CRANK, ROD, PUSH = 0.1, 0.31, 0.2  # m, m, m/s


def pushed_slider() -> lw.Model:
    """A slider-crank whose slider is pushed outwards at a constant speed: at full stretch it can go no further."""
    model = library_model("slider-crank", {"crank": CRANK, "rod_length": ROD, "angle": 60.0, "speed": 0.0})
    model.driver("push", "guide", f"{PUSH} * t")
    return model


STRETCHED = (CRANK + ROD - CRANK / 2 - math.sqrt(ROD**2 - 0.75 * CRANK**2)) / PUSH  # s: all in line


@pytest.mark.parametrize(
    ("formulation", "method", "integrator"),
    [
        ("joint", "auto", "adams"),
        ("absolute", "auto", "dop853"),
        ("joint", "hybrid-qr", "adams"),
        ("joint", "svd", "adams"),
        ("absolute", "baumgarte", "adams"),
        ("absolute", "auto", "generalized-alpha"),
    ],
)
def test_a_dead_centre_says_when_which_driver_and_which_joint(formulation, method, integrator):
    with pytest.raises(DeadCentreError) as caught:
        pushed_slider().simulate(
            1.0, formulation=formulation, method=method, integrator=integrator, every=0.01, progress=False
        )
    failure = caught.value
    assert failure.t == pytest.approx(STRETCHED, abs=1e-6)
    assert failure.element == "push"
    assert failure.exit_code == 3
    for word in (f"t = {STRETCHED:.4g}"[:9], "dead centre", "driver 'push'", "'wrist pin'", "within reach"):
        assert word in failure.message
    assert failure.partial.t[-1] == pytest.approx(STRETCHED, abs=0.01)


def test_a_driver_within_reach_meets_no_dead_centre():
    run = pushed_slider().simulate(0.9 * STRETCHED, progress=False)
    assert run.certificate.status == "finished"


def loop(aside: float = 0.0, tilt: float = 0.0, ground: float = 1.2) -> lw.Model:
    """A plane four-bar of revolute joints by frames; the last pin is moved out of the plane (m), or tilted (rad)."""
    model = lw.Model("loop", gravity=(0, -9.81, 0))
    model.body("crank", lw.rod(mass=1, length=0.5), at=(0.25, 0, 0))
    model.body("coupler", lw.rod(mass=1, length=1.0), at=(0.9, 0.4, 0), angle=0.6)
    model.body("rocker", lw.rod(mass=1, length=0.9), at=(1.2, 0.4, 0), angle=-math.pi / 2)
    tilted = (math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0)
    ends = {"ground": (0.0, ground), "crank": (-0.25, 0.25), "coupler": (-0.5, 0.5), "rocker": (-0.45, 0.45)}
    for body, (first, second) in ends.items():
        model.frame(f"{body} 1", body, at=(first, 0, 0))
        last = {"at": (second, 0, aside), "orientation": tilted} if body == "rocker" else {"at": (second, 0, 0)}
        model.frame(f"{body} 2", body, **last)
    for name, a, b in (("A", "ground 1", "crank 1"), ("B", "crank 2", "coupler 1"), ("C", "coupler 2", "rocker 1"),
                       ("D", "ground 2", "rocker 2")):  # fmt: skip
        model.revolute(name, a[:-2], b[:-2], frames=(a, b))
    return model


def test_redundant_constraints_that_agree_are_no_conflict():
    account = loop().check()
    assert (account.dof, len(account.redundant)) == (1, 3)


@pytest.mark.parametrize(
    ("fault", "words"),
    [({"aside": 2e-3}, ("point along z", "0.002 m")), ({"tilt": 3e-3}, ("axis about", "rad"))],
)
def test_redundant_constraints_that_contradict_each_other_are_named(fault, words):
    with pytest.raises(AssemblyError) as caught:
        loop(**fault).simulate(1.0, progress=False)
    assert caught.value.exit_code == 2
    for word in ("contradict each other", *words, *(f"'{name}'" for name in "ABCD"), "more degrees of freedom"):
        assert word in caught.value.message


def test_links_that_do_not_reach_are_no_contradiction():
    with pytest.raises(AssemblyError, match="cannot be assembled"):
        loop(ground=3.0).check()


def branch_left(run) -> float | None:
    """When the coupler of the parallelogram turned, which it does on the other branch alone; s."""
    tilt = np.abs(run.orientation[:, run.names["bodies"].index("coupler"), 1:]).max(axis=1)
    return float(run.t[np.argmax(tilt > 1e-3)]) if tilt.max() > 1e-3 else None


@pytest.mark.parametrize("every", [0.01, 0.3])
def test_a_run_that_leaves_its_branch_is_never_called_a_success(every: float):
    """LU with violations left standing, and Baumgarte: some of these runs leave, and each says when."""
    loose = {"constraint_tolerance": 1e-6}
    ways = (("lu", "dop853", loose), ("lu", "adams", loose), ("baumgarte", "dop853", {}))
    left = 0
    for angle in (13.0, 22.0, 35.0, 45.0, 56.0):
        mechanism = library_model("four-bar", {"angle": angle}).mechanism
        for method, integrator, chosen in ways:
            run = simulate(
                mechanism,
                Options(until=3.0, formulation="absolute", method=method, integrator=integrator, rtol=1e-5,
                        every=every, method_options=chosen),
            )  # fmt: skip
            when = branch_left(run)
            if when is not None:
                left += 1
                assert run.certificate.status == "suspect"
                told = [text for text in run.certificate.warnings if "left its branch" in text]
                times = [float(text.split("t = ")[1].split(" s")[0]) for text in told if "velocities jump" in text]
                assert any(-0.05 - every < t - when < 0.05 for t in times)
    assert left >= 4


def driven_bar(motion: str) -> lw.Model:
    model = lw.Model("bar", gravity=(0, 0, -9.81))
    model.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y")
    model.driver("motor", "pin", motion)
    return model


@pytest.mark.parametrize("seed", range(8))
def test_a_driver_that_jumps_is_refused_and_one_that_bends_is_not(seed):
    """At a random time by a random amount: by a comparison, floor, a sine in a sign; the same without the jump runs."""
    rng = np.random.default_rng(seed)
    at, high = rng.uniform(0.1, 0.9), rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-3, 1)
    jumps = [f"if(t < {at}, 0, {high})", f"{high}*floor(t/{at})", f"{high}*sign(sin(pi*t/{at}) + 1e-3)"]
    with pytest.raises(lw.ModelError, match=r"driver 'motor': motion .* jumps from .* which no force can follow"):
        driven_bar(jumps[seed % 3]).simulate(1.0, progress=False)
    bends = [
        f"step(t, {at}, 0, {at + 0.05}, {high})",
        f"if(t < {at}, 0, {high}*(t - {at})^3)",
        f"{high}*max(t - {at}, 0)^2",
    ]
    assert driven_bar(bends[seed % 3]).simulate(1.0, progress=False).certificate.status == "finished"


@pytest.mark.parametrize("step", [0.01, 0.05, 0.2, 1.0])
@pytest.mark.parametrize("integrator", ["rk4", "ab3"])
def test_a_motion_that_grew_beyond_all_bounds_is_not_said_to_lack_inertia(integrator: str, step: float) -> None:
    """A fast top at steps that are far too long: overflow in the masses of its motions, and not a lack of them."""
    for spin in (150.0, 15000.0):
        top = lw.Model("top", gravity=(0, 0, -9.81))
        top.body("top", mass=15.0, inertia=(0.24, 0.469, 0.24), at=(0, 1, 0), angular_velocity=(0, spin, -4.6))
        top.spherical("tip", "ground", "top", at=(0, 0, 0))
        try:
            run = top.simulate(2.0, integrator=integrator, step=step, formulation="joint", progress=False)
        except NumericalError as failure:
            assert "a value is not finite (the fastest motion before, 'tip.w" in str(failure)
        else:
            assert run.certificate.status == "suspect" or spin * step < 2.0


def test_a_python_force_that_returns_no_number_is_named():
    model = lw.library_model("pendulum")
    model.python_force("gone", lambda t, x: float("nan") if t > 0.2 else 0.0, ["pin.angle"], joint="pin")
    with pytest.raises(lw.NumericalError, match=r"python force 'gone' returned no finite number at t = 0\.2"):
        model.simulate(1.0, progress=False)


def test_an_expression_that_grows_beyond_all_bounds_is_named():
    for law in ("1/(t - 0.5)", "1e6*pin.rate^3"):
        model = lw.library_model("pendulum")
        model.joint_force("pole", "pin", law)
        with pytest.raises(
            lw.NumericalError, match=rf"'{re.escape(law)}' of joint force 'pole' has grown beyond 1e\+12"
        ):
            model.simulate(1.0, progress=False)
