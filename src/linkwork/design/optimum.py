"""What an optimization found: the best trial, how each start ended, and the table of all trials."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.design.goals import Goals
from linkwork.design.trials import Trials
from linkwork.design.variables import Variable
from linkwork.errors import OptionError, nearest
from linkwork.lazy_import import lazy_module
from linkwork.output_files import cell, writing
from linkwork.tables import Shown, Table, facts, number_text, table

if TYPE_CHECKING:
    import pandas
else:
    pandas = lazy_module("pandas")

AT_BOUND = 1e-6  # of the width between the bounds
FEW = 12  # rows of a table


@dataclass(frozen=True)
class Ended:
    """How the search from one start ended."""

    start: int
    status: str  # converged | stopped | failed
    message: str
    trials: int


@dataclass(frozen=True, repr=False)
class Optimum(Shown):
    """The best trial of an optimization, and all others; variables in their own units, outputs in SI units."""

    model: str
    variables: tuple[Variable, ...]
    goals: Goals
    units: dict[str, str]  # SI, of the outputs
    best: int  # which trial it is
    met: bool  # whether the best trial meets all conditions
    method: str
    why: str
    ended: tuple[Ended, ...]
    x: np.ndarray  # [trial, variable]
    outputs: np.ndarray  # [trial, output]; NaN where a trial failed
    objective: np.ndarray  # [trial]
    start: np.ndarray  # [trial] to which start it belongs
    status: np.ndarray  # [trial] finished | failed
    message: np.ndarray  # [trial]

    @classmethod
    def of(cls, model: str, trials: Trials, goals: Goals, ended: tuple[Ended, ...], method: str, why: str) -> Optimum:
        """The best of all trials: one that meets the conditions, before any that does not."""
        outputs = trials.table()
        good = [k for k, row in enumerate(trials.rows) if row.status != "failed"]
        objective = np.array([goals.objective(row) for row in outputs])
        met = [k for k in good if goals.met(outputs[k])]
        if met:
            best = min(met, key=lambda k: objective[k])
        else:
            best = min(good, key=lambda k: sum(one.excess(a, b) for one, a, b in goals.sides(outputs[k])))
        return cls(
            model, tuple(trials.variables), goals, dict(zip(trials.outputs, trials.units, strict=True)), best,
            bool(met), method, why, ended, np.array(trials.values), outputs, objective, np.array(trials.start),
            np.array([row.status for row in trials.rows], object),
            np.array([row.message for row in trials.rows], object),
        )  # fmt: skip

    @property
    def value(self) -> float:
        """The least objective: the output, or the sum of squares."""
        return float(self.objective[self.best])

    @property
    def values(self) -> dict[str, float]:
        """The variables at the optimum, in their units."""
        return {one.name: float(self.x[self.best, k]) for k, one in enumerate(self.variables)}

    @property
    def settings(self) -> dict[str, Any]:
        """The same as `with_settings`, `lw.library_model` and `--set` take them."""
        return {one.name: one.setting(self.x[self.best, k]) for k, one in enumerate(self.variables)}

    def __getitem__(self, name: str) -> float:
        """A variable or an output at the optimum."""
        names = [one.name for one in self.variables]
        if name in names:
            return float(self.x[self.best, names.index(name)])
        if name in self.goals.outputs:
            return float(self.outputs[self.best, self.goals.outputs.index(name)])
        known = [*names, *self.goals.outputs]
        raise OptionError(f"the optimum has no '{name}'; {nearest(name, known)}", element=name)

    # -- shown --------------------------------------------------------------------------------------------------
    def tables(self) -> list[Table]:
        """What is least, the variables with their bounds, the conditions, and how each start ended."""
        goals, text = self.goals, self.goals.minimize[0]
        what = f"sum of squares of {len(goals.minimize)} outputs" if goals.squares else text
        unit = "" if goals.squares else self.units.get(text, "")
        first = float(self.objective[0])
        found = [facts(f"{self.model}: {'optimum' if self.met else 'no design meets all conditions'}", [
            (f"least {what}", f"{number_text(self.value)} {unit}".rstrip()),
            ("at the start", f"{number_text(first)} {unit}".rstrip() if np.isfinite(first) else "failed"),
            ("method", f"{self.method}: {self.why}"),
            ("trials", f"{len(self.x)}, of which {int(np.sum(self.status == 'failed'))} failed"),
        ])]  # fmt: skip
        heads = ("variable", "value", "start", "bounds", "")
        found.append(table("", heads, [self._variable(k) for k in range(len(self.variables))]))
        if sides := goals.sides(self.outputs[self.best]):
            rows = [(one.text, number_text(a), number_text(b), self._condition(one, a, b)) for one, a, b in sides]
            found.append(table("", ("condition", "left", "right", ""), rows))
        if len(self.ended) > 1:
            found.append(table("", ("start", "least", "trials", "ended"), self._starts()))
        else:
            found += [facts("", [("ended", f"{one.status}: {one.message}") for one in self.ended])]
        return found

    def _variable(self, k: int) -> tuple[str, ...]:
        one, value = self.variables[k], float(self.x[self.best, k])
        at_low, at_high = (abs(value - bound) <= AT_BOUND * one.scale for bound in (one.low, one.high))
        bounds = f"{one.low:g} .. {one.high:g}" if one.bounded else "none"
        name = f"{one.name}, {one.unit}" if one.unit else one.name
        note = "at its lower bound" if at_low else "at its upper bound" if at_high else ""
        return name, number_text(value), number_text(one.start), bounds, note

    @staticmethod
    def _condition(one: Any, left: float, right: float) -> str:
        if not one.met(left, right):
            return f"missed by {number_text(one.excess(left, right))}"
        close = abs(left - right) <= 1e-4 * max(abs(left), abs(right))
        return "active" if close else "met"

    def _starts(self) -> list[tuple[str, ...]]:
        rows = []
        for one in self.ended:
            mine = [k for k in np.flatnonzero((self.start == one.start) & (self.status != "failed"))
                    if self.goals.met(self.outputs[k])]  # fmt: skip
            least = float(self.objective[mine].min()) if mine else np.inf
            text = number_text(least) if mine else "conditions missed" if one.status != "failed" else ""
            rows.append((least, (f"{one.start + 1}", text, f"{one.trials}", f"{one.status}: {one.message}")))
        return [row for _, row in sorted(rows, key=lambda pair: pair[0])[:FEW]]

    def as_dict(self) -> dict[str, object]:
        """For a JSON answer."""
        return {
            "values": self.values, "variable_units": {one.name: one.unit for one in self.variables},
            "objective": self.value, "met": self.met, "method": self.method, "why": self.why,
            "outputs": dict(zip(self.goals.outputs, self.outputs[self.best].tolist(), strict=True)),
            "units": self.units, "trials": len(self.x), "failed": int(np.sum(self.status == "failed")),
            "starts": [{"start": one.start, "status": one.status, "message": one.message, "trials": one.trials}
                       for one in self.ended],
        }  # fmt: skip

    # -- for other programs -------------------------------------------------------------------------------------
    def to_dataframe(self) -> pandas.DataFrame:
        """The table of all trials, a row each; units in `frame.attrs["units"]`."""
        columns: dict[str, Any] = {"start": self.start}
        columns |= {one.name: self.x[:, k] for k, one in enumerate(self.variables)}
        columns |= {text: self.outputs[:, k] for k, text in enumerate(self.goals.outputs)}
        columns |= {"objective": self.objective, "status": self.status, "message": self.message}
        frame = pandas.DataFrame(columns)
        frame.index.name = "trial"
        frame.attrs["units"] = {one.name: one.unit for one in self.variables} | self.units
        return frame

    def to_csv(self, path: str | Path) -> None:
        """The same as a table, CSV."""
        units = {one.name: one.unit for one in self.variables} | self.units
        names = [*(one.name for one in self.variables), *dict.fromkeys(self.goals.outputs)]
        heads = [f"{name} [{units[name]}]" if units.get(name) else name for name in names]
        with writing(path), open(path, "w", newline="", encoding="utf-8") as file:
            sheet = csv.writer(file)
            sheet.writerow(map(cell, ["trial", "start", *heads, "objective", "status", "message"]))
            for k, (x, outputs) in enumerate(zip(self.x, self.outputs, strict=True)):
                once = dict(zip(self.goals.outputs, outputs.tolist(), strict=True))
                numbers = [repr(value) for value in (*x.tolist(), *once.values(), float(self.objective[k]))]
                row = [k, int(self.start[k]), *numbers, self.status[k], self.message[k]]
                sheet.writerow(map(cell, row))
