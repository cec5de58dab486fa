"""The word of a run: `finished` only where constraints and drivers are met, energy is kept and outputs are numbers.

Random mechanisms that cannot do what is wanted of them, by every integrator: each is refused or fails with the name
of what is not met, its amount and unit, and exit code 3; the result until then is kept.
"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import LinkworkError, NumericalError
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from random_mechanisms import random_planar_linkage
from random_mechanisms.figures import any_masses, rods_in_line
from validation.test_random_loops import PLANAR

INTEGRATORS = ("adams", "dop853", "rk4", "ab3", "generalized-alpha", "radau")
FORMULATIONS = ("joint", "absolute")


def outcome(
    mechanism: Mechanism, integrator: str, formulation: str, until: float = 1.0, **more
) -> Result | LinkworkError:
    step = {"step": until / 200.0} if integrator in ("rk4", "ab3") else {}
    try:
        return simulate(
            mechanism, Options(until=until, integrator=integrator, formulation=formulation, **{**step, **more})
        )
    except LinkworkError as failure:
        return failure


def assert_true_word(found: Result | LinkworkError, size: float = 1.0) -> None:
    """Finished means met; a failure names an element, and keeps what there is."""
    if isinstance(found, NumericalError):
        assert found.exit_code == 3 and found.element is not None and f"'{found.element}'" in found.message
        assert isinstance(found.partial, Result)
        assert found.partial.certificate.status == "failed"
    elif isinstance(found, Result) and found.certificate.status == "finished":
        assert found.certificate.max_violation["position"] < 1e-6 * max(size, 1.0)
        assert found.certificate.energy_drift < 0.1 or np.ptp(found.energy, axis=0).max() < 1e-4
        assert np.isfinite(found.q).all() and np.isfinite(found.lam).all()


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_rods_in_line_do_not_fold(integrator: str, formulation: str) -> None:
    for seed in range(4):
        mechanism = rods_in_line(np.random.default_rng(seed), 2 + seed % 2)
        found = outcome(mechanism, integrator, formulation)
        assert isinstance(found, NumericalError), seed
        assert_true_word(found)
        assert "pin 1" in found.message and "0 degrees of freedom" in found.message
        at_rest = outcome(mechanism.model_copy(update={"gravity": (0.0, 0.0, 0.0)}), integrator, formulation)
        assert isinstance(at_rest, Result) and at_rest.certificate.status == "finished"
        assert np.abs(at_rest.position - at_rest.position[0]).max() < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_driver_against_a_frame_is_named(integrator: str, formulation: str) -> None:
    """Its motion begins with rate 0, so that nothing contradicts it at the start."""
    frame = [(-1, 0, "revolute"), (0, 1, "revolute"), (1, -1, "revolute")]
    for seed in range(4):
        rigid = random_planar_linkage(frame, seed, "xz" if seed % 2 else None)
        driver = {"name": "motor", "joint": "J0", "motion": f"{0.3 + 0.1 * seed} * t^2"}
        mechanism = Mechanism.model_validate({**rigid.model_dump(exclude_unset=True), "driver": [driver]})
        found = outcome(mechanism, integrator, formulation)
        assert isinstance(found, NumericalError) and "'motor'" in found.message
        assert_true_word(found)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_light_links_are_moved_or_refused(integrator: str) -> None:
    """Masses that differ by 12 decades: the motion is that of the heavy bodies in both formulations, or it fails."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for name in PLANAR:
            mechanism = any_masses(random_planar_linkage(PLANAR[name], seed, "xz"), rng, 12.0)
            found = [outcome(mechanism, integrator, formulation, until=0.3) for formulation in FORMULATIONS]
            for one in found:
                assert_true_word(one)
            done = [one for one in found if isinstance(one, Result) and one.certificate.status == "finished"]
            assert len({one.certificate.dof for one in done}) <= 1


