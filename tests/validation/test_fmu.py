"""FMUs run by FMPy: the same motion as linkwork's own, by both versions of the standard, stepped by us or by FMPy."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from fmus import Unpacked, fmpy, needs_native_library
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.elements.signals.measures import Event
from linkwork.fmu.frozen_run import start_of
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import LIBRARY, library_model
from linkwork.methods.registry import METHODS
from linkwork.results.result import Certificate
from locked_rods import locked_rods
from random_mechanisms import DOF_COUNT, Shape, random_tree
from random_mechanisms.loops import random_planar_linkage

pytestmark = needs_native_library
MOTION = [f"{what}.{axis}" for what in ("position", "velocity", "angular_velocity") for axis in "xyz"]
STIFF = ("four-bar-flexible",)  # for CVode's Adams method, with which FMPy integrates


def outputs_of(model: lw.Model) -> list[str]:
    body = model.mechanism.body[-1].name
    joints = [
        f"{joint.name}.{what}"
        for joint in model.mechanism.joint
        if len(joint.type.coordinates) == len(joint.type.velocities)
        for what in (*joint.type.coordinates, *joint.type.velocities)
    ]
    measures = [element.name for element in model.mechanism.elements() if element.key == "measure"]
    return ["energy", "energy.kinetic", *joints[:4], *measures, *(f"{body}.{what}" for what in MOTION)]


def duration(model: lw.Model) -> float:
    return min(model.mechanism.duration, 0.5)


def off(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest difference, each in units of its history's size or 1."""
    return float(np.max(np.abs(found - wanted) / np.maximum(np.max(np.abs(wanted), axis=0), 1.0)))


def histories(run, names: list[str]) -> np.ndarray:
    return np.column_stack([run[name] for name in names])


@pytest.mark.parametrize("name", LIBRARY)
def test_library_models_step_as_linkwork_does(name, tmp_path):
    """One communication step: the very steps of `simulate` in space.  Fifty: the same within the tolerance."""
    model = library_model(name)
    until, names = duration(model), [*outputs_of(model), "energy.work", "energy.balance"]
    version = "2.0" if len(name) % 2 else "3.0"
    fmu = Unpacked(model.fmu(tmp_path / "m.fmu", outputs=names, version=version, until=until, rtol=1e-8))
    one = fmu.instance().begin()
    start = one.get(*names)
    one.step(until)
    run = model.simulate(until, every=until, rtol=1e-8, planar=False, progress=False)
    assert off(np.array([start, one.get(*names)]), histories(run, names)) <= 1e-12
    assert one.get("steps")[0] == run.certificate.steps
    assert one.get("evaluations")[0] == run.certificate.evaluations
    one.end()
    many, found = fmu.instance().begin(), [start]
    for _ in range(50):
        many.step(until / 50)
        found.append(many.get(*names))
    many.end()
    run = model.simulate(until, every=until / 50, rtol=1e-10, progress=False)
    assert off(np.array(found)[:, :-2], histories(run, names[:-2])) <= 2e-5


@pytest.mark.parametrize(
    ("method", "integrator", "formulation"),
    [
        ("lu", "adams", "joint"), ("hybrid-qr", "adams", "absolute"), ("projection", "dop853", "joint"),
        ("baumgarte", "rk4", "joint"), ("parametrization", "generalized-alpha", "absolute"),
        ("proximal", "ab3", "joint"), ("projection", "radau", "absolute"),
    ],
)  # fmt: skip
def test_methods_and_integrators_step_as_in_linkwork(method, integrator, formulation, tmp_path):
    model, names = library_model("slider-crank"), ["energy", "slider.position.x", "slider.velocity.x"]
    options = {"method": method, "integrator": integrator, "formulation": formulation}
    options |= {"step": 1e-3} if not INTEGRATORS[integrator].adaptive else {}
    one = Unpacked(model.fmu(tmp_path / "m.fmu", outputs=names, until=0.3, **options)).instance().begin()
    one.step(0.3)
    run = model.simulate(0.3, every=0.3, progress=False, **options)
    assert off(one.get(*names), histories(run, names)[-1]) <= 1e-12
    assert one.get("steps")[0] == run.certificate.steps
    one.end()


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"articulated"}))
def test_methods_as_printed_step_as_in_linkwork(method, tmp_path):
    model, names = library_model("slider-crank"), ["energy", "slider.position.x", "slider.velocity.x"]
    options = {"method": method, "literal": True}
    one = Unpacked(model.fmu(tmp_path / "m.fmu", outputs=names, until=0.3, **options)).instance().begin()
    one.step(0.3)
    run = model.simulate(0.3, every=0.3, progress=False, **options)
    assert off(one.get(*names), histories(run, names)[-1]) <= 1e-12
    assert one.get("steps")[0] == run.certificate.steps
    one.end()


