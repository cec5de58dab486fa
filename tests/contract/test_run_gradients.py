"""Gradients of runs: closed forms, jumps of every kind, and random mechanisms against runs made anew."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.gradients.simulation import run_slopes
from linkwork.analyses.gradients.starts import started, starts_beside
from linkwork.analyses.gradients.varied_run import VariedRun
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import LinkworkError
from linkwork.files.nearby import Nearby
from linkwork.files.settings import changed, field_value
from linkwork.library.by_name.gradients import value_and_grad
from linkwork.mechanism import Mechanism
from linkwork.studies.slopes import value_and_gradient
from random_mechanisms.anything import anything

G = 9.81
Settings = Mapping[str, float]


def on_a_guide(s: Settings, force: str | None = None, **more: object) -> lw.Model:
    """A mass on a straight guide, `rate` its speed at the start; along z it falls."""
    model = lw.Model("mass", gravity=(0.0, 0.0, -G))
    mass = model.body("mass", lw.rod(mass=s.get("mass", 1.0), length=1.0))
    model.prismatic("x", model.ground, mass, at=(0, 0, 0), axis=str(more.get("axis", "x")), rate=s.get("rate", 0.0))
    if force is not None:
        model.joint_force("push", "x", force)
    return model


def gradient(
    build: Callable[[Settings], lw.Model], settings: Settings, outputs: list[str], **options: object
) -> np.ndarray:
    """[output, parameter] at the settings."""
    function = value_and_gradient(lambda s: build(s).mechanism, outputs, list(settings), **{"rtol": 1e-11, **options})
    found = function(np.array(list(settings.values())))
    assert not found.reasons
    return found.gradient


# -- closed forms -----------------------------------------------------------------------------------------------------
def test_a_mass_on_a_spring() -> None:
    """x = v0 sin(w t) / w, w^2 = k / m."""
    m, k, v0, t = 1.3, 7.0, 0.7, 2.0
    found = gradient(
        lambda s: on_a_guide(s, f"-{s['k']!r}*q"), {"mass": m, "k": k, "rate": v0}, ["end(x.distance)"], until=t
    )[0]
    w = math.sqrt(k / m)
    by_w = v0 * (t * math.cos(w * t) / w - math.sin(w * t) / w**2)
    expected = [by_w * -w / (2 * m), by_w * w / (2 * k), math.sin(w * t) / w]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def pendulum(length: float = 2.0, angle: float = 1.0) -> lw.Model:
    """A bar of 1 kg and J = 0.1 kg m2 on a pin, `angle` (rad) from hanging down."""
    model = lw.Model("pendulum", gravity=(0.0, 0.0, -G))
    at = (length / 2 * math.sin(angle), 0, -length / 2 * math.cos(angle))
    model.body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), at=at, angle=math.pi / 2 - angle, axis="y")
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y")
    return model


def test_the_speed_of_a_pendulum_at_its_lowest_point() -> None:
    """w^2 = g l (1 - cos(angle)) / (J + l^2 / 4): an extreme between samples, by the envelope theorem."""
    f = value_and_grad(pendulum, "peak(pin.rate)", ["length", "angle"], until=1.0, rtol=1e-10, every=1e-3)
    l, angle, J = 2.0, 1.0, 0.1
    w, slopes = f(f.x0)
    square = G * l * (1 - math.cos(angle)) / (J + l**2 / 4)
    assert w == pytest.approx(math.sqrt(square), rel=1e-9)
    by_length, by_angle = square / l - square * l / 2 / (J + l**2 / 4), G * l * math.sin(angle) / (J + l**2 / 4)
    np.testing.assert_allclose(slopes, [by_length / (2 * w), by_angle / (2 * w)], rtol=1e-6)


def test_a_thrown_body() -> None:
    """Through quaternions and nothing else: x = v t, z = -g t^2 / 2."""

    def thrown(s: Settings) -> lw.Model:
        model = lw.Model("thrown", gravity=(0.0, 0.0, s["gravity"]))
        model.body(
            "stone", lw.box(mass=2.0, size=(0.1, 0.2, 0.3)), velocity=(s["speed"], 0, 0), angular_velocity=(3, 1, 2)
        )
        return model

    outputs = ["end(stone.position.x)", "end(stone.position.z)", "at(stone.position.x, 0.25)"]
    found = gradient(thrown, {"speed": 3.0, "gravity": -G}, outputs, until=0.5)
    np.testing.assert_allclose(found, [[0.5, 0.0], [0.0, 0.125], [0.25, 0.0]], atol=1e-10)


# -- jumps ------------------------------------------------------------------------------------------------------------
def test_a_force_that_ends_at_a_time() -> None:
    """x = v0 t + F (t1 t - t1^2 / 2) / m after t1."""
    m, F, t1, v0, t = 1.3, 2.0, 0.5, 0.7, 1.5
    found = gradient(
        lambda s: on_a_guide(s, f"if(t < {s['t1']!r}, {s['F']!r}, 0)"), {"t1": t1, "F": F, "mass": m, "rate": v0},
        ["end(x.distance)", "end(x.speed)"], until=t,
    )  # fmt: skip
    moved = t1 * t - t1**2 / 2
    expected = [[F * (t - t1) / m, moved / m, -F * moved / m**2, t], [F / m, t1 / m, -F * t1 / m**2, 1.0]]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_force_that_changes_at_a_place() -> None:
    """Before the wall v^2 = v0^2 + 2 F w / m; behind it a constant force 2 against the motion."""
    w, F, v0, t = 0.5, 1.0, 0.7, 1.5

    def end(w: float, F: float, v0: float) -> np.ndarray:
        v = np.sqrt(v0**2 + 2 * F * w)
        rest = t - (v - v0) / F
        return np.array([w + v * rest - rest**2, v - 2 * rest])

    found = gradient(
        lambda s: on_a_guide(s, f"if(q < {s['w']!r}, {s['F']!r}, -2)"), {"w": w, "F": F, "rate": v0},
        ["end(x.distance)", "end(x.speed)"], until=t,
    )  # fmt: skip
    h = 1e-30j  # the closed form by complex steps
    expected = [end(w + h, F, v0).imag, end(w, F + h, v0).imag, end(w, F, v0 + h).imag]
    np.testing.assert_allclose(found, np.array(expected).T / 1e-30, rtol=1e-9)


def test_a_ball_through_several_blows() -> None:
    """Each time that it has fallen by h a blow J throws it up; flights are parabolas, and the blows take no time."""
    h, J, m, t = 0.5, 6.0, 1.2, 3.1

    def end(h: complex, J: complex, m: complex) -> np.ndarray:
        fall = np.sqrt(2 * h / G)
        now, v, count = fall, -G * fall + J / m, 0
        while (now + 2 * v / G).real < t:
            now, v, count = now + 2 * v / G, -v + J / m, count + 1
        assert count > 1
        return np.array([-h + v * (t - now) - G * (t - now) ** 2 / 2, v - G * (t - now)])

    def model(s: Settings) -> lw.Model:
        found = on_a_guide(s, axis="z")
        found.event("blow", f"coordinate(x) < -{s['h']!r}", "impulse", body="mass", impulse=(0, 0, s["J"]))
        return found

    found = gradient(model, {"h": h, "J": J, "mass": m}, ["end(x.distance)", "end(x.speed)"], until=t)
    e = 1e-30j
    expected = np.array([end(h + e, J, m).imag, end(h, J + e, m).imag, end(h, J, m + e).imag]).T / 1e-30
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def locked(s: Settings) -> lw.Model:
    """A double pendulum whose second joint locks at a time."""
    model = lw.Model("two", gravity=(0.0, 0.0, -G))
    model.body("a", lw.rod(mass=s["mass"], length=1.0), at=(0.5, 0, 0))
    model.body("b", lw.rod(mass=1.0, length=1.0), at=(1.5, 0, 0))
    model.revolute("p", model.ground, "a", at=(0, 0, 0), axis="y")
    model.revolute("q", "a", "b", at=(1, 0, 0), axis="y", rate=s["rate"])
    model.lock("hold", "q", since=s["when"])
    return model


def struck(s: Settings) -> lw.Model:
    """A mass on a spring with dry friction, and a blow at a time."""
    model = on_a_guide(s, f"-{s['k']!r}*abs(q)*q - 0.3*sign(v)")
    model.impulse("blow", "mass", s["when"], impulse=(s["J"], 0, 0))
    return model


def rubbing(s: Settings) -> lw.Model:
    """A double pendulum with friction that the loads of its joints make."""
    model = lw.Model("rubbing", gravity=(0.0, 0.0, -G))
    model.body("a", lw.rod(mass=s["mass"], length=1.0), at=(0.5, 0, 0))
    model.body("b", lw.rod(mass=1.0, length=1.0), at=(1.5, 0, 0))
    model.revolute("p", model.ground, "a", at=(0, 0, 0), axis="y")
    model.revolute("q", "a", "b", at=(1, 0, 0), axis="y")
    model.friction("f", "p", coefficient=s["mu"], radius=s["radius"], smoothing=0.05)
    model.friction("g", "q", coefficient=0.2, radius=0.05, smoothing=0.1, viscous=0.01)
    return model


def bouncing(s: Settings) -> lw.Model:
    """Through impacts of finite stiffness."""
    return lw.library_model("bouncing-ball", s)


@pytest.mark.parametrize(
    ("build", "settings", "outputs", "until"),
    [
        (locked, {"mass": 1.5, "when": 0.3, "rate": 0.4}, ["end(p.angle)", "end(q.angle)", "end(p.rate)"], 0.8),
        (struck, {"k": 9.0, "when": 0.4, "J": 2.0, "rate": 0.7}, ["end(x.distance)", "end(x.speed)"], 1.5),
        (rubbing, {"mass": 1.5, "mu": 0.3, "radius": 0.06}, ["end(p.angle)", "end(q.rate)"], 0.6),
        (bouncing, {"height": 1.0, "speed": 0.5, "stiffness": 1e6}, ["end(height)", "end(spin)"], 0.8),
    ],
    ids=["lock", "blow", "friction", "contact"],
)
def test_runs_made_anew_have_the_same_slopes(build, settings, outputs, until) -> None:
    names = list(settings)
    found = gradient(build, settings, outputs, until=until)

    def anew(name: str, value: float) -> np.ndarray:
        run = simulate(build({**settings, name: value}).mechanism, Options(until=until, rtol=1e-12))
        return np.array([run.channel(text[4:-1])[-1] for text in outputs])

    for k, name in enumerate(names):
        x = settings[name]
        expected = differences(partial(anew, name), x, 1e-4 * x)
        np.testing.assert_allclose(found[:, k], expected, rtol=2e-6, atol=1e-7 * np.abs(anew(name, x)).max() / x)


def differences(value: Callable[[float], np.ndarray], x: float, h: float) -> np.ndarray:
    """Of fourth order."""
    a, b, c, d = (value(x + k * h) for k in (-2, -1, 1, 2))
    return (a - 8 * b + 8 * c - d) / (12 * h)


# -- random mechanisms ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", [1, 2, 4, 6, 9, 13, 22, 27])
def test_random_mechanisms(seed: int) -> None:
    """Trees, closed loops, redundant constraints, drivers, springs: mass, geometry and gravity."""
    compare_with_runs_made_anew(anything(seed).mechanism(), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40, 140))
def test_many_random_mechanisms(seed: int) -> None:
    compare_with_runs_made_anew(anything(seed).mechanism(), seed)


def compare_with_runs_made_anew(mechanism: Mechanism, seed: int) -> None:
    """Coordinates and velocities at all samples, as far as differences of runs agree among themselves.

    Loops that close only nearly are met by least squares, and of masses that differ by 1e12 few digits are left: less
    there.
    """
    rng, times = np.random.default_rng(seed), np.linspace(0.0, 0.25, 11)
    body, build = mechanism.body[int(rng.integers(len(mechanism.body)))].name, partial(changed, mechanism)
    try:
        result = simulate(mechanism, Options(until=0.25, rtol=1e-10), times=times)
    except LinkworkError:
        pytest.skip("no run")
    if result.certificate.status != "finished" or result.certificate.singular:
        pytest.skip("a run without a gradient")
    masses = [one.mass_kg for one in mechanism.body]
    rounding = 4.0 * np.finfo(float).eps * max(masses) / min(masses)  # of the lightest body's share in M v_dot
    close, compared = max(1e-4 if result.certificate.misfits else 1e-7, rounding), 0
    for name in (f"{body}.mass", f"{body}.at.0", "gravity.2"):
        try:
            x = mechanism.gravity[2] if name == "gravity.2" else field_value(mechanism, name)
            if not x:
                continue
            varied = run_slopes(result, build, {name: x}, [name])
            runs = [partial(_states, build, name, times), 1e-3 * abs(x)]
            rough, fine = (differences(runs[0], x, h) for h in (runs[1], runs[1] / 2))
        except LinkworkError:
            continue
        channels = [*result.names["q"], *result.names["v"]]
        found = np.stack([varied.number(channel).slope[:, 0] for channel in channels], axis=-1)
        scale = max(np.abs(fine).max(), 1e-3 * np.abs(result.q).max() / abs(x))
        assert np.abs(found - fine).max() < close * scale + 20 * np.abs(rough - fine).max(), name
        compared += 1
    if not compared:
        pytest.skip("no parameter to compare")


def _states(build: Callable[[Settings], Mechanism], name: str, times: np.ndarray, value: float) -> np.ndarray:
    run = simulate(build({name: value}), Options(until=float(times[-1]), rtol=1e-12), times=times)
    return np.hstack([run.q, run.v])


@pytest.mark.parametrize(
    ("name", "until", "parameters"),
    [
        ("slider-crank", 0.1, ["crank.mass", "wrist pin.at.0", "crank pin.at.0", "gravity.2"]),
        ("quick-return", 0.7, ["crank pin.at.0", "slot.at.2", "gravity.2"]),
        ("four-bar", 0.15, ["coupler.at.0", "rocker.at.2", "gravity.2"]),
    ],
)
def test_in_the_plane_as_in_space(name: str, until: float, parameters: list[str]) -> None:
    model, outputs = lw.library_model(name), ["end(energy.kinetic)", "max(energy.potential)", "mean(energy)"]
    outputs += [f'end("{joint.name}.force.x")' for joint in model.mechanism.joint[:2]]
    runs = [model.simulate(until, rtol=1e-10, planar=planar, progress=False) for planar in (True, False)]
    assert "planar" in runs[0].certificate.why and "planar" not in runs[1].certificate.why
    plane, space = (run.gradient(outputs, parameters, mode="forward").gradient for run in runs)
    assert np.abs(space).min(axis=1).max() > 0.0
    np.testing.assert_allclose(plane, space, rtol=1e-7, atol=1e-7 * np.abs(space).max())


def test_the_place_of_a_gyroscope_does_not_shorten_its_steps() -> None:
    """It changes nothing in the motion: what differences leave is rounding, which spins as fast as the wheel."""
    model, times = lw.library_model("gyroscope"), np.linspace(0.0, 0.5, 51)
    near, options = Nearby(model.mechanism, ["vertical.at.2"]), Options(until=0.5, rtol=1e-8)
    start = started(model.mechanism, options)
    steps = simulate(model.mechanism, options, times=times).certificate.steps
    run = VariedRun(start, starts_beside(near, near.values, ["vertical.at.2"], start, options), options, times, steps)
    run.go()
    assert run.control[0]["steps"] < 1.1 * steps


def test_both_formulations_have_the_same_slopes() -> None:
    """Of a closed loop with redundant rows: other coordinates, other tables, other sensitivities."""
    outputs = ["end(slider.position.x)", "end(crank.angular_velocity.y)", "mean(energy)", 'mean("guide.force.z")']
    found = [
        gradient(
            lambda s: lw.library_model("slider-crank", s), {"crank": 0.1, "rod_length": 0.31, "speed": 21.6}, outputs,
            until=0.2, formulation=formulation, rtol=1e-10,
        )
        for formulation in ("joint", "absolute")
    ]  # fmt: skip
    np.testing.assert_allclose(found[0], found[1], rtol=1e-7, atol=1e-8 * np.abs(found[0]).max())


# -- what has no gradient ---------------------------------------------------------------------------------------------
def test_a_singular_position_ends_the_slopes() -> None:
    """The parallelogram passes its flat position, where branches meet: numbers before it, none after."""
    outputs = ["at(A.angle, 0.1)", "at(A.force.x, 0.1)", "end(A.angle)", "end(A.force.x)"]
    function = value_and_gradient(
        lambda s: lw.library_model("four-bar", s).mechanism, outputs, ["coupler"], until=0.3, rtol=1e-8
    )
    found = function(np.array([2.0]))
    assert np.isfinite(found.values).all()
    assert np.isfinite(found.gradient[:2]).all() and np.isnan(found.gradient[2:]).all()
    assert "no derivative here: at t = 0.178" in found.reasons[0]
    with pytest.raises(lw.NumericalError, match="singular position"):
        value_and_grad("four-bar", "end(A.angle)", ["coupler"], until=0.3)([2.0])


def test_beyond_a_singular_position_nothing_is_integrated() -> None:
    """A sensitivity that ran on would come to a dead centre at 1.34 s."""
    run = lw.library_model("four-bar").simulate(3.0, rtol=1e-8, every=0.06, progress=False)
    found = run.gradient(["at(A.angle, 0.06)", "end(A.angle)"], ["crank.length"], mode="forward")
    assert np.isfinite(found.gradient[0]).all()
    assert np.isnan(found.gradient[1]).all()
    assert "at t = 0.178848 s the mechanism passes a singular position" in found.reasons[0]


def test_a_condition_that_grazes_its_threshold() -> None:
    """A mass thrown up to exactly where its force would change."""
    top = 1.0**2 / (2 * G)
    function = value_and_gradient(
        lambda s: on_a_guide({"rate": 1.0}, f"if(q > {s['at']!r}, 5, 0)", axis="z").mechanism, ["end(x.distance)"],
        ["at"], until=0.25, rtol=1e-8,
    )  # fmt: skip
    found = function(np.array([top * (1.0 - 1e-13)]))
    assert np.isnan(found.gradient).all() and np.isfinite(found.values).all()
    assert "at t = 0.101937 s a contact or a condition grazes its threshold" in found.reasons[0]
    through = function(np.array([0.5 * top]))
    assert np.isfinite(through.gradient).all() and abs(through.gradient[0, 0]) > 0.01


@pytest.mark.parametrize(
    ("options", "words"), [({"literal": True}, "literal"), ({"until": None}, "no end time")], ids=["literal", "end"]
)
def test_options_that_forbid_a_gradient(options, words) -> None:
    model = on_a_guide({}, "-q")
    with pytest.raises(lw.OptionError, match=words):
        model.gradient(["end(x.distance)"], ["mass.mass"], **{"until": 1.0, **options})


@pytest.mark.slow
def test_a_stiff_motion_ends_with_a_message() -> None:
    """The run goes on by generalized-alpha, the sensitivities cannot."""
    model = lw.Model("stiff", gravity=(0.0, 0.0, -G))
    model.body("a", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    model.body("b", lw.rod(mass=1e-3, length=0.1), at=(1.05, 0, 0))
    model.revolute("p", model.ground, "a", at=(0, 0, 0), axis="y")
    model.revolute("q", "a", "b", at=(1, 0, 0), axis="y")
    model.torsional_spring_damper("s", "q", stiffness=1e5, damping=1e4)
    with pytest.raises(lw.NumericalError, match="the sensitivities are stiff"):
        model.gradient(["end(p.angle)"], ["a.mass"], until=1.0)


def test_a_run_knows_the_parameters_of_its_model(tmp_path) -> None:
    """As its model does: of the library and of a file, beside fields; also after it has travelled."""
    outputs, names = ["end(slider.position.x)", "peak(crank.angular_velocity.y)"], ["crank", "speed", "slider.mass"]
    model = lw.library_model("slider-crank", {"speed": 15.0})
    model.save(tmp_path / "own.toml")
    expected = model.gradient(outputs, names, until=0.2, rtol=1e-9).gradient
    for made in (model, lw.Model.read(tmp_path / "own.toml")):
        run = made.simulate(0.2, rtol=1e-9, progress=False)
        np.testing.assert_allclose(run.gradient(outputs, names).gradient, expected, rtol=1e-9)
        run.result.channels()
        travelled = pickle.loads(pickle.dumps(run)).gradient(outputs, names).gradient
        np.testing.assert_allclose(travelled, expected, rtol=1e-9)
    with pytest.raises(lw.OptionError, match="no parameter 'spead'; did you mean 'speed'"):
        run.gradient(outputs, ["spead"])


def test_names_are_refused_with_the_nearest() -> None:
    model = on_a_guide({"rate": 1.0}, "-q")
    run = model.simulate(0.5, progress=False)
    with pytest.raises(lw.OptionError, match="there is no element 'mas'"):
        run.gradient(["end(x.distance)"], ["mas.mass"])
    with pytest.raises(lw.OptionError, match=r"x\.distance"):
        run.gradient(["end(x.distanc)"], ["mass.mass"])
    found = run.gradient(["end(x.distance)"], ["mass.mass", "x.rate"])
    assert found.gradient.shape == (1, 2)
