"""Joint loads with flexible bodies: what the joints transmit balances weight and inertia, bending included."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.flexible.modal_body import mass_matrix, velocity_forces
from linkwork.results.flexible import modal_body
from linkwork.view.scene import rotations


@pytest.fixture(scope="module")
def runs() -> dict[str, lw.Run]:
    """The four-bar with a flexible coupler past its first flat position."""
    model = lw.library_model("four-bar-flexible", {"modes": 3})
    return {f: model.simulate(0.3, formulation=f, rtol=1e-9, every=0.002) for f in ("absolute", "joint")}


def test_reactions_balance_weight_and_inertia_of_the_bent_body(runs):
    """M(eta) z' - Q_v = sum over the pins of (f, p x f + n) + weight, about the frame's origin."""
    run = runs["absolute"]
    body = modal_body(run.result, "coupler")
    B, C = (run.reaction(name, on="coupler") for name in "BC")
    turned, nodes, place = rotations(run.orientation("coupler")), run.nodes("coupler"), run.position("coupler")
    eta, rates, second = (
        np.column_stack([run[f"coupler.mode{k}{end}"] for k in (1, 2, 3)]) for end in ("", "_rate", "_rate.dot")
    )
    a = np.column_stack([run[f"coupler.v{axis}.dot"] for axis in "xyz"])
    alpha = np.column_stack([run[f"coupler.w{axis}.dot"] for axis in "xyz"])
    gravity, plane = np.array([0.0, 0.0, -9.81]), [0, 2, 4]  # in the plane of motion all is unique
    for k in range(0, len(run.t), 10):
        R = turned[k]
        z_dot = np.concatenate([R.T @ a[k], R.T @ alpha[k], second[k]])
        w = R.T @ run.angular_velocity("coupler")[k]
        inertia = (mass_matrix(body, eta[k]) @ z_dot - velocity_forces(body, eta[k], np.zeros(3), w, rates[k]))[:6]
        h, weight = body.h0 + body.C_t @ eta[k], R.T @ gravity
        loads = np.concatenate([body.mass * weight, np.cross(h, weight)])
        for pin, node in ((B, 0), (C, 10)):
            force, torque = (R.T @ np.nan_to_num(x[k]) for x in (pin.force, pin.torque))
            arm = R.T @ (nodes[k, node] - place[k])
            loads += np.concatenate([force, np.cross(arm, force) + torque])
        np.testing.assert_allclose(inertia[plane], loads[plane], atol=1e-8 * np.abs(B.force[:, [0, 2]]).max())


def test_both_formulations_have_the_same_loads(runs):
    away = np.abs(runs["joint"].t - 0.1787) > 0.003  # in the flat position the loads of the pins are not unique
    loads = [np.nan_to_num(run.reaction("C", on="rocker").force)[away] for run in runs.values()]
    np.testing.assert_allclose(*loads, atol=1e-5 * np.abs(loads[0]).max())


def test_ways_for_rigid_trees_are_refused_by_name(runs):
    with pytest.raises(lw.OptionError, match="way 'newton-euler' is for rigid bodies, and 'coupler' is flexible"):
        runs["joint"].reaction("B", way="newton-euler")
    with pytest.raises(lw.OptionError, match="load cases are for rigid mechanisms"):
        runs["joint"].load_case("crank", 0.1)
