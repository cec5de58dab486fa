"""Joint loads with flexible bodies: what the joints transmit balances weight and inertia, bending included."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.flexible.modal_equations import mass_matrix, velocity_forces
from linkwork.results.flexible import modal_body
from linkwork.view.scene.scene import rotations


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


def arm(stiffening: bool) -> lw.Model:
    """A driven boom of two flexible bodies and a rigid tip on nodes, in space, with a spring and a force on nodes."""
    m = lw.Model("boom", gravity=(0, 0, -9.81))
    beam = {"width": 0.03, "height": 0.02, "material": "aluminium", "elements": 4, "modes": 4, "damping": 0.01,
            "supports": {"1": "clamped"}, "stiffening": stiffening}  # fmt: skip
    m.body("inner", flexible=lw.beam(length=1.0, **beam), at=(0, 0, 0))
    m.revolute("shoulder", m.ground, "inner", at=(0, 0, 0), axis="y")
    m.driver("motor", "shoulder", "0.5*sin(4*t)")
    m.body("outer", flexible=lw.beam(length=0.8, **beam), at=(1.0, 0, 0))
    m.revolute("elbow", "inner", "outer", at=(1.0, 0, 0), axis=(0, 1, 1))
    m.body("tip", mass=0.5, inertia=(0.01, 0.02, 0.03), at=(1.9, 0.05, 0))
    m.spherical("ball", "outer", "tip", at=(1.8, 0, 0))
    m.spring_damper("tie", "inner", "outer", points=((0.5, 0, 0), (1.4, 0, 0)), stiffness=300.0, damping=1.0)
    m.applied_force("push", "outer", force=(0, "sin(9*t)", 1.0), at=(0.8, 0, 0))
    return m


@pytest.mark.parametrize("stiffening", [False, True])
def test_three_ways_agree_on_flexible_bodies(stiffening):
    """In a tree, with nodes that carry further bodies; multipliers: all joints as rows, in absolute coordinates."""
    run = arm(stiffening).simulate(0.4, rtol=1e-9, every=0.02, formulation="joint", progress=False)
    joints = ["shoulder", "elbow", "ball"]
    reference = run.loads(joints, method="multipliers")
    for method in ("non-recursive", "newton-euler"):
        found = run.loads(joints, method=method)
        for name in joints:
            size = np.abs(reference[name].wrench).max()
            np.testing.assert_allclose(found[name].wrench, reference[name].wrench, atol=1e-6 * size, err_msg=name)
        np.testing.assert_allclose(found["shoulder"].driving, reference["shoulder"].driving, rtol=1e-5, atol=1e-5)
    assert run.loads(joints)["ball"].method == "non-recursive"


def test_three_ways_agree_on_a_closed_loop_with_a_flexible_body(runs):
    run, away = runs["joint"], np.abs(runs["joint"].t - 0.1787) > 0.003  # there the loads of the pins are not unique
    reference = run.loads(list("ABCD"), method="multipliers")
    for method in ("non-recursive", "newton-euler"):
        found = run.loads(list("ABCD"), method=method)
        for name in "ABCD":
            np.testing.assert_array_equal(np.isnan(found[name].wrench), np.isnan(reference[name].wrench))
            known, size = np.nan_to_num(reference[name].wrench[away]), np.nanmax(np.abs(reference[name].wrench[away]))
            np.testing.assert_allclose(np.nan_to_num(found[name].wrench[away]), known, atol=1e-6 * size, err_msg=name)


@pytest.mark.parametrize("formulation", ["absolute", "joint"])
def test_load_cases_of_a_mechanism_with_a_flexible_body_are_in_balance(runs, formulation):
    """Of the coupler and of its rigid neighbours; the pins of the coupler act at its nodes, its weight where it is."""
    run = runs[formulation]
    for body in ("crank", "coupler", "rocker"):
        for case in run.load_cases(body, during=(0.0, 0.17)):
            sizes = [np.abs(np.nan_to_num(load.force)).max() for load in case.loads]
            np.testing.assert_allclose(case.residual, 0.0, atol=1e-8 * max(sizes))
    case, n = run.load_case("coupler", 0.1), int(np.argmin(np.abs(run.t - 0.1)))
    modal, loads = modal_body(run.result, "coupler"), {load.name: load for load in case.loads}
    eta = np.array([run[f"coupler.mode{k}"][n] for k in (1, 2, 3)])
    np.testing.assert_allclose(loads["weight"].point, (modal.h0 + modal.C_t @ eta) / modal.mass, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(loads["weight"].force), modal.mass * 9.81, rtol=1e-12)
    for pin, node in (("B", "1"), ("C", "11")):
        at = modal.nodes.x[modal.nodes.index(node)] + run.deflection("coupler", node)[n]
        np.testing.assert_allclose(loads[pin].point, at, atol=1e-9)


def test_a_load_case_holds_everything_on_a_bent_body():
    """In space, with foreshortening: a spring and a force at nodes, a tip body, a driver; all in balance."""
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    beam = lw.beam(length=1.0, width=0.03, height=0.02, material="aluminium", elements=4, modes=4, damping=0.01,
                   supports={"1": "clamped"}, stiffening=True)  # fmt: skip
    m.body("arm", flexible=beam, at=(0.1, 0, 0), angle=0.2, axis="x")
    m.body("tip", lw.sphere(mass=0.4, radius=0.05), at=(1.1, 0, 0))
    m.revolute("hub", m.ground, "arm", at=(0.1, 0, 0), axis=(0.1, 1, 0.3))
    m.spherical("end", "arm", "tip", at=(1.1, 0, 0))
    m.driver("motor", "hub", "2*t + 0.3*sin(20*t)")
    m.spring_damper("spring", m.ground, "arm", points=((0.3, 0.4, 0.5), (0.6, 0, 0)), stiffness=200.0, damping=3.0)
    m.applied_force("push", "arm", force=(1.0, "20*cos(50*t)", 5.0), torque=(0.1, 0.2, 0.3), at=(0.75, 0, 0))
    run = m.simulate(0.2, rtol=1e-8)
    case = run.load_case("arm", 0.15)
    assert {load.name for load in case.loads} == {"hub", "end", "spring", "push", "weight", "inertia"}
    sizes = [np.abs(load.force).max() for load in case.loads]
    np.testing.assert_allclose(case.residual, 0.0, atol=1e-9 * max(sizes))
    assert min(sizes) > 0.1
