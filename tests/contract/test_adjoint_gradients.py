"""Gradients by the adjoint equation: closed forms, and those of forward mode through loops, events and contacts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.gradients.adjoint import gradient
from linkwork.analyses.gradients.adjoint.gradient import adjoint_slopes
from linkwork.analyses.gradients.adjoint.parameters import Parameters, codewords, which
from linkwork.analyses.gradients.simulation import run_slopes
from linkwork.analyses.gradients.starts import started
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import LinkworkError, OptionError
from linkwork.files.settings import changed, field_value
from linkwork.mechanism import Mechanism
from linkwork.studies.slopes import Slopes, value_and_gradient
from random_mechanisms.anything import anything

G = 9.81
Settings = Mapping[str, float]


def both(
    build: Callable[[Settings], lw.Model], settings: Settings, outputs: list[str], **options: object
) -> list[Slopes]:
    """By both modes."""
    options = {"rtol": 1e-10, **options}
    x = np.array(list(settings.values()))
    return [
        value_and_gradient(lambda s: build(s).mechanism, outputs, list(settings), mode=mode, **options)(x)
        for mode in ("forward", "adjoint")
    ]


def agree(found: list[Slopes], close: float = 1e-8) -> None:
    """Each output on the scale of its largest slope."""
    forward, adjoint = found
    np.testing.assert_array_equal(forward.values, adjoint.values)
    scale = np.abs(forward.gradient).max(axis=1, keepdims=True)
    assert np.isfinite(forward.gradient).all()
    assert np.abs(forward.gradient - adjoint.gradient).max() < np.inf
    np.testing.assert_array_less(np.abs(forward.gradient - adjoint.gradient) / scale, close)


def on_a_guide(s: Settings, force: str, axis: str = "x") -> lw.Model:
    """A mass on a straight guide, `rate` its speed at the start; along z it falls."""
    model = lw.Model("mass", gravity=(0.0, 0.0, -G))
    mass = model.body("mass", lw.rod(mass=s.get("mass", 1.0), length=1.0))
    model.prismatic("x", model.ground, mass, at=(0, 0, 0), axis=axis, rate=s.get("rate", 0.0))
    model.joint_force("push", "x", force)
    return model


def test_a_mass_on_a_spring() -> None:
    """x = v0 sin(w t) / w, w^2 = k / m."""
    m, k, v0, t = 1.3, 7.0, 0.7, 2.0
    found = both(
        lambda s: on_a_guide(s, f"-{s['k']!r}*q"), {"mass": m, "k": k, "rate": v0}, ["end(x.distance)"], until=t
    )
    w = math.sqrt(k / m)
    by_w = v0 * (t * math.cos(w * t) / w - math.sin(w * t) / w**2)
    np.testing.assert_allclose(
        found[1].gradient[0], [-by_w * w / (2 * m), by_w * w / (2 * k), math.sin(w * t) / w], rtol=1e-9
    )


def chain(s: Settings) -> lw.Model:
    """Three links with springs, dampers and a torque by an expression of time and state."""
    model = lw.Model("chain", gravity=(0.0, 0.0, -G))
    before = model.ground
    for k in range(3):
        link = model.body(f"link{k}", lw.rod(mass=s["mass"], length=s["length"]), at=((k + 0.5) * s["length"], 0, 0))
        model.revolute(f"p{k}", before, link, at=(k * s["length"], 0, 0), axis="y", rate=s["rate"])
        model.torsional_spring_damper(f"s{k}", f"p{k}", stiffness=s["stiffness"], damping=0.4)
        before = link
    model.joint_force("motor", "p0", f"{s['torque']!r}*sin(3*t)*tanh(q)")
    return model


def test_outputs_of_every_kind() -> None:
    """Values at times, extremes, integrals, crossings, loads."""
    outputs = [
        "end(p0.angle)", "peak(p1.rate)", "integral(p2.angle)", "at(p1.angle, 0.31)", "max(abs(p0.force))",
        "mean(energy)", "end(link2.position.z)", 'time_when("p0.angle > 0.1")', "at(p1.rate, 0) + 2*end(p2.rate)",
    ]  # fmt: skip
    settings = {"mass": 1.2, "length": 0.7, "rate": 0.3, "stiffness": 6.0, "torque": 2.0}
    agree(both(chain, settings, outputs, until=0.8, every=0.04))


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_closed_loop_with_redundant_rows(formulation: str) -> None:
    outputs = ["end(slider.position.x)", "end(crank.angular_velocity.y)", 'end("guide.force.z")', "peak(energy)"]
    settings = {"crank": 0.1, "rod_length": 0.31, "speed": 21.6}
    agree(both(lambda s: lw.library_model("slider-crank", s), settings, outputs, until=0.1, formulation=formulation))


def falls_on_a_spring(s: Settings) -> lw.Model:
    """A contact: a force that begins with a jump where the mass has fallen so far, and ends at a time."""
    return on_a_guide(s, f"if(q < {s['w']!r}, 40 - {s['k']!r}*q, if(t < {s['end']!r}, {s['F']!r}, 0))", axis="z")


CASES: dict[str, tuple[Callable[[Settings], lw.Model], Settings, list[str], float]] = {
    "events": (
        falls_on_a_spring, {"w": -0.3, "k": 9.0, "F": 3.0, "end": 0.2, "rate": 0.5, "mass": 1.1},
        ["end(x.distance)", "end(x.speed)", "integral(x.speed)"], 1.1,
    ),
    "contact": (
        lambda s: lw.library_model("bouncing-ball", s), {"height": 1.0, "speed": 0.5, "stiffness": 1e5},
        ["end(height)", "end(spin)"], 0.55,
    ),
    "flexible": (
        lambda s: lw.library_model("four-bar-flexible", s), {"coupler": 2.0, "damping": 0.01},
        ["end(A.angle)", "end(A.rate)"], 0.02,
    ),
    "driver": (
        lambda s: lw.library_model("quick-return", s), {"crank": 0.2, "speed": 6.283},
        ["end(ram.position.x)", "end(energy)"], 0.3,
    ),
}  # fmt: skip


LONG = ("contact", "flexible")
ROUNDING = 3e-12  # of a channel over a parameter: what differences of four places are off, theory (13.3)


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow) if case in LONG else case for case in CASES]
)
def test_forward_mode_has_the_same_slopes(case: str) -> None:
    """Through instants that move, a law that begins as a root does, flexible bodies, drivers."""
    build, settings, outputs, until = CASES[case]
    agree(both(build, settings, outputs, until=until), 1e-8)


# -- random mechanisms ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", [2, 4, 9])
def test_random_mechanisms(seed: int) -> None:
    """Trees, closed loops, redundant constraints, drivers, springs."""
    compare(anything(seed).mechanism(), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40, 140))
def test_many_random_mechanisms(seed: int) -> None:
    compare(anything(seed).mechanism(), seed)


def compare(mechanism: Mechanism, seed: int) -> None:
    """The last coordinate and velocity, and the energy, at two samples."""
    rng, times, build = np.random.default_rng(seed), np.linspace(0.0, 0.25, 11), partial(changed, mechanism)
    body = mechanism.body[int(rng.integers(len(mechanism.body)))].name
    try:
        result = simulate(mechanism, Options(until=0.25, rtol=1e-11), times=times)
    except LinkworkError:
        pytest.skip("no run")
    masses = [one.mass_kg for one in mechanism.body]
    if result.certificate.status != "finished" or result.certificate.singular or max(masses) > 1e8 * min(masses):
        pytest.skip("a run without a gradient")
    names = [name for name in (f"{body}.mass", f"{body}.at.0", "gravity.2") if _moves(mechanism, name)]
    settings = {name: _value(mechanism, name) for name in names}
    try:
        forward = run_slopes(result, build, settings, names)
        reverse = adjoint_slopes(result, build, settings, names)
        channels = [result.names["q"][-1], result.names["v"][-1], "energy"]
        weights = [{channel: np.eye(11)[k]} for channel in channels for k in (4, 10)]
        found = reverse.gradients(weights)
    except OptionError as refused:
        pytest.skip(refused.message)
    except LinkworkError:
        pytest.skip("no gradient")
    expected = np.array([forward.number(channel).slope[k] for channel in channels for k in (4, 10)])
    size = max(np.abs(result.q).max(), np.abs(result.v).max(), mechanism.size())
    least = 1e-3 * size / np.abs(list(settings.values()))  # of what does not change
    scale = np.abs(expected).max(axis=1, keepdims=True) + least
    values = np.array([result.channel(channel)[k] for channel in channels for k in (4, 10)])
    rounding = ROUNDING * np.abs(values[:, None] / np.array(list(settings.values())))
    np.testing.assert_array_less(np.abs(found - expected), 1e-8 * scale + rounding)


def _moves(mechanism: Mechanism, name: str) -> bool:
    """Whether there is such a number, and it is not 0."""
    try:
        return _value(mechanism, name) != 0.0
    except OptionError:
        return False


def _value(mechanism: Mechanism, name: str) -> float:
    return float(mechanism.gravity[2]) if name == "gravity.2" else field_value(mechanism, name)


# -- many parameters --------------------------------------------------------------------------------------------------
def springs() -> lw.Model:
    model = lw.Model("springs", gravity=(0.0, 0.0, -G))
    before = model.ground
    for k in range(5):
        link = model.body(f"link{k}", mass=1.0 + 0.1 * k, inertia=(0.1, 0.1, 0.1), at=(k + 0.5, 0, 0))
        model.revolute(f"p{k}", before, link, at=(k, 0, 0), axis="y", rate=0.1 * k)
        model.torsional_spring_damper(f"s{k}", f"p{k}", stiffness=50.0 + k, damping=1.0)
        before = link
    return model


def test_many_parameters_at_once() -> None:
    """Some move the start, some words together with others, most neither; auto takes the adjoint equation."""
    run = springs().simulate(0.5, rtol=1e-10, progress=False)
    names = [f"{one}.{field}" for k in range(5) for one, field in (
        (f"link{k}", "mass"), (f"link{k}", "inertia.1"), (f"s{k}", "stiffness"), (f"s{k}", "damping"),
    )]  # fmt: skip
    names += ["p1.rate", "link2.at.0", "gravity.2"]
    found = run.gradient(["end(p4.angle)", "max(abs(p0.force))"], names)
    assert found.mode == "adjoint: 23 parameters, 2 outputs"
    agree([run.gradient(["end(p4.angle)", "max(abs(p0.force))"], names, mode="forward"), found])
    few = run.gradient(["end(p4.angle)"], names[:3])
    assert few.mode == "forward: 3 parameters, 1 output"
    np.testing.assert_allclose(few.gradient[0], found.gradient[0, :3], atol=1e-8 * np.abs(few.gradient).max())


def test_words_are_found_by_codes_as_one_by_one() -> None:
    """The words of twelve parameters, together and alone."""
    mechanism, options = springs().mechanism, Options(until=0.5, rtol=1e-9)
    names = [f"link{k}.mass" for k in range(5)] + [f"s{k}.stiffness" for k in range(5)] + ["gravity.2", "p3.rate"]
    settings = {name: _value(mechanism, name) for name in names}
    start = started(mechanism, options)
    together = Parameters(partial(changed, mechanism), settings, names, start, options)
    assert sorted(together.alone) == [names.index("p3.rate")]
    one_by_one = [Parameters(partial(changed, mechanism), settings, [name], start, options).changes() for name in names]
    all_at_once = together.changes()
    for k, alone in enumerate(one_by_one):
        slopes = dict(zip(all_at_once.words, all_at_once.slopes[-len(all_at_once.words) :, k], strict=True))
        expected = dict(zip(alone.words, alone.slopes[-len(alone.words) :, 0], strict=True)) if alone.words else {}
        assert {word: x for word, x in slopes.items() if x} == pytest.approx({w: x for w, x in expected.items() if x})


def test_every_code_parts_the_trials_otherwise() -> None:
    """Into the same number of blocks, so that what two parameters change has no code."""
    for count in (2, 7, 100, 1000):
        codes = codewords(count)
        parted = {tuple(tuple(np.flatnonzero(code == place)) for place in (0, *np.unique(code))) for code in codes}
        assert len(parted) == count and np.all(codes[:, 0] != 0)
        assert all(set(code) == {-2, -1, 0, 1, 2} for code in codes)
    assert codes.shape == (1000, 8)
    assert which(lambda some: 7 in some or 3 in some, range(10)) == [3, 7]


# -- what it does not do ----------------------------------------------------------------------------------------------
def test_refused_with_the_remedy() -> None:
    model = springs()
    model.lock("hold", "p4", since=0.2)
    run = model.simulate(0.4, progress=False)
    with pytest.raises(lw.OptionError, match=r'locks, releases and impulses \(at t = 0.2 s\); choose mode = "forward"'):
        run.gradient(["end(p0.angle)"], ["link0.mass"], mode="adjoint")
    many = [f"link{k}.mass" for k in range(5)] + [f"s{k}.stiffness" for k in range(5)]
    assert run.gradient(["end(p0.angle)"], many).mode.startswith(
        "forward: the adjoint equation does not go through locks"
    )
    with pytest.raises(lw.OptionError, match="there is no mode 'backward'"):
        run.gradient(["end(p0.angle)"], ["link0.mass"], mode="backward")
    with pytest.raises(lw.OptionError, match="is for runs"):
        model.gradient(["omega(1)"], ["link0.mass"], analysis="modes", mode="adjoint")


def test_friction_with_loads_is_refused() -> None:
    model = springs()
    model.friction("f", "p0", coefficient=0.3, radius=0.05, smoothing=0.1)
    run = model.simulate(0.1, progress=False)
    with pytest.raises(lw.OptionError, match="'f' depends on the loads of joints"):
        run.gradient(["end(p0.angle)"], ["link0.mass"], mode="adjoint")


def test_a_singular_position_ends_the_slopes() -> None:
    outputs = ["at(A.angle, 0.1)", "end(A.angle)"]
    function = value_and_gradient(
        lambda s: lw.library_model("four-bar", s).mechanism, outputs, ["coupler"], mode="adjoint", until=0.3, rtol=1e-8
    )
    found = function(np.array([2.0]))
    assert np.isfinite(found.gradient[0]).all() and np.isnan(found.gradient[1]).all()
    assert "no derivative here: at t = 0.178" in found.reasons[0]


def test_auto_falls_back_to_forward_mode_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep may be refused after all; so it is when no panel may be added, as for fast modes."""
    monkeypatch.setattr(gradient, "ROUNDS", 0)
    run, many = springs().simulate(0.1, progress=False), [f"s{k}.stiffness" for k in range(5)]
    many += [f"link{k}.mass" for k in range(5)]
    found = run.gradient(["end(p0.angle)"], many)
    assert found.mode.startswith("forward: the adjoint equation needs far shorter steps")
    np.testing.assert_array_equal(found.gradient, run.gradient(["end(p0.angle)"], many, mode="forward").gradient)
    with pytest.raises(lw.OptionError, match='fast modes it moves; choose mode = "forward"'):
        run.gradient(["end(p0.angle)"], many, mode="adjoint")
