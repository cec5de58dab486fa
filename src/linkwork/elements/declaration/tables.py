"""Tables: values over an argument, for drivers, spring laws, torque-speed curves; used as `table(NAME, x)`."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.elements.declaration.base import Element, Number
from linkwork.expressions.tables import Table, tabulated


class ValueTable(Element):
    """Points (x, y) with a curve through them; numbers in SI units, or quantities of one kind in each column."""

    key: ClassVar[str] = "table"
    plural: ClassVar[str] = "values over an argument, for expressions"

    x: tuple[Number, ...] = Field(min_length=2, description="any unit, argument, increasing")
    y: tuple[Number, ...] = Field(min_length=2, description="any unit, values, one for each argument")
    interpolation: Literal["spline", "linear"] = Field(default="spline", description="natural cubic spline, or lines")
    outside: Literal["hold", "line"] = Field(default="hold", description="beyond the ends: the end value, or its line")

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
        return self

    @property
    def compiled(self) -> Table:
        """Ready to be looked up."""
        return tabulated(np.array(self.x), np.array(self.y), self.interpolation, self.outside)
