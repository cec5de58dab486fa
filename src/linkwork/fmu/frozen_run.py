"""A run that is ready to go, put into a block of memory as it stands (image.py).

The runtime in C goes on from there with the same kernels, so that its steps are those of `simulate`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.simulate.dynamics import (
    Options,
    choose_formulation,
    first_integrator,
    first_state,
    refuse_pairing,
)
from linkwork.analyses.simulate.events import watch_from_start
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.simulate.samples import columns_of
from linkwork.analyses.start.assembly import Start
from linkwork.compiler.argument_types import Signature
from linkwork.compiler.kernels import Kernel
from linkwork.compiler.native.backend import NativeBackend
from linkwork.compiler.sources import HOUSE
from linkwork.elements.family import FAMILY_KERNEL
from linkwork.errors import KernelError
from linkwork.expressions.kernels.crossings import BREAK
from linkwork.expressions.kernels.of_state import SWITCH
from linkwork.fmu.image import Image
from linkwork.fmu.model_file import BODY
from linkwork.fmu.refusals import REBUILD
from linkwork.formulations.equations import Equations, evaluate
from linkwork.integrators import stages
from linkwork.mechanism import Mechanism
from linkwork.methods.registry import choose_method
from linkwork.results.result import Certificate
from linkwork.system.tables import System

STEPS = 64  # of a chunk: rows of its record


def start_of(mechanism: Mechanism, options: Options) -> Start:
    """The first state, in the formulation chosen."""
    formulation, _ = choose_formulation(options.formulation, mechanism, options.method)
    return first_state(mechanism, formulation, options.from_equilibrium)


def ready_run(start: Start, options: Options) -> ForwardRun:
    """The run at t = 0, before its first step."""
    method, _ = choose_method(options.method, start.compiled.system)
    scheme = first_integrator(options.integrator)
    refuse_pairing(start, method, scheme)
    run = ForwardRun(start, method, scheme, options, Certificate(), (), np.zeros(1))
    watch_from_start(run.equations, run.y, run.angles, options.rtol if scheme.adaptive else None)
    return run


@dataclass(frozen=True)
class FrozenRun:
    """The block of a run, and the places in it of what the runtime reaches for."""

    image: Image
    parts: dict[str, int]  # descriptions
    tables: dict[str, int]  # data of the System
    stages: list[str]  # kernels by their symbols
    columns: dict[str, int]
    bodies: np.ndarray


def freeze(run: ForwardRun, library: NativeBackend, tables_for_runtime: Callable[[System], System]) -> FrozenRun:
    """Everything that a run holds, into one block; `tables_for_runtime`: what becomes of the System there."""
    image, system = Image(), tables_for_runtime(run.compiled.system)
    table_place, tables = image.structure(system)
    alike_place = table_place
    if run.alike is not run.equations:
        alike_place = image.structure(tables_for_runtime(run.alike.system))[0]
    buffers, layout, column = run.buffers, run.compiled.layout, columns_of(run.equations)
    count = min(STEPS, len(buffers.history))
    parts = {
        "system": table_place, "alike": alike_place, "work": _workspace(run.equations, image, library),
        "steps": _workspace(Equations(run.compiled, np.complex128), image, library),
    }  # fmt: skip
    parts |= {
        name: image.described(array)
        for name, array in {
            "y": run.y, "angles": run.angles, "memory": buffers.memory, "control": buffers.control,
            "progress": buffers.progress, "samples": buffers.samples, "history": buffers.history[:count],
            "path": buffers.path[:count], "event_location": buffers.event_location, "state": buffers.event_state,
            "orientation": np.zeros(4 * len(layout.bodies)), "stops": np.zeros(1, BREAK), "found": np.zeros(1, BREAK),
            "no_signals": np.zeros((2, 0)), "no_switches": np.zeros(0, SWITCH), "occurrences": buffers.occurrences,
            "complex_state": np.zeros(len(run.y), complex), "along": np.zeros(len(run.y)),
            "given": np.zeros(len(run.work.signals)), "driven": np.zeros((3, len(run.work.lam))),
            "slopes": np.zeros(column.width), "slope_rates": np.zeros(len(run.y)),
        }.items()
    }  # fmt: skip
    parts["times"] = image.described(np.zeros(0), room=1)
    return FrozenRun(
        image=image, parts=parts, tables=tables, stages=_stages(run, library),
        columns={
            "v_dot": column.v_dot, "lam": column.lam, "kinetic": column.kinetic, "potential": column.potential,
            "signals": column.signals, "work_integral": layout.velocities.stop,
        },
        bodies=np.array(
            [(b, layout.R_LB[b], layout.p_LB[b]) for b in map(layout.body, _body_names(run))], BODY
        ),
    )  # fmt: skip


def _body_names(run: ForwardRun) -> list[str]:
    return [body.name for body in run.compiled.mechanism.body]


def _workspace(equations: Equations, image: Image, library: NativeBackend) -> int:
    """Place of a workspace; the kernels of the families by their symbols, in the order in which they are bound."""
    place, arrays = image.structure(equations.work)
    table, signature = equations.work.stages, FAMILY_KERNEL.with_work(equations.work_ref.type)
    offset, size = table.dtype.fields["address"][1], table.dtype.itemsize  # type: ignore[index]
    symbols = {
        library.address(kernel, signature): symbol_of(library, kernel, signature)
        for family in equations.compiled.families
        for kernel in family.family.kernels.values()
    }
    for n, stage in enumerate(table):
        if stage["phase"] >= 0:
            image.call(arrays["stages"] + n * size + offset, symbols[int(stage["address"])])
    return place


def _stages(run: ForwardRun, library: NativeBackend) -> list[str]:
    method, scheme = run.method, run.integrator
    bound = (
        (evaluate, stages.EVALUATE), (method.factor, stages.FACTOR), (method.solve, stages.SOLVE),
        (method.correct, stages.CORRECT), (method.accept, stages.ACCEPT), (scheme.step, stages.STEP),
        (scheme.interpolate, stages.INTERPOLATE),
    )  # fmt: skip
    return [symbol_of(library, kernel, signature) for kernel, signature in bound]


def symbol_of(library: NativeBackend, kernel: Kernel, signature: Signature) -> str:
    """The name of a kernel in the native library; an error if it is not there."""
    symbol = library.symbol(kernel, signature)
    if symbol is None:
        name = f"{kernel.__module__}.{kernel.__qualname__}"
        ours = kernel.__module__.startswith(f"{HOUSE}.")
        why = f"it was edited; {REBUILD}" if ours else "it is of another package; use what linkwork brings"
        raise KernelError(f"kernel {name} is not in the native library, of which an FMU is made: {why}")
    return symbol


def with_tables(start: Start, **tables: np.ndarray) -> Start:
    """The start with other tables of its System."""
    return replace(start, compiled=replace(start.compiled, system=start.compiled.system.changed(**tables)))