FIVE_BAR = [(-1, 0, "revolute"), (0, 1, "revolute"), (1, 2, "revolute"), (2, 3, "revolute"), (3, -1, "revolute")]


@pytest.mark.parametrize("seed", [3, 17])
def test_other_rows_become_active_as_in_linkwork(seed, tmp_path):
    """Of a plane linkage in space, some of whose rows always depend on others: where the rows at hand serve badly, both
    choose others, and go on alike.
    """
    model = lw.Model.of(random_planar_linkage(FIVE_BAR, seed, None))
    options = {"formulation": "absolute", "rtol": 1e-8, "until": 2.0}
    run = ForwardRun(
        start_of(model.mechanism, Options(**options)), METHODS["parametrization"], INTEGRATORS["adams"],
        Options(**options), Certificate(), [], np.array([0.0, 2.0]),
    )  # fmt: skip
    run.bind()
    assert run.go() is None
    assert not np.array_equal(run.work.row_state["active"], run.compiled.system.rows["active"])
    one = Unpacked(model.fmu(tmp_path / "m.fmu", outputs=["energy.kinetic"], **options)).instance().begin()
    one.step(2.0)
    assert one.get("energy.kinetic")[0] == run.recording.whole().energy[-1, 0]
    assert one.get("steps")[0] == run.certificate.steps
    one.end()


def clutch() -> lw.Model:
    """And another event, which strikes."""
    m = locked_rods()
    m.event("swing", "coordinate('pin 1') > 0.05", action="impulse", body="rod 1", impulse=(0, 0, 0.2))
    return m


TURNS = ["pin 0.angle", "pin 0.rate", "pin 1.angle", "pin 1.rate", "energy"]


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_locks_and_blows_happen_as_in_linkwork(version, formulation, tmp_path):
    """In one communication step to the bit; in forty to the tolerance; the state between two of them can be kept."""
    model, until = clutch(), 0.8
    options = {"rtol": 1e-9, "formulation": formulation, "until": until}
    fmu = Unpacked(model.fmu(tmp_path / "m.fmu", outputs=TURNS, version=version, **options))
    run = model.simulate(every=until / 40, progress=False, **options)
    actions = {(event["name"], event["action"]) for event in run.certificate.events}
    assert {("clutch", "lock"), ("clutch", "release"), ("low", "lock"), ("winch", "lock")} < actions
    assert {("swing", "impulse"), ("blow", "impulse")} < actions
    one = fmu.instance().begin()
    one.step(until)
    assert off(one.get(*TURNS), histories(run, TURNS)[-1]) <= 1e-12
    assert one.get("steps")[0] == run.certificate.steps
    one.end()
    many, found = fmu.instance().begin(), []
    for _ in range(40):
        many.step(until / 40)
        found.append(many.get(*TURNS))
    many.end()
    instants = np.array([event["t"] for event in run.certificate.events])
    clear = np.abs(run.t[1:, None] - instants).min(axis=1) > 1e-6  # a sample at such an instant is taken before it
    assert off(np.array(found)[clear], histories(run, TURNS)[1:][clear]) <= 1e-6


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_others_can_integrate_through_locks_and_blows(version, tmp_path):
    model, until = clutch(), 0.8
    path = model.fmu(tmp_path / "m.fmu", outputs=TURNS, version=version, until=until)
    found = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=until, output_interval=until / 40, relative_tolerance=1e-9,
        output=TURNS, record_events=False,
    )  # fmt: skip
    run = model.simulate(until, every=until / 40, rtol=1e-10, progress=False)
    instants = np.array([event["t"] for event in run.certificate.events])
    clear = np.abs(run.t[:, None] - instants).min(axis=1) > 1e-6
    wanted = histories(run, TURNS)
    got = np.column_stack([np.interp(run.t, found["time"], found[name]) for name in TURNS])
    assert off(got[clear], wanted[clear]) <= 1e-4


