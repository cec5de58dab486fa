"""Many simulations of one mechanism, step by step side by side, on threads or on a GPU, where they stay in its memory.

Arrays are [number, simulation], of 64-bit numbers: `inputs`, which are held over the steps, `states`, from step to step
(integrators/loop/step_share.py), and `observed`, the columns of samples at the ends of the steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import numpy as np

from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import Start
from linkwork.compiler.gpu.device_array import DeviceArray
from linkwork.compiler.gpu.driver import Device
from linkwork.compiler.gpu.known import Known, Outside
from linkwork.compiler.gpu.launch import Arrays, run_each
from linkwork.compiler.gpu.program import Program
from linkwork.compiler.kernels import bind_loop
from linkwork.expressions.kernels.opcodes import OP
from linkwork.integrators import stages
from linkwork.integrators.loop.step_share import BEGINS, BESIDE, LEFT, MARK, step_share
from linkwork.studies.batch import Batch, Sampling, by_reference
from linkwork.studies.gpu import NO_WORDS, is_plain, known_by, no_words, own_of, program_of
from linkwork.studies.room import WORD
from linkwork.studies.share import Share, Words
from linkwork.system.break_times import known_break

Array = np.ndarray | DeviceArray


def row_of(array: Array, row: int) -> Array:
    """[simulation] a row, where it is."""
    if isinstance(array, np.ndarray):
        found: np.ndarray = array[row]
        return found
    count = array.shape[1]
    return DeviceArray(array.on, array.buffer, (count,), np.float64, array.offset + WORD * count * row)


def here(array: Array) -> np.ndarray:
    """In this machine's memory."""
    return array if isinstance(array, np.ndarray) else array.numpy()


class Steps(Protocol):
    """The simulations, and where they are."""

    @property
    def inputs(self) -> Array:
        """What is held over the steps."""

    @property
    def states(self) -> Array:
        """From step to step."""

    @property
    def observed(self) -> Array:
        """At the ends of the steps."""

    def step(self) -> None:
        """All of them through one step."""

    def put(self, array: Array, numbers: np.ndarray, row: int = 0) -> None:
        """Rows of an array, from one on, get these numbers."""


class Stepped(NamedTuple):
    """What is stepped; `inputs`: ops whose values each simulation has its own, `columns`: of samples, at the ends."""

    start: Start
    options: Options
    dt: float  # s
    inputs: np.ndarray
    columns: np.ndarray


class StepShare(Share):
    """What the simulations have in common."""

    def __init__(self, stepped: Stepped, plain: bool = False, again: bool = False) -> None:
        """`plain`: those that should choose other rows are left; `again`: only those that were left are taken."""
        start, options, self.dt, inputs, columns = stepped
        tables = {"ops": start.compiled.system.ops[None]} if len(inputs) else {}
        sampling = Sampling(np.array([self.dt]), columns, reduces=False)
        batch = Batch(start, start.y[None], options, tables, sampling)
        super().__init__(batch, plain and is_plain(batch))
        self.columns, self.again = columns.astype(np.int64), again
        self.words = (inputs * OP.itemsize + OP.fields["value"][1]) // WORD  # type: ignore[index]  # of the table

    def _written(self) -> Iterator[tuple[str, np.ndarray]]:
        yield from super()._written()
        yield "stops", known_break(self.dt)
        yield "times", self.run.times

    @property
    def begun(self) -> np.ndarray:
        """A state that is to begin."""
        state = np.zeros(len(self.run.y) + len(self.run.angles) + BESIDE)
        state[len(state) - BESIDE + MARK] = BEGINS
        return state

    def of_steps(self, own: Mapping[str, np.ndarray], words: Words, places: np.ndarray, *outside: Any) -> list[Any]:
        """What the loop takes after its stages, but for the simulations; `places`: of the inputs, among the words of
        the room; `outside`: states, and what is observed.
        """
        return [
            *self.of_run(own, own["stops"], own["times"]), words.room, words.begun, places, words.given, self.dt,
            int(self.plain), int(self.again), self.columns, *outside,
        ]  # fmt: skip


