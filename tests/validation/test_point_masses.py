"""`mass` alone is a point mass: a simple pendulum by its closed form; refused by name where a motion has no inertia."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

from linkwork.analyses.diagnosis import diagnose
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import ModelError
from linkwork.mechanism import Mechanism


def pendulum(length: float, angle: float, kind: str = "revolute", **more) -> Mechanism:
    at = (length * np.sin(angle), 0.0, -length * np.cos(angle))
    joint = {"name": "pivot", "kind": kind, "between": ("ground", "bob"), "at": (0.0, 0.0, 0.0)}
    if kind == "revolute":
        joint["axis"] = "y"
    body = {"name": "bob", "mass": 2.0, "at": at, **more}
    return Mechanism.model_validate({"gravity": (0.0, 0.0, -9.81), "body": [body], "joint": [joint]})


@pytest.mark.parametrize("seed", range(5))
def test_a_simple_pendulum_has_its_period(seed: int) -> None:
    rng = np.random.default_rng(seed)
    length, angle = 10.0 ** rng.uniform(-2.0, 2.0), rng.uniform(0.2, 2.8)
    period = 4.0 * np.sqrt(length / 9.81) * ellipk(np.sin(angle / 2.0) ** 2)
    run = simulate(pendulum(length, angle), Options(until=period, rtol=1e-9, every=period / 4.0))
    assert run.certificate.status == "finished" and run.certificate.dof == 1
    assert diagnose(pendulum(length, angle)).dof == 1
    np.testing.assert_allclose(run.position[-1], run.position[0], atol=1e-6 * length)
    np.testing.assert_allclose(run.position[1, 0], (0.0, 0.0, -length), atol=1e-6 * length)


def test_a_motion_without_inertia_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"body 'bob': it is a point mass .* give it an inertia"):
        simulate(pendulum(1.0, 0.5, "spherical"), Options(until=0.1))
    with pytest.raises(ModelError, match=r"body 'bob': it is a point mass .* or use joint coordinates"):
        simulate(pendulum(1.0, 0.5), Options(until=0.1, formulation="absolute"))
    free = {"gravity": (0.0, 0.0, -9.81), "body": [{"name": "bob", "mass": 1.0}]}
    with pytest.raises(ModelError, match="body 'bob': it is a point mass"):
        simulate(Mechanism.model_validate(free), Options(until=0.1))
    assert simulate(pendulum(1.0, 0.5, "spherical", inertia=(0.1, 0.1, 0.1)), Options(until=0.1)).certificate.dof == 3