def test_a_driver_that_begins_elsewhere_is_named(tmp_path, capfd):
    m = lw.Model("servo", gravity=(0, 0, -9.81))
    m.body("rod", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    m.revolute("pin", "ground", "rod", at=(0, 0, 0), axis="y")
    m.driver("servo", "pin", motion="2", since=0.05)
    path = m.fmu(tmp_path / "m.fmu", outputs=["pin.angle"], until=0.1)
    with pytest.raises(fmpy.fmi1.FMICallException):
        fmpy.simulate_fmu(str(path), stop_time=0.1, fmi_type="CoSimulation", logger=None)
    assert "'servo': at t = 0.05 s its driver begins" in capfd.readouterr().out


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("name", ["pendulum", "four-bar", "bouncing-ball", "quarter-car", "stewart-platform"])
def test_others_can_integrate(name, version, tmp_path):
    """Model exchange with FMPy's CVode: contacts are event indicators, break times are time events."""
    model = library_model(name)
    until, names = duration(model), outputs_of(model)
    path = model.fmu(tmp_path / "m.fmu", outputs=names, version=version, until=until)
    found = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=until, output_interval=until / 20, relative_tolerance=1e-8,
        output=names,
    )  # fmt: skip
    run = model.simulate(until, every=until / 20, rtol=1e-9, progress=False)
    wanted = histories(run, names)
    found = np.column_stack([np.interp(run.t, found["time"], found[name]) for name in names])
    assert off(found, wanted) <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("name", [name for name in LIBRARY if name not in STIFF])
def test_every_library_model_can_be_integrated_by_others(name, version, tmp_path):
    test_others_can_integrate(name, version, tmp_path)


def force_model(force: object = 0.0, stiffness: float = 40.0) -> lw.Model:
    """A slider-crank with a spring and a force on its slider."""
    m = lw.Model("press", gravity=(0, 0, -9.81), duration=1.0)
    crank = m.body("crank", lw.rod(mass=1.0, length=0.2), at=(0.1, 0, 0))
    rod = m.body("rod", lw.rod(mass=1.5, length=0.5), at=(0.45, 0, 0))
    slider = m.body("slider", lw.box(mass=2.0, size=(0.1, 0.1, 0.1)), at=(0.7, 0, 0))
    m.revolute("main", m.ground, crank, at=(0, 0, 0), axis="y", start=0.4, rate=1.0)
    m.revolute("pin", crank, rod, at=(0.2, 0, 0), axis="y")
    m.revolute("wrist", rod, slider, at=(0.7, 0, 0), axis="y")
    m.prismatic("guide", m.ground, slider, at=(0.7, 0, 0), axis="x")
    m.spring_damper("spring", m.ground, slider, points=[(1.5, 0, 0), (0.7, 0, 0)], stiffness=stiffness, damping=1.0)
    m.applied_force("press", slider, force=(force, 0.0, 0.0))
    return m


