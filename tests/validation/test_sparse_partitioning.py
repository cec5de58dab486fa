"""Partitioning of large mechanisms: what sparse bases do is what dense ones do, in memory that grows with the loops.

`DENSE_LIMIT` decides what is large; set below zero, the smallest mechanism is treated as a large one.
"""

from __future__ import annotations

import numpy as np
import pytest

from contract.test_methods import REGULAR
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.simulate.samples import columns_of
from linkwork.analyses.start.assembly import assemble
from linkwork.analyses.start.scales import state_scales
from linkwork.compiler.kernels import bind, bind_loop
from linkwork.formulations import workspace
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.jacobians import dense_jacobian, dense_mass
from linkwork.formulations.kinematics import displace
from linkwork.integrators import stages
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.at_states import moves_at, samples_at
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.methods.partitioning.basis import COLUMNS
from linkwork.methods.reasons import Basis
from linkwork.methods.registry import METHODS
from linkwork.numerics.status import OK
from random_mechanisms import random_linkage, random_planar_linkage
from validation.plane_linkages import link, mechanism, pin
from validation.test_random_loops import PLANAR, SPATIAL

SPARSE = [name for name, method in METHODS.items() if method.basis != Basis.NONE and not method.dense]
FORMULATIONS = ("joint", "absolute")
LOOPS = ("RSSR", "two loops", "branch on a loop", "floating loop", "RSRRR")
LARGE, SMALL = -1, 10**9


class Trial:
    """A mechanism at its start with a method's stages, called one by one; its basis is built there."""

    def __init__(self, given: Mechanism, formulation: str, name: str) -> None:
        self.method, self.start = METHODS[name], assemble(given, formulation)
        self.equations = Equations(self.start.compiled, partitioned=True)
        work = self.equations.work
        work.error_scales[:] = work.scales[:] = state_scales(self.start.compiled)
        work.options[:] = self.method.options_record({}, 1.0)
        work.method["basis"], work.method["other_basis"], work.method["rebuild"] = self.method.basis, -1, 1
        self.stages = evaluate, self.method.factor, self.method.solve
        for stage, contract in zip(self.stages, (stages.EVALUATE, stages.FACTOR, stages.SOLVE), strict=True):
            bind(stage, contract)
        bind_loop(moves_at, stages.MOVES_AT)
        bind_loop(samples_at, stages.SAMPLES_AT)
        self.at(self.start.y)

    def at(self, y: np.ndarray) -> Trial:
        """The equations at another position, with the basis that is kept."""
        self.states = y[None].copy()
        self.moved(np.zeros(len(self.equations.system.rows)))
        return self

    def moved(self, c: np.ndarray) -> np.ndarray:
        """The motion that brings back c."""
        delta = np.zeros((1, len(self.equations.work.delta)))
        status = moves_at(
            *self.stages, self.equations.system_ref, np.zeros(1), self.states, self.start.angles.copy(),
            self.equations.work_ref, c[None].copy(), delta,
        )  # fmt: skip
        assert status == OK
        return delta[0]

    def accelerated(self) -> np.ndarray:
        """v_dot."""
        rows, rest = np.zeros((1, columns_of(self.equations).width)), np.zeros((2, 1, len(self.equations.work.Phi)))
        status = samples_at(
            *self.stages, self.equations.system_ref, np.zeros(1), self.states, self.start.angles.copy(),
            self.equations.work_ref, np.zeros(1, CONTROL), rows, *rest,
        )  # fmt: skip
        assert status == OK
        return self.equations.work.v_dot.copy()


def loops(seed: int) -> list[Mechanism]:
    """Mechanisms with one loop and with several, in space and in a plane."""
    kinds = [random_linkage(SPATIAL[name], seed) for name in LOOPS]
    return [*kinds, *(random_planar_linkage(PLANAR[name], seed, "xz") for name in ("five-bar", "six-bar"))]


def beside(trial: Trial, seed: int) -> np.ndarray:
    """The start moved a little, off the constraints."""
    y, count = trial.start.y.copy(), trial.start.compiled.layout.v_count
    displace(trial.equations.system.dofs, y, 1e-3 * np.random.default_rng(seed).standard_normal(count))
    return y


def five_bars(count: int) -> Mechanism:
    """A row of loops each of which has a motion of its own: bars from pin to pin, legs to ground below."""
    bodies, pins, last = [], [], "ground"
    for k in range(count):
        here, top, middle, ahead = complex(k), complex(k, 1.0), complex(k + 0.5, 1.3), complex(k + 1.0, 1.0)
        if k == 0:
            bodies.append(link("leg 0", here, top, 1.0))
            pins.append(pin("ground 0", "ground", "leg 0", here))
        bodies += [link(f"a {k}", top, middle, 1.0), link(f"b {k}", middle, ahead, 1.0),
                   link(f"leg {k + 1}", ahead - 1j, ahead, 1.0)]  # fmt: skip
        pins += [pin(f"A {k}", f"leg {k}", f"a {k}", top), pin(f"B {k}", f"a {k}", f"b {k}", middle),
                 pin(f"C {k}", f"b {k}", f"leg {k + 1}", ahead),
                 pin(f"ground {k + 1}", last, f"leg {k + 1}", ahead - 1j)]  # fmt: skip
    return mechanism(bodies, pins)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["lu", "qr", "projection"])
