"""Forces of single elements of a family at the samples of a run: the kernel called for one record alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.analyses.replay import model_of
from linkwork.formulations.equations import Equations
from linkwork.numerics.codes import LEVEL_ALL
from linkwork.results.result import Result
from linkwork.system.compile import compile_mechanism


def record_forces(result: Result, family: Any, kernel: Any, record: np.dtype, bodies: Sequence[str]) -> np.ndarray:
    """Force of each record on its body at the samples [record, sample, 3], N, world axes; `bodies` by record."""
    compiled = compile_mechanism(model_of(result), result.certificate.formulation)
    equations, angles = Equations(compiled), np.zeros(2 * compiled.layout.angle_count)
    first = next(first for known, first, _ in compiled.families if known is family)
    indices = [compiled.layout.body(name) for name in bodies]
    forces = np.zeros((len(bodies), len(result.t), 3))
    for n, t in enumerate(result.t):
        y = np.concatenate([result.q[n], result.v[n], result.states[n]])
        equations.evaluate(float(t), y, angles, LEVEL_ALL)
        for k, body in enumerate(indices):
            here = first + k * record.itemsize
            equations.work.F[:] = 0.0
            kernel(equations.system_ref, float(t), angles, equations.work_ref, here, here + record.itemsize)
            forces[k, n] = equations.work.F[body, :3]
    return forces