PRESS = ["slider.position.x", "slider.velocity.x", "main.angle", "wrist.angle", "energy.balance"]


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_an_input_is_the_same_as_a_force_of_the_model(version, tmp_path, rng):
    """Held for a time, then another: as a step function of the model, whose jumps are met exactly."""
    a, b = rng.uniform(-30.0, 30.0, 2)
    path = force_model(5.0).fmu(
        tmp_path / "m.fmu", inputs=["press.force.x"], outputs=PRESS, version=version, rtol=1e-8
    )  # fmt: skip
    one = Unpacked(path).instance().begin(**{"press.force.x": a})
    one.step(0.4)
    one.set({"press.force.x": b})
    one.step(0.6)
    run = force_model(f"if(t < 0.4, {a}, {b})").simulate(1.0, every=0.5, rtol=1e-8, progress=False)
    assert off(one.get(*PRESS), histories(run, PRESS)[-1]) <= 1e-9
    one.end()


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_state_can_be_set_before_the_first_step(version, tmp_path, rng):
    """A pendulum from another angle, at another speed."""
    angle, rate = rng.uniform(-1.0, 1.0, 2)
    m = library_model("pendulum")
    path = m.fmu(tmp_path / "m.fmu", outputs=["pin.angle", "energy"], version=version, until=1.0, rtol=1e-9)
    one = Unpacked(path).instance().begin(**{"state.pin.angle": angle, "state.pin.rate": rate})
    one.step(1.0)
    given = m.with_settings({"pin.start": angle, "pin.rate": rate})
    run = given.simulate(1.0, every=1.0, rtol=1e-9, progress=False)
    assert off(one.get("pin.angle", "energy"), histories(run, ["pin.angle", "energy"])[-1]) <= 1e-9
    one.end()


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_step_as_linkwork_does(seed, tmp_path):
    """Every kind of joint, drawn at random: the same steps, the same bits but for rounding of the positions."""
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in DOF_COUNT if kind != "free"]
    shapes = [Shape(int(rng.integers(-1, n)), str(rng.choice(kinds)), bool(rng.integers(2))) for n in range(4)]
    mechanism = random_tree(shapes, seed).mechanism()
    model = lw.Model.of(mechanism)
    names = [f"{body.name}.{what}" for body in mechanism.body for what in MOTION]
    force = f"{mechanism.body[-1].name}.force.x"
    path = model.fmu(tmp_path / "m.fmu", inputs=[force], outputs=names, until=0.3)
    one = Unpacked(path).instance().begin(**{force: 3.0})
    one.step(0.3)
    model.applied_force("the same", mechanism.body[-1].name, force=(3.0, 0.0, 0.0))
    run = model.simulate(0.3, every=0.3, progress=False)
    assert off(one.get(*names), histories(run, names)[-1]) <= 1e-12
    one.end()


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_a_smooth_input_of_fmpy(kind, tmp_path):
    """A sine, given to FMPy as a table, which it holds over its short steps."""
    t = np.linspace(0.0, 1.0, 2001)
    table = np.array(list(zip(t, 20.0 * np.sin(9.0 * t), strict=True)), [("time", float), ("press.force.x", float)])
    path = force_model().fmu(tmp_path / "m.fmu", inputs=["press.force.x"], outputs=PRESS[:4])
    found = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=1.0, output_interval=2e-3, input=table, output=PRESS[:4],
        relative_tolerance=1e-8,
    )  # fmt: skip
    run = force_model("20*sin(9*t)").simulate(1.0, every=1.0, rtol=1e-9, progress=False)
    last = np.array([found[name][-1] for name in PRESS[:4]])
    assert off(last, histories(run, PRESS[:4])[-1]) <= 2e-2


def test_all_kinds_of_inputs_are_found(tmp_path, rng):
    """A component of a force, a force on a body, a measure, a field, in one FMU: their sum is what counts."""
    parts = rng.uniform(-10.0, 10.0, 4)
    m = force_model()
    m.measure("extra", 0.0)
    m.applied_force("by measure", "slider", force=("extra", 0.0, 0.0))
    m.joint_force("ram", "guide", 0.0)
    names = ["press", "slider.force.x", "extra", "ram"]
    fmu = Unpacked(m.fmu(tmp_path / "m.fmu", inputs=["press.force.x", *names[1:]], outputs=PRESS, rtol=1e-8))
    one = fmu.instance().begin(**dict(zip(["press.force.x", *names[1:]], parts, strict=True)))
    one.step(1.0)
    run = force_model(float(parts.sum())).simulate(1.0, every=1.0, rtol=1e-8, progress=False)
    assert off(one.get(*PRESS), histories(run, PRESS)[-1]) <= 1e-6
    units = {v.name: v.unit for v in fmu.description.modelVariables if v.causality == "input"}
    assert units["press.force.x"] == units["slider.force.x"] == "N"
    one.end()


