"""What parameters change: words of the tables, the start, what rows hold, break times.

Few parameters are looked at one by one, by mechanisms beside this one (starts.py).  Of many, those that do not move the
start are changed together: a word that some of them change is known to be one parameter's from a code - each parameter
is changed in as many of the trials, and no two in the same ones - and its slope is that of all changed at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice

import numpy as np

from linkwork.analyses.gradients.starts import SHARE, Beside, started, starts_beside
from linkwork.analyses.gradients.stencil import STENCILS, Build, step_of
from linkwork.analyses.gradients.trace.words import Word, changed_words, numbers_of
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.scales import state_scales
from linkwork.errors import LinkworkError
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

    # -- one by one, and together -------------------------------------------------------------------------------
    @cached_property
    def alone(self) -> dict[int, Beside]:
        """Those that move the start, or the tables in a way that is not one parameter's alone."""
        everyone = range(len(self.names))
        if len(everyone) <= FEW:
            return {k: self._beside(k) for k in everyone}
        try:
            found = {k: self._beside(k) for k in which(self._moves_start, list(everyone))}
            shared = self._read_codes([k for k in everyone if k not in found])
        except LinkworkError:  # of changes all at once
            return {k: self._beside(k) for k in everyone}
        return found | {k: self._beside(k) for k in shared}

    def _beside(self, k: int) -> Beside:
        return starts_beside(self.build, self.settings, self.names[k], self.start, self.options)

    def _compiled(self, parameters: Iterable[int], place: float = 1.0) -> Compiled:
        """The mechanism with some parameters changed by so many steps."""
        moved = {self.names[k]: self.settings[self.names[k]] + place * self.steps[k] for k in parameters}
        found = compile_mechanism(self.build({**self.settings, **moved}), self.start.compiled.layout.formulation)
        return replace(found, system=with_active_rows(found.system, active_at_start(self._system)))

    def _moves_start(self, parameters: Sequence[int]) -> bool:
        moved = {self.names[k]: self.settings[self.names[k]] + self.steps[k] for k in parameters}
        start, until = started(self.build({**self.settings, **moved}), self.options), self.options.until
        here = self.start
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
        plain = numbers_of(self._system)
        changed = {name: np.zeros((codes.shape[1], len(values)), bool) for name, values in plain.items()}
        for trial in range(codes.shape[1]):
            some = [k for k, code in zip(parameters, codes, strict=True) if code[trial]]
            for name, values in numbers_of(self._compiled(some).system).items():
                changed[name][trial] = values.view(np.int64) != plain[name].view(np.int64)
        places = [numbers_of(self._compiled(parameters, place).system) for place in PLACES]
        whose = {code.tobytes(): k for k, code in zip(parameters, codes, strict=True)}
        shared: set[int] = set()
        for name, pattern in changed.items():
            for word in np.flatnonzero(pattern.any(axis=0)):
                owner = whose.get(pattern[:, word].tobytes())
                if owner is None:
                    shared |= {
                        k for k, code in zip(parameters, codes, strict=True) if not np.any(code & ~pattern[:, word])
                    }
                    continue
                beside = [table[name][word] for table in places]
                slope = sum(w * x for w, x in zip(WEIGHTS, beside, strict=True)) / self.steps[owner]
                self._owned.setdefault(owner, {})[name, 8 * int(word)] = float(slope)
        for k in shared:
            self._owned.pop(k, None)
        return sorted(shared)

    # -- slopes -------------------------------------------------------------------------------------------------
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
        return changed_words(self._system, self.alone[k])

    def slopes_of(self, of: Callable[[Compiled], np.ndarray]) -> dict[int, np.ndarray]:
        """The slopes of a function of the compiled mechanism along those parameters that change it."""
        found = {k: one.line.slope([of(other) for other in one.compiled]) for k, one in self.alone.items()}
        plain = of(self.start.compiled)
        rest = [k for k in range(len(self.names)) if k not in found]
        for k in which(lambda some: bool(np.any(of(self._compiled(some)) != plain)), rest):
            values = [of(self._compiled([k], place)) for place in PLACES]
            found[k] = np.asarray(sum(w * x for w, x in zip(WEIGHTS, values, strict=True)) / self.steps[k])
        return found


def which(moves: Callable[[Sequence[int]], bool], among: Sequence[int]) -> list[int]:
    """Those of a set that move something, by halves: few questions where few of them do."""
    if not among or not moves(among):
        return []
    if len(among) == 1:
        return list(among)
    half = len(among) // 2
    return which(moves, among[:half]) + which(moves, among[half:])


def codewords(count: int) -> np.ndarray:
    """[word, trial] so many different ones with equally many trials in each: none contains another."""
    trials = 2
    while math.comb(trials, trials // 2) < count:
        trials += 1
    codes = np.zeros((count, trials), bool)
    for code, chosen in zip(codes, islice(combinations(range(trials), trials // 2), count), strict=True):
        code[list(chosen)] = True
    return codes