@pytest.mark.parametrize("seed", range(2))
def test_moves_and_accelerations_are_those_of_dense_matrices(
    seed: int, name: str, formulation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the position of the basis and beside it, with the basis kept."""
    for given in loops(seed):
        monkeypatch.setattr(workspace, "DENSE_LIMIT", LARGE)
        many = Trial(given, formulation, name)
        work, system = many.equations.work, many.equations.system
        c = dense_jacobian(system, work) @ np.random.default_rng(seed).standard_normal(len(system.dofs))
        there = many.moved(c)
        assert dense_jacobian(system, work) @ there == pytest.approx(c, abs=1e-9 * np.abs(c).max())
        many.at(beside(many, seed))
        assert work.method[0]["new_basis"] == 0
        J, M = dense_jacobian(system, work), dense_mass(system, work)
        rows = work.active[: work.method[0]["active_count"]]["row"]
        moved, v_dot = many.moved(c), many.accelerated()
        assert (J @ moved)[rows] == pytest.approx(c[rows], abs=1e-9 * np.abs(c).max())
        kkt = np.block([[M, J[rows].T], [J[rows], np.zeros((len(rows), len(rows)))]])
        exact = np.linalg.solve(kkt, np.concatenate([work.Q, work.gamma[rows]]))[: len(M)]
        assert v_dot == pytest.approx(exact, rel=1e-7, abs=1e-7 * np.abs(exact).max())
        if name == "lu":
            independent = work.order[COLUMNS][len(rows) : len(M)]
            assert not moved[independent].any()
            assert len(set(work.order[COLUMNS][: len(M)])) == len(M)
            continue
        monkeypatch.setattr(workspace, "DENSE_LIMIT", SMALL)
        few = Trial(given, formulation, name)
        few.at(beside(few, seed))
        assert moved == pytest.approx(few.moved(c), abs=1e-7 * np.abs(moved).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", SPARSE)
def test_runs_of_all_methods_agree(method: str, formulation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "DENSE_LIMIT", LARGE)
    for name in ("four-bar", "rssr", "six-bar"):
        given, until = REGULAR[name]
        few = simulate(given, Options(until=until, rtol=1e-10, every=until / 5))
        many = simulate(given, Options(until=until, formulation=formulation, method=method, rtol=1e-9, every=until / 5))
        size = float(np.ptp(few.position, axis=0).max())
        assert many.certificate.status == "finished"
        assert np.abs(many.position - few.position).max() < 2e-6 * size
        assert many.certificate.max_violation["position"] < 1e-10
        assert many.certificate.max_violation["velocity"] < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_runs_of_random_loops_agree(seed: int, formulation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several loops at once, in space and in a plane, every method beside parametrization."""
    for given in (random_linkage(SPATIAL["two loops"], seed), random_planar_linkage(PLANAR["six-bar"], seed, "xz")):
        monkeypatch.setattr(workspace, "DENSE_LIMIT", LARGE)
        ends = []
        for method in ("parametrization", *SPARSE):
            options = Options(until=0.4, formulation=formulation, method=method, rtol=1e-9, every=0.4)
            ends.append(simulate(given, options).position[-1])
        for end in ends[1:]:
            assert np.abs(end - ends[0]).max() < 1e-5


@pytest.mark.parametrize("method", SPARSE)
def test_a_row_of_loops_passes_its_singular_positions(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As by dense matrices, with the same reasons to change the basis; all loops are flat at once, twice.

    Which states the steps meet near a flat position is chance, and what energy is lost there with it: so some runs.
    """
    given, drifts = library_model("n-four-bar", {"n": 6.0}).mechanism, []
    for rtol in (0.8e-7, 0.9e-7, 1e-7, 1.1e-7, 1.2e-7):
        found = []
        for limit in (SMALL, LARGE):
            monkeypatch.setattr(workspace, "DENSE_LIMIT", limit)
            options = Options(until=2.5, formulation="absolute", method=method, rtol=rtol)
            found.append(simulate(given, options).certificate)
        few, many = found
        assert few.status == many.status == "finished"
        assert len(few.singular) == len(many.singular) == 2
        drifts.append([few.energy_drift, many.energy_drift])
        changes = [{entry["why"] for entry in one.switches if entry["from"] != entry["to"]} for one in found]
        assert changes[0] == changes[1]
        for name, shares in few.bases.items():
            assert many.bases[name]["time"] == pytest.approx(shares["time"], abs=0.1)
    worst = np.max(drifts, axis=0)
    assert worst[1] < 10.0 * worst[0] + 1e-7


def test_loops_with_motions_of_their_own_fill_nothing_in() -> None:
    """LU takes coordinates that no other loop shares: its factors stay as sparse as the rows."""
    run = simulate(five_bars(30), Options(until=0.05, formulation="absolute", method="lu"))
    assert run.certificate.status == "finished"
    assert run.certificate.dof == 31
    other = simulate(five_bars(30), Options(until=0.05, formulation="joint"))
    assert np.abs(run.position[-1] - other.position[-1]).max() < 1e-5


def test_memory_grows_with_the_number_of_loops() -> None:
    """Counted, not timed: numbers in the workspace of 100 and of 400 four-bars."""
    sizes = []
    for n in (100.0, 400.0):
        start = assemble(library_model("n-four-bar", {"n": n}).mechanism, "absolute")
        work = Equations(start.compiled, partitioned=True).work
        assert work.dense.size == work.augmented.size == 0
        sizes.append(sum(array.size for array in work))
    assert sizes[1] < 4.1 * sizes[0]


def test_a_method_of_dense_matrices_says_so() -> None:
    given = library_model("n-four-bar", {"n": 9.0}).mechanism
    for method in ("svd", "gram-schmidt", "lu"):
        run = simulate(given, Options(until=1e-3, formulation="absolute", method=method))
        said = [text for text in run.certificate.warnings if "dense matrices" in text]
        assert len(said) == (method != "lu")
        assert all("56 equations and 57 motions" in text for text in said)