class StepsOnThreads:
    """Shares of the simulations on threads of this machine; the same bits whatever their number."""

    def __init__(self, stepped: Stepped, count: int, threads: int) -> None:
        self.share, self.pool = (share := StepShare(stepped)), ThreadPoolExecutor(threads)
        share.run.bind()
        bind_loop(step_share, stages.STEP_SHARE)
        self.inputs = np.zeros((len(share.words), count))
        self.states = np.repeat(share.begun[:, None], count, axis=1)
        self.observed = np.full((len(share.columns), count), np.nan)
        first = share.room.first["system.ops"] if len(share.words) else 0
        self.places = (first + share.words).astype(np.int64)
        parts = np.linspace(0, count, min(threads, count) + 1).astype(int).tolist()
        self.parts = list(itertools.pairwise(parts))
        self.arguments = [self._of_a_thread() for _ in self.parts]

    def _of_a_thread(self) -> list[Any]:
        block = self.share.room.begun.copy()
        given = self.inputs.view(np.int64)
        words = Words(block, self.share.room.begun, given, NO_WORDS.reshape(0, 0), NO_WORDS)
        own = self.share.room.views(block)
        return by_reference(self.share.of_steps(own, words, self.places, self.states, self.observed))

    def step(self) -> None:
        """All of them through one step."""
        stages_of = self.share.stages

        def some(arguments: list[Any], part: tuple[int, int]) -> None:
            step_share(*stages_of, *arguments, *part)

        for _ in self.pool.map(some, self.arguments, self.parts):
            pass

    def put(self, array: Array, numbers: np.ndarray, row: int = 0) -> None:
        """Rows of an array, from one on, get these numbers."""
        assert isinstance(array, np.ndarray)
        array[row : row + len(numbers)] = numbers


class StepsOnGpu:
    """A simulation a thread of the GPU; all arrays stay there."""

    def __init__(self, stepped: Stepped, count: int, on: Device) -> None:
        self.stepped, self.on, self.count = stepped, on, count
        self.share = share = StepShare(stepped, plain=True)
        self.program = self._program(share)
        states = np.repeat(share.begun[:, None], count, axis=1)
        observed = np.full((len(share.columns), count), np.nan)
        self.arrays = Arrays(on, self.program.known, count, states, observed)
        self.inputs = DeviceArray(on, self.arrays.given, (len(share.words), count), np.float64)
        self.states = DeviceArray(on, self.arrays.reduced, states.shape, np.float64)
        self.observed = DeviceArray(on, self.arrays.kept, observed.shape, np.float64)
        self.general: Program | None = None  # for simulations that the first one leaves

    def _program(self, share: StepShare) -> Program:
        return program_of(share, known_of_steps(share), self.on, step_share, stages.STEP_SHARE)

    def step(self) -> None:
        """All of them through one step."""
        run_each(self.program, self.arrays)
        share = self.share
        if not share.plain or not len(share.batch.system.rows):  # no rows to choose
            return
        if (here(row_of(self.states, len(share.begun) - BESIDE + MARK)) >= LEFT).any():
            if self.general is None:
                self.general = self._program(StepShare(self.stepped, again=True))
            run_each(self.general, self.arrays)

    def put(self, array: Array, numbers: np.ndarray, row: int = 0) -> None:
        """Rows of an array, from one on, get these numbers."""
        assert isinstance(array, DeviceArray)
        whole = np.ascontiguousarray(np.broadcast_to(numbers, (len(numbers), self.count)), np.float64)
        self.on.fill(array.address + WORD * self.count * row, whole)


def known_of_steps(share: StepShare) -> Known:
    """What the program of steps knows."""
    own = own_of(share)
    outside = Outside("reduced", len(share.begun)), Outside("kept", len(share.columns))
    words = {"system.ops": share.words} if len(share.words) else {}
    arguments = share.of_steps(own, no_words(own), NO_WORDS, *outside)
    return known_by(share, own, arguments, words, [], [])
