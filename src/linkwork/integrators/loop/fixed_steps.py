"""So many steps of one length, and nothing else: small steps beside a run."""

from __future__ import annotations

from linkwork.compiler.kernels import Kernel, bind, bind_loop, kernel
from linkwork.formulations.equations import evaluate
from linkwork.integrators import stages
from linkwork.integrators.loop.chunks import end_of_step
from linkwork.numerics.status import OK


@kernel
def fixed_steps(evaluate, factor, solve, correct, step, system, y, angles, work, memory, control, count):
    """`count` steps."""
    for _ in range(count):
        status = step(evaluate, factor, solve, correct, system, y, angles, work, memory, control)
        if status != OK:
            return status
        end_of_step(angles, work, control)
    return OK


Stages = tuple[Kernel, Kernel, Kernel, Kernel, Kernel]  # evaluate, factor, solve, correct, step


def bind_fixed_steps(factor: Kernel, solve: Kernel, correct: Kernel, step: Kernel) -> Stages:
    """Compile each stage alone, then `fixed_steps`; what the cache holds is only loaded.  The stages."""
    bind(evaluate, stages.EVALUATE)
    bind(factor, stages.FACTOR)
    bind(solve, stages.SOLVE)
    bind(correct, stages.CORRECT)
    bind(step, stages.STEP)
    bind_loop(fixed_steps, stages.FIXED_STEPS)
    return evaluate, factor, solve, correct, step
