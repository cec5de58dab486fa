"""The plan of a study: the settings of every run.

Lists make all their combinations, the last one fastest.  Numbers that scatter are drawn `runs` times, by chance, by
Latin hypercube or by Sobol's sequence, the same draws for every combination of lists.  `saltelli` draws them for
Sobol's indices (sensitivity.py).  Correlations are those of a Gaussian copula: exact for normal numbers.  The same seed
gives the same plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError, nearest
from linkwork.lazy_import import lazy_functions, lazy_module
from linkwork.studies.vary import Scatter, Values, Variation

if TYPE_CHECKING:
    from scipy.special import ndtr, ndtri
    from scipy.stats import qmc
else:
    ndtr, ndtri = lazy_functions("scipy.special", "ndtr", "ndtri")
    qmc = lazy_module("scipy.stats.qmc")

SAMPLINGS = ("latin-hypercube", "random", "sobol", "saltelli")
EDGE = 1e-12  # from 0 and 1: where a normal number would be infinite
Correlations = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Plan:
    """Which numbers each run has; `runs`: draws of those that scatter."""

    vary: Mapping[str, Variation]
    runs: int | None = None
    sampling: str = "latin-hypercube"
    seed: int = 0
    correlated: Correlations = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.vary:
            raise OptionError("nothing is varied; name what to vary, as in crank.length=0.1:0.2:11", element="vary")
        if self.sampling not in SAMPLINGS:
            raise OptionError(
                f"there is no sampling '{self.sampling}'; {nearest(self.sampling, SAMPLINGS)}", element="sampling"
            )
        if self.seed < 0:
            raise OptionError(f"seed is {self.seed}; it must be a whole number >= 0", element="seed")
        if self.scattered and (self.runs is None or self.runs < 1):
            raise OptionError(
                f"'{next(iter(self.scattered))}' scatters, and runs is {self.runs}; give runs = ..., how often it is "
                "drawn",
                element="runs",
            )
        if self.runs is not None and not self.scattered:
            raise OptionError(
                f"runs is {self.runs}, but nothing scatters; leave it out, or write 'uniform(a, b)' for a list",
                element="runs",
            )
        for pair, value in self.correlated.items():
            self._check_correlation(pair, value)

    def _check_correlation(self, pair: tuple[str, str], value: float) -> None:
        for name in pair:
            if name not in self.scattered:
                hint = nearest(name, self.scattered)
                raise OptionError(f"correlated: '{name}' does not scatter; {hint}", element=name)
        if not -1.0 < value < 1.0 or pair[0] == pair[1]:
            raise OptionError(
                f"correlated: {pair[0]}, {pair[1]} = {value:g}; give two names and a number between -1 and 1",
                element=pair[0],
            )
        if self.sampling == "saltelli":
            raise OptionError(
                "correlated: Sobol's indices are those of independent numbers; take another sampling", element=pair[0]
            )

    @cached_property
    def scattered(self) -> dict[str, Scatter]:
        """Names that scatter."""
        return {name: one for name, one in self.vary.items() if isinstance(one, Scatter)}

    @cached_property
    def listed(self) -> dict[str, Values]:
        """Names with a list of values."""
        return {name: one for name, one in self.vary.items() if isinstance(one, Values)}

    @cached_property
    def draws(self) -> int:
        """How many sets of numbers that scatter there are."""
        if not self.scattered or self.runs is None:
            return 1
        return self.runs * (len(self.scattered) + 2) if self.sampling == "saltelli" else self.runs

    def __len__(self) -> int:
        count = self.draws
        for one in self.listed.values():
            count *= len(one.values)
        return count

    @cached_property
    def drawn(self) -> dict[str, np.ndarray]:
        """The numbers that scatter, [draw], by name."""
        names = list(self.scattered)
        if not names:
            return {}
        u = np.clip(self._shares(len(names)), EDGE, 1.0 - EDGE)
        if self.correlated:
            u = ndtr(ndtri(u) @ self._cholesky(names).T)
        return {name: self.scattered[name].at(u[:, k]) for k, name in enumerate(names)}

    def _shares(self, count: int) -> np.ndarray:
        """[draw, name] between 0 and 1."""
        runs, rng = self.runs or 1, np.random.default_rng(self.seed)
        if self.sampling == "random":
            return rng.random((runs, count))
        if self.sampling == "latin-hypercube":
            return latin_hypercube(runs, count, rng)
        if self.sampling == "sobol":
            return _sobol(count, runs, rng)
        both = _sobol(2 * count, runs, rng)
        a, b = both[:, :count], both[:, count:]
        mixed = []
        for k in range(count):
            one = a.copy()
            one[:, k] = b[:, k]
            mixed.append(one)
        return np.concatenate([a, b, *mixed])

    def _cholesky(self, names: list[str]) -> np.ndarray:
        R = np.eye(len(names))
        for (a, b), value in self.correlated.items():
            i, j = names.index(a), names.index(b)
            R[i, j] = R[j, i] = value
        try:
            return np.linalg.cholesky(R)
        except np.linalg.LinAlgError:
            raise OptionError(
                "correlated: no numbers have all of these correlations (the matrix is not positive definite); lower "
                "some of them",
                element="correlated",
            ) from None

    def column(self, name: str) -> np.ndarray:
        """The values of a name in every run: numbers in its unit, or texts."""
        return self.values(name, np.arange(len(self)))

    def values(self, name: str, runs: np.ndarray) -> np.ndarray:
        """The same of some runs."""
        if name in self.drawn:
            return np.asarray(self.drawn[name][runs % self.draws])
        listed = self._lists[name]
        return np.asarray(listed[runs // self._strides[name] % len(listed)])

    def value(self, name: str, run: int) -> Any:
        """The same of one."""
        if name in self.drawn:
            return self.drawn[name].item(run % self.draws)
        listed = self._lists[name]
        return listed.item(run // self._strides[name] % len(listed))

    @cached_property
    def _lists(self) -> dict[str, np.ndarray]:
        """Numbers as such, all else as objects."""
        found = {}
        for name, one in self.listed.items():
            numeric = all(isinstance(value, float) for value in one.values)
            found[name] = np.empty(len(one.values), float if numeric else object)
            found[name][:] = one.values
        return found

    @cached_property
    def _strides(self) -> dict[str, int]:
        """Runs in which each list keeps its value."""
        found, stride = {}, self.draws
        for name in reversed(self.listed):
            found[name] = stride
            stride *= len(self.listed[name].values)
        return found

    def settings(self, run: int) -> dict[str, Setting]:
        """The settings of one run, as `with_settings` takes them."""
        found: dict[str, Setting] = {}
        for name, one in self.vary.items():
            value = self.value(name, run)
            found[name] = f"{value!r} {one.unit}" if one.unit and isinstance(value, float) else value
        return found


def latin_hypercube(runs: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """[run, name] between 0 and 1, of each name one in every 1 / runs (McKay, Beckman and Conover 1979).

    The numbers of `scipy.stats.qmc.LatinHypercube`, whose import takes as long as a thousand short runs.
    """
    (rng,) = rng.spawn(1)
    within = rng.uniform(size=(runs, count))
    cells = np.tile(np.arange(1, runs + 1), (count, 1))
    for row in cells:
        rng.shuffle(row)
    return np.asarray((cells.T - within) / runs)


def _sobol(count: int, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Sobol's sequence, scrambled; its balance wants a power of 2, other numbers take its beginning."""
    power = max(int(np.ceil(np.log2(runs))), 0)
    return np.asarray(qmc.Sobol(count, seed=rng).random_base2(power))[:runs]
