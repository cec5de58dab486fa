"""Loops eliminated where they close: exact beside NumPy, other factors and whole runs, on random robots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.local_loops import robot
from benchmarks.pushrods import PushrodRobot

from linkwork.analyses.simulate import forward_run
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import Start, assemble
from linkwork.errors import LinkworkError
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, dense_mass
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.methods.loop_recursion import solve_eliminated
from linkwork.methods.normal_step import factorize
from linkwork.numerics.status import LEVEL_EQUATIONS, OK
from linkwork.results.result import Result
from linkwork.system.effort import recursion_pays
from linkwork.system.fronts import room_for_fronts
from random_mechanisms import GROUND, Edge, random_linkage

ROWS = {"spherical": 3, "universal": 4, "revolute": 5, "cylindrical": 4, "distance": 1}
MOTIONS = {"revolute": 1, "universal": 2, "cylindrical": 2, "spherical": 3}
SEEDS = 60


def drawn(seed: int) -> Mechanism:
    """A random tree on ground or afloat, with loops that close anywhere, pushrods among them, a gear and a driver."""
    rng = np.random.default_rng([seed, 41])
    floats = bool(rng.random() < 0.5)
    edges: list[Edge] = [] if floats else [(GROUND, 0, "revolute")]
    free, bodies = (6, 1) if floats else (1, 1)
    for _ in range(int(rng.integers(3, 12))):
        kind = str(rng.choice(list(MOTIONS), p=[0.5, 0.2, 0.15, 0.15]))
        edges.append((int(rng.integers(max(0, bodies - 3), bodies)), bodies, kind))
        free, bodies = free + MOTIONS[kind], bodies + 1
    for _ in range(int(rng.integers(1, 6))):
        a, b = (int(one) for one in rng.choice(bodies, 2, replace=False))
        if rng.random() < 0.5:
            edges += [(a, bodies, "universal"), (bodies, b, "spherical")]
            free, bodies = free - 1, bodies + 1
        else:
            kind = str(rng.choice(["spherical", "universal", "revolute", "cylindrical"]))
            edges.append((a if rng.random() < 0.8 else GROUND, b, kind))
            free -= ROWS[kind]
        if free <= 1:
            break
    mechanism = random_linkage(edges if free > 0 else edges[:-1], int(rng.integers(2**31)))
    turning = [joint.name for joint in mechanism.joint if joint.kind == "revolute"]
    parts = mechanism.model_dump(mode="python", exclude_unset=True)
    if len(turning) > 3 and free > 2:
        parts["gear"] = [{"name": "gear", "joints": tuple(turning[1:3]), "ratio": 2.0}]
    if len(turning) > 3 and free > 3:
        parts["driver"] = [{"name": "motor", "joint": turning[0], "motion": "0.1 * t + 0.2 * sin(3 * t)"}]
    return Mechanism.model_validate(parts)


def started(mechanism: Mechanism) -> Start | None:
    """The start with random velocities; None: there are no loops, or some of them cannot move."""
    try:
        start = assemble(mechanism, "joint")
    except LinkworkError:
        return None
    own = start.compiled.layout.velocities
    start.y[own] = np.random.default_rng(len(start.y)).uniform(-1.0, 1.0, own.stop - own.start)
    return start if len(start.compiled.system.rows) else None


def evaluated(start: Start, row_state: np.ndarray | None = None) -> Equations:
    """The equations there, with M, factored; these rows active."""
    equations = Equations(start.compiled, row_state=row_state, recursion=True)
    equations.evaluate(0.3, start.y, start.angles, LEVEL_EQUATIONS)
    assert factorize(equations.system_ref, equations.work_ref) == OK
    return equations


def by_numpy(equations: Equations, forces: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and multipliers of M x + Phi_v^T lam = forces, Phi_v x = target over the active rows."""
    system, work = equations.system, equations.work
    active = np.flatnonzero(work.row_state["active"])
    M, J = dense_mass(system, work), dense_jacobian(system, work)[active]
    n, lam = len(M), np.zeros(len(work.lam))
    K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    x = np.linalg.solve(K, np.concatenate([forces, target[active]]))
    lam[active] = x[n:]
    return x[:n], lam


def test_motions_and_multipliers_of_random_robots_are_those_of_numpy() -> None:
    """For any forces and any violation, wherever the pivots are sound; nearly everywhere they are."""
    served = tried = 0
    for seed in range(SEEDS):
        start = started(drawn(seed))
        if start is None:
            continue
        equations, rng = evaluated(start), np.random.default_rng(seed)
        work = equations.work
        tried += 1
        if not work.method[0]["by_recursion"]:
            continue
        served += 1
        forces, target = rng.uniform(-1.0, 1.0, len(work.v_dot)), rng.uniform(-1.0, 1.0, len(work.lam))
        expected, multipliers = by_numpy(equations, forces, target)
        x, lam = forces.copy(), np.zeros(len(work.lam))
        solve_eliminated(equations.system_ref, equations.work_ref, target, x, lam)
        exact = 1e-11 / float(work.method[0]["weakest_pivot"]) ** 2
        np.testing.assert_allclose(x, expected, rtol=0.0, atol=exact * np.abs(expected).max())
        np.testing.assert_allclose(lam, multipliers, rtol=0.0, atol=exact * np.abs(multipliers).max())
    assert tried > 0.5 * SEEDS
    assert served > 0.8 * tried