@pytest.mark.parametrize("integrator", ["rk4", "ab3"])
def test_a_step_that_is_too_long_is_never_a_success(integrator: str) -> None:
    rng = np.random.default_rng(3)
    for stiffness in 10.0 ** rng.uniform(4.0, 9.0, 6):
        mechanism = Mechanism.model_validate({
            "gravity": (0.0, 0.0, -9.81),
            "body": [{"name": "bob", "mass": 1.0, "inertia": (0.1, 0.1, 0.1), "at": (0.5, 0.0, 0.0)}],
            "joint": [{"name": "slide", "kind": "prismatic", "between": ("ground", "bob"), "axis": "x",
                       "at": (0.4, 0.0, 0.0), "start": 0.1}],
            "spring_damper": [{"name": "spring", "between": ("ground", "bob"), "stiffness": float(stiffness),
                               "points": [(2.0, 0.0, 0.0), (0.1, 0.0, 0.0)], "free_length": 1.0}],
        })  # fmt: skip
        found = outcome(mechanism, integrator, "joint", until=5.0, step=0.05)
        assert isinstance(found, NumericalError) or found.certificate.status == "suspect"
        if isinstance(found, Result):
            assert "smaller step" in found.certificate.warnings[-1] and "rtol" not in found.certificate.warnings[-1]
        else:
            assert "rtol" not in found.message


def test_outputs_that_are_no_numbers_are_named() -> None:
    mechanism = random_planar_linkage(PLANAR["four-bar"], 0, "xz").model_dump(exclude_unset=True)
    mechanism["measure"] = [{"name": "odd", "of": "log(0.5 - t)"}]
    found = outcome(Mechanism.model_validate(mechanism), "adams", "joint")
    assert isinstance(found, Result) and found.certificate.status == "suspect"
    assert "'odd'" in found.certificate.warnings[-1] and found.certificate.error["code"] == "suspect"
    json.dumps(found.certificate.error)


@pytest.mark.parametrize("seed", range(8))
def test_a_driver_that_takes_what_stiff_forces_give_is_not_suspected(seed):
    """Knee press: a work piece, given by an expression, and the motor exchange much; the rest of the work is little."""
    random = np.random.default_rng(seed)
    length, offset, radius = random.uniform(0.2, 0.5), random.uniform(0.04, 0.08), random.uniform(0.02, 0.04)
    reach = math.sqrt(length**2 - offset**2)
    top, knee, ram = (0, 0, reach), (offset, 0, 0), (0, 0, -reach)
    shaft, pin = (offset + 0.4, 0, 0), (offset + 0.4, 0, radius)
    model = lw.Model("press", gravity=(0, 0, -9.81), plane="xz", duration=1.0)
    for name, a, b in (("upper", top, knee), ("lower", knee, ram), ("crank", shaft, pin), ("rod", pin, knee)):
        model.link(name, a, b, mass=random.uniform(1.0, 10.0))
    model.body("ram", lw.box(mass=random.uniform(10.0, 60.0), size=(0.2, 0.2, 0.1)), at=ram)
    joints = (
        ("ground", "upper", top),
        ("upper", "lower", knee),
        ("lower", "ram", ram),
        ("ground", "crank", shaft),
    )
    for k, (a, b, at) in enumerate((*joints, ("crank", "rod", pin), ("rod", "upper", knee))):
        model.revolute(f"pin {k}", a, b, at=at, axis="y")
    model.prismatic("guide", "ground", "ram", at=ram, axis="z")
    work, face = 10.0 ** random.uniform(6.0, 7.5), random.uniform(0.0, 0.01)
    model.joint_force("piece", "guide", f"{work}*max(-{face} - q, 0)")
    model.driver("motor", "pin 3", "2*pi*t")
    for rtol in (1e-4, 1e-6, 1e-8):
        certificate = model.simulate(rtol=rtol, progress=False).certificate
        assert (certificate.status, certificate.dof) == ("finished", 0)
