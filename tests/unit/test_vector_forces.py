"""Python functions as forces, loads and inverse dynamics with every kind of force, and input that makes no sense."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.loads.cases.contact_forces import contact_forces
from linkwork.files.model_files import read_mechanism
from linkwork.files.schema import schema
from linkwork.files.writing import write_mechanism
from linkwork.mechanism import Mechanism


# --------------------------------------------------------------------------------------------------- Python functions
def bob(**more) -> lw.Model:
    model = lw.Model("bob", gravity=(0, 0, 0))
    model.body("bob", lw.sphere(mass=2.0, radius=0.1), at=(1, 0, 0), **more)
    return model


def test_a_python_function_as_a_spring() -> None:
    model = bob()
    model.python_force("spring", lambda t, x: -8.0 * x, inputs=["x(bob)", "y(bob)", "z(bob)"], body="bob")
    run = model.simulate(3.0, rtol=1e-9)
    assert run.position("bob")[:, 0] == pytest.approx(np.cos(2.0 * run.t), abs=1e-8)
    assert run.certificate.energy_drift < 1e-8
    assert any("python force 'spring'" in warning and "slower" in warning for warning in run.certificate.warnings)


def test_a_python_function_along_a_joint_coordinate() -> None:
    """The same controller as a function and as an expression."""
    runs = []
    for by_function in (True, False):
        model = lw.Model("arm", gravity=(0, 0, -9.81))
        arm = model.body("arm", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
        model.revolute("pin", "ground", arm, at=(0, 0, 0), axis="y")
        if by_function:
            inputs = ["coordinate(pin)", "velocity(pin)"]
            model.python_force("pd", lambda t, x: 40.0 * (np.sin(t) - x[0]) - 5.0 * x[1], inputs, joint="pin")
        else:
            model.joint_force("pd", "pin", "40*(sin(t) - q) - 5*v")
        runs.append(model.simulate(1.0, rtol=1e-9))
    assert runs[0]["pin.angle"] == pytest.approx(runs[1]["pin.angle"], abs=1e-9)


def test_force_and_torque_in_body_axes_with_a_reverse_on_another_body() -> None:
    """Two bodies that push each other off: momentum and angular momentum stay as they were."""
    model = bob(angular_velocity=(0, 0, 2.0))
    model.body("other", mass=1.0, inertia=(0.02, 0.02, 0.02), at=(0, 0.5, 0))
    model.python_force("push", lambda t, x: [1.0, 0.0, t, 0.1, 0.0, 0.2], body="bob", against="other", axes="body")
    run = model.simulate(1.0, rtol=1e-9)
    momentum = 2.0 * run.velocity("bob") + run.velocity("other")
    turning = 2.0 * np.cross(run.position("bob"), run.velocity("bob")) + np.cross(
        run.position("other"), run.velocity("other")
    )
    turning += 0.4 * 2.0 * 0.01 * run.angular_velocity("bob") + 0.02 * run.angular_velocity("other")
    assert np.abs(momentum).max() < 1e-9
    assert np.abs(turning - turning[0]).max() < 1e-9


def failing(t, x):
    if t > 0.5:
        raise RuntimeError("no more coffee")
    return x


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (failing, ("python force 'push'", "RuntimeError", "no more coffee", "kept")),
        (lambda t, x: [1.0, 2.0], ("python force 'push'", "returned 2 numbers", "six")),
        (lambda t, x: x[7], ("python force 'push'", "IndexError")),
    ],
)
def test_an_exception_in_a_function_ends_the_run_with_its_words(function, words) -> None:
    model = bob()
    model.python_force("push", function, inputs=["x(bob)", "y(bob)", "z(bob)"], body="bob")
    with pytest.raises(lw.NumericalError) as caught:
        model.simulate(1.0)
    for word in words:
        assert word in str(caught.value)
    assert caught.value.element == "push"


ONCE: dict[str, Callable[[lw.Model], object]] = {
    "simulate": lambda model: model.simulate(1.0),
    "equilibrium": lambda model: model.equilibrium(),
    "linearize": lambda model: model.linearize(),
    "loads": lambda model: model.loads(),
}


@pytest.mark.parametrize("analysis", ONCE)
@pytest.mark.parametrize("calls", [0, 1, 3, 10])
def test_an_exception_in_a_function_is_one_sentence_in_every_analysis(analysis: str, calls: int) -> None:
    """Whichever call it is that fails, of those for numbers and those for derivatives."""
    called = []

    def fails(t, x):
        called.append(t)
        if len(called) > calls:
            raise ValueError("no table at this speed")
        return -0.3 * x[0]

    model = lw.library_model("pendulum")
    model.python_force("drag", fails, inputs=["coordinate(pin)"], joint="pin")
    with pytest.raises(lw.NumericalError, match="python force 'drag' stopped with ValueError: no table at this speed"):
        ONCE[analysis](model)


def test_ctrl_c_within_a_function_stops_the_run() -> None:
    def interrupted(t, x):
        if t > 0.5:
            raise KeyboardInterrupt
        return (0.0, 0.0, 1.0)

    model = bob()
    model.python_force("push", interrupted, body="bob")
    run = model.simulate(1.0, every=0.01)
    assert run.certificate.status == "stopped"
    assert 0.0 < run.certificate.t_end < 1.0


def test_a_run_with_a_python_force_has_loads_and_a_page(tmp_path) -> None:
    """A body on a slide, pushed by a function: the joint bears the weight and what the function gives across."""
    model = lw.Model("pushed", gravity=(0, 0, -9.81))
    model.body("block", mass=2.0, inertia=(1, 1, 1), at=(0, 0, 0.2))
    model.prismatic("slide", model.ground, "block", at=(0, 0, 0.2), axis="z")
    model.python_force("push", lambda t, x: [3.0 * t, 0.0, 0.0], body="block")
    model.contact("floor", "block", stiffness=1e4)
    run = model.simulate(0.3)
    np.testing.assert_allclose(run.reaction("slide").force[:, 0], -3.0 * run.t, atol=1e-10)
    touch = contact_forces(run.result)[0].force[:, 2]
    np.testing.assert_allclose(touch, 1e4 * np.maximum(-run.position("block")[:, 2], 0.0) ** 1.5, atol=1e-9)
    assert touch.max() > 10.0
    run.save(tmp_path / "run.h5")
    read = lw.load(tmp_path / "run.h5")
    assert read.view(tmp_path / "page.html", open=False).stat().st_size > 1e5
    np.testing.assert_array_equal(contact_forces(read.result)[0].force[:, 2], touch)
    with pytest.raises(lw.ModelError, match=r"python force 'push': has no function.*simulate again"):
        read.reaction("slide")


def test_a_python_function_is_not_kept_in_files(tmp_path) -> None:
    model = bob()
    model.python_force("push", failing, body="bob")
    with pytest.raises(lw.FileError, match=r"python force 'push'.*cannot be written"):
        write_mechanism(model.mechanism, tmp_path / "model.json")
    (tmp_path / "model.json").write_text(model.mechanism.model_dump_json(exclude_none=True))
    read = lw.Model.of(read_mechanism(tmp_path / "model.json"))
    with pytest.raises(lw.ModelError, match="python force 'push': has no function"):
        read.simulate(0.1)
    assert "function" not in schema()["$defs"]["PythonForce"]["properties"]


FILE = """
name = "bushed"
gravity = [0, 0, -9.81]
parameters = {k = 2e5}
body = [{name = "bar", shape = {kind = "rod", mass = 1.0, length = 1.0}}]

