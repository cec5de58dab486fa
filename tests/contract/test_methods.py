"""Contracts of the constraint methods, over the registry: they agree, project, keep the order, and report."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import OptionError
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.methods.reasons import REASONS, Reason
from linkwork.methods.registry import METHODS
from random_mechanisms import GROUND, Edge, random_linkage, with_masses
from random_mechanisms.anything import Drawn, scaled
from validation.plane_linkages import link, mechanism, pin

CLOSED = [name for name, method in METHODS.items() if not method.open_tree]
PROJECTING = [name for name in CLOSED if METHODS[name].projects]
HYBRIDS = [name for name in CLOSED if METHODS[name].other >= 0]


def rssr() -> Mechanism:
    """A spatial four-bar: crank and rocker on crossed axes, a coupler between two balls."""
    bar = {"inertia": (0.02, 0.03, 0.04)}
    joints = [
        {"name": "crank pin", "kind": "revolute", "between": ("ground", "crank"), "at": (0, 0, 0), "axis": (0, 0, 1)},
        {"name": "first ball", "kind": "spherical", "between": ("crank", "coupler"), "at": (0.4, 0, 0)},
        {"name": "second ball", "kind": "spherical", "between": ("coupler", "rocker"), "at": (1.2, 0.5, 0.9)},
        {"name": "rocker pin", "kind": "revolute", "between": ("ground", "rocker"), "at": (1.2, 0.5, 0), "axis": "x"},
    ]
    return Mechanism.model_validate(
        {
            "gravity": (0.0, -9.81, 0.0),
            "body": [
                {"name": "crank", "mass": 1.0, "at": (0.2, 0, 0), "angular_velocity": (0, 0, 3.0), **bar},
                {"name": "coupler", "mass": 1.5, "at": (0.8, 0.25, 0.45), **bar},
                {"name": "rocker", "mass": 2.0, "at": (1.2, 0.5, 0.45), **bar},
            ],
            "joint": joints,
        }
    )


def coin() -> Mechanism:
    """A coin that wobbles along: one equation of position, two of velocity alone."""
    tilted = (np.cos(0.6), 0.0, np.sin(0.6), 0.0)
    return Mechanism.model_validate(
        {
            "gravity": (0.0, 0.0, -9.81),
            "body": [
                {"name": "coin", "shape": {"kind": "cylinder", "mass": 2.0, "radius": 0.3, "length": 0.01},
                 "orientation": tilted, "at": (0, 0, 0.3 * np.sin(1.2)), "angular_velocity": (0.5, 0.0, 8.0)}
            ],
            "rolling_disc": [{"name": "roll", "body": "coin", "radius": 0.3, "axis": "z"}],
        }
    )  # fmt: skip


def six_bar() -> Mechanism:
    """A four-bar whose coupler drives a dyad on ground (Stephenson III), all plane."""
    B, C, D = 0.3 + 0.4j, 1.0 + 0.9j, 1.2 + 0j
    E, F, G = 0.6 + 1.1j, 1.6 + 1.3j, 2.0 + 0.2j  # coupler point, elbow and pin of the dyad
    bodies = [link("crank", 0j, B, 1.0, angular_velocity=(0.0, -2.0, 0.0)), link("coupler", B, C, 1.5),
              link("rocker", D, C, 0.8), link("bar", E, F, 0.7), link("lever", G, F, 0.9)]  # fmt: skip
    pins = [pin("A", "ground", "crank", 0j), pin("B", "crank", "coupler", B), pin("C", "coupler", "rocker", C),
            pin("D", "ground", "rocker", D), pin("E", "coupler", "bar", E), pin("F", "bar", "lever", F),
            pin("G", "ground", "lever", G)]  # fmt: skip
    return mechanism(bodies, pins, plane=None)


REGULAR = {
    "coin": (coin(), 0.5),
    "slider-crank": (library_model("slider-crank", {"angle": 30.0}).mechanism, 0.1),
    "andrews": (library_model("andrews").mechanism, 0.01),
    "four-bar": (library_model("four-bar", {"angle": 60.0}).mechanism, 0.25),
    "rssr": (rssr(), 0.3),
    "bricard": (library_model("bricard").mechanism, 0.4),
    "six-bar": (six_bar(), 0.3),
}


@pytest.fixture(scope="module")
def reference():
    """Each mechanism by the tightest run."""
    return {
        name: simulate(model, Options(until=until, rtol=1e-11, every=until / 20))
        for name, (model, until) in REGULAR.items()
    }


@pytest.mark.parametrize("formulation", ["absolute", "joint"])
@pytest.mark.parametrize("method", CLOSED)
@pytest.mark.parametrize("name", REGULAR)
def test_all_methods_agree_on_regular_mechanisms(name, method, formulation, reference):
    model, until = REGULAR[name]
    run = simulate(model, Options(until=until, formulation=formulation, method=method, rtol=1e-9, every=until / 20))
    size = float(np.ptp(reference[name].position, axis=0).max())
    assert run.certificate.status == "finished"
    assert np.abs(run.position - reference[name].position).max() < 2e-6 * size
    if METHODS[method].projects:
        assert run.certificate.max_violation["position"] < 1e-10
        assert run.certificate.max_violation["velocity"] < 1e-9


@pytest.mark.parametrize("method", PROJECTING)
def test_the_order_of_the_integrator_is_kept_through_projection_and_new_bases(method, reference):
    """RK4 halved: the error falls by 16, whatever the method does to its basis on the way."""
    model, until = REGULAR["four-bar"]
    errors = []
    for step in (0.02, 0.01):
        run = simulate(model, Options(until=until, method=method, integrator="rk4", step=step, every=until))
        errors.append(np.abs(run.position[-1] - reference["four-bar"].position[-1]).max())
    assert 3.5 < np.log2(errors[0] / errors[1]) < 4.7


@pytest.mark.parametrize("integrator", [one.name for one in INTEGRATORS.values() if not one.adaptive])
@pytest.mark.parametrize("steps", [3, 50, 400])
def test_baumgarte_is_stable_with_fixed_steps_however_few(integrator, steps):
    """Its gains follow from the step, not from the length of the run."""
    options = Options(until=steps * 1e-3, method="baumgarte", integrator=integrator, step=1e-3)
    assert simulate(rssr(), options).certificate.max_violation["position"] < 1e-6


def test_lu_names_its_independent_coordinates():
    run = simulate(library_model("four-bar").mechanism, Options(until=1.0, method="lu", hmax=0.01))
    first = run.certificate.switches[0]
    assert first["why"] == "first choice of coordinates"
    assert len(first["coordinates"]) == 1
    assert first["coordinates"][0] in run.names["v"]


@pytest.mark.parametrize("method", HYBRIDS)
def test_a_hybrid_says_when_and_why_it_switched_and_returns(method):
    run = simulate(library_model("four-bar").mechanism, Options(until=3.0, method=method, hmax=0.01, rtol=1e-7))
    changes = [s for s in run.certificate.switches if s["from"] != s["to"]]
    assert {s["to"] for s in changes} == {method.removeprefix("hybrid-"), "lu"}
    assert all(s["why"] for s in changes)
    assert set(np.unique(run.steps["basis"])) == {METHODS[method].basis, METHODS[method].other}


def test_a_contact_that_never_touches_changes_no_decision():
    """The energy balance of a hybrid is that of the whole mechanism, whatever states contacts add to y."""
    decisions = []
    for far_below in (False, True):
        model = library_model("four-bar", {"angle": 60.0})
        model.friction("bearing", "A", viscous=2.0)
        if far_below:
            model.contact("floor", "coupler", stiffness=1e5, plane_at=(0.0, 0.0, -50.0))
        options = Options(until=0.3, method="hybrid-qr", integrator="rk4", step=2e-3, method_options={"literal": 1.0})
        decisions.append(simulate(model.mechanism, options).certificate.switches)
    assert decisions[0] == decisions[1]
    assert not {decision["why"] for decision in decisions[0]} & {REASONS[Reason.ENERGY], REASONS[Reason.COLLAPSE]}


@pytest.mark.parametrize("literal", [0.0, 1.0])
def test_decisions_before_a_lock_stay_in_the_log(literal):
    """A driver that locks and lets go: another choice of rows each time, the same method."""
    model = library_model("four-bar", {"angle": 60.0})
    model.driver("brake", "A", hold=True, since=0.1, until=0.15)
    run = simulate(model.mechanism, Options(until=0.2, method="lu", hmax=0.005, method_options={"literal": literal}))
    first = run.certificate.switches[0]
    assert run.certificate.status == "finished"
    assert 0.0 < first["t"] < 0.005
    assert len(first["coordinates"]) == 1  # all joints of a parallelogram turn alike: any of them
    assert [entry["action"] for entry in run.certificate.events] == ["lock", "release"]


def test_a_sample_does_not_change_the_run():
    """However often the result is looked at, the steps are the same."""
    model = library_model("four-bar").mechanism
    for method in ("auto", "lu", "hybrid-qr", "projection"):
        ends = [
            simulate(model, Options(until=0.5, method=method, hmax=0.01, every=every)).steps["t"]
            for every in (0.5, 0.003)
        ]
        np.testing.assert_array_equal(*ends)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "qr", "method_options": {"alpha": 1.0}}, ("method 'qr'", "no option 'alpha'", "alpha_limit")),
        ({"method": "baumgarte", "method_options": {"alpha": -1.0}}, ("'alpha'", "-1", ">= 0")),
        ({"method": "hybrid"}, ("no method 'hybrid'", "hybrid-qr")),
    ],
)
def test_a_senseless_choice_is_refused_by_name(options, words):
    with pytest.raises(OptionError) as caught:
        simulate(library_model("four-bar").mechanism, Options(until=0.1, **options))
    for word in words:
        assert word in str(caught.value)


SLIDING: list[list[Edge]] = [
    [(GROUND, 0, "prismatic"), (0, 1, "spherical"), (1, 2, "spherical"), (GROUND, 2, "revolute")],
    [(GROUND, 0, "revolute"), (0, 1, "spherical"), (2, 1, "prismatic"), (2, GROUND, "spherical")],
    [(GROUND, 0, "planar"), (0, 1, "spherical"), (GROUND, 1, "revolute")],
]


@pytest.mark.parametrize("method", PROJECTING)
def test_accelerations_are_the_same_at_any_scale_and_for_any_masses(method: str) -> None:
    """What is small by its unit, or by a mass, is not taken for nothing."""
    rng = np.random.default_rng(18)
    for seed in range(12):
        linkage = random_linkage(SLIDING[seed % len(SLIDING)], seed)
        linkage = with_masses(linkage, 10.0 ** rng.uniform(-4.0, 4.0, len(linkage.body)))
        drawn = Drawn(seed, linkage.model_dump(mode="python", exclude_unset=True))
        scaled(drawn, 10.0 ** float(rng.integers(-6, 7)))
        expected = simulate(linkage, Options(until=1e-6, formulation="joint"))
        found = simulate(drawn.mechanism(), Options(until=1e-6, formulation="joint", method=method))
        units = [drawn.size if unit == "m/s" else 1.0 for unit in found.names["v_units"]]
        largest = np.abs(expected.v_dot[0]).max()
        np.testing.assert_allclose(found.v_dot[0] / units, expected.v_dot[0], rtol=0.0, atol=1e-6 * largest)
