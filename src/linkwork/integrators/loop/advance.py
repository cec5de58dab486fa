"""So many steps of one length, and nothing else: batches on threads and GPUs, and small steps beside a run."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import typeof, types

from linkwork.compiler.kernels import bind, bind_loop, kernel
from linkwork.formulations.equations import Equations, evaluate
from linkwork.integrators.contract import Step
from linkwork.integrators.loop.chunks import end_of_step
from linkwork.methods.contract import Correct, Evaluate, Factor, Solve
from linkwork.numerics.status import OK

Stages: TypeAlias = tuple[Evaluate, Factor, Solve, Correct, Step]


def advance(evaluate, factor, solve, correct, step, system, y, angles, work, memory, control, count):
    """`count` steps of one simulation; a kernel on the CPU and on a GPU."""
    for _ in range(count):
        status = step(evaluate, factor, solve, correct, system, y, angles, work, memory, control)
        if status != OK:
            return status
        end_of_step(angles, work, control)
    return OK


advance_on_cpu = kernel(advance)


def bind_advance(
    factor: Factor, solve: Solve, correct: Correct, step: Step, equations: Equations, memory: np.ndarray,
    control: np.ndarray,
) -> Stages:  # fmt: skip
    """Compile each stage alone, then `advance_on_cpu`; what the cache holds is only loaded.  The stages."""
    status, real, whole, vector = types.int64, types.float64, types.int64, types.float64[::1]
    system, work, table, record = map(typeof, (equations.system_ref, equations.work_ref, memory, control))
    E = bind(evaluate, types.void, system, real, vector, vector, work, whole)
    F = bind(factor, status, system, work)
    S = bind(solve, status, F, system, work, whole)
    C = bind(correct, status, E, F, S, system, real, vector, vector, work)
    T = bind(step, status, E, F, S, C, system, vector, vector, work, table, record)
    bind_loop(advance_on_cpu, status, E, F, S, C, T, system, vector, vector, work, table, record, whole)
    return evaluate, factor, solve, correct, step