def test_any_choice_of_rows_has_room_and_is_exact() -> None:
    """Rows left out at random, as by another choice at run time; the determinant is the product of all pivots."""
    rng = np.random.default_rng(5)
    for seed in range(0, SEEDS, 3):
        start = started(drawn(seed))
        if start is None:
            continue
        row_state = Equations(start.compiled).work.row_state.copy()
        row_state["active"] *= rng.random(len(row_state)) < 0.7
        other = evaluated(start, row_state)
        if not other.work.method[0]["by_recursion"]:
            continue
        work, active = other.work, np.flatnonzero(row_state["active"])
        forces, target = rng.uniform(-1.0, 1.0, len(work.v_dot)), rng.uniform(-1.0, 1.0, len(work.lam))
        expected, _ = by_numpy(other, forces, target)
        x, lam = forces.copy(), np.zeros(len(work.lam))
        solve_eliminated(other.system_ref, other.work_ref, target, x, lam)
        exact = 1e-11 / float(work.method[0]["weakest_pivot"]) ** 2
        np.testing.assert_allclose(x, expected, rtol=0.0, atol=exact * np.abs(expected).max())
        M, J = dense_mass(other.system, work), dense_jacobian(other.system, work)[active]
        logarithm = np.linalg.slogdet(M)[1] + np.linalg.slogdet(J @ np.linalg.solve(M, J.T))[1]
        pivots = np.concatenate([work.per_D, work.per_pivot[: len(active)]])
        assert -np.log(pivots).sum() == pytest.approx(logarithm, abs=1e-8)


def test_tables_grow_with_the_number_of_loops() -> None:
    """15 entries and 6 couplings a module, wherever it is; torso and limb couple none of them."""
    for limbs, modules in ((1, 2), (4, 8), (32, 1), (1, 64)):
        system = robot(PushrodRobot(limbs, modules)).assemble("joint").compiled.system
        tables, couplings = room_for_fronts(system)
        assert (len(tables.open_rows), couplings) == (15 * limbs * modules, 6 * limbs * modules)


@pytest.mark.parametrize(("name", "serves"), [("hmmwv", True), ("excavator", True), ("four-bar", False)])
def test_it_serves_where_it_takes_less_time(name: str, serves: bool) -> None:
    model = library_model(name).mechanism
    assert recursion_pays(assemble(model, "joint").compiled.system) == serves
    assert not recursion_pays(assemble(model, "absolute").compiled.system)
    run = simulate(model, Options(until=0.01))
    assert ("eliminated where they close" in run.certificate.why) == serves


def both_ways(monkeypatch: pytest.MonkeyPatch, mechanism: Mechanism, **options: Any) -> tuple[Result, Result]:
    """The same run by recursion and by matrices; both finish."""
    runs = []
    for serves in (True, False):
        monkeypatch.setattr(forward_run, "recursion_pays", lambda system, in_plane=False, serves=serves: serves)
        runs.append(simulate(mechanism, Options(planar=False, **options)))
        assert runs[-1].certificate.status == "finished"
    return runs[0], runs[1]


def test_robots_move_as_by_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    """To rounding, with the same steps: with loops in limbs, and on a vehicle."""
    models = [
        robot(PushrodRobot(2, 3)).mechanism,
        library_model("hmmwv").mechanism,
        library_model("excavator").mechanism,
    ]
    for mechanism in models:
        ours, theirs = both_ways(monkeypatch, mechanism, until=0.3, rtol=1e-8)
        assert ours.certificate.steps == theirs.certificate.steps
        np.testing.assert_allclose(ours.position, theirs.position, rtol=0.0, atol=1e-10)
        np.testing.assert_allclose(ours.lam, theirs.lam, rtol=0.0, atol=1e-8 * np.abs(theirs.lam).max())


@pytest.mark.parametrize("integrator", ["adams", "dop853", "rk4", "generalized-alpha", "radau"])
def test_a_stiff_method_and_fixed_steps_take_it_too(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"step": 1e-3} if integrator == "rk4" else {"rtol": 1e-7}
    ours, theirs = both_ways(
        monkeypatch, robot(PushrodRobot(1, 2)).mechanism, until=0.05, integrator=integrator, **options
    )
    np.testing.assert_allclose(ours.position, theirs.position, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize(
    ("name", "formulation"), [("four-bar", "joint"), ("four-bar", "absolute"), ("governor", "joint")]
)
def test_singular_positions_are_passed_and_found(name: str, formulation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """There the recursion hands over; the passages in the certificate are the same ones."""
    model = library_model(name).mechanism
    ours, theirs = both_ways(monkeypatch, model, until=2.0, rtol=1e-9, formulation=formulation)
    found, expected = ([entry["t"] for entry in run.certificate.singular] for run in (ours, theirs))
    assert len(expected) >= 3
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-5)
    assert [entry["rank"] for entry in ours.certificate.singular] == [e["rank"] for e in theirs.certificate.singular]
    np.testing.assert_allclose(ours.position, theirs.position, rtol=0.0, atol=1e-5)
    assert not ours.certificate.warnings


def test_a_lock_acts_as_by_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows change at an instant, and velocities jump: momentum and energy as before."""
    model = robot(PushrodRobot(2, 1))
    model.lock("brake", "at link 0 0", since=0.05, until=0.15)
    ours, theirs = both_ways(monkeypatch, model.mechanism, until=0.25, rtol=1e-9)
    assert len(ours.certificate.events) == len(theirs.certificate.events) == 2
    np.testing.assert_allclose(ours.position, theirs.position, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(ours.lam, theirs.lam, rtol=0.0, atol=1e-6 * np.abs(theirs.lam).max())


def test_studies_on_threads_give_the_bits_of_single_runs() -> None:
    """Batches take the recursion as a run by itself does."""
    model = robot(PushrodRobot(2, 2))
    vary, output = {"torso.mass": "18:22:8"}, "end(torso.position.z)"
    here, threads = (
        model.study(vary, [output], 0.1, engine=engine, jobs=2, progress=False) for engine in ("here", "threads")
    )
    np.testing.assert_array_equal(threads.outputs[output], here.outputs[output])