[[bushing]]
name = "bush"
between = ["ground", "bar"]
at = [0, 0, 0]
orientation = {angle = "10 deg", axis = "y"}
stiffness = ["k", "200 N/mm", 2e5, 50, 20, 20]

[[beam]]
name = "rail"
between = ["ground", "bar"]
points = [[0.5, 0, -1], [0.5, 0, 0]]
modulus = "2 GPa"
shear_modulus = "0.8 GPa"
area = "1 cm^2"
Iy = 1e-9
Iz = 1e-9
J = 2e-9

[[contact]]
name = "floor"
body = "bar"
shape = "box"
size = ["1 m", "20 mm", "20 mm"]
stiffness = 1e6

[[rolling_disc]]
name = "roll"
body = "bar"
axis = "y"
radius = "30 cm"
"""


def test_vector_forces_in_model_files(tmp_path) -> None:
    (tmp_path / "model.toml").write_text(FILE)
    read = read_mechanism(tmp_path / "model.toml")
    assert np.diag(read.bushing[0].stiffness) == pytest.approx([2e5, 2e5, 2e5, 50, 20, 20])
    assert (read.beam[0].modulus, read.contact[0].size) == (2e9, (1.0, 0.02, 0.02))
    for suffix in ("toml", "yaml", "json"):
        write_mechanism(read, tmp_path / f"again.{suffix}")
        assert read_mechanism(tmp_path / f"again.{suffix}") == read


# ------------------------------------------------------------------------------------------------ loads, single calls
def geared() -> lw.Model:
    """Two arms with a gear between them, and forces of every kind around."""
    model = lw.Model("geared", gravity=(0, -1, -9.81))
    a = model.body("a", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    b = model.body("b", lw.rod(mass=1.0, length=1.0), at=(2.5, 0, 0))
    model.revolute("pin a", "ground", a, at=(0, 0, 0), axis="y")
    model.revolute("pin b", "ground", b, at=(2, 0, 0), axis="y")
    model.gear("gear", "pin a", "pin b", -2.0)
    forces_on(model)
    return model


def forces_on(model: lw.Model) -> None:
    model.joint_force("drive", "pin b", "3*sin(t) - 0.1*v")
    model.applied_force("wind", "b", force=("-x(b)", 0, 0), at=(0.1, 0.2, 0))
    model.spring_damper("soft", "a", "b", points=[(0.6, 0, 0), (2.1, 0, 0)], force="5*(l - 1) + v")
    model.spring_damper("plain", "ground", "a", points=[(0.6, 0, 1), (0.6, 0, 0)], stiffness=20.0, damping=1.0)
    model.bushing("bush", "a", "b", at=(1.2, 0.3, 0.2), stiffness=[30] * 3 + [2] * 3, damping=[1] * 3 + [0.2] * 3)
    model.beam("beam", "a", "b", points=[(1.0, 0, 0), (2.0, 0, 0)], modulus=1e3, shear_modulus=4e2, area=0.01,
               Iy=1e-3, Iz=1e-3, J=1e-3, damping=0.01)  # fmt: skip
    model.contact("floor", "a", at=(0.5, 0, 0), plane_at=(0, 0, 0.2), stiffness=50.0, damping=0.1, friction=0.2)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_everything_that_acts_on_a_body_is_in_balance(formulation) -> None:
    run = geared().simulate(1.0, formulation=formulation, rtol=1e-8)
    cases = {body: run.load_case(body, 0.7) for body in "ab"}
    names = {body: {load.name for load in case.loads} for body, case in cases.items()}
    common = {"gear", "soft", "bush", "beam", "weight", "inertia"}
    assert names == {"a": {"pin a", "plain", "floor"} | common, "b": {"pin b", "drive", "wind"} | common}
    for case in cases.values():
        assert np.abs(case.residual).max() < 1e-12
        gear = next(load for load in case.loads if load.name == "gear")
        assert gear.kind == "gear" and np.abs(gear.torque).max() > 0.1
    by_name = {body: {load.name: load for load in case.loads} for body, case in cases.items()}
    assert by_name["a"]["floor"].kind == "contact"
    size = {body: np.linalg.norm(by_name[body]["bush"].force) for body in "ab"}
    assert size["a"] == pytest.approx(size["b"])


def test_a_body_without_joints_has_load_cases_too() -> None:
    model = lw.Model("coin", gravity=(0, 0, -9.81))
    shape = lw.cylinder(mass=2.0, radius=0.3, length=0.05, axis="y")
    wheel = model.body("wheel", shape, at=(0, 0, 0.3), velocity=(1, 0, 0), angular_velocity=(0, 1 / 0.3, 0.5))
    model.rolling_disc("roll", wheel, radius=0.3, axis="y")
    run = model.simulate(0.3, rtol=1e-8)
    case = run.load_case("wheel", 0.2)
    assert [(load.name, load.kind) for load in case.loads[:1]] == [("roll", "rolling disc")]
    assert np.abs(case.residual).max() < 1e-12
    with pytest.raises(lw.OptionError, match="load_case"):
        run.load_cases("wheel")


def test_joint_loads_with_a_gear_agree_in_three_ways() -> None:
    run = geared().simulate(0.5, rtol=1e-9)
    for joint in ("pin a", "pin b"):
        ways = [run.reaction(joint, method=method) for method in ("non-recursive", "newton-euler", "multipliers")]
        for other in ways[1:]:
            np.testing.assert_allclose(other.force, ways[0].force, atol=1e-9)
            np.testing.assert_allclose(other.torque, ways[0].torque, atol=1e-9)
    # About the pin a gear does not change the sum of power: the torque on a is the ratio times that on b.
    case = {body: run.load_case(body, 0.3) for body in "ab"}
    gear = {body: next(load for load in c.loads if load.name == "gear") for body, c in case.items()}
    assert gear["a"].torque[1] == pytest.approx(2.0 * gear["b"].torque[1])


def test_screw_and_gear_loads_in_a_cut_joint_agree_in_three_ways() -> None:
    """A screw whose row is cut has the whole of its wrench, sliding and turning."""
    model = lw.Model("press", gravity=(0, 0, -9.81))
    ram = model.body("ram", lw.rod(mass=2.0, length=0.5), at=(0, 0, 0.3))
    model.screw("thread", "ground", ram, at=(0, 0, 0), axis="z", pitch=0.02)
    runs = [model.simulate(0.5, rtol=1e-9, formulation=f) for f in ("joint", "absolute")]
    first, second = runs[0].reaction("thread"), runs[1].reaction("thread")
    np.testing.assert_allclose(first.force, second.force, atol=1e-9)
    np.testing.assert_allclose(first.torque, second.torque, atol=1e-9)
    assert np.abs(first.force[:, 2]).max() > 1.0 and np.abs(first.torque[:, 2]).max() > 1e-3


def test_inverse_dynamics_undoes_forward_dynamics_with_every_force() -> None:
    model = lw.Model("arms", gravity=(0, -1, -9.81))
    a = model.body("a", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    b = model.body("b", lw.rod(mass=1.0, length=1.0), at=(2.5, 0, 0))
    model.revolute("pin a", "ground", a, at=(0, 0, 0), axis="y")
    model.revolute("pin b", "ground", b, at=(2, 0, 0), axis="y")
    forces_on(model)
    model.python_force("extra", lambda t, x: [x[0], 0, 1.0], ["vx(a)"], body="a")
    calls = model.calls()
    q, v, tau = np.array([0.3, -0.4]), np.array([1.0, -2.0]), np.array([0.7, -0.2])
    np.testing.assert_allclose(calls.inverse(q, v, calls.forward(q, v, tau)), tau, atol=1e-12)


# ------------------------------------------------------------------------------------------------------------ bad input
BODY = {"name": "a", "mass": 1.0, "inertia": (1, 1, 1)}
SECTION = {"modulus": 1e9, "shear_modulus": 4e8, "area": 1e-4, "Iy": 1e-9, "Iz": 1e-9, "J": 2e-9}
ENDS = {"between": ("ground", "a"), "points": ((0, 0, 0), (1, 0, 0))}


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        ("bushing", {"between": ("a", "a"), "at": (0, 0, 0), "stiffness": [1] * 6}, ("'a' with itself",)),
        ("bushing", {"between": ("ground", "a"), "stiffness": [1] * 6}, ("either by at", "frames")),
        ("bushing", {"between": ("ground", "a"), "at": (0, 0, 0), "stiffness": [1] * 5}, ("six numbers", "6 x 6")),
        ("bushing", {"between": ("ground", "a"), "at": (0, 0, 0), "stiffness": [1, 1, 1, 1, 1, -2]}, ("-2", "below 0")),
        ("bushing", {"between": ("ground", "a"), "at": (0, 0, 0), "stiffness": np.eye(6) + np.eye(6, k=1) * 0.5},
         ("not symmetric",)),
        ("bushing", {"between": ("ground", "b"), "at": (0, 0, 0), "stiffness": [1] * 6}, ("no body 'b'",)),
        ("bushing", {"between": ("ground", "a"), "frames": ("on a", "on a"), "stiffness": [1] * 6},
         ("frame 'on a' is on 'a', not on 'ground'",)),
        ("beam", {**ENDS, **SECTION, "area": 0.0}, ("area is 0",)),
        ("beam", {**ENDS, **SECTION, "Iz": 2e-9}, ("second_axis",)),
        ("beam", {**ENDS, **SECTION, "second_axis": "x"}, ("along the beam",)),
        ("beam", {**ENDS, **SECTION, "points": ((0, 0, 0), (0, 0, 0))}, ("length is 0 m",)),
        ("beam", {"between": ("ground", "a"), "frames": ("on ground", "on a"), **SECTION}, ("needs length",)),
        ("contact", {"body": "a", "stiffness": 1e5, "friction": -0.2}, ("friction is -0.2", ">= 0")),
        ("contact", {"body": "a", "stiffness": 1e5, "shape": "sphere"}, ("radius is None", "sphere needs one")),
        ("contact", {"body": "a", "stiffness": 1e5, "shape": "box", "size": (1, 0, 1)}, ("three lengths > 0",)),
        ("contact", {"body": "a", "stiffness": 1e5, "exponent": 0.5}, ("exponent 0.5", ">= 1")),
        ("contact", {"body": "a", "against": "a", "stiffness": 1e5}, ("on both sides",)),
        ("contact", {"body": "a", "against": "flor", "stiffness": 1e5}, ("no body 'flor'",)),
        ("python_force", {"body": "a", "joint": "J", "function": failing}, ("either a body or a joint",)),
        ("python_force", {"body": "a", "inputs": ("x(b)",), "function": failing}, ("'b'",)),
        ("rolling_disc", {"body": "a", "radius": 0.0, "axis": "z"}, ("radius is 0 m",)),
        ("rolling_disc", {"body": "a", "radius": 0.2, "axis": "z"}, ("lies flat",)),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(kind, said, words) -> None:
    model = lw.Model("bad", gravity=(0, 0, -9.81))
    model._elements["body"] = list(Mechanism.model_validate({"gravity": (0, 0, 0), "body": [BODY]}).body)
    model.frame("on a", "a")
    model.frame("on ground", "ground")
    with pytest.raises(lw.ModelError) as caught:
        model.add(kind, "E", **said)
        model.assemble()
    for word in ("'E'", *words):
        assert word in str(caught.value)


def test_a_wheel_of_a_plane_mechanism_turns_in_its_plane() -> None:
    model = lw.Model("wheel", gravity=(0, 0, -9.81), plane="xz")
    wheel = model.body("wheel", lw.cylinder(mass=2.0, radius=0.3, length=0.05), at=(0, 0, 0.3))
    model.rolling_disc("roll", wheel, radius=0.3, axis="x")
    with pytest.raises(lw.ModelError, match=r"rolling disc 'roll'.*normal of the plane 'xz'"):
        model.assemble()


def test_a_lumped_beam_says_what_is_wrong() -> None:
    model = lw.Model("beam", gravity=(0, 0, 0))
    wrong = (({"segments": 0}, "segments"), ({"density": 0.0}, "density is 0"), ({"end": (0, 0, 0)}, "length"))
    for more, word in wrong:
        said = {"start": (0, 0, 0), "end": (1, 0, 0), "segments": 3, "density": 1e3, **SECTION, **more}
        with pytest.raises(lw.ModelError, match=word):
            model.lumped_beam("arm", **said)
