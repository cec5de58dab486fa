"""A batch on a GPU: the compiled loop of a batch (integrators/loop/share.py), one simulation a thread.

The program is made of the CPU's own kernels (compiler/gpu/): what the native library has of elements, methods and
integrators runs there, with steps of its own for each simulation, break times, events, locks and blows.
"""

from __future__ import annotations

from linkwork.compiler.gpu.driver import Device, device, why_not
from linkwork.compiler.gpu.launch import Arguments, run_each
from linkwork.compiler.gpu.program import Program, program
from linkwork.elements.family import FAMILY_KERNEL
from linkwork.errors import OptionError
from linkwork.integrators import stages
from linkwork.integrators.loop.share import run_share
from linkwork.studies.batch import Batch, Ends, ends_of
from linkwork.studies.share import Share


def run_on_gpu(batch: Batch, on: Device | None = None) -> Ends:
    """Every simulation on the GPU; `on`: another than the first of this machine."""
    if "ops" in batch.tables:
        raise OptionError(
            "table 'ops': the simulations of a batch on a GPU have their break times in common; use run_on_threads",
            element="ops",
        )
    missing = "" if on is not None else why_not()
    if missing:
        raise OptionError(f"there is no GPU to run on ({missing}); use run_on_threads")
    share = Share(batch)
    found, status = share.places_for_ends()
    block = share.room.begun.copy()
    arguments = Arguments(
        on or device(), share.arguments(share.room.views(block), block, found, status), len(share.stages), block
    )
    compiled = program_of(share, arguments)
    share.call_families_by(compiled.addresses)
    arguments.renew(share.room.begun)
    run_each(compiled, arguments, 0, len(batch.states))
    for array in (found, status):
        arguments.fetch(array)
    return ends_of(share, found, status)


def program_of(share: Share, arguments: Arguments) -> Program:
    """The loop with the stages of a batch, and the families that its model has."""
    called = tuple((kernel, FAMILY_KERNEL) for kernel in dict.fromkeys(share.family_kernels()))
    return program(run_share, stages.RUN_SHARE, share.stages, called, arguments.known, arguments.on)
