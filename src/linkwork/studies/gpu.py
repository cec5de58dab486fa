"""A batch on a GPU: the CPU's own kernels inside one thin CUDA kernel, one simulation a thread.

Arrays of the workspace have the simulations as their last axis, so that neighbouring threads read neighbouring memory.
System and Work are NamedTuples here (a reference is an address of the CPU's); inlined, they stay in the GPU's constant
memory.  A GPU kernel is compiled for a method, an integrator and a choice of varied tables, and takes steps of one
length: a batch in which more happens is refused.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.compiler import cuda_backend
from linkwork.compiler.addresses import number_on_gpu
from linkwork.compiler.kernels import Kernel, kernel
from linkwork.compiler.references import FIRST_AXIS, LAST_AXIS, WHOLE, picker
from linkwork.elements.family import Phase
from linkwork.errors import OptionError
from linkwork.formulations.equations import evaluate
from linkwork.formulations.workspace import Work
from linkwork.integrators.loop.fixed_steps import fixed_steps
from linkwork.integrators.registry import integrator
from linkwork.methods.registry import METHODS
from linkwork.numerics.status import FINISHED, OK
from linkwork.studies.batch import Batch, Ends, ends_of
from linkwork.system.tables import System

ROOM = 0.8  # of the free memory: what a portion of a batch may take


def run_on_gpu(batch: Batch) -> Ends:
    """Every simulation on the GPU, in portions that fit its memory."""
    families = [table.family.name for table in batch.start.compiled.families if not table.family.on_gpu]
    if families:
        raise OptionError(f"'{families[0]}' do not run on a GPU; use run_on_threads")
    missing = cuda_backend.why_not()
    if missing:
        raise OptionError(f"there is no GPU to run on ({missing}); use run_on_threads")
    run = ready(batch)
    refuse_what_happens(run)
    portion, ends = _portion(batch, run), ends_of(batch)
    for first in range(0, len(batch.states), portion):
        _run_portion(batch, run, slice(first, first + portion), ends)
    return ends


def ready(batch: Batch) -> ForwardRun:
    """A run at its start, from which those on the GPU are copied; kernels of families by their numbers there."""
    run = batch.ready_run({})
    run.begin(0.0, batch.options.until)
    stages = run.work.stages
    stages["phase"] = Phase.NONE
    on_gpu = [table for table in run.compiled.families if table.family.on_gpu]
    entries = [(table, *entry) for table in on_gpu for entry in table.family.kernels.items()]
    for n, (table, phase, function) in enumerate(entries):
        stages[n] = (phase, number_on_gpu(phase, function), table.first, table.last)
    return run


def refuse_what_happens(run: ForwardRun) -> None:
    """On a GPU there are steps of one length and nothing else; the loop of single runs compiles there for too long."""
    if run.integrator.adaptive:
        raise OptionError(
            f"integrator '{run.integrator.name}' chooses its own steps; on a GPU use rk4 or ab3 with step = ..., or "
            "run_on_threads",
            element=run.integrator.name,
        )
    if len(run.stops) > 1 or len(run.compiled.system.changes):
        raise OptionError(
            f"something jumps, locks or strikes at t = {run.stops['t'][0]:g} s or when an event occurs, which steps of "
            "one length would pass over; use run_on_threads"
        )


def step_count(batch: Batch) -> int:
    """How many steps of one length lead to the end."""
    return math.ceil(batch.options.until / (batch.options.step or math.inf) * (1.0 - 1e-9))


def of_one(run: ForwardRun) -> tuple[np.ndarray, ...]:
    """Angles and the integrator's memory of one simulation, as new."""
    return run.angles, run.buffers.memory


def _portion(batch: Batch, run: ForwardRun) -> int:
    """How many simulations fit in the GPU's memory at once."""
    arrays = [*run.work, *of_one(run), *(rows[0] for rows in batch.tables.values())]
    most = ROOM * cuda_backend.free_memory() / sum(array.nbytes for array in arrays)
    return max(cuda_backend.THREADS, int(min(len(batch.states), most)))


def stages(batch: Batch) -> tuple[str, str, tuple[bool, ...]]:
    """What a GPU kernel is compiled for: method, integrator, which tables vary."""
    return batch.method.name, batch.scheme.name, tuple(name in batch.tables for name in System._fields)


def _run_portion(batch: Batch, run: ForwardRun, portion: slice, ends: Ends) -> None:
    states = cuda_backend.to_device(batch.states[portion].T.astype(float))
    count = states.shape[1]
    tables = {name: batch.tables[name][portion] if name in batch.tables else getattr(batch.system, name)
              for name in System._fields}  # fmt: skip
    system = System(**{name: cuda_backend.to_device(table) for name, table in tables.items()})
    work = Work(*(cuda_backend.spread(array, count) for array in run.work))
    angles, memory = (cuda_backend.spread(array, count) for array in of_one(run))
    control = cuda_backend.to_device(np.tile(run.buffers.control, (count, 1)))
    ends.status[portion] = cuda_backend.run_each(
        one_of_many(*stages(batch)), count, system, work, states, angles, memory, control, step_count(batch)
    )
    ends.states[portion] = states.copy_to_host().T
    ended = control.copy_to_host()[:, 0]
    ends.t[portion], ends.steps[portion] = ended["t"], ended["steps"]


@functools.cache
def one_of_many(method: str, how: str, varied: tuple[bool, ...]) -> Kernel:
    """A kernel that runs simulation k of many; `varied` says which tables have a set of rows for each simulation."""
    factor, solve, correct = METHODS[method].factor, METHODS[method].solve, METHODS[method].correct
    step = integrator(how).step
    system_of = picker(*(FIRST_AXIS if own else WHOLE for own in varied))
    work_of = picker(*(LAST_AXIS for _ in Work._fields))

    @kernel
    def simulate_one(k, system, work, states, angles, memory, control, count):
        status = fixed_steps(
            evaluate, factor, solve, correct, step, system_of(system, k), states[:, k], angles[:, k],
            work_of(work, k), memory[..., k], control[k], count,
        )  # fmt: skip
        return FINISHED if status == OK else status

    return simulate_one
