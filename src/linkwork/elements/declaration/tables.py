"""Tables: values over an argument, for drivers, spring laws, torque-speed curves; used as `table(NAME, x)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, ValidationInfo, WrapValidator, model_validator

from linkwork.elements.declaration.base import Element, Number, listed
from linkwork.elements.declaration.csv_columns import read_columns
from linkwork.expressions.kernels.tables import Table, tabulated


def _at_once(value: Any, one_by_one: Callable[[Any], tuple[float, ...]]) -> tuple[float, ...]:
    """Arrays of finite numbers, which may be a million, are not looked at number by number."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == np.float64 and np.isfinite(value).all():
        return tuple(value.tolist()) if len(value) > 1 else one_by_one(value.tolist())
    return one_by_one(listed(value))


Numbers = Annotated[tuple[Number, ...], Field(min_length=2), WrapValidator(_at_once)]


class ValueTable(Element):
    """Points (x, y) with a curve through them; numbers in SI units, or quantities of one kind in each column."""

    key: ClassVar[str] = "table"
    plural: ClassVar[str] = "values over an argument, for expressions"

    csv: str | None = Field(default=None, description="a CSV or Parquet file with x and y, beside the model; read once")
    columns: tuple[str | int, str | int] | None = Field(
        default=None, description="columns of the file for x and y: names in its first line, or counted from 1"
    )
    x: Numbers = Field(description="any unit, argument, increasing")
    y: Numbers = Field(description="any unit, values, one for each argument")
    interpolation: Literal["spline", "linear"] = Field(default="spline", description="natural cubic spline, or lines")
    outside: Literal["hold", "line", "repeat"] = Field(
        default="hold", description="beyond the ends: the end value, its line, or the whole again (y ends as it begins)"
    )

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: Any, info: ValidationInfo) -> Any:
        """x and y from a file, which is then no longer needed."""
        if not isinstance(given, dict) or given.get("csv") is None:
            return given
        if given.get("x") is not None or given.get("y") is not None:
            raise ValueError(f"table '{given.get('name')}': both a csv file and x, y; give one of the two")
        locate, columns = (info.context or {}).get("locate", Path), given.get("columns") or (1, 2)
        if len(columns) != 2 or any(isinstance(c, bool) or not isinstance(c, (str, int)) for c in columns):
            raise ValueError(f"table '{given.get('name')}': columns is {columns!r}; name two columns of the file")
        x, y = read_columns(locate(str(given["csv"])), columns)
        rest = {key: value for key, value in given.items() if key not in ("csv", "columns")}
        return rest | {"x": x, "y": y}

    @model_validator(mode="after")
    def _increasing(self) -> Self:
        if len(self.x) != len(self.y):
            raise ValueError(f"table '{self.name}': {len(self.x)} arguments and {len(self.y)} values; give as many")
        steps = np.diff(self.x)
        if np.any(steps <= 0.0):
            k = int(np.argmax(steps <= 0.0))
            raise ValueError(
                f"table '{self.name}': x[{k + 1}] = {self.x[k + 1]:g} follows x[{k}] = {self.x[k]:g}; x must increase"
            )
        self._check_period()
        return self

    def _check_period(self) -> None:
        """What repeats ends as it begins; a spline through it has three points at least."""
        if self.outside != "repeat":
            return
        if self.y[0] != self.y[-1]:
            raise ValueError(
                f"table '{self.name}': it repeats, but begins with y = {self.y[0]:g} and ends with {self.y[-1]:g}; "
                "give the same value at both ends"
            )
        if self.interpolation == "spline" and len(self.x) < 4:
            raise ValueError(f"table '{self.name}': a spline that repeats needs 4 points, not {len(self.x)}")

    @cached_property
    def compiled(self) -> Table:
        """Ready to be looked up."""
        return tabulated(np.array(self.x), np.array(self.y), self.interpolation, self.outside)
