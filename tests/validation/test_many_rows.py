"""Large mechanisms without dense matrices: the same ranks, starts and verdicts, in memory that grows with their number.

`DENSE_LIMIT` decides what is large; set below zero, the smallest mechanism is treated as a large one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from linkwork.analyses.certificate.singular.weak_direction import weak_direction
from linkwork.analyses.diagnosis import diagnose
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import Start, assemble
from linkwork.analyses.start.closing import motion_units
from linkwork.analyses.start.dependence import dependences, not_given
from linkwork.analyses.start.independent_rows import pivots_at
from linkwork.analyses.start.row_space import RowSpace, is_large
from linkwork.analyses.start.scales import row_sizes
from linkwork.analyses.steady.reduction import Reduction
from linkwork.analyses.steady.sparse_inverse import SparseInverse
from linkwork.errors import LinkworkError
from linkwork.formulations import workspace
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.formulations.motion_rows import JointRows
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.system.pattern import active_at_start
from random_mechanisms import random_linkage, random_planar_linkage
from random_mechanisms.anything import anything
from random_mechanisms.figures import any_masses, bennett, rods_in_line, sarrus
from validation.test_random_loops import PLANAR, SPATIAL

FORMULATIONS = ("joint", "absolute")


@pytest.fixture
def as_large(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Treat every mechanism as a large one, or none."""
    return lambda large: monkeypatch.setattr(workspace, "DENSE_LIMIT", -1 if large else 10**9)


def outcome(mechanism: Mechanism, formulation: str) -> Start | str:
    """The start, or why there is none."""
    try:
        return assemble(mechanism, formulation)
    except LinkworkError as refused:
        return type(refused).__name__


def mechanisms(seed: int) -> list[Mechanism]:
    """Loops in space and in a plane, of masses of any ratio, and special starts."""
    rng = np.random.default_rng(seed)
    spatial, planar = list(SPATIAL.values()), list(PLANAR.values())
    loops = [
        random_linkage(spatial[seed % len(spatial)], seed),
        random_planar_linkage(planar[seed % len(planar)], seed, "xz"),
        random_planar_linkage(planar[seed % len(planar)], seed, None),
    ]
    special = [bennett(rng), sarrus(rng, 0.0), sarrus(rng, 0.7), rods_in_line(rng, 2), anything(seed).mechanism()]
    return [*loops, *(any_masses(loop, rng, 9.0) for loop in loops), *special]


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(8))
def test_ranks_and_starts_are_the_same(seed: int, formulation: str, as_large: Callable[[bool], None]) -> None:
    for mechanism in mechanisms(seed):
        found = []
        for large in (False, True):
            as_large(large)
            found.append(outcome(mechanism, formulation))
        few, many = found
        if isinstance(few, str) or isinstance(many, str):
            assert few == many
            continue
        assert (few.rank, few.start_rank) == (many.rank, many.start_rank)
        if not few.stuck and not many.stuck:  # rods in line: whether closing comes back to the very start is rounding
            assert few.notes == many.notes
        own = few.compiled.layout.velocities
        assert few.y == pytest.approx(many.y, abs=1e-8 * max(1.0, float(np.abs(few.y[own]).max(initial=0.0))))


@pytest.mark.parametrize("seed", range(4))
def test_redundancy_is_the_same(seed: int, as_large: Callable[[bool], None]) -> None:
    for mechanism in mechanisms(seed)[:3]:
        found = []
        for large in (False, True):
            as_large(large)
            found.append(diagnose(mechanism))
        assert found[0].dof == found[1].dof
        assert len(found[0].redundant) == len(found[1].redundant)


@pytest.mark.parametrize("seed", range(6))
def test_dependences_are_the_same(seed: int, as_large: Callable[[bool], None]) -> None:
    """Combinations of rows that vanish, and what of given values no motion gives."""
    for mechanism in mechanisms(seed):
        found = []
        for large in (False, True):
            as_large(large)
            if isinstance(outcome(mechanism, "absolute"), str):
                continue
            _, equations = at_start(mechanism, "absolute")
            rows = len(equations.system.rows)
            J = dense_jacobian(equations.system, equations.work)
            kept = active_at_start(equations.system)
            combinations = [combination for _, combination in dependences(equations, kept)]
            assert len(combinations) == rows - len(kept)
            size = np.abs(J).max()
            if np.linalg.svd(J[kept], compute_uv=False)[-1] > 1e-3 * size:  # no singular start
                assert all(np.abs(n @ J).max() < 1e-7 * size * np.abs(n).max() for n in combinations)
                values = np.random.default_rng(seed).standard_normal(rows)
                found.append(not_given(equations, values, 1e-6))
        assert len(found) < 2 or found[0] == pytest.approx(found[1], abs=1e-5)


