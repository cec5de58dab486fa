"""A batch on a GPU: the CPU's own kernels inside one thin CUDA kernel, one simulation a thread.

Arrays of the workspace have the simulations as their last axis, so that neighbouring threads read neighbouring memory.
System and Work are NamedTuples here (a structref needs Numba's CPU runtime); inlined, they stay in the GPU's constant
memory.  A GPU kernel is compiled for a method, an integrator and a choice of varied tables: a minute or two, once a
process.  Needs numba-cuda and an NVIDIA GPU; float64 throughout.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

if not hasattr(np, "row_stack"):  # numba-cuda 0.30 asks for it, NumPy 2.5 has it no more
    setattr(np, "row_stack", np.vstack)  # noqa: B010

from numba import cuda as numba_cuda

from linkwork.compiler.kernels import part
from linkwork.errors import OptionError
from linkwork.formulations.equations import evaluate
from linkwork.formulations.workspace import Work, workspace
from linkwork.integrators.registry import integrator
from linkwork.methods.registry import METHODS
from linkwork.studies.batch import Batch, Ends, advance
from linkwork.system.tables import System

cuda: Any = numba_cuda  # its own annotations know device code only

THREADS = 64  # of a block
ROOM = 0.8  # of the free memory: what a portion of a batch may take

_advance = part(advance)


def why_not() -> str:
    """Why there is no GPU to use; empty if there is one."""
    try:
        return "" if cuda.is_available() else "no CUDA driver, or no GPU that it knows"
    except Exception as error:  # numba-cuda reports a broken installation in many ways
        return f"{type(error).__name__}: {error}"


def run_on_gpu(batch: Batch) -> Ends:
    """Every simulation on the GPU, in portions that fit its memory."""
    families = [table.family.name for table in batch.start.compiled.families if not table.family.on_gpu]
    if families:
        raise OptionError(f"a GPU does not know elements of the kind '{families[0]}' yet; use run_on_threads")
    missing = why_not()
    if missing:
        raise OptionError(f"there is no GPU to run on ({missing}); use run_on_threads")
    portion = _portion(batch)
    ends = Ends(np.empty_like(batch.states, float), np.zeros(len(batch.states), np.int64))
    for first in range(0, len(batch.states), portion):
        _run_portion(batch, slice(first, first + portion), ends)
    return ends


def _portion(batch: Batch) -> int:
    """How many simulations fit in the GPU's memory at once."""
    arrays = [*as_new(batch), *vectors_as_new(batch), *(rows[0] for rows in batch.tables.values())]
    free = cuda.current_context().get_memory_info().free
    return max(THREADS, int(min(len(batch.states), ROOM * free / sum(a.nbytes for a in arrays))))


def stages(batch: Batch) -> tuple[str, str, tuple[bool, ...]]:
    """What a GPU kernel is compiled for: method, integrator, which tables vary."""
    return batch.method.name, batch.integrator, tuple(name in batch.tables for name in System._fields)


def as_new(batch: Batch) -> Work:
    """The workspace of one simulation, as new."""
    return workspace(batch.system, batch.start.compiled.layout.angle_count)


def vectors_as_new(batch: Batch) -> tuple[np.ndarray, ...]:
    """Angles and an integrator's memory of one simulation, as new."""
    return batch.start.angles, np.zeros(batch.how.memory_size(len(batch.start.y)))


def _run_portion(batch: Batch, portion: slice, ends: Ends) -> None:
    states = cuda.to_device(np.ascontiguousarray(batch.states[portion].T, float))
    count = states.shape[1]
    tables = {name: batch.tables[name][portion] if name in batch.tables else getattr(batch.system, name)
              for name in System._fields}  # fmt: skip
    system = System(**{name: cuda.to_device(np.ascontiguousarray(table)) for name, table in tables.items()})
    work = Work(*(_spread(array, count) for array in as_new(batch)))
    angles, memory = (_spread(array, count) for array in vectors_as_new(batch))
    control = cuda.to_device(np.tile(batch.control(), (count, 1)))
    status = cuda.device_array(count, np.int64)
    _launch(_compiled(*stages(batch)), count, system, work, states, angles, memory, control, batch.count, status)
    ends.states[portion], ends.status[portion] = states.copy_to_host().T, status.copy_to_host()


def _spread(array: np.ndarray, count: int) -> Any:
    """The same array for every simulation, on the GPU, the simulations along a last axis."""
    spread = cuda.device_array((*array.shape, count), array.dtype)
    if array.size:
        _launch(_repeat, count, cuda.to_device(array.ravel()), spread.reshape(array.size, count))
    return spread


@cuda.jit
def _repeat(one, many):
    k = cuda.grid(1)
    if k < many.shape[1]:
        for i in range(many.shape[0]):
            many[i, k] = one[i]


def _launch(kernel: Any, count: int, *arguments: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*Grid size")  # a small batch does not fill the GPU: so be it
        kernel[(count + THREADS - 1) // THREADS, THREADS](*arguments)
        cuda.synchronize()


@functools.cache
def _compiled(method: str, how: str, varied: tuple[bool, ...]) -> Any:
    """The CUDA kernel for one choice of stages and varied tables: a thread finds its number and simulates."""
    simulate_one = one_of_many(method, how, varied)

    @cuda.jit
    def simulate(system, work, states, angles, memory, control, count, status):
        k = cuda.grid(1)
        if k < status.shape[0]:
            status[k] = simulate_one(k, system, work, states, angles, memory, control, count)

    return simulate


@functools.cache
def one_of_many(method: str, how: str, varied: tuple[bool, ...]) -> Any:
    """A kernel that runs simulation k of many; `varied` says which tables have a set of rows for each simulation."""
    factor, solve, correct = METHODS[method].factor, METHODS[method].solve, METHODS[method].correct
    step = integrator(how).step
    system_of = _picker(System, ["[k]" if own else "" for own in varied])
    work_of = _picker(Work, ["[..., k]"] * len(Work._fields))

    @njit
    def simulate_one(k, system, work, states, angles, memory, control, count):
        return _advance(
            evaluate, factor, solve, correct, step, system_of(system, k), states[:, k], angles[:, k],
            work_of(work, k), memory[:, k], control[k], count,
        )  # fmt: skip

    return simulate_one


def _picker(kind: Any, indices: Sequence[str]) -> Any:
    """A kernel that picks simulation k from a NamedTuple of arrays: each field with its index, written out."""
    fields = ", ".join(f"many.{name}{index}" for name, index in zip(kind._fields, indices, strict=True))
    return njit(eval(f"lambda many, k: kind({fields})", {"kind": kind}))
