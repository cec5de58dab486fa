"""What shock absorbers and tyres give over a run: forces read again from the motion."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.loads.record_forces import at_samples, equations_of, record_forces
from linkwork.analyses.loads.replay import model_of
from linkwork.elements.forces.spring_damper import SpringDamper
from linkwork.elements.tyres.tyre import TYRES, Tyre
from linkwork.formulations.workspace import Work
from linkwork.results.result import Result


def shock_loads(result: Result) -> dict[str, np.ndarray]:
    """Force of every linear spring-damper at the samples, N; > 0: it pulls its ends together.

    Those by an expression are left out: a measure force(NAME) tells them.
    """
    equations = equations_of(result)
    said = {spring.name: spring for spring in equations.compiled.mechanism.of(SpringDamper)}
    springs = [said[name] for name in equations.compiled.owners["springs"]]
    found = {name: np.zeros(len(result.t)) for name, spring in said.items() if spring.force is None}
    for n, _, _ in at_samples(result, equations):
        for spring, record in zip(springs, equations.system.springs, strict=True):
            p_A, v_A = _moving(equations.work, record["body_a"], record["p_A"])
            p_B, v_B = _moving(equations.work, record["body_b"], record["p_B"])
            length = np.linalg.norm(p_B - p_A)
            rate = (p_B - p_A) @ (v_B - v_A) / length if length > 0.0 else 0.0
            found[spring.name][n] = spring.pull(length, rate)
    return found


def _moving(work: Work, body: int, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position (m) and velocity (m/s) of a point of a link frame, world."""
    at = work.p[body] + work.R[body] @ p
    return at, work.V[body, :3] + np.cross(work.V[body, 3:], at - work.O[body])


def tyre_forces(result: Result) -> dict[str, np.ndarray]:
    """Force of the road on every tyre at the samples [sample, 3], N, world axes."""
    tyres = model_of(result).of(Tyre)
    if not tyres:
        return {}
    return {tyre.name: force for tyre, force in zip(tyres, record_forces(result, TYRES, "body"), strict=True)}
