"""What a study found: its table by columns, shown, read from its folder, given to other programs."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError, nearest
from linkwork.lazy_import import lazy_module
from linkwork.output_files import cell, writing
from linkwork.studies.plan import Plan
from linkwork.studies.table import Columns, read_columns, read_header
from linkwork.studies.vary import Scatter, Values
from linkwork.tables import Shown, Table, facts, number_text, output_text, table

if TYPE_CHECKING:
    import pandas
    import xarray
else:
    pandas, xarray = lazy_module("pandas"), lazy_module("xarray")

SHOWN = 60  # rows of a table; beyond, the first and how the outputs are distributed
NOTES = 20  # messages
PERCENTILES = (0, 5, 50, 95, 100)


@dataclass(frozen=True, repr=False)
class Study(Shown):
    """The runs of a study that were made, in the order of the plan; SI units, varied numbers in their own."""

    model: str
    plan: Plan
    outputs: dict[str, np.ndarray]  # [run] by text; NaN where a run failed
    units: dict[str, str]  # SI, of the outputs
    varied_units: dict[str, str]  # as given; SI where none was
    run: np.ndarray  # number of each row in the plan
    status: np.ndarray  # finished | suspect | stopped | failed
    message: np.ndarray  # why not well, or warnings
    energy_drift: np.ndarray

    @classmethod
    def of(cls, header: dict[str, Any], plan: Plan, columns: Columns) -> Study:
        """From what the table holds."""
        units = {text: header["units"].get(text, "") for text in header["outputs"]}
        return cls(
            header["model"], plan, columns.outputs, units, header["varied_units"], columns.run, columns.status,
            columns.message, columns.energy_drift,
        )  # fmt: skip

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """From its folder, also while it runs or after it was killed."""
        header = read_header(Path(path))
        kinds = {"Values": Values, "Scatter": Scatter}
        vary: dict[str, Values | Scatter] = {}
        for name, given in header["vary"].items():
            fields = {key: tuple(value) if key == "values" else value for key, value in given.items() if key != "form"}
            vary[name] = kinds[given["form"]](**fields)
        made = header["plan"]
        pairs = {(a, b): value for a, b, value in made["correlated"]}
        plan = Plan(vary, made["runs"], made["sampling"], made["seed"], pairs)
        return cls.of(header, plan, read_columns(Path(path), header["outputs"]))

    @property
    def planned(self) -> int:
        """Runs of the plan."""
        return len(self.plan)

    @property
    def varied(self) -> list[str]:
        """Names that are varied."""
        return list(self.plan.vary)

    def settings(self, run: int) -> dict[str, Any]:
        """What a run of the plan was made with, as `with_settings` takes it."""
        if not 0 <= run < self.planned:
            raise OptionError(f"there is no run {run}; they count from 0 to {self.planned - 1}", element="run")
        return dict(self.plan.settings(run))

    def __getitem__(self, name: str) -> np.ndarray:
        """An output, or a varied number, of every run made; outputs are NaN where a run failed."""
        if name in self.plan.vary:
            return self.plan.values(name, self.run)
        if name not in self.outputs:
            known = [*self.plan.vary, *self.outputs]
            raise OptionError(f"the study has no output '{name}'; {nearest(name, known)}", element=name)
        return self.outputs[name]

    def percentiles(self, output: str, at: tuple[float, ...] = PERCENTILES) -> np.ndarray:
        """Values of an output below which so many per cent of the runs lie, without those that failed."""
        values = self[output]
        good = values[np.isfinite(values)]
        return np.percentile(good, at) if len(good) else np.full(len(at), np.nan)

    # -- shown --------------------------------------------------------------------------------------------------
    def tables(self) -> list[Table]:
        """Settings and outputs of the runs; of many how the outputs are distributed; why some did not end well."""
        heads = [f"{name}, {unit}" if unit else name for name, unit in self.units.items()]
        varied = [f"{name}, {unit}" if (unit := self.varied_units.get(name)) else name for name in self.varied]
        rows = []
        for k in range(min(len(self.run), SHOWN)):
            failed = self.status[k] == "failed"
            settings = (self[name][k] for name in self.varied)
            numbers = (values[k] for values in self.outputs.values())
            rows.append((
                *(number_text(value) if isinstance(value, float) else str(value) for value in settings),
                *("" if failed else output_text(value) for value in numbers),
                str(self.status[k]), "" if not np.isfinite(self.energy_drift[k]) else f"{self.energy_drift[k]:.0e}",
            ))  # fmt: skip
        title = f"{self.model}: {len(self.run)} of {self.planned} runs"
        found = [table(title, (*varied, *heads, "status", "drift"), rows)]
        if len(self.run) > SHOWN:
            found.append(self._distribution())
        if notes := self._notes():
            found.append(facts("", notes))
        return found

    def _distribution(self) -> Table:
        rows = [
            (f"{text}, {self.units[text]}" if self.units[text] else text,
             *(output_text(value) for value in self.percentiles(text)))
            for text in self.outputs
        ]  # fmt: skip
        return table(f"all {len(self.run)} runs", ("output", *(f"{p} %" for p in PERCENTILES)), rows)

    def _notes(self) -> list[tuple[str, str]]:
        """What was said of which run; of several of which the same was said the first stands for all."""
        told: dict[str, list[int]] = {}
        for k, message in enumerate(self.message):
            if message:
                told.setdefault(str(message), []).append(k)
        notes = list[tuple[str, str]]()
        for message, runs in islice(told.items(), NOTES):
            first = ", ".join(f"{name} = {value}" for name, value in self.settings(int(self.run[runs[0]])).items())
            notes.append((f"{first}, and {len(runs) - 1} more" if len(runs) > 1 else first, message))
        more = sum(map(len, islice(told.values(), NOTES, None)))
        return [*notes, (f"{more} more", "in the table")] if more > 0 else notes

    def as_dict(self) -> dict[str, object]:
        """For a JSON answer."""
        rows = [
            {"run": int(run), "settings": self.settings(int(run)), "status": str(self.status[k]),
             "message": str(self.message[k]), "energy_drift": float(self.energy_drift[k]),
             "outputs": {name: float(values[k]) for name, values in self.outputs.items()}}
            for k, run in enumerate(self.run)
        ]  # fmt: skip
        return {
            "varied": {name: self.varied_units.get(name, "") for name in self.varied}, "outputs": list(self.outputs),
            "units": self.units, "planned": self.planned, "rows": rows,
        }  # fmt: skip

    # -- for other programs -------------------------------------------------------------------------------------
    def to_csv(self, path: str | Path) -> None:
        """A table: settings, outputs with their units in the heading, status, energy drift, message."""
        units = self.varied_units | self.units
        heads = [f"{name} [{units[name]}]" if units.get(name) else name for name in (*self.varied, *self.outputs)]
        columns = [self[name] for name in (*self.varied, *self.outputs)]
        with writing(path), open(path, "w", newline="", encoding="utf-8") as file:
            sheet = csv.writer(file)
            sheet.writerow(map(cell, ["run", *heads, "status", "energy drift", "message"]))
            for k, run in enumerate(self.run.tolist()):
                numbers = [_csv(column[k]) for column in columns]
                drift = _csv(self.energy_drift[k])
                sheet.writerow(map(cell, [run, *numbers, self.status[k], drift, self.message[k]]))

    def to_dataframe(self) -> pandas.DataFrame:
        """The table, a row a run; units in `frame.attrs["units"]`."""
        columns = {name: self[name] for name in (*self.varied, *self.outputs)}
        columns |= {"status": self.status, "message": self.message, "energy_drift": self.energy_drift}
        frame = pandas.DataFrame(columns, index=pandas.Index(self.run, name="run"))
        frame.attrs["units"] = self.varied_units | self.units
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """Outputs over the varied lists as dimensions, and over the draws (`draw`) of what scatters."""
        listed = {name: one.values for name, one in self.plan.listed.items()}
        draws = {"draw": np.arange(self.plan.draws)} if self.plan.scattered else {}
        sizes = [len(values) for values in (*listed.values(), *draws.values())]
        data = {}
        for name, values in self.outputs.items():
            whole = np.full(self.planned, np.nan)
            whole[self.run] = values
            data[name] = ((*listed, *draws), whole.reshape(sizes), {"units": self.units[name]})
        coords: dict[str, Any] = {
            name: (name, list(values), {"units": self.varied_units.get(name, "")}) for name, values in listed.items()
        } | draws
        for name, numbers in self.plan.drawn.items():
            coords[name] = ("draw", numbers, {"units": self.varied_units.get(name, "")})
        return xarray.Dataset(data, coords, attrs={"model": self.model})


def _csv(value: Any) -> object:
    return (
        ""
        if isinstance(value, float) and np.isnan(value)
        else repr(float(value))
        if isinstance(value, float)
        else value
    )
