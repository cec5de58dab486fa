"""One grammar of names: what expressions call a number, a run calls its channel; for every kind of element."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.loads.number_channels import quoted
from linkwork.errors import LinkworkError, ModelError, OptionError
from linkwork.mechanism.numbers import numbers


def machine() -> lw.Model:
    """A pendulum with blanks in its names, and a force of every kind that has a number."""
    m = lw.Model("machine", gravity=(0, 0, -9.81))
    m.body("long bar", lw.rod(mass=2.0, length=1.0), at=(0.5, 0, 0))
    m.frame("its tip", "long bar", at=(0.5, 0, 0))
    m.revolute("ram pin", m.ground, "long bar", at=(0, 0, 0), axis="y")
    m.body("block", lw.box((0.1, 0.1, 0.1), mass=1.0), at=(2, 0, 0), velocity=(0, 0, 1))
    m.prismatic("rail", m.ground, "block", at=(2, 0, 0), axis="z")
    m.spring_damper("strut", "long bar", "block", points=[(1, 0, 0), (2, 0, 0)], stiffness=50.0, damping=2.0)
    m.torsional_spring_damper("coil", "ram pin", stiffness=3.0, damping=0.1)
    m.controller("servo", "rail", "0.1*sin(t)", p=20.0, i=1.0, d=1.0)
    m.friction("rubbing", "rail", coefficient=0.1, viscous=0.5)
    m.applied_force("wind", "long bar", force=("sin(t)", 0, 1), torque=(0, "t", 0), at=(0.2, 0, 0), axes="body")
    m.bushing("rubber", "block", m.ground, stiffness=[10.0] * 6, at=(2, 0.1, 0))
    return m


def test_every_number_is_the_same_in_an_expression_and_among_the_channels():
    model = machine()
    known = list(numbers(model.mechanism))
    for k, number in enumerate(known):
        model.measure(f"m{k}", quoted(number.name))
    run = model.simulate(0.3, every=0.02, rtol=1e-9, progress=False)
    for k, number in enumerate(known):
        if number.name in ("energy.kinetic", "energy.potential"):
            continue
        measured, channel = run[f"m{k}"], run[number.name]
        scale = max(1.0, float(np.abs(measured).max()))
        np.testing.assert_allclose(channel, measured, atol=1e-7 * scale, err_msg=number.name)
        assert run.result.unit(number.name) == number.unit
        assert run.result.unit(f"m{k}") == number.unit, number.name


def test_forces_and_accelerations_have_known_values():
    """A bar that is driven at constant speed: its middle is drawn inwards by w^2 r; a spring by k times its stretch."""
    m = lw.Model("turning", gravity=(0, 0, 0))
    m.link("bar", (0, 0, 0), (1, 0, 0), mass=2.0)
    m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis="z")
    m.driver("motor", "pin", "3*t")
    m.spring_damper("spring", m.ground, "bar", points=[(2, 0, 0), (1, 0, 0)], stiffness=10.0)
    run = m.simulate(1.0, rtol=1e-10, progress=False)
    outward = np.column_stack([np.cos(3 * run.t), np.sin(3 * run.t)])
    a = np.column_stack([run["bar.acceleration.x"], run["bar.acceleration.y"]])
    np.testing.assert_allclose(a, -9.0 * 0.5 * outward, atol=1e-7)
    np.testing.assert_allclose(run["bar.angular_acceleration.z"], 0.0, atol=1e-7)
    length = np.hypot(2.0 - outward[:, 0], outward[:, 1])
    np.testing.assert_allclose(run["spring.force"], 10.0 * (length - 1.0), atol=1e-6)
    across = 2.0 * np.sin(3 * run.t) / length  # arm of the spring's line about the pin
    np.testing.assert_allclose(run["motor.torque"], 10.0 * (length - 1.0) * across, atol=1e-5)


def test_channels_are_listed_with_units_and_found_by_a_text():
    run = machine().simulate(0.05, progress=False)
    assert run.channels["ram pin.angle"] == "rad" and run.channels["strut.force"] == "N"
    assert set(run.channels("PIN.force")) == {f"ram pin.force{end}" for end in ("", ".x", ".y", ".z")}
    shown = repr(run.channels("its tip"))
    assert "its tip.position.x, .y, .z" in shown and "its tip.acceleration.x, .y, .z" in shown and "m/s2" in shown
    with pytest.raises(OptionError, match=r"no channel 'rail'; there are .*rail.distance, rail.speed"):
        run["rail"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2*pin.angel", "did you mean 'pin.angle'"),
        ("'bar.force.x'", "unknown name 'bar.force.x'"),
        ("dist(bar", r"where '\)' is needed"),
        ("dist(bar)", "takes 2 names, not 1"),
        ("forse(spring)", "unknown function 'forse'"),
    ],
)
def test_a_measure_with_an_error_is_refused_when_it_is_made(text, sentence):
    m = lw.Model("p", gravity=(0, 0, 0))
    m.link("bar", (0, 0, 0), (1, 0, 0), mass=1.0)
    m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis="z")
    m.driver("motor", "pin", "t")
    with pytest.raises(ModelError, match=sentence):
        m.measure("m", text)
    assert m.check().dof == 0  # the model is as it was
    with pytest.raises(LinkworkError):
        m.event("e", f"{text} > 0")


@pytest.mark.parametrize("text", ["dist(bar, tip)", "force(spring)", "2*later", "tip.position.x", "table(law, t)"])
def test_a_measure_may_name_what_is_made_after_it(text):
    m = lw.Model("p", gravity=(0, 0, 0))
    m.link("bar", (0, 0, 0), (1, 0, 0), mass=1.0)
    m.measure("m", text)
    with pytest.raises(ModelError, match="measure 'm'"):
        m.simulate(0.01, progress=False)
    m.frame("tip", "bar", at=(0.5, 0, 0))
    m.spring_damper("spring", m.ground, "bar", points=[(2, 0, 0), (1, 0, 0)], stiffness=10.0)
    m.measure("later", "t")
    m.table("law", [0, 1], [0, 1])
    assert np.isfinite(m.simulate(0.01, progress=False)["m"]).all()


def test_elements_can_be_replaced_and_removed():
    m = machine()
    m.replace("strut", stiffness=70.0)
    assert next(s for s in m.mechanism.spring_damper).stiffness == 70.0
    m.replace("long bar", angle="10 deg", axis="y")
    assert m.mechanism.body[0].orientation[2] == pytest.approx(np.sin(np.radians(5)))
    m.remove("strut", "rubber")
    assert not m.mechanism.spring_damper and not m.mechanism.bushing
    with pytest.raises(ModelError, match="there is no element 'strat'"):
        m.remove("strat")
    with pytest.raises(ModelError, match=r"spring.*|unknown key 'mas'"):
        m.replace("long bar", mas=1.0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"until": "1"}, r"'until' is '1'; it must be a number, in s"),
        ({"until": 1.0, "rtol": "1e-8"}, r"'rtol' is '1e-8'; it must be a number"),
        ({"until": 1.0, "method": 3}, r"'method' is 3; it must be a name"),
        ({"until": 1.0, "literal": "yes"}, r"'literal' is 'yes'; it must be True or False"),
        ({"until": True}, r"'until' is True; it must be a number"),
    ],
)
def test_options_of_a_wrong_type_get_a_sentence(options, sentence):
    with pytest.raises(OptionError, match=sentence):
        lw.library_model("pendulum").simulate(**options, progress=False)


def test_what_a_run_warns_of_is_a_python_warning():
    with pytest.warns(lw.RunWarning, match="singular position"):
        lw.library_model("four-bar", {"angle": 0.0}).simulate(0.01, progress=False)
