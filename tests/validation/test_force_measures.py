"""Forces as measures: each against Newton's and Euler's laws for the body on which it alone acts; in any order."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import Model

MASS, INERTIA, GRAVITY = 2.0, 0.3, (0.3, -0.2, -9.81)
CENTRE = (0.2, -0.1, 0.5)  # m, of the body at the start
POINT = (0.3, 0.1, 0.6)  # m, where bushing and beam hold it


def body() -> Model:
    m = lw.Model("one body", gravity=GRAVITY)
    m.body("stone", mass=MASS, inertia=(INERTIA,) * 3, at=CENTRE, velocity=(0.4, -0.2, -1.5), angle=0.4, axis=(1, 2, 3),
           angular_velocity=(0.5, -0.3, 0.8))  # fmt: skip
    for k in "xyz":
        m.measure(f"a{k}", f"a{k}(stone)")
        m.measure(f"alpha{k}", f"alpha{k}(stone)")
    m.frame("held", "stone", at=tuple(point_in_body(m)))
    return m


def point_in_body(m: Model) -> np.ndarray:
    """POINT in the body frame."""
    said = m.mechanism.body[0]
    w, *v = said.orientation
    x = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    R = np.eye(3) + 2 * w * x + 2 * x @ x
    return R.T @ (np.array(POINT) - CENTRE)


def bushing(m: Model) -> None:
    m.bushing("it", m.ground, "stone", at=POINT, stiffness=(900, 700, 800, 9, 7, 8), damping=(3, 4, 5, 0.1, 0.2, 0.3))


def beam(m: Model) -> None:
    section = {"modulus": 2e8, "shear_modulus": 8e7, "area": 1e-4, "Iy": 2e-8, "Iz": 1e-8, "J": 2e-8}
    m.beam("it", m.ground, "stone", points=((-0.7, 0.1, 0.6), POINT), damping=1e-3, second_axis="y", **section)


def contact(m: Model) -> None:
    shape = {"shape": "box", "size": (0.3, 0.4, 0.5), "at": (0.01, 0, 0)}
    m.contact("it", "stone", stiffness=3e4, damping=0.2, friction=0.3, **shape)


def applied_in_body_axes(m: Model) -> None:
    m.applied_force("it", "stone", force=("3*cos(t)", "2*x(stone)", 1.0), torque=(0.2, "0.1*t", "-0.3*wz(stone)"),
                    at=tuple(point_in_body(m)), axes="body")  # fmt: skip


def applied_in_world_axes(m: Model) -> None:
    m.applied_force("it", "stone", force=(5.0, "3*sin(2*t)", 1.0), torque=(0.1, 0.2, "t"), at=tuple(point_in_body(m)))


def python_function(m: Model) -> None:
    m.python_force("it", lambda t, x: [3 * np.cos(t), 2 * x[0], 1.0, 0.2, 0.1 * t, -0.3 * x[1]], body="stone",
                   inputs=["x(stone)", "wz(stone)"], at=tuple(point_in_body(m)), axes="body")  # fmt: skip


@pytest.mark.parametrize(
    "element", [bushing, beam, contact, applied_in_body_axes, applied_in_world_axes, python_function]
)
def test_a_force_is_what_newton_and_euler_say(element) -> None:
    m = body()
    m.measure("size", "force(it)")  # before the element is there: no order matters
    for k in "xyz":
        m.measure(f"f{k}", f"force(it, {k})")
        if element is not contact:
            m.measure(f"n{k}", f"torque(it, {k})")
    element(m)
    run = m.simulate(0.6, rtol=1e-8)
    f = np.stack([run[f"f{k}"] for k in "xyz"], axis=1)
    a = np.stack([run[f"a{k}"] for k in "xyz"], axis=1)
    alpha = np.stack([run[f"alpha{k}"] for k in "xyz"], axis=1)
    np.testing.assert_allclose(f, MASS * (a - GRAVITY), atol=1e-9 * np.abs(f).max())
    np.testing.assert_allclose(run["size"], np.linalg.norm(f, axis=1), atol=1e-12 * np.abs(f).max())
    assert np.abs(f).max() > 1.0
    if element is not contact:
        n = np.stack([run[f"n{k}"] for k in "xyz"], axis=1)
        arm = run.path("held") - run.position("stone")
        np.testing.assert_allclose(n + np.cross(arm, f), INERTIA * alpha, atol=1e-9 * np.abs(INERTIA * alpha).max())


def test_forces_drive_events_and_other_forces_in_any_order() -> None:
    """A block falls onto a pad; a brake presses with half of what the floor bears, and a log says when it is 100 N."""
    m = lw.Model("pad", gravity=(0, 0, -9.81))
    m.body("block", mass=2.0, inertia=(1, 1, 1), at=(0, 0, 0.1), velocity=(1.0, 0, 0))
    m.joint_force("second", "slide", "-0.5*force(first)")
    m.joint_force("first", "slide", "0.2*force(floor, z)")
    m.event("hard", "force(floor) > 100")
    m.body("rail", mass=0.5, inertia=(1, 1, 1), at=(0, 0, 0.1))
    m.prismatic("post", m.ground, "rail", at=(0, 0, 0.1), axis="z")
    m.prismatic("slide", "rail", "block", at=(0, 0, 0.1), axis="x")
    m.contact("floor", "block", stiffness=1e5, damping=0.1)
    for name, of in {"N": "force(floor, z)", "one": "force(first)", "two": "force(second)"}.items():
        m.measure(name, of)
    run = m.simulate(0.4, rtol=1e-8, every=1e-4)
    np.testing.assert_allclose(run["two"], -0.1 * run["N"], atol=1e-9)
    np.testing.assert_allclose(run["one"], 0.2 * run["N"], atol=1e-9)
    rising = [t for t, a, b in zip(run.t, run["N"][:-1], run["N"][1:], strict=False) if a <= 100 < b]
    told = [event["t"] for event in run.certificate.events]
    assert rising and len(rising) == len(told) and np.all(np.abs(np.subtract(rising, told)) <= 1.0001e-4)


def test_the_number_of_a_python_function_along_a_joint_is_what_moves_it() -> None:
    m = lw.Model("arm", gravity=(0, 0, 0))
    m.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
    m.revolute("pin", m.ground, "arm", at=(0, 0, 0), axis="z")
    m.python_force("pd", lambda t, x: 3.0 * np.sin(2 * t) - x[0], inputs=["velocity(pin)"], joint="pin")
    m.measure("drive", "force(pd)")
    m.measure("turning", "(0.3 + 1.0*0.5^2)*acceleration(pin)")
    run = m.simulate(1.0, rtol=1e-8)
    assert run.result.unit("drive") == "N m"
    np.testing.assert_allclose(run["drive"], run["turning"], atol=1e-9)
    np.testing.assert_allclose(run["drive"], 3.0 * np.sin(2 * run.t) - run["pin.rate"], atol=1e-9)
    m.joint_force("copy", "pin", "force(pd)")
    with pytest.raises(lw.ModelError, match=r"joint force 'copy': uses .*Python function"):
        m.simulate(0.1)


def test_forces_have_their_units() -> None:
    m = body()
    bushing(m)
    m.body("more", mass=1.0, inertia=(1, 1, 1))
    m.revolute("pin", "stone", "more", at=CENTRE, axis="x")
    m.prismatic("slide", m.ground, "more", at=CENTRE, axis="x", cut=True)
    m.torsional_spring_damper("twist", "pin", stiffness=1.0)
    m.joint_force("push", "slide", 1.0)
    m.motor("drive", "pin", "curve")
    m.table("curve", [0.0, 1.0], [0.0, 1.0])
    said = {"a": ("force(it)", "N"), "b": ("force('it', x)", "N"), "c": ("torque(it, y)", "N m"),
            "d": ("force(twist)", "N m"), "e": ("force(push)", "N"), "f": ("force( drive )", "N m"),
            "g": ("2*force(it)", "")}  # fmt: skip
    for name, (of, _) in said.items():
        m.measure(name, of)
    run = m.simulate(1e-3)
    assert {name: run.result.unit(name) for name in said} == {name: unit for name, (_, unit) in said.items()}


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda m: (m.joint_force("a", "free", "force(b)"), m.joint_force("b", "free", "force(a)")), ("a -> b -> a",)),
        (lambda m: (m.measure("m", "force(a)"), m.joint_force("a", "free", "m")), ("a -> m -> a",)),
        (lambda m: (m.applied_force("p", "stone", force=("force(p)", 0, 0))), ("p -> p",)),
        (lambda m: m.measure("m", "force(flor)"), ("'flor' has no force", "'floor'")),
        (lambda m: m.measure("m", "force(rope)"), ("'rope' has no force", "'rope.force'")),
        (lambda m: m.measure("m", "torque(free)"), ("'free' has no torque", "'free.torque'")),
        (lambda m: m.measure("m", "force(floor, w)"), ("'w' is not an axis",)),
        (lambda m: m.measure("m", "torque(floor, x)"), ("contact 'floor' has no torque",)),
        (lambda m: (m.joint_force("a", "free", "1"), m.measure("m", "force(a, x)")), ("one number", "force(a)")),
    ],
)  # fmt: skip
def test_cycles_and_wrong_names_are_refused_in_one_sentence(build, words) -> None:
    m = lw.Model("wrong", gravity=(0, 0, 0))
    m.body("stone", mass=1.0, inertia=(1, 1, 1))
    m.prismatic("free", m.ground, "stone", at=(0, 0, 0), axis="x")
    m.body("ball", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 1))
    m.distance("rope", "stone", "ball", points=((0, 0, 0), (0, 0, 1)))
    m.contact("floor", "stone", stiffness=1.0)
    with pytest.raises(lw.ModelError) as caught:
        build(m)
        m.simulate(0.01)
    assert caught.value.exit_code == 2
    for word in words:
        assert word in str(caught.value)
