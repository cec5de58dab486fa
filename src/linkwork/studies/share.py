"""A batch made ready for the compiled loop over its simulations (integrators/loop/share.py): the room of a simulation,
and the arguments of the loop, in their order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.analyses.simulate.events import set_slowness
from linkwork.compiler.kernels import Kernel
from linkwork.formulations.equations import evaluate, family_kernels
from linkwork.formulations.workspace import Work
from linkwork.integrators.loop.share import REDUCED
from linkwork.studies.room import Room, as_words
from linkwork.system.break_times import begin_of_segment, break_times, stops_between

if TYPE_CHECKING:
    from linkwork.studies.batch import Batch

NOTHING_SAMPLED = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 0)), np.zeros((0, 0)))
ROWS = 2  # of samples: one, which is kept as soon as it is filled, and the loop's own
STEPS = 16  # of a chunk: of batches none is kept
MOST_STEPS = 2**62  # where none are given


class Words(NamedTuple):
    """The room of a simulation as 64-bit words, what it holds at a start, and words of all simulations (share.py)."""

    room: np.ndarray
    begun: np.ndarray
    given: np.ndarray
    found: np.ndarray
    status: np.ndarray


class Share:
    """What every simulation of a batch has in common, and the room in which one after the other is run."""

    def __init__(self, batch: Batch, plain: bool = False) -> None:
        """`plain`: where other active rows should be chosen a simulation ends (integrators/loop/share.py)."""
        self.batch, self.plain = batch, plain
        self.run = run = batch.ready_run()
        set_slowness(run.equations, batch.options.rtol if run.integrator.adaptive else None)
        run.work.options["regular_only"] = float(plain)
        self.room = Room(dict(self._written()))
        self.wanted = self.room.part(["y", "control"])

    @functools.cached_property
    def given(self) -> np.ndarray:
        """[word, simulation] what each begins with: its tables, its state."""
        rows = (*self.batch.tables.values(), self.batch.states.astype(float))
        return np.concatenate([as_words(one) for one in rows])

    def _written(self) -> Iterator[tuple[str, np.ndarray]]:
        """What a simulation writes: first what is given for each, then what is wanted of its end."""
        run, buffers = self.run, self.run.buffers
        yield from ((f"system.{name}", getattr(self.batch.system, name)) for name in self.batch.tables)
        yield "y", run.y
        yield "control", buffers.control
        yield "status", np.zeros(1, np.int64)
        yield "angles", run.angles
        for name in ("memory", "progress", "event_location", "event_state", "occurrences"):
            yield name, getattr(buffers, name)
        yield "samples", buffers.samples[: min(len(buffers.samples), ROWS)]
        yield "history", buffers.history[:STEPS]
        yield "path", buffers.path[:STEPS]
        yield from ((f"work.{name}", array) for name, array in run.work._asdict().items())

    def stops(self, k: int | None = None) -> tuple[np.ndarray, float]:
        """The stops on the way to the end, and where the first segment begins, s; of simulation k, if the expressions
        of each may jump at other times.
        """
        compiled, until = self.run.compiled, self.batch.options.until
        if k is not None:
            compiled = replace(compiled, system=self.batch.system.changed(ops=self.batch.tables["ops"][k]))
        breaks = break_times(compiled, until)
        return stops_between(breaks, 0.0, until, until), begin_of_segment(breaks, 0.0, until)

    @property
    def stages(self) -> tuple[Kernel, ...]:
        """The stages of the loop."""
        method, integrator = self.run.method, self.run.integrator
        return (
            evaluate, method.factor, method.solve, method.correct, method.accept, integrator.step,
            integrator.interpolate,
        )  # fmt: skip

    def family_kernels(self) -> list[Kernel]:
        """The kernels that are called by their addresses, in the order of `work.stages`."""
        return [kernel for _, kernel, _ in family_kernels(self.run.compiled)]

    def places_for_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the loop writes what it has found, [word, simulation], and the status of each."""
        count = len(self.batch.states)
        return np.zeros((self.wanted.stop - self.wanted.start, count), np.int64), np.zeros(count, np.int64)

    def places_for_samples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The columns that are sampled, at which places the values of each time are kept, and where the loop reduces
        and keeps them, [number, simulation].
        """
        sampling, count = self.batch.sampling, len(self.batch.states)
        if sampling is None:
            return NOTHING_SAMPLED
        size, kept = len(sampling.columns), sampling.kept_times
        places = np.full(len(sampling.times), -1)
        places[kept] = np.arange(len(kept))
        reduced = np.full((REDUCED * size if sampling.reduces else 0, count), np.nan)
        return sampling.columns.astype(np.int64), places, reduced, np.full((len(kept) * size, count), np.nan)

    def arguments(
        self,
        own: Mapping[str, np.ndarray],
        words: Words,
        k: int | None = None,
        sampled: Sequence[Any] = NOTHING_SAMPLED,
    ) -> tuple[Any, ...]:
        """What the loop takes after its stages, but for the simulations: `own` are the arrays in the room; for
        simulation k alone, if one is given; `sampled`: as `places_for_samples`.
        """
        stops, t_low = self.stops(k)
        return (
            *self.of_run(own, stops, self.run.times), words.room, words.begun, words.given,
            self.wanted.start, words.found, words.status, t_low, self.batch.options.max_steps or MOST_STEPS,
            int(self.plain), *sampled,
        )  # fmt: skip

    def of_run(self, own: Mapping[str, np.ndarray], stops: np.ndarray, times: np.ndarray) -> tuple[Any, ...]:
        """What every loop takes of a run after its stages."""
        run, tables = self.run, {name: own[f"system.{name}"] for name in self.batch.tables}
        system = self.batch.system._replace(**tables)
        alike = system if run.alike is run.equations else run.alike.system
        work = Work(**{name: own[f"work.{name}"] for name in Work._fields})
        return (
            system, own["y"], own["angles"], work, own["memory"], own["control"],
            own["progress"], stops, times, own["samples"], own["history"], own["path"], alike,
            own["event_location"], own["event_state"], own["occurrences"],
        )  # fmt: skip

    def ends(self, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States [simulation, y] and records of control [simulation] out of what the loop has found."""
        whole, y, control = np.ascontiguousarray(found.T), self.run.y, self.run.buffers.control
        states = whole[:, : len(y)].view(np.float64)
        return states, np.ascontiguousarray(whole[:, len(y) :]).view(control.dtype)[:, 0]
