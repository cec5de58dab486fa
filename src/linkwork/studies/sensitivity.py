"""Global sensitivities: which share of the variance of an output each number that scatters explains.

Sobol's indices of a study with sampling = "saltelli": of N draws A and B, and A with one column of B each,

    S_i = mean(f_B (f_ABi - f_A)) / V        first order, by Saltelli et al. 2010, table 2 (b)
    T_i = mean((f_A - f_ABi)^2) / (2 V)      total, by Jansen 1999 (table 2 (f) there)

V is the variance over A and B.  Their errors are standard errors over bootstrap samples of the draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import OptionError
from linkwork.studies.found import Study
from linkwork.tables import Shown, Table, table

BOOTSTRAPS = 200
FEWEST = 8  # draws


@dataclass(frozen=True, repr=False)
class Sensitivity(Shown):
    """Sobol's indices of one output, by the names that scatter."""

    output: str
    names: list[str]
    first: np.ndarray  # alone
    total: np.ndarray  # with all interactions
    first_error: np.ndarray  # standard errors
    total_error: np.ndarray
    draws: int  # that counted

    def tables(self) -> list[Table]:
        """Both indices of every name."""
        rows = [
            (
                name,
                f"{self.first[k]:.3f} ± {self.first_error[k]:.3f}",
                f"{self.total[k]:.3f} ± {self.total_error[k]:.3f}",
            )
            for k, name in enumerate(self.names)
        ]
        return [table(f"share in the variance of {self.output}", ("varied", "alone", "in all"), rows)]


def sensitivity(study: Study, output: str, seed: int = 0) -> Sensitivity:
    """The indices of an output of a study that was drawn for it; draws with a run that failed are left out."""
    if study.plan.sampling != "saltelli" or not study.plan.scattered:
        raise OptionError(
            "Sobol's indices need draws that are made for them: run the study with sampling = 'saltelli'",
            element="sampling",
        )
    if study.plan.listed and len(study.plan) != study.plan.draws:
        name = next(iter(study.plan.listed))
        raise OptionError(f"'{name}' has a list of values; keep it fixed for sensitivities", element=name)
    names = list(study.plan.scattered)
    whole = np.full(len(study.plan), np.nan)
    whole[study.run] = study[output]
    values = whole.reshape(len(names) + 2, -1)
    values = values[:, np.isfinite(values).all(axis=0)]
    count = values.shape[1]
    if count < FEWEST:
        raise OptionError(f"only {count} draws of '{output}' are numbers; at least {FEWEST} are needed", element=output)
    rng = np.random.default_rng(seed)
    several = [_indices(values[:, rng.integers(0, count, count)]) for _ in range(BOOTSTRAPS)]
    first, total = _indices(values)
    errors = np.std(several, axis=0)
    return Sensitivity(output, names, first, total, errors[0], errors[1], count)


def _indices(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and total, of values [A, B, AB_1 ...; draw]; centred, which takes out much of their error."""
    centred = values - values[:2].mean()
    a, b, mixed = centred[0], centred[1], centred[2:]
    variance = np.var(values[:2])
    if variance <= 0.0:
        return np.zeros(len(mixed)), np.zeros(len(mixed))
    first = (b * (mixed - a)).mean(axis=1) / variance
    total = ((a - mixed) ** 2).mean(axis=1) / (2.0 * variance)
    return first, total