def at_start(mechanism: Mechanism, formulation: str) -> tuple[Start, Equations]:
    """An assembled mechanism, its equations evaluated."""
    start = assemble(mechanism, formulation)
    equations = Equations(start.compiled)
    equations.evaluate(0.0, start.y, start.angles, LEVEL_POSITION)
    return start, equations


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(6))
def test_the_space_of_rows_is_that_of_dense_matrices(
    seed: int, formulation: str, as_large: Callable[[bool], None]
) -> None:
    rng = np.random.default_rng(seed)
    for mechanism in mechanisms(seed)[:3]:
        as_large(True)
        start, equations = at_start(mechanism, formulation)
        units, sizes = motion_units(start.compiled, 1.0), row_sizes(start.compiled)
        J = dense_jacobian(start.compiled.system, equations.work) * units / sizes[:, None]
        space = RowSpace(equations).scaled(units, sizes, 1e-9)
        assert space.rank == np.linalg.matrix_rank(J, tol=1e-8)
        values = J @ rng.standard_normal(J.shape[1])
        assert space.least_motion(values) == pytest.approx(np.linalg.lstsq(J, values, rcond=1e-9)[0], abs=1e-9)
        any_motion = rng.standard_normal(J.shape[1])
        free = any_motion - np.linalg.pinv(J, rcond=1e-9) @ (J @ any_motion)
        assert space.allowed(any_motion) == pytest.approx(free, abs=1e-10)
        taken = np.sort(space.table["row"][space.order])
        weakest = RowSpace(equations, taken).scaled(units, sizes, 0.0).weakest()
        smallest = np.linalg.svd(J[taken], compute_uv=False)[-1]
        assert smallest * (1.0 - 1e-9) <= weakest.value < 1.2 * smallest
        assert weakest.combination @ J == pytest.approx(weakest.value * weakest.motion, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_of_the_rows_of_one_constraint_is_that_of_the_dense_factorization(
    seed: int, as_large: Callable[[bool], None]
) -> None:
    """A single loop in joint coordinates has one constraint: the strongest of its rows is the strongest of all."""
    mechanism = random_planar_linkage(PLANAR["four-bar"], seed, None)
    found = []
    for large in (False, True):
        as_large(large)
        start, equations = at_start(mechanism, "joint")
        assert is_large(equations) == large
        found.append(pivots_at(equations, start.y, start.angles, 0.0, 1e-9))
    assert list(found[0][0]) == list(found[1][0])
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_loose_joints_are_the_same(formulation: str, as_large: Callable[[bool], None]) -> None:
    found = []
    for large in (False, True):
        as_large(large)
        start, equations = at_start(library_model("four-bar", {"angle": 0.0}).mechanism, formulation)
        weak = weak_direction(equations, 0.0, start.y, start.angles)
        assert weak is not None
        found.append((weak.joints, weak.drivers))
    assert found[0] == found[1]


def test_a_row_of_many_loops_is_simulated_as_with_dense_matrices(as_large: Callable[[bool], None]) -> None:
    """Through the positions where every loop is flat at once."""
    mechanism, found = library_model("n-four-bar", {"n": 12.0}).mechanism, []
    for large in (False, True):
        as_large(large)
        found.append(simulate(mechanism, Options(until=3.0, rtol=1e-8)))
    few, many = (run.certificate for run in found)
    assert few.status == many.status == "finished"
    assert [(entry["rank"], entry["of"], entry["joints"]) for entry in many.singular] == [
        (12, 24, entry["joints"]) for entry in few.singular
    ]
    assert [entry["t"] for entry in many.singular] == pytest.approx([entry["t"] for entry in few.singular], abs=1e-6)
    assert len(many.singular) == 3
    assert found[0].q[-1] == pytest.approx(found[1].q[-1], abs=1e-6)


@pytest.mark.parametrize("name", ["four-bar", "governor", "stewart-platform", "rrc-arm", "n-four-bar"])
def test_balance_and_small_motions_are_the_same(name: str, as_large: Callable[[bool], None]) -> None:
    """By sparse factors of the rows as by the inverse of a dense matrix."""
    found = []
    for large in (False, True):
        as_large(large)
        reduction = Reduction(library_model(name).mechanism)
        point = reduction.rough
        assert isinstance(point.inverse, SparseInverse) == (large and len(reduction.rows) > 0)
        small = reduction.system_matrix(point)
        found.append((point.r, point.lam, point.M_hat, small, tuple(reduction.names)))
    assert found[0][-1] == found[1][-1]
    for one, other in zip(found[0][:-1], found[1][:-1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-8 * (np.abs(one).max(initial=0.0) + 1.0))


def test_memory_and_factorizations_grow_with_the_number_of_loops() -> None:
    """Counted, not timed: numbers in the workspace of 100 and of 400 four-bars."""
    sizes = []
    for n in (100.0, 400.0):
        start = assemble(library_model("n-four-bar", {"n": n}).mechanism, "joint")
        equations = Equations(start.compiled)
        assert is_large(equations)
        sizes.append(sum(array.size for array in equations.work))
    assert sizes[1] < 4.1 * sizes[0]


@pytest.mark.parametrize("name", ["four-bar-flexible", "stewart-platform", "governor", "rrc-arm"])
def test_motion_rows_are_differences_of_the_motion(name: str) -> None:
    """Joint velocities and forces are transposes of each other, and rates those of all motions at once."""
    start, equations = at_start(library_model(name).mechanism, "joint")
    rows = JointRows(start.compiled, [joint.name for joint in start.compiled.mechanism.joint]).at(equations.work)
    rng = np.random.default_rng(0)
    v, f = rng.standard_normal(len(equations.system.dofs)), rng.standard_normal(len(rows))
    assert f @ rows.rates(v) == pytest.approx(rows.forces(f) @ v)
    assert rows.rates(v) == pytest.approx(rows.dense() @ v)