@pytest.mark.parametrize("exchange", [False, True])
def test_a_driver_follows_its_inputs(exchange, tmp_path):
    """Value, rate and acceleration at each communication point: a motion that the driver does not know."""

    def driven(motion: str) -> lw.Model:
        m = force_model()
        m.driver("motor", "main", motion)
        return m

    def motion(t: float) -> tuple[float, float, float]:
        return 0.4 + 0.3 * math.sin(2.0 * t), 0.6 * math.cos(2.0 * t), -1.2 * math.sin(2.0 * t)

    names = ["motor", "motor.rate", "motor.acceleration"]
    path = driven("0.4 + 0.6*t").fmu(tmp_path / "m.fmu", inputs=["motor"], outputs=PRESS, rtol=1e-8)
    one = Unpacked(path).instance(exchange).begin()
    run = driven("0.4 + 0.3*sin(2*t)").simulate(1.0, every=0.01, rtol=1e-8, progress=False)
    wanted = histories(run, PRESS[:4])
    if exchange:
        state = [name for name in one.of.number if name.startswith("state.")]
        for n in (0, 30, 100):
            one.fmu.setTime(run.t[n])
            one.set(dict(zip(names, motion(run.t[n]), strict=True)))
            y = [*run.result.q[n], *run.result.v[n], *run.result.states[n]]
            one.fmu.setContinuousStates((np.ctypeslib.ctypes.c_double * len(state))(*y), len(state))
            assert off(one.get(*PRESS[:4]), wanted[n]) <= 1e-9
    else:
        for n in range(100):
            one.set(dict(zip(names, motion(run.t[n]), strict=True)))
            one.step(0.01)
        assert off(one.get(*PRESS[:4]), wanted[-1]) <= 1e-5
    one.end()


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_parameters_can_be_tuned(version, tmp_path, rng):
    """Of a spring and of a body: as a model with those values; also in the middle of a run, and back."""
    model, names = force_model(), ["spring.stiffness", "spring.damping", "slider.mass", "crank.mass"]
    path = model.fmu(tmp_path / "m.fmu", outputs=PRESS, parameters=names, version=version, rtol=1e-9)
    fmu = Unpacked(path)
    values = dict(zip(names, rng.uniform(0.5, 3.0, 4) * [40.0, 1.0, 2.0, 1.0], strict=True))
    one = fmu.instance().begin(**values)
    np.testing.assert_allclose(one.get(*names), list(values.values()), rtol=1e-12)
    one.step(1.0)
    run = model.with_settings(values).simulate(1.0, every=1.0, rtol=1e-9, progress=False)
    assert off(one.get(*PRESS), histories(run, PRESS)[-1]) <= 1e-6
    one.end()
    one, other = fmu.instance().begin(**values), fmu.instance().begin()
    one.set({v.name: float(v.start) for v in fmu.description.modelVariables if v.causality == "parameter"})
    one.step(0.5), other.step(0.5)
    assert list(one.get(*PRESS[:4])) == list(other.get(*PRESS[:4]))
    one.end(), other.end()


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_states_are_saved_restored_and_serialized(version, tmp_path):
    """Back in time, and into another instance: the same bits from there on."""
    path = force_model().fmu(tmp_path / "m.fmu", inputs=["press.force.x"], outputs=PRESS, version=version)
    fmu = Unpacked(path)
    one, other = fmu.instance().begin(), fmu.instance().begin(**{"press.force.x": 9.0})
    other.step(0.1)
    one.step(0.3)
    state = one.fmu.getFMUState()
    bytes_of_it = one.fmu.serializeFMUState(state)
    one.set({"press.force.x": 5.0})
    one.step(0.3)
    wanted = one.get(*PRESS)
    one.fmu.setFMUState(state)
    assert one.get("time")[0] == 0.3 and one.get("press.force.x")[0] == 0.0
    again = other.fmu.deserializeFMUState(bytes_of_it)
    other.fmu.setFMUState(again)
    for each in (one, other):
        each.t = 0.3
        each.set({"press.force.x": 5.0})
        each.step(0.3)
        assert list(each.get(*PRESS)) == list(wanted)
    one.fmu.freeFMUState(state)
    other.fmu.freeFMUState(again)
    one.end(), other.end()


def test_an_event_ends_the_simulation(tmp_path):
    m = force_model()
    m.event("far", "x(slider) < 0.5", "stop")
    run = m.simulate(1.0, rtol=1e-8, progress=False)
    assert run.certificate.status == "stopped"
    for version in ("2.0", "3.0"):
        path = m.fmu(tmp_path / f"{version}.fmu", outputs=["slider.position.x"], version=version, rtol=1e-8)
        for kind in ("CoSimulation", "ModelExchange"):
            found = fmpy.simulate_fmu(str(path), fmi_type=kind, stop_time=1.0, output_interval=0.01)
            late = 0.01 if kind == "CoSimulation" else 1e-4
            assert run.certificate.t_end - 1e-4 <= found["time"][-1] <= run.certificate.t_end + late


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_events_are_reported(version, kind, tmp_path, capsys):
    """The impacts of the bouncing ball, with their times; only to those who asked for messages, which FMPy prints."""
    model = library_model("bouncing-ball")
    path = model.fmu(tmp_path / "m.fmu", outputs=["energy"], version=version, until=1.0, rtol=1e-8)
    (name,) = (event.name for event in model.mechanism.of(Event))
    wanted = [entry["t"] for entry in model.simulate(1.0, rtol=1e-8, progress=False).certificate.events]
    for logging in (False, True):
        capsys.readouterr()
        fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=1.0, debug_logging=logging, relative_tolerance=1e-8
        )  # fmt: skip
        times = re.findall(rf"event '{name}' occurred at t = (\S+) s", capsys.readouterr().out)
        assert len(times) == (len(wanted) if logging else 0)
    np.testing.assert_allclose([float(t) for t in times], wanted, atol=1e-4)


