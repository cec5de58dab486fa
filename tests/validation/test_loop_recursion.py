"""Loops eliminated where they close: exact beside NumPy, other factors and whole runs, on random robots."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.local_loops import robot
from benchmarks.pushrods import PushrodRobot

from linkwork.analyses.simulate import forward_run
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import assemble
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


def beside_the_start(mechanism: Mechanism, seed: int) -> Equations | None:
    """The equations by recursion, evaluated with M at a random state beside the start; None: some loop of it cannot move."""
    try:
        start = assemble(mechanism, "joint")
    except LinkworkError:
        return None
    equations = Equations(start.compiled, recursion=True)
    rng, y = np.random.default_rng(seed), start.y.copy()
    own = start.compiled.layout.velocities
    y[own] = rng.uniform(-1.0, 1.0, own.stop - own.start)
    equations.evaluate(0.3, y, start.angles, LEVEL_EQUATIONS)
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
        equations = beside_the_start(drawn(seed), seed)
        if equations is None or not len(equations.system.rows):
            continue
        work, rng = equations.work, np.random.default_rng(seed)
        assert factorize(equations.system_ref, equations.work_ref) == OK
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
    print(tried, served)
    assert tried > 0.5 * SEEDS
    assert served > 0.8 * tried
