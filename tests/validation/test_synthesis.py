"""Subsystem synthesis: the parts it finds, exact beside NumPy and other methods, the same operations in every step."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.real_time import Drive, manoeuvre

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.start.assembly import assemble
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, dense_mass
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.methods.registry import METHODS
from linkwork.methods.subsystems import FIRST
from linkwork.numerics.status import Status
from linkwork.results.result import Certificate
from random_mechanisms import GROUND, Edge, random_linkage

CORNER = [(0, 1, "revolute"), (0, 2, "revolute"), (1, 3, "spherical"), (2, 3, "spherical")]
OTHER = [(0, 1, "spherical"), (1, 2, "cylindrical"), (2, 0, "universal")]


def platform(rng: np.random.Generator) -> list[Edge]:
    """A base, free or on a hinge, with random subsystems on it; of a free one the last is perhaps held by ground."""
    hinged = bool(rng.random() < 0.5)
    edges: list[Edge] = [(GROUND, 0, "revolute")] if hinged else []
    last = 0
    for _ in range(int(rng.integers(2, 5))):
        shape = (CORNER, OTHER)[int(rng.integers(2))]
        edges += [(a + last * (a > 0), b + last * (b > 0), kind) for a, b, kind in shape]
        last += max(max(a, b) for a, b, _ in shape)
    if not hinged and rng.random() < 0.5:
        edges.append((last, GROUND, "spherical"))
    return edges


def after_a_step(mechanism: Mechanism, formulation: str) -> Equations:
    """The equations at the end of one small step by synthesis, solved."""
    options = Options(until=1e-4, step=1e-4, integrator="rk4", method="synthesis", formulation=formulation)
    start = assemble(mechanism, formulation)
    certificate = Certificate(0, formulation, "synthesis", "rk4")
    run = ForwardRun(start, METHODS["synthesis"], INTEGRATORS["rk4"], options, certificate, (), np.array([0.0, 1e-4]))
    run.bind()
    run.begin(0.0, 1e-4)
    assert run.chunk(1) == Status.FINISHED
    return run.equations


def augmented_solution(equations: Equations) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and Phi_v^T lam of the augmented equations, by NumPy."""
    system, work = equations.system, equations.work
    M, J, n = dense_mass(system, work), dense_jacobian(system, work), len(work.v_dot)
    active = np.flatnonzero(work.row_state["active"])
    J = J[active]
    K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    x = np.linalg.solve(K, np.concatenate([work.Q, work.gamma[active]]))
    return x[:n], J.T @ x[n:]


def test_a_vehicle_falls_into_its_four_corners() -> None:
    """Five motions and four rows each, and the chassis with six; the envelope of a corner is the corner."""
    work = after_a_step(library_model("hmmwv").mechanism, "joint").work
    expected = np.concatenate([np.repeat([0, 9, 18, 27], 9), np.zeros(6)])
    np.testing.assert_array_equal(work.augmented_order[FIRST, :42], expected)
    assert work.method[0]["own"][0] == 1.0


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_accelerations_and_reactions_are_those_of_numpy(formulation: str) -> None:
    """On the vehicle and on 40 random platforms with subsystems, some of them held by ground as well."""
    rng = np.random.default_rng(19)
    mechanisms = [library_model("hmmwv").mechanism]
    mechanisms += [random_linkage(platform(rng), seed) for seed in range(40)]
    synthesized = 0
    for mechanism in mechanisms:
        equations = after_a_step(mechanism, formulation)
        v_dot, forces = augmented_solution(equations)
        work = equations.work
        np.testing.assert_allclose(work.v_dot, v_dot, rtol=0.0, atol=1e-10 * np.abs(v_dot).max())
        found = dense_jacobian(equations.system, work).T @ work.lam
        np.testing.assert_allclose(found, forces, rtol=0.0, atol=1e-10 * np.abs(forces).max())
        synthesized += int(work.method[0]["own"][0])
    assert synthesized > 0.8 * len(mechanisms)


@pytest.mark.parametrize("name", ["bump", "J-turn", "sine steer"])
def test_the_vehicle_moves_as_by_other_methods_with_the_same_operations_in_every_step(name: str) -> None:
    """5 s at fixed steps of 1 ms: within 1e-10 of parametrization; four factorizations, three iterations a step but for
    what begins a run or a segment.
    """
    model = manoeuvre(name)
    reference, _ = Drive(model, "parametrization", "rk4").end()
    y, (factorizations, iterations) = Drive(model, "synthesis", "rk4").end()
    np.testing.assert_allclose(y, reference, rtol=0.0, atol=1e-10 * np.abs(reference).max())
    assert factorizations == pytest.approx(4.0, abs=2e-3)
    assert iterations == pytest.approx(3.0, abs=3e-3)


def test_where_a_subsystem_does_not_hold_the_motion_is_right_all_the_same() -> None:
    """A parallelogram through its flat position: there parametrization serves."""
    model = library_model("four-bar").mechanism
    runs = [simulate(model, Options(until=0.5, rtol=1e-9, method=name)) for name in ("synthesis", "parametrization")]
    assert all(run.certificate.status == "finished" for run in runs)
    np.testing.assert_allclose(runs[0].position, runs[1].position, rtol=0.0, atol=1e-6)