def test_four_instances_at_once(tmp_path):
    """In threads, with inputs of their own: each as if it were alone."""
    fmu = Unpacked(force_model().fmu(tmp_path / "m.fmu", inputs=["press.force.x"], outputs=PRESS))
    found: dict[float, list[float]] = {}

    def go(force: float) -> None:
        one = fmu.instance().begin(**{"press.force.x": force})
        for _ in range(20):
            one.step(0.05)
        found[force] = list(one.get(*PRESS))
        one.end()

    threads = [threading.Thread(target=go, args=(float(k),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = dict(found)
    for k in range(4):
        go(float(k))
        assert found[float(k)] == together[float(k)]


def test_a_thousand_instances_come_and_go(tmp_path):
    """Without growth of memory: read by the process itself, after the first hundred."""
    path = force_model().fmu(tmp_path / "m.fmu", outputs=PRESS)
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from fmus import Unpacked
def memory():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])
one = Unpacked(Path({str(path)!r})).instance()
for n in range(1000):
    if n == 100:
        before = memory()
    one.t = 0.0
    one.begin().step(0.01)
    state = one.fmu.getFMUState()
    one.fmu.freeFMUState(state)
    one.fmu.fmi2FreeInstance(one.fmu.component)
    one.fmu.instantiate()
print(memory() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 600, "kB"


def test_an_fmu_needs_nothing_but_the_c_library(tmp_path):
    path = force_model().fmu(tmp_path / "m.fmu")
    assert path.stat().st_size < 2.5e6
    library = Unpacked(path).folder / "binaries/linux64/press.so"
    listed = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    needed = [line.split("[")[1].rstrip("]") for line in listed.splitlines() if "(NEEDED)" in line]
    assert set(needed) <= {"libm.so.6", "libc.so.6"}


@pytest.mark.slow
@pytest.mark.jit
def test_the_sources_make_the_binary(tmp_path):
    """LLVM compiles the kernels (as clang would), gcc the runtime: the FMU made of them runs as the other."""
    llvm = pytest.importorskip("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    path = force_model().fmu(tmp_path / "m.fmu", outputs=PRESS)
    fmu = Unpacked(path)
    sources, texts = fmu.folder / "sources", sorted((fmu.folder / "sources").glob("*.ll"))
    assert len(texts) == 3 and "clang" in (sources / "README.txt").read_text()
    for triple in (
        "aarch64-unknown-linux-gnu",
        "arm64-apple-darwin",
        "x86_64-pc-windows-gnu",
        llvm.get_default_triple(),
    ):
        machine = llvm.Target.from_triple(triple).create_target_machine(opt=2, reloc="pic")
        for text in texts:
            module = llvm.parse_assembly(text.read_text())
            module.triple = triple
            text.with_suffix(".o").write_bytes(machine.emit_object(module))
    one = fmu.instance().begin()
    one.step(0.5)
    wanted = one.get(*PRESS)
    one.end()
    binary = fmu.folder / "binaries/linux64/press.so"
    binary.unlink()
    files = [*sources.glob("*.c"), *sources.glob("*.o")]
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", *files, "-lm", "-Wl,--no-undefined", "-o", binary], check=True)
    one = fmu.instance().begin()
    one.step(0.5)
    assert off(one.get(*PRESS), wanted) <= 1e-12
    one.end()


def test_what_an_fmu_is_asked_wrongly_it_refuses(tmp_path):
    """Another token, a start that is not 0, a step from elsewhere, an output that is set."""
    path = force_model().fmu(tmp_path / "m.fmu", outputs=PRESS)
    fmu = Unpacked(path)
    for wrong in (lambda one: one.set({"slider.position.x": 1.0}), lambda one: one.set({"spring": 1.0})):
        one = fmu.instance().begin()
        with pytest.raises((fmpy.fmi1.FMICallException, KeyError)):
            wrong(one)
        one.end()
    one = fmu.instance().begin()
    one.t = 0.5
    with pytest.raises(fmpy.fmi1.FMICallException):
        one.step(0.1)
    one.end()
    fmu.description.guid = "another"
    with pytest.raises(Exception, match="instantiate"):
        fmu.instance()
