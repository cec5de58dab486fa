"""Trials: the outputs of a model and their gradient at given values, evaluated once each and all kept.

A trial that fails - the mechanism cannot be assembled, a dead point - is kept with its message, as a run of a study is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.design.variables import Variable
from linkwork.errors import LinkworkError, NumericalError, OptionError
from linkwork.studies.one_run import Build, Row
from linkwork.studies.slopes import Slopes, value_and_gradient
from linkwork.studies.table import FORMAT, Folder

SAVED = 20  # trials in a file of the table


@dataclass
class Trials:
    """A function of the variables that remembers."""

    build: Build
    variables: Sequence[Variable]
    outputs: Sequence[str]
    analysis: str
    options: Mapping[str, Any]
    folder: Folder | None = None
    advance: Callable[[int], None] = lambda count: None
    rows: list[Row] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)  # of the variables
    start: list[int] = field(default_factory=list)  # which start a trial belongs to
    units: tuple[str, ...] = ()  # SI, of the outputs
    current: int = 0
    _latest: tuple[bytes, Slopes | None] | None = None
    _saved: int = 0

    def __post_init__(self) -> None:
        names = [one.name for one in self.variables]

        def build(settings: Mapping[str, Any]) -> Any:
            return self.build({one.name: one.setting(settings[one.name]) for one in self.variables})

        self._evaluate = value_and_gradient(build, self.outputs, names, self.analysis, **self.options)

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, x: np.ndarray) -> Slopes | None:
        """Outputs and gradient, None where the trial failed; what is bad input at the first trial is refused."""
        key = np.asarray(x, float).tobytes()
        if self._latest is not None and self._latest[0] == key:
            return self._latest[1]
        found: Slopes | None = None
        try:
            slopes = self._evaluate(np.asarray(x, float))
            self.units = self.units or slopes.units
            message = "; ".join(slopes.reasons) or _not_finite(self.outputs, slopes)
            found = slopes if not message else None
        except LinkworkError as failure:
            if not self.rows and not isinstance(failure, NumericalError):
                raise
            message = failure.message
        self._keep(x, found, message)
        self._latest = (key, found)
        return found

    def _keep(self, x: np.ndarray, found: Slopes | None, message: str) -> None:
        outputs = tuple(found.values.tolist()) if found is not None else (float("nan"),) * len(self.outputs)
        status = "finished" if found is not None else "failed"
        self.rows.append(Row(len(self.rows), status, message, float("nan"), outputs))
        self.values.append(np.array(x, float))
        self.start.append(self.current)
        self.advance(len(self.rows))
        if len(self.rows) - self._saved >= SAVED:
            self.save()

    def save(self) -> None:
        """The rows that the folder does not have yet."""
        new = slice(self._saved, len(self.rows))
        if self.folder is not None and self.rows[new]:
            columns: dict[str, Sequence[Any]] = {"start": self.start[new]}
            columns |= {one.name: [float(x[k]) for x in self.values[new]] for k, one in enumerate(self.variables)}
            self.folder.append(self.rows[new], columns)
        self._saved = len(self.rows)

    def table(self) -> np.ndarray:
        """Outputs [trial, output]; NaN where a trial failed."""
        return np.array([row.outputs for row in self.rows]).reshape(len(self.rows), len(self.outputs))


def _not_finite(outputs: Sequence[str], found: Slopes) -> str:
    """Which output has no value or no slope, if one has none."""
    bad = [text for text, value, row in zip(outputs, found.values, found.gradient, strict=True)
           if not (np.isfinite(value) and np.isfinite(row).all())]  # fmt: skip
    return f"'{bad[0]}' or its derivative is not finite" if bad else ""


def new_folder(out: str | Path | None, header: Mapping[str, Any]) -> Folder | None:
    """The folder of the table, which must be a new one."""
    if out is None:
        return None
    folder = Folder(out, {"format": FORMAT, **header})
    if folder.done:
        raise OptionError(f"'{out}' has the trials of an earlier search; give a new folder", element=str(out))
    return folder
