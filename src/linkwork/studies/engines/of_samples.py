"""What the outputs of a study need of the samples of its runs, for a batch that keeps no more than that.

Outputs made of statistics of histories, max(A.rate) and at(A.angle, 0.5) / span(C.force), are taken of many runs at
once from what the loop itself has reduced; all others run by run, from samples that are kept, as on threads.  Numbers
that are no columns of the samples - positions of bodies, loads, forces - are measures that the loop evaluates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

import numpy as np

from linkwork.analyses.start.assembly import Start
from linkwork.errors import OptionError
from linkwork.formulations.equations import Equations
from linkwork.integrators.loop.changes import STOP
from linkwork.integrators.loop.share import REDUCED
from linkwork.mechanism import Mechanism
from linkwork.mechanism.numbers import loads, numbers
from linkwork.results.result import Certificate
from linkwork.studies.answers import Answer, Statistic, Value
from linkwork.studies.batch import Samples, Sampling
from linkwork.studies.engines.sample_view import SampleView, View
from linkwork.studies.measured import with_measures
from linkwork.studies.outputs import Output

FEW = ("start", "end", "at")  # statistics of one or two samples; the others are of all


class Measured(NamedTuple):
    """A mechanism with measures for what outputs name: their names by those of the numbers, and what may be named."""

    mechanism: Mechanism
    names: dict[str, str]
    known: frozenset[str]


def measured_for(mechanism: Mechanism, outputs: Sequence[Output], view: SampleView) -> Measured:
    """Measures for what is no column of the samples; `view`: of the mechanism as it is."""
    numbered = {number.name: number for number in chain(numbers(mechanism), loads(mechanism))}
    known = frozenset((*view.channels, *numbered))
    used = _names_in(outputs, known)
    of_loads = {load.name for load in loads(mechanism)}
    kept = () if of_loads.intersection(used) else view.places  # whose joints are cut: other coordinates
    wanted = [name for name in used if name not in kept]
    return Measured(*with_measures(mechanism, wanted, numbered.values()), known)


def _names_in(outputs: Sequence[Output], known: frozenset[str]) -> list[str]:
    """The names of histories in outputs: of which they take statistics or, else, all."""
    found: dict[str, None] = {}

    def number(name: str) -> Value:
        found[name] = None
        return Value(np.zeros(2))

    answer = Answer(np.array([0.0, 1.0]), lambda: known, number)
    for output in outputs:
        try:
            found |= dict.fromkeys(name for _, name, _ in _statistics_in([output], known))
        except OptionError:
            with suppress(OptionError):
                output.of(answer)
    return list(found)


def _statistics_in(outputs: Sequence[Output], known: frozenset[str]) -> list[tuple[str, str, float]]:
    """Statistics, names and times of outputs; an OptionError if they are made of something else."""
    found: list[tuple[str, str, float]] = []

    def statistic(what: str, name: str, when: float) -> Value:
        found.append((what, name, when))
        return Value(np.ones(1))

    answer = Answer(None, lambda: known, _no_history, statistic=statistic)
    for output in outputs:
        output.of_many(answer)
    return found


def _no_history(name: str) -> Value:
    raise OptionError(f"'{name}': there is no history", element=name)


class OfSamples:
    """How outputs are read from the samples of a batch; `sampling`: what it has to keep."""

    def __init__(self, start: Start, outputs: Sequence[Output], times: np.ndarray, measured: Measured) -> None:
        self.outputs, self.measured, self.known = outputs, measured.names, measured.known
        self.view = SampleView(Equations(start.compiled), times)
        self.may_stop = bool((start.compiled.system.changes["action"] == STOP).any())
        try:
            used = [(what, self._place(name), when) for what, name, when in _statistics_in(outputs, self.known)]
            self.sampling, self.reduced = self._reduced(times, used), True
        except OptionError:
            row = np.ones((len(times), self.view.columns.width))
            row[:, : len(start.y)] = start.y
            self._read(View(self.view, row, Certificate()))
            self.sampling, self.reduced = Sampling(times, np.arange(row.shape[1]), reduces=False), False

    def _place(self, name: str) -> int:
        """The column of a name."""
        found = self.view.places.get(self.measured.get(name, name))
        if found is None:
            raise OptionError(f"'{name}' is not among what the samples hold", element=name)
        return found

    def _reduced(self, times: np.ndarray, used: Sequence[tuple[str, int, float]]) -> Sampling:
        """Only the columns and times that statistics are of."""
        columns = np.unique([place for _, place, _ in used]).astype(np.int64)
        of_all = [what for what, _, _ in used if what not in FEW or (self.may_stop and what == "end")]
        instants = np.unique([k for what, _, when in used if what in FEW for k in _samples_at(times, what, when)])
        instants = instants.astype(np.int64)
        if of_all:
            return Sampling(times, columns, instants)
        return Sampling(times[instants] if len(instants) else times[-1:], columns, reduces=False)

    @property
    def numbers(self) -> int:
        """How many are kept of each run."""
        reduced = REDUCED * len(self.sampling.columns) if self.sampling.reduces else 0
        return reduced + len(self.sampling.kept_times) * len(self.sampling.columns)

    def values(
        self, samples: Samples, ends: np.ndarray, those: np.ndarray, put: Callable[[int], None]
    ) -> Iterator[tuple[float, ...]]:
        """The outputs of these runs of a batch, which have ended at these times (s); `put` puts the numbers of a run
        into the tables of the view.
        """
        if self.reduced:
            answer = Answer(None, lambda: self.known, _no_history, statistic=self._statistic_of(samples, ends, those))
            columns = [np.broadcast_to(output.of_many(answer), len(those)).tolist() for output in self.outputs]
            yield from zip(*columns, strict=True)
            return
        for run in those.tolist():
            put(run)
            taken = int(np.searchsorted(self.view.times, ends[run], side="right"))
            yield self._read(View(self.view, samples.values[run, :taken], Certificate()))

    # -- of one run ---------------------------------------------------------------------------------------------
    def _read(self, view: View) -> tuple[float, ...]:
        def number(name: str) -> Value:
            channel = self.view.channels.get(self.measured.get(name, name))
            if channel is None:
                raise OptionError(f"'{name}' is not among what the samples hold", element=name)
            return Value(channel.read(view), channel.unit)

        answer = Answer(view.t, lambda: self.known, number)
        return tuple(output.of(answer).data for output in self.outputs)

    # -- of many runs -------------------------------------------------------------------------------------------
    def _statistic_of(self, samples: Samples, ends: np.ndarray, those: np.ndarray) -> Statistic:
        """Statistics of these runs, [run]."""
        columns = {int(place): k for k, place in enumerate(self.sampling.columns)}
        times, all_times = self.sampling.times[self.sampling.kept_times], self.view.times
        last = all_times[np.searchsorted(all_times, ends[those], side="right") - 1]  # of the run's own samples, s

        def kept(column: int, k: int) -> np.ndarray:
            found: np.ndarray = samples.values[those, int(np.searchsorted(times, all_times[k])), column]
            return found

        def statistic(what: str, name: str, when: float) -> Value:
            column = columns[self._place(name)]
            if what == "end" and self.sampling.reduces:
                return Value(samples.last[those, column])
            if what in FEW:
                found = _samples_at(all_times, what, when)
                if what != "at":
                    return Value(kept(column, found[0]))
                return Value(_between(all_times, found, [kept(column, k) for k in found], when, last))
            return Value(_of_reduced(samples, what, those, column))

        return statistic


def _of_reduced(samples: Samples, what: str, those: np.ndarray, column: int) -> np.ndarray:
    """A statistic of all samples."""
    largest, least = samples.largest[those, column], samples.least[those, column]
    found: np.ndarray = {
        "max": lambda: largest, "min": lambda: least, "span": lambda: largest - least,
        "peak": lambda: np.maximum(largest, -least), "mean": lambda: samples.mean[those, column],
        "rms": lambda: samples.rms[those, column], "integral": lambda: samples.integral[those, column],
    }[what]()  # fmt: skip
    return found


def _samples_at(times: np.ndarray, what: str, when: float) -> list[int]:
    """The samples that a statistic is of."""
    if what in ("start", "end"):
        return [0 if what == "start" else len(times) - 1]
    k = int(np.clip(np.searchsorted(times, when, side="right") - 1, 0, len(times) - 1))
    return [k, min(k + 1, len(times) - 1)]


def _between(
    times: np.ndarray, found: Sequence[int], values: Sequence[np.ndarray], when: float, last: np.ndarray
) -> np.ndarray:
    """By the line between two samples, as of single runs; not a number beyond the samples of a run."""
    (a, b), (x_a, x_b) = (times[k] for k in found), values
    at = x_a if when == a else (x_b - x_a) / (b - a) * (when - a) + x_a if b > a else np.full_like(x_a, np.nan)
    found_at: np.ndarray = np.where((when < times[0]) | (when > last), np.nan, at)
    return found_at
