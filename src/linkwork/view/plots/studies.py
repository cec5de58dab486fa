"""Plots of a study: the numbers told over what was varied, one axes a unit; a second varied name makes the curves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import OptionError
from linkwork.studies.variants import Study
from linkwork.view.plots.histories import (
    COLORS,
    QUANTITIES,
    STYLES,
    _check_path,
    _labelled,
    _legends,
    _sheet,
    _widen,
    _write,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # at run time inside the functions: it takes 0.5 s to import

MOST_CURVES = 12  # in an axes


def plot_study(study: Study, path: str | Path | None = None) -> Figure:
    """Draw the numbers of a study over the first varied name, without runs that failed; written if `path` is given."""
    if path is not None:
        _check_path(Path(path))
    names = list(study.varied)
    if len(names) > 2:
        remedy = "keep all but one or two fixed, or take the table (--csv)"
        raise OptionError(f"a plot shows one or two varied names, not {len(names)}; {remedy}", element=names[2])
    along, *others = names
    groups: dict[str, list[str]] = {}
    for told in study.told:
        groups.setdefault(study.units[told], []).append(told)
    figure, places = _sheet([1.0] * len(groups))
    for axes, (unit, texts) in zip(places, groups.items(), strict=True):
        curves = [(text, value) for text in texts for value in (study.varied[others[0]] if others else [None])]
        if len(curves) > MOST_CURVES:
            raise OptionError(
                f"{len(curves)} curves are too many for a plot; vary '{names[-1]}' less, or name fewer numbers",
                element=names[-1],
            )
        for k, (text, value) in enumerate(curves):
            x, y = _curve(study, along, text, others[0] if others else None, value)
            label = text if value is None else f"{text}, {others[0]} = {_told(value, _unit(study, others[0]))}"
            axes.plot(x, y, color=COLORS[k % len(COLORS)], linestyle=STYLES[k // len(COLORS)], marker=".", label=label)
        _widen(axes, [np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
        axes.set_ylabel(_labelled(QUANTITIES.get(unit, "") if unit else "", unit).strip())
    _legends(places)
    figure.axes[-1].set_xlabel(f"{along} [{unit}]" if (unit := _unit(study, along)) else along, fontsize=9)
    figure.suptitle(f"{study.model}: {len(study.rows)} runs", fontsize=11)
    if path is not None:
        _write(figure, Path(path))
    return figure


def _curve(study: Study, along: str, text: str, other: str | None, value: object) -> tuple[np.ndarray, np.ndarray]:
    """What was set along the axis, as a number, and the number told."""
    rows = [row for row in study.rows if text in row.numbers and (other is None or row.settings[other] == value)]
    x = [_number(row.settings[along], along) for row in rows]
    return np.array(x), np.array([row.numbers[text] for row in rows])


def _unit(study: Study, name: str) -> str:
    """The unit in which a name was varied: the one said with its values, else SI."""
    said = {str(value).partition(" ")[2] for value in study.varied[name]}
    return said.pop() if len(said) == 1 and said != {""} else study.varied_units.get(name, "")


def _number(value: object, name: str) -> float:
    """What was set, as a number for an axis; of a quantity ('12 mm') the number that was said."""
    try:
        return float(str(value).split()[0])
    except ValueError:
        raise OptionError(f"'{name}' is varied over texts ('{value}'), which no axis shows", element=name) from None


def _told(value: object, unit: str) -> str:
    """A value with its unit; a quantity has its own."""
    return f"{value:g} {unit}".rstrip() if isinstance(value, int | float) else str(value)
