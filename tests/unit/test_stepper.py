"""Stepping: against whole runs and closed forms, states kept and put back, controllers at their rate, gymnasium."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import OptionError
from studied import four_bar


def cart() -> lw.Model:
    """1 kg on a rail, on which a force acts: x'' = f."""
    model = lw.Model("cart", gravity=(0, 0, 0))
    model.body("cart", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    model.prismatic("rail", model.ground, "cart", at=(0, 0, 0), axis="x")
    return model


def test_steps_follow_the_inputs():
    """A force that changes from step to step: v and x are sums, to rounding."""
    sim = cart().stepper(0.01, ["cart.force.x"], ["rail.distance", "rail.speed", "energy.kinetic"])
    assert sim.outputs == {"rail.distance": 0.0, "rail.speed": 0.0, "energy.kinetic": 0.0}
    x = v = 0.0
    for f in np.sin(np.arange(200)):
        found = sim.step({"cart.force.x": f})
        x, v = x + 0.01 * v + 0.5e-4 * f, v + 0.01 * f
        assert found["rail.distance"] == pytest.approx(x, abs=1e-12)
        assert found["rail.speed"] == pytest.approx(v, abs=1e-12)
        assert found["energy.kinetic"] == pytest.approx(0.5 * v * v, abs=1e-12)
    assert sim.t == pytest.approx(2.0)
    assert sim.inputs == {"cart.force.x": np.sin(199)}


def test_steps_are_those_of_a_run():
    """A closed loop with a spring and damper, against `simulate`, within its tolerance."""
    model = four_bar()
    names = ["A.angle", "coupler.position.z", "strut.force"]
    sim = model.stepper(0.005, outputs=names, rtol=1e-10)
    run = model.simulate(0.5, every=0.005, rtol=1e-10, progress=False)
    for k in range(1, 101):
        found = sim.step()
        assert [found[name] for name in names] == pytest.approx([run[name][k] for name in names], abs=1e-6)


def test_a_state_is_kept_and_put_back_to_the_bit():
    def go(sim, start: int) -> list[dict[str, float]]:
        return [sim.step({"coupler.force.x": np.cos(k)}) for k in range(start, start + 20)]

    sim = four_bar().stepper(0.01, ["coupler.force.x"], ["A.angle", "B.rate", "energy"])
    go(sim, 0)
    kept = sim.save()
    first = go(sim, 20)
    sim.restore(kept)
    assert go(sim, 20) == first
    sim.reset()
    assert sim.t == 0.0
    go(sim, 0)
    assert go(sim, 20) == first


def driven(**by: str) -> lw.Model:
    """The cart, moved along its rail."""
    model = cart()
    model.driver("servo", "rail", **by)
    return model


def test_drivers_follow_their_inputs():
    """A place at the end of each step; a speed; an acceleration: sums, to rounding."""
    names, dt = ["rail.distance", "rail.speed"], 0.01
    commands = 0.1 * np.sin(0.3 * np.arange(1, 60))
    sim, before = driven(motion="0").stepper(dt, ["servo"], names), 0.0
    for x in commands:
        found = sim.step({"servo": x})
        assert found["rail.distance"] == pytest.approx(x, abs=1e-12)
        assert found["rail.speed"] == pytest.approx((x - before) / dt, abs=1e-9)
        before = x
    assert sim.step()["rail.distance"] == pytest.approx(before, abs=1e-12)  # held
    assert sim.inputs == {"servo": before}
    for model, name in ((driven(motion="0"), "servo.rate"), (driven(velocity="0"), "servo")):
        sim, x = model.stepper(dt, [name], names), 0.0
        for rate in commands:
            x += dt * rate
            assert sim.step({name: rate})["rail.distance"] == pytest.approx(x, abs=1e-11)
    sim, x, v = driven(motion="0").stepper(dt, ["servo.acceleration"], names), 0.0, 0.0
    for a in commands:
        found = sim.step({"servo.acceleration": a})
        x, v = x + dt * v + 0.5 * dt * dt * a, v + dt * a
        assert (found["rail.distance"], found["rail.speed"]) == pytest.approx((x, v), abs=1e-11)


def test_a_driven_state_is_kept_to_the_bit():
    sim = driven(motion="0.2*t").stepper(0.01, ["servo.acceleration"], ["rail.distance", "rail.speed"])
    sim.step({"servo.acceleration": 2.0})
    kept = sim.save()
    first = [sim.step({"servo.acceleration": float(k)}) for k in range(5)]
    sim.restore(kept)
    assert sim.inputs == {"servo.acceleration": 2.0}
    assert [sim.step({"servo.acceleration": float(k)}) for k in range(5)] == first


def test_inputs_of_drivers_that_cannot_be_are_refused():
    with pytest.raises(OptionError, match="has another input already"):
        driven(motion="0").stepper(0.1, ["servo", "servo.rate"])
    with pytest.raises(OptionError, match="is no driver by motion"):
        driven(velocity="0").stepper(0.1, ["servo.rate"])
    with pytest.raises(OptionError, match="driver by acceleration"):
        driven(acceleration="1").stepper(0.1, ["servo"])


def test_a_controller_has_its_own_rate():
    """A discrete controller every 0.05 s on steps of 0.01 s: f = -4 x - 2 v, against the sampled-data recursion."""
    model = cart()
    sim = model.stepper(0.01, ["cart.force.x"], ["rail.distance", "rail.speed"])
    called = []

    def law(t, outputs):
        called.append(t)
        return {"cart.force.x": 1.0 - 4.0 * outputs["rail.distance"] - 2.0 * outputs["rail.speed"]}

    sim.controller(law, every=0.05)
    x = v = 0.0
    for k in range(200):
        if k % 5 == 0:
            f = 1.0 - 4.0 * x - 2.0 * v
        found = sim.step()
        x, v = x + 0.01 * v + 0.5e-4 * f, v + 0.01 * f
        assert found["rail.distance"] == pytest.approx(x, abs=1e-12)
    assert called == pytest.approx(np.arange(0.0, 2.0, 0.05))
    with pytest.raises(OptionError, match=r"every 0.015 s, no multiple of the step of 0.01 s"):
        sim.controller(law, every=0.015)


def test_events_end_the_steps_and_bad_names_are_refused():
    model = cart()
    model.event("far", "rail.distance > 0.1", "stop")
    sim = model.stepper(0.1, {"cart.force.x": "1 N"}, until=1.0)
    while not sim.ended:
        sim.step()
    assert sim.outputs["rail.distance"] < 0.11
    with pytest.raises(OptionError, match="the motion has ended"):
        sim.step()
    sim = cart().stepper(0.1, ["cart.force.x"], until=0.3)
    for _ in range(3):
        sim.step()
    with pytest.raises(OptionError, match=r"the stepper ends at t = 0.3 s"):
        sim.step()
    with pytest.raises(OptionError, match=r"no input 'cart.forc.x'; did you mean 'cart.force.x'"):
        sim.set({"cart.forc.x": 1.0})
    for wrong in ("a", "1", [1.0], None, float("nan"), 1j):
        with pytest.raises(OptionError, match=r"input 'cart.force.x' is .*; it must be a finite number"):
            sim.set({"cart.force.x": wrong})
    with pytest.raises(OptionError, match=r"inputs are 1.0; give a dict of names and numbers, \{'cart.force.x': 0.0\}"):
        sim.set(1.0)
    with pytest.raises(OptionError, match=r"no output 'rail.distanc'; did you mean 'rail.distance'"):
        cart().stepper(0.1, outputs=["rail.distanc"])


def test_states_of_others_and_actions_of_another_shape_are_refused():
    sim = cart().stepper(0.01, ["cart.force.x"])
    with pytest.raises(OptionError, match="saved by a stepper of another model"):
        sim.restore(four_bar().stepper(0.01).save())
    with pytest.raises(OptionError, match=r"state is 3; give one that save\(\) has returned"):
        sim.restore(3)
    pytest.importorskip("gymnasium")
    make = {"dt": 0.05, "inputs": {"cart.force.x": (-5.0, 5.0)}, "outputs": ["rail.distance"]}
    env, many = cart().environment(**make), cart().environment(**make, count=3)
    env.reset(), many.reset()
    with pytest.raises(OptionError, match=r"shape \(2,\); give \(1,\): a number for each of cart.force.x\n"):
        env.step(np.zeros(2))
    with pytest.raises(OptionError, match=r"shape \(3,\); give \(3, 1\): .*, of every environment\n"):
        many.step(np.zeros(3))
    many.close()


def test_gymnasium_checks_the_environment_and_many_are_as_one():
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    def reward(outputs, inputs):
        return -abs(outputs["rail.distance"] - 0.1)

    asked = {"reward": reward, "done": lambda outputs: outputs["rail.distance"] > 0.5, "until": 1.0}
    make = {"dt": 0.05, "inputs": {"cart.force.x": (-5.0, 5.0)}, "outputs": ["rail.distance", "rail.speed"]}
    env = cart().environment(**make, **asked)
    check_env(env, skip_render_check=True)
    many = cart().environment(**make, **asked, count=4, threads=2)
    assert isinstance(many, gymnasium.vector.VectorEnv)
    rng = np.random.default_rng(0)
    actions = rng.uniform(-5.0, 5.0, (30, 4, 1))
    alone = []
    for k in range(4):
        env.reset(seed=k)
        over, rows = False, []
        for action in actions[:, k]:
            if over:
                rows.append(env.reset()[0])
                over = False
                continue
            seen, _, done, cut, _ = env.step(action)
            over = done or cut
            rows.append(seen)
        alone.append(rows)
    many.reset(seed=0)
    together = np.array([many.step(action)[0] for action in actions])
    np.testing.assert_array_equal(together, np.array(alone).transpose(1, 0, 2))
    arrays = cart().environment(**make, **asked, count=4, engine="threads")
    assert isinstance(arrays, gymnasium.vector.VectorEnv)
    first, _ = arrays.reset(seed=0)
    np.testing.assert_array_equal(first, np.zeros((4, 2)))
    many.reset(seed=0)
    for action in actions:
        for one, other in zip(arrays.step(action)[:4], many.step(action)[:4], strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9)
    many.close()
    with pytest.raises(OptionError, match="engine is 'gpu', and there is no count"):
        cart().environment(**make, engine="gpu")
    with pytest.raises(OptionError, match="start is a function of one stepper"):
        cart().environment(**make, count=2, engine="threads", start=lambda stepper, random: None)


def test_inputs_go_where_they_belong_beside_expressions():
    """Programs and coordinates that stand before them in the tables: x'' = f - x, from rest with f = 1."""
    model = cart()
    model.measure("far", "3*x(cart)^2 + 1 + sin(t) + vx(cart)")
    model.applied_force("wind", "cart", force=("0.0*far + 0.0*sin(x(cart))", 0, 0))
    model.joint_force("spring", "rail", "-rail.distance")
    sim = model.stepper(0.1, ["cart.force.x"], ["rail.distance"], rtol=1e-10)
    for _ in range(20):
        found = sim.step({"cart.force.x": 1.0})
    assert found["rail.distance"] == pytest.approx(1.0 - np.cos(2.0), abs=1e-8)
