"""A batch on a GPU: the compiled loop of a batch (integrators/loop/share.py), one simulation a thread.

The program is made of the CPU's own kernels (compiler/gpu/): what the native library has of elements, methods and
integrators runs there, with steps of its own for each simulation, break times, events, locks and blows.  It is made for
the mechanism and all numbers that its simulations have in common; what each has its own goes in as words.

Where nothing is watched or scheduled, a first program takes the active rows for constant and leaves positions near
singular ones alone; simulations that come to one are run again by a second, general program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.compiler.argument_types import Signature
from linkwork.compiler.gpu.device_array import DeviceArray
from linkwork.compiler.gpu.driver import Device, device, why_not
from linkwork.compiler.gpu.known import WORD, Known, Outside, known
from linkwork.compiler.gpu.launch import Arrays, run_each
from linkwork.compiler.gpu.program import Program, program
from linkwork.compiler.kernels import Kernel
from linkwork.elements.family import FAMILY_KERNEL, STAGE
from linkwork.errors import OptionError
from linkwork.integrators import stages
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.share import run_share
from linkwork.numerics.status import CHOOSE_ROWS
from linkwork.studies.batch import Batch, Ends, samples_of
from linkwork.studies.room import float_words, varied_words
from linkwork.studies.share import Share, Words

WANTED = ("t", "steps")  # of control, at the end
NO_WORDS = np.zeros(0, np.int64)


def run_on_gpu(batch: Batch, on: Device | None = None) -> Ends:
    """Every simulation on the GPU; `on`: another than the first of this machine."""
    launch = launched(batch, on)
    ends = launch.ends()
    again = launch.unfinished()
    if len(again):
        part = _part(batch, again, launch.on)
        for all_of_them, these in zip(ends.arrays, part.arrays, strict=True):
            all_of_them[again] = these
    return ends


def run_and_stay(batch: Batch, on: Device | None = None) -> DeviceEnds:
    """The same, with the ends left in the GPU's memory."""
    launch = launched(batch, on)
    again = launch.unfinished()
    if len(again):
        found = launch.arrays.fetch(launch.arrays.found, len(launch.known.found))
        part = _part(batch, again, launch.on)
        words = (part.states.view(np.int64).T, [part.t.view(np.int64), part.steps, part.status])
        found[:, again] = np.concatenate(words)
        launch.on.fill(launch.arrays.found.address, found)
    return launch.ends_there()


def launched(batch: Batch, on: Device | None) -> Launch:
    """A batch after its run by the first program."""
    if "ops" in batch.tables:
        raise OptionError(
            "table 'ops': the simulations of a batch on a GPU have their break times in common; use run_on_threads",
            element="ops",
        )
    missing = "" if on is not None else why_not()
    if missing:
        raise OptionError(f"there is no GPU to run on ({missing}); use run_on_threads")
    launch = Launch(Share(batch, plain=is_plain(batch)), on or device())
    launch.run()
    return launch


def _part(batch: Batch, those: np.ndarray, on: Device) -> Ends:
    """Some simulations of a batch, by the general program."""
    tables = {name: rows[those] for name, rows in batch.tables.items()}
    launch = Launch(Share(replace(batch, states=batch.states[those], tables=tables)), on)
    launch.run()
    return launch.ends()


def is_plain(batch: Batch) -> bool:
    """Whether nothing is watched or scheduled, and rows are independent but for singular positions."""
    system, whole = batch.system, batch.system.whole[0]
    return not (len(system.changes) or whole["watch_count"] or whole["misfit"] > 0.0 or batch.options.max_steps)


@dataclass(frozen=True)
class DeviceEnds:
    """How the simulations of a batch ended, in the GPU's memory: PyTorch, JAX and CuPy take it without a copy."""

    states: DeviceArray  # [y, simulation]
    t: DeviceArray  # [simulation] s
    steps: DeviceArray  # [simulation] accepted
    status: DeviceArray  # [simulation] a Status of numerics/status.py


