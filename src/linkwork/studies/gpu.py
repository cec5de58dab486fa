"""A batch on a GPU: the CPU's own kernels inside one thin CUDA kernel, one simulation a thread.

Arrays of the workspace have the simulations as their last axis, so that neighbouring threads read neighbouring memory.
System and Work are NamedTuples here (a reference is an address of the CPU's); inlined, they stay in the GPU's constant
memory.  A GPU kernel is compiled for a method, an integrator and a choice of varied tables.  Where nothing happens but
steps of one length it has these alone, and compiles in half the time; else it is the loop of a single run.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from linkwork.analyses.simulate.events import watch_from_start
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.compiler import cuda_backend
from linkwork.compiler.addresses import number_on_gpu
from linkwork.compiler.kernels import Kernel, kernel
from linkwork.compiler.references import FIRST_AXIS, LAST_AXIS, WHOLE, picker
from linkwork.elements.family import Phase
from linkwork.errors import OptionError
from linkwork.formulations.equations import evaluate
from linkwork.formulations.workspace import Work
from linkwork.integrators.loop.advance import advance
from linkwork.integrators.loop.fixed_steps import fixed_steps
from linkwork.integrators.loop.locate import begin_to_watch
from linkwork.integrators.registry import integrator
from linkwork.methods.registry import METHODS
from linkwork.numerics.status import CHANGED, FINISHED, LEVEL_ALL, OK
from linkwork.studies.batch import Batch, Ends, ends_of
from linkwork.system.tables import System

ROOM = 0.8  # of the free memory: what a portion of a batch may take


class Own(NamedTuple):
    """What each simulation has of its own, beside its tables."""

    y: Any
    angles: Any
    work: Work
    memory: Any
    control: Any
    progress: Any
    samples: Any
    history: Any
    path: Any
    event_location: Any
    state: Any
    occurrences: Any


def run_on_gpu(batch: Batch) -> Ends:
    """Every simulation on the GPU, in portions that fit its memory."""
    families = [table.family.name for table in batch.start.compiled.families if not table.family.on_gpu]
    if families:
        raise OptionError(f"'{families[0]}' do not run on a GPU; use run_on_threads")
    if "ops" in batch.tables:
        raise OptionError("table 'ops' varies, and with it the times at which something jumps; use run_on_threads")
    missing = cuda_backend.why_not()
    if missing:
        raise OptionError(f"there is no GPU to run on ({missing}); use run_on_threads")
    run = ready(batch)
    portion, ends = _portion(batch, run), ends_of(batch)
    for first in range(0, len(batch.states), portion):
        _run_portion(batch, run, slice(first, first + portion), ends)
    return ends


def ready(batch: Batch) -> ForwardRun:
    """A run at its start, from which those on the GPU are copied; kernels of families by their numbers there."""
    run = batch.ready_run({})
    watch_from_start(run.equations, run.y, run.angles, batch.options.rtol if run.integrator.adaptive else None)
    run.begin(0.0, batch.options.until)
    run.buffers.progress["keeps"] = 0
    stages = run.work.stages
    stages["phase"] = Phase.NONE
    on_gpu = [table for table in run.compiled.families if table.family.on_gpu]
    entries = [(table, *entry) for table in on_gpu for entry in table.family.kernels.items()]
    for n, (table, phase, function) in enumerate(entries):
        stages[n] = (phase, number_on_gpu(phase, function), table.first, table.last)
    return run


def of_one(run: ForwardRun) -> Own:
    """What one simulation has of its own, as new."""
    buffers = run.buffers
    return Own(
        run.y, run.angles, run.work, buffers.memory, buffers.control, buffers.progress, buffers.samples[:1],
        buffers.history[:1], buffers.path[:1], buffers.event_location, buffers.event_state, buffers.occurrences,
    )  # fmt: skip


def plain(run: ForwardRun) -> bool:
    """Whether nothing happens but steps of one length."""
    happens = len(run.stops) > 1 or len(run.work.watch) or len(run.compiled.system.changes)
    return not (run.integrator.adaptive or happens)


def step_count(batch: Batch) -> int:
    """How many steps of one length lead to the end."""
    return math.ceil(batch.options.until / (batch.options.step or math.inf) * (1.0 - 1e-9))


def _portion(batch: Batch, run: ForwardRun) -> int:
    """How many simulations fit in the GPU's memory at once."""
    own = of_one(run)
    arrays = [*own.work, *(array for name, array in own._asdict().items() if name != "work")]
    arrays += [rows[0] for rows in batch.tables.values()]
    most = ROOM * cuda_backend.free_memory() / sum(array.nbytes for array in arrays)
    return max(cuda_backend.THREADS, int(min(len(batch.states), most)))


