"""Plots of a study: outputs over the varied numbers, one axes per unit; a second varied name makes the curves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import OptionError
from linkwork.studies.study import Study
from linkwork.view.plots.sheet import COLORS, QUANTITIES, STYLES, check_path, finished, labelled, legends, sheet, widen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CURVES = 12  # in an axes


def plot_study(study: Study, path: str | Path | None = None) -> Figure:
    """Draw the outputs of a study over the first varied name, without runs that failed; written if `path` is given."""
    check_path(path)
    names = list(study.varied)
    if len(names) > 2:
        remedy = "keep all but one or two fixed, or use the table (--csv)"
        raise OptionError(f"a plot shows one or two varied names, not {len(names)}; {remedy}", element=names[2])
    along, *others = names
    groups: dict[str, list[str]] = {}
    for output in study.outputs:
        groups.setdefault(study.units[output], []).append(output)
    figure, places = sheet([1.0] * len(groups))
    for axes, (unit, texts) in zip(places, groups.items(), strict=True):
        curves = [(text, value) for text in texts for value in (study.varied[others[0]] if others else [None])]
        if len(curves) > MOST_CURVES:
            raise OptionError(
                f"{len(curves)} curves are too many for a plot; vary '{names[-1]}' less, or request fewer outputs",
                element=names[-1],
            )
        for k, (text, value) in enumerate(curves):
            x, y = _curve(study, along, text, others[0] if others else None, value)
            label = text if value is None else f"{text}, {others[0]} = {_value_text(value, _unit(study, others[0]))}"
            axes.plot(x, y, color=COLORS[k % len(COLORS)], linestyle=STYLES[k // len(COLORS)], marker=".", label=label)
        widen(axes, [np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
        axes.set_ylabel(labelled(QUANTITIES.get(unit, "") if unit else "", unit).strip())
    legends(places)
    figure.axes[-1].set_xlabel(f"{along} [{unit}]" if (unit := _unit(study, along)) else along, fontsize=9)
    return finished(figure, f"{study.model}: {len(study.rows)} runs", path)


def _curve(study: Study, along: str, text: str, other: str | None, value: object) -> tuple[np.ndarray, np.ndarray]:
    """The setting along the axis, as a number, and the output."""
    rows = [row for row in study.rows if text in row.outputs and (other is None or row.settings[other] == value)]
    x = [_number(row.settings[along], along) for row in rows]
    return np.array(x), np.array([row.outputs[text] for row in rows])


def _unit(study: Study, name: str) -> str:
    """The unit in which a name was varied: the one given with its values, else SI."""
    given = {str(value).partition(" ")[2] for value in study.varied[name]}
    return given.pop() if len(given) == 1 and given != {""} else study.varied_units.get(name, "")


def _number(value: object, name: str) -> float:
    """A setting as a number for an axis; of a quantity ('12 mm') its number."""
    try:
        return float(str(value).split()[0])
    except ValueError:
        raise OptionError(f"'{name}' is varied over texts ('{value}'); a plot needs numbers", element=name) from None


def _value_text(value: object, unit: str) -> str:
    """A value with its unit; a quantity has its own."""
    return f"{value:g} {unit}".rstrip() if isinstance(value, int | float) else str(value)
