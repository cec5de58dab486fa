"""Forces of single elements of a family at the samples of a run: the kernel called for one record alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from linkwork.elements.family import Family, Phase
from linkwork.elements.forces.python_force import PythonForce
from linkwork.elements.signals.measures import Measure
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_ALL
from linkwork.results.result import Result
from linkwork.system.compile import compile_mechanism


def equations_of(result: Result, measures: Sequence[Measure] = ()) -> Equations:
    """The equations of the model of a run, in the coordinates of the run, with further measures.  Python functions,
    which a file does not keep, give nothing here.
    """
    mechanism = result.mechanism
    without = [force.model_copy(update={"function": _nothing(force)}) for force in mechanism.of(PythonForce)]
    mechanism = mechanism.with_elements(PythonForce, tuple(without))
    mechanism = mechanism.with_elements(Measure, (*mechanism.of(Measure), *measures))
    return Equations(compile_mechanism(mechanism, result.certificate.formulation))


def _nothing(force: PythonForce) -> Callable[..., Any]:
    return lambda t, x: np.zeros(3 if force.joint is None else 1)


def at_samples(result: Result, equations: Equations) -> Iterator[tuple[int, float, np.ndarray]]:
    """Places and twists at every sample, into the workspace; its number, time (s) and angles, none of them counted."""
    angles = np.zeros(2 * equations.compiled.layout.angle_count)
    for n, t in enumerate(result.t.tolist()):
        equations.evaluate(t, np.concatenate([result.q[n], result.v[n], result.states[n]]), angles, LEVEL_ALL)
        yield n, t, angles


def record_forces(result: Result, family: Family) -> np.ndarray:
    """Force of each record at the samples [record, sample, 3], N, world axes, on its body B: of a flexible one the
    node on which it acts.  For forces that no counted angle has a part in.
    """
    equations = equations_of(result)
    table = equations.compiled.table(family)
    assert table is not None
    first, size, kernel = table.first, family.record.itemsize, family.kernels[Phase.FORCES]
    indices = table.records(equations.system.block)[family.actions[-1].body]
    forces = np.zeros((len(indices), len(result.t), 3))
    for n, t, angles in at_samples(result, equations):
        for k, index in enumerate(indices):
            here = first + k * size
            equations.work.F[:] = 0.0
            kernel(equations.system_ref, t, angles, equations.work_ref, here, here + size)
            forces[k, n] = equations.work.F[index, :3]
    return forces
