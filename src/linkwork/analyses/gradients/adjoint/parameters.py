"""What parameters change: words of the tables, the start, what rows hold, break times.

Few parameters are looked at one by one, by mechanisms beside this one (starts.py).  Of many, those that do not move the
start are changed together, each in an order of its own of the places of a difference formula: by the trials in which a
word is alike it is known to be one parameter's, and its values there are those that the formula needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from linkwork.analyses.gradients.collector import paused_collector
from linkwork.analyses.gradients.starts import SHARE, Beside, begins_alike, started, starts_beside
from linkwork.analyses.gradients.stencil import NOTHING, STENCILS, Build, step_of
from linkwork.analyses.gradients.trace.words import Word, numbers_of
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.scales import state_scales
from linkwork.errors import LinkworkError
from linkwork.mechanism import Mechanism
from linkwork.system.break_times import break_times
from linkwork.system.compile import Compiled, compile_mechanism
from linkwork.system.pattern import active_at_start, with_active_rows

FEW = 8  # parameters that are looked at one by one
STILL = 1e-13  # of the state's scales: the start does not move
PLACES, WEIGHTS = STENCILS[0]


@dataclass(frozen=True)
class Changes:
    """Slopes along every parameter."""

    words: tuple[Word, ...]  # of the tables that some parameter changes
    values: np.ndarray  # [row, then word] as they are
    slopes: np.ndarray  # [row, then word; parameter]
    y: np.ndarray  # [n, parameter] of the start
    breaks: np.ndarray  # [break, parameter] s


class Parameters:
    """The parameters of a run."""

    def __init__(
        self, build: Build, settings: Mapping[str, float], names: Sequence[str], start: Start, options: Options
    ) -> None:  # fmt: skip
        self.build, self.settings, self.names, self.start, self.options = build, settings, names, start, options
        self.steps = np.array([step_of(build, settings, name, SHARE) for name in names])
        self._system = start.compiled.system
        self._all_moved: tuple[frozenset[int], Compiled] = frozenset(), start.compiled

    # -- one by one, and together -------------------------------------------------------------------------------
    @cached_property
    def alone(self) -> dict[int, Beside]:
        """Those that move the start, or the tables in a way that is not one parameter's alone."""
        everyone = range(len(self.names))
        if len(everyone) <= FEW:
            return self._beside(everyone)
        edges = [k for k in everyone if abs(self.settings[self.names[k]]) <= NOTHING]  # which may have no other side
        try:
            found = {*edges, *which(self._moves_start, [k for k in everyone if k not in edges])}
            found |= {*self._read_codes([k for k in everyone if k not in found])}
        except LinkworkError:  # of changes all at once
            found = {*everyone}
        return self._beside(sorted(found))

    def _beside(self, parameters: Sequence[int]) -> dict[int, Beside]:
        names = [self.names[k] for k in parameters]
        found = starts_beside(self.build, self.settings, names, self.start, self.options)
        return dict(zip(parameters, found, strict=True))

    def _mechanism(self, places: Mapping[int, float]) -> Mechanism:
        """The mechanism with some parameters changed by so many steps."""
        moved = {self.names[k]: self.settings[self.names[k]] + place * self.steps[k] for k, place in places.items()}
        return self.build({**self.settings, **moved})

    def _compiled(self, places: Mapping[int, float]) -> Compiled:
        found = compile_mechanism(self._mechanism(places), self.start.compiled.layout.formulation)
        return replace(found, system=with_active_rows(found.system, active_at_start(self._system)))

    def _moves_start(self, parameters: Sequence[int]) -> bool:
        here, until, mechanism = self.start, self.options.until, self._mechanism(dict.fromkeys(parameters, 1.0))
        if begins_alike(here.compiled.mechanism, mechanism, self.options):
            return False
        start = started(mechanism, self.options)
        times = [break_times(one.compiled, until)["t"] for one in (here, start)]
        if len(start.y) != len(here.y) or start.rank != here.rank or len(times[0]) != len(times[1]):
            return True
        scales = state_scales(here.compiled)
        held = [one.compiled.system.rows["held"] for one in (here, start)]
        return bool(
            np.any(np.abs(start.y - here.y) > STILL * np.where(scales > 0.0, scales, 1.0))
            or np.any(np.abs(times[0] - times[1]) > STILL * until)
            or np.any(np.abs(held[0] - held[1]) > STILL)
        )

    # -- codes --------------------------------------------------------------------------------------------------
    def _read_codes(self, parameters: Sequence[int]) -> list[int]:
        """Find whose each word is, and its slope; the parameters whose words are not theirs alone."""
        self._owned: dict[int, dict[Word, float]] = {}
        if not parameters:
            return []
        codes = codewords(len(parameters))
        trials = [self._compiled(dict(zip(parameters, code, strict=True))) for code in codes.T]
        self._all_moved = frozenset(parameters), trials[0]
        whose = dict(zip(_keys(codes, codes == 0), range(len(codes)), strict=True))
        at = np.stack([np.argmax(codes == place, axis=1) for place in PLACES], axis=1)  # the trials of each place
        tables, shared = [numbers_of(one.system) for one in trials], np.zeros(len(codes), bool)
        for name, plain in numbers_of(self._system).items():
            values = np.stack([table[name] for table in tables], axis=1)
            words = np.flatnonzero(np.any(values.view(np.int64) != plain.view(np.int64)[:, None], axis=1))
            values, bits = values[words], values[words].view(np.int64)
            unchanged = bits == plain[words, None].view(np.int64)
            owners = [whose.get(key, -1) for key in _keys(bits, unchanged)]
            slopes = np.take_along_axis(values, at[owners], axis=1) @ WEIGHTS
            for word, owner, slope, still in zip(words.tolist(), owners, slopes.tolist(), unchanged, strict=True):
                if owner < 0:
                    shared |= ~np.any((codes != 0) & still, axis=1)
                else:
                    k = parameters[owner]
                    self._owned.setdefault(k, {})[name, 8 * word] = slope / self.steps[k]
        found = [parameters[k] for k in np.flatnonzero(shared).tolist()]
        for k in found:
            self._owned.pop(k, None)
        return found

    # -- slopes -------------------------------------------------------------------------------------------------
    @paused_collector()
    def changes(self) -> Changes:
        """What all of them change."""
        columns = [self._words(k) for k in range(len(self.names))]
        words = tuple(dict.fromkeys(word for column in columns for word in column))
        values, until = numbers_of(self._system), self.options.until
        place = {word: len(self._system.rows) + k for k, word in enumerate(words)}
        count = len(self.names)
        slopes = np.zeros((len(self._system.rows) + len(words), count))
        y, breaks = (
            np.zeros((len(self.start.y), count)), np.zeros((len(break_times(self.start.compiled, until)), count))
        )  # fmt: skip
        for k, column in enumerate(columns):
            for word, slope in column.items():
                slopes[place[word], k] = slope
            if k in self.alone:
                one = self.alone[k]
                slopes[: len(one.held), k], y[:, k], breaks[:, k] = one.held, one.y, one.breaks
        known = [values[name][at // 8] for name, at in words]
        return Changes(words, np.concatenate([self._system.rows["held"], known]), slopes, y, breaks)

    def _words(self, k: int) -> dict[Word, float]:
        """The slopes of the words that one of them changes."""
        if k not in self.alone:
            return self._owned.get(k, {})
        return self.alone[k].words(self._system)

    def slopes_of(self, of: Callable[[Compiled], np.ndarray]) -> dict[int, np.ndarray]:
        """The slopes of a function of the compiled mechanism along those parameters that change it."""
        found = {k: one.line.slope([of(other) for other in one.compiled]) for k, one in self.alone.items()}
        plain = of(self.start.compiled)
        rest = [k for k in range(len(self.names)) if k not in found]

        def changes(some: Sequence[int]) -> bool:
            return bool(np.any(of(self._together(some)) != plain))

        for k in which(changes, rest):
            values = [of(self._compiled({k: place})) for place in PLACES]
            found[k] = np.asarray(sum(w * x for w, x in zip(WEIGHTS, values, strict=True)) / self.steps[k])
        return found

    def _together(self, parameters: Sequence[int]) -> Compiled:
        """The mechanism with these parameters changed; all of them at once are in the first trial of the codes."""
        among, found = self._all_moved
        return found if among == {*parameters} else self._compiled(dict.fromkeys(parameters, 1.0))


def which(moves: Callable[[Sequence[int]], bool], among: Sequence[int]) -> list[int]:
    """Those of a set that move something, by halves: few questions where few of them do."""
    if not among or not moves(among):
        return []
    if len(among) == 1:
        return list(among)
    half = len(among) // 2
    return which(moves, among[:half]) + which(moves, among[half:])


def codewords(count: int) -> np.ndarray:
    """[word, trial] places, in steps: so many different ones that each part the trials into five otherwise.

    A word that two parameters change parts them into more, and so has no code.  In the first trial all are changed.
    """
    trials = len(PLACES) + 1
    while len(PLACES) * _partitions(trials, len(PLACES) + 1) < count:
        trials += 1
    return np.array(list(islice(_codes(trials), count)))


def _codes(trials: int) -> Iterator[list[int]]:
    """Trials in five blocks, of which the first has not the place 0."""
    for blocks in _in_blocks([0], 1, trials):
        for zero in range(1, len(PLACES) + 1):
            places = iter((1, -1, 2, -2))
            of = [0 if block == zero else next(places) for block in range(len(PLACES) + 1)]
            yield [of[block] for block in blocks]


def _in_blocks(first: list[int], used: int, trials: int) -> Iterator[list[int]]:
    """All ways to part trials into five blocks, which are numbered as they are met."""
    if trials - len(first) < len(PLACES) + 1 - used:
        return
    if len(first) == trials:
        yield first
        return
    for block in range(min(used + 1, len(PLACES) + 1)):
        yield from _in_blocks([*first, block], max(used, block + 1), trials)


def _partitions(n: int, blocks: int) -> int:
    """Stirling's number: ways to part n things into so many blocks."""
    if n < blocks or not blocks:
        return int(n == blocks)
    return blocks * _partitions(n - 1, blocks) + _partitions(n - 1, blocks - 1)


def _keys(values: np.ndarray, unchanged: np.ndarray) -> list[bytes]:
    """[word, trial]: in which trials a word is unchanged, and in which it is alike."""
    alike = np.argmax(values[:, :, None] == values[:, None, :], axis=2)
    return [row.tobytes() for row in np.where(unchanged, -1, alike)]