class Launch:
    """A share as a program, and its words on a GPU."""

    def __init__(self, share: Share, on: Device) -> None:
        self.share, self.on = share, on
        batch = share.batch
        words = {
            f"system.{name}": varied_words(rows, getattr(batch.system, name)) for name, rows in batch.tables.items()
        }
        self.known, self.given = known_of(share, words), _given(batch, words)
        self.program = program_of(share, self.known, on)
        *_, self._reduced, self._kept = share.places_for_samples()
        self.arrays = Arrays(on, self.known, len(batch.states), self._reduced, self._kept)

    def run(self) -> None:
        """All simulations, from start to end."""
        self.on.fill(self.arrays.given.address, self.given)
        run_each(self.program, self.arrays)

    def ends_there(self) -> DeviceEnds:
        """How they ended, in the GPU's memory."""
        count, size = self.share.batch.states.shape
        found = self.arrays.found
        rows = [DeviceArray(self.on, found, (count,), kind, WORD * count * (size + n))
                for n, kind in enumerate((np.float64, np.int64, np.int64))]  # fmt: skip
        return DeviceEnds(DeviceArray(self.on, found, (size, count), np.float64), *rows)

    def ends(self) -> Ends:
        """How they ended."""
        there = self.ends_there()
        self.on.to_host(self.arrays.reduced, self._reduced)
        self.on.to_host(self.arrays.kept, self._kept)
        t = there.t.numpy()
        samples = samples_of(self.share.batch, t, self._reduced, self._kept)
        states = np.ascontiguousarray(there.states.numpy().T)
        return Ends(states, t, there.status.numpy(), there.steps.numpy(), samples)

    def unfinished(self) -> np.ndarray:
        """The simulations that the general program must run again."""
        return np.flatnonzero(self.ends_there().status.numpy() == CHOOSE_ROWS) if self.share.plain else NO_WORDS


def _given(batch: Batch, words: dict[str, np.ndarray]) -> np.ndarray:
    """[word, simulation] what each simulation has its own: words of tables, then its state."""
    count = len(batch.states)
    rows = [
        np.ascontiguousarray(table).reshape(count, -1).view(np.int64)[:, those].T
        for table, those in zip(batch.tables.values(), words.values(), strict=True)
    ]
    return np.ascontiguousarray(np.concatenate([*rows, batch.states.astype(float).view(np.int64).T]))


def known_of(share: Share, words: dict[str, np.ndarray]) -> Known:
    """What the program of a share knows; `words`: those of tables that each simulation has its own."""
    own = own_of(share)
    given = [("y", n) for n in range(len(own["y"]))]
    found = [("y", n) for n in range(len(own["y"]))]
    found += [("control", _offset(CONTROL, name)) for name in WANTED] + [("status", 0)]
    columns, places, reduced, kept = share.places_for_samples()
    sampled = (columns, places, Outside("reduced", len(reduced)), Outside("kept", len(kept)))
    return known_by(share, own, share.arguments(own, no_words(own), None, sampled), words, given, found)


def own_of(share: Share) -> dict[str, np.ndarray]:
    """The arrays of a simulation as it begins."""
    own = share.room.views(share.room.begun.copy())
    own["work.stages"]["address"] = 0  # those of this process, which the program has no use for
    return own


def no_words(own: Mapping[str, np.ndarray]) -> Words:
    """The entry of a program puts words into their places, no loop."""
    return Words(NO_WORDS, NO_WORDS, NO_WORDS.reshape(0, 0), NO_WORDS.reshape(0, 0), own["status"])


def known_by(
    share: Share, own: Mapping[str, np.ndarray], arguments: Sequence[Any], words: Mapping[str, np.ndarray],
    given: Sequence[tuple[str, int]], found: Sequence[tuple[str, int]],
) -> Known:  # fmt: skip
    """What a program knows of a loop with these arguments; words of tables are given before others."""
    constant: dict[str, tuple[int, ...]] = {
        name: tuple(some.tolist()) for name, some in words.items() if np.isin(some, float_words(own[name])).all()
    }
    constant["work.stages"] = ()
    kernels = _called(share)
    stride, address = STAGE.itemsize // WORD, _offset(STAGE, "address")
    called = {
        ("work.stages", n * stride + address): kernels.index(kernel) for n, kernel in enumerate(share.family_kernels())
    }
    of_tables = [(name, int(word)) for name, some in words.items() for word in some]
    return known(arguments, own, constant, [*of_tables, *given], found, called)


def _called(share: Share) -> list[Kernel]:
    return list(dict.fromkeys(share.family_kernels()))


def _offset(dtype: np.dtype, name: str) -> int:
    """The word of a record at which a field stands."""
    assert dtype.fields is not None
    return int(dtype.fields[name][1]) // WORD


def program_of(
    share: Share, knows: Known, on: Device, loop: Kernel = run_share, contract: Signature = stages.RUN_SHARE
) -> Program:
    """A loop with the stages of a batch, and the families that its model has."""
    called = tuple((kernel, FAMILY_KERNEL) for kernel in _called(share))
    return program(loop, contract, share.stages, called, knows, on)