def stages(batch: Batch, run: ForwardRun) -> tuple[str, str, tuple[bool, ...], bool]:
    """What a GPU kernel is compiled for: method, integrator, which tables vary, whether nothing happens but steps."""
    return run.method.name, run.integrator.name, tuple(name in batch.tables for name in System._fields), plain(run)


def _run_portion(batch: Batch, run: ForwardRun, portion: slice, ends: Ends) -> None:
    states = batch.states[portion].astype(float)
    count, own = len(states), of_one(run)
    tables = {name: batch.tables[name][portion] if name in batch.tables else getattr(batch.system, name)
              for name in System._fields}  # fmt: skip
    system = System(**{name: cuda_backend.to_device(table) for name, table in tables.items()})
    alike = System(*map(cuda_backend.to_device, run.alike.system))
    work = Work(*(cuda_backend.spread(array, count) for array in own.work))
    records = ("control", "progress", "history", "event_location", "occurrences")
    each = {
        name: cuda_backend.to_device(np.tile(array, (count, *[1] * array.ndim)))
        if name in records else cuda_backend.spread(array, count)
        for name, array in own._asdict().items() if name != "work"
    }  # fmt: skip
    each["y"] = cuda_backend.to_device(np.ascontiguousarray(states.T))
    fixed = cuda_backend.to_device(run.stops), cuda_backend.to_device(np.zeros(0)), step_count(batch)
    ends.status[portion] = cuda_backend.run_each(
        one_of_many(*stages(batch, run)), count, system, alike, Own(work=work, **each), *fixed
    )
    ends.states[portion] = each["y"].copy_to_host().T
    control = each["control"].copy_to_host()[:, 0]
    ends.t[portion], ends.steps[portion] = control["t"], control["steps"]


@functools.cache
def one_of_many(method: str, how: str, varied: tuple[bool, ...], plain: bool) -> Kernel:
    """A kernel that runs simulation k of many; `varied` says which tables have a set of rows for each simulation."""
    by, scheme = METHODS[method], integrator(how)
    factor, solve, correct, accept = by.factor, by.solve, by.correct, by.accept
    step, interpolate = scheme.step, scheme.interpolate
    system_of = picker(*(FIRST_AXIS if own else WHOLE for own in varied))
    work_of = picker(*(LAST_AXIS for _ in Work._fields))

    @kernel
    def take_steps(k, system, alike, own, stops, times, count):
        status = fixed_steps(
            evaluate, factor, solve, correct, step, system_of(system, k), own.y[:, k], own.angles[:, k],
            work_of(own.work, k), own.memory[..., k], own.control[k], count,
        )  # fmt: skip
        return FINISHED if status == OK else status

    @kernel
    def simulate_one(k, system, alike, own, stops, times, count):
        system, work, y, angles = system_of(system, k), work_of(own.work, k), own.y[:, k], own.angles[:, k]
        evaluate(system, 0.0, y, angles, work, LEVEL_ALL)
        begin_to_watch(system, work)
        status = CHANGED
        while status == CHANGED:
            own.progress[k, 0].occurred = 0
            status = advance(
                evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work,
                own.memory[..., k], own.control[k], own.progress[k], stops, times, own.samples[..., k], own.history[k],
                own.path[..., k], alike, own.event_location[k], own.state[:, k], own.occurrences[k],
            )  # fmt: skip
        return status

    return take_steps if plain else simulate_one
