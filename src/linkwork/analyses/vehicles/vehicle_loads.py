"""Forces of shock absorbers and tyres over a run, computed again from the motion."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.loads.cases.record_forces import at_samples, equations_of, record_forces
from linkwork.elements.forces.spring_damper import SpringDamper
from linkwork.elements.signals.measures import Measure
from linkwork.elements.tyres.tyre import TYRES, Tyre
from linkwork.results.result import Result


def shock_loads(result: Result) -> dict[str, np.ndarray]:
    """Force of every linear spring-damper at the samples, N; > 0: it pulls its ends together.

    Those by an expression are left out: a measure force(NAME) gives them.
    """
    names = [spring.name for spring in result.mechanism.of(SpringDamper) if spring.force is None]
    equations = equations_of(result, [Measure(name=f"force of {name}", of=f"force('{name}')") for name in names])
    places = [equations.compiled.layout.measures[f"force of {name}"] for name in names]
    found = np.zeros((len(names), len(result.t)))
    for n, _, _ in at_samples(result, equations):
        found[:, n] = equations.work.signals[places]
    return dict(zip(names, found, strict=True))


def tyre_forces(result: Result) -> dict[str, np.ndarray]:
    """Force of the road on every tyre at the samples [sample, 3], N, world axes."""
    tyres = result.mechanism.of(Tyre)
    if not tyres:
        return {}
    return {tyre.name: force for tyre, force in zip(tyres, record_forces(result, TYRES), strict=True)}
