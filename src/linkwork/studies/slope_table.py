"""How a gradient shows itself: a row for each output, a column for each parameter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.tables import Shown, Table, facts, output_text, table, warnings_of


@dataclass(frozen=True, repr=False, kw_only=True)
class SlopeTable(Shown):
    """The names of outputs and parameters, by which values and gradient are tabulated."""

    outputs: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()

    def tables(self) -> list[Table]:
        """Each output with its value and its derivatives; why there is none, where one is missing."""
        values, gradient = np.atleast_1d(vars(self)["values"]), np.atleast_2d(vars(self)["gradient"])
        units, reasons = vars(self)["units"], vars(self)["reasons"]
        outputs = self.outputs or tuple(str(k) for k in range(len(values)))
        parameters = self.parameters or tuple(str(k) for k in range(gradient.shape[1]))
        rows = [
            (f"{output}, {unit}" if unit else output, output_text(value), *map(_slope, slopes))
            for output, unit, value, slopes in zip(outputs, units or ("",) * len(values), values, gradient, strict=True)
        ]
        found = [table("gradient", ("output", "value", *(f"d / d {name}" for name in parameters)), rows)]
        return [*found, facts("", warnings_of(reasons))] if reasons else found


def _slope(value: float) -> str:
    return "no derivative" if value != value else f"{value:.6g}"
