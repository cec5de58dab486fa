"""Plots of a study: curves, scatter matrix, sensitivity bars, response surface, distributions, parallel coordinates.

`auto` takes curves for one or two lists, distributions for numbers that scatter, parallel coordinates for more lists.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.declaration.calls import explained
from linkwork.errors import OptionError, nearest
from linkwork.lazy_import import lazy_functions
from linkwork.view.plots.sheet import COLORS, QUANTITIES, STYLES, check_path, finished, labelled, legends, sheet, widen
from linkwork.view.plots.study_panels import distributions, parallel, scatter_matrix, sensitivities, surface

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.studies.found import Study
else:
    (Figure,) = lazy_functions("matplotlib.figure", "Figure")

MOST_CURVES = 12  # in an axes


@explained("plot_study", OptionError, ("Study", "what model.study(...) returns"))
def plot_study(
    study: Study, path: str | Path | None = None, *, kind: str = "auto", output: str | None = None
) -> Figure:
    """Draw a study, without runs that failed and outputs that are a number in no run; written if `path` is given.

    `kind`: auto, curves, scatter, sensitivity, surface, distribution, parallel.  `output`: the one that a surface,
    parallel coordinates or sensitivities show; default: the first.
    """
    check_path(path)
    drawn = {
        "curves": curves, "scatter": scatter_matrix, "sensitivity": sensitivities, "surface": surface,
        "distribution": distributions, "parallel": parallel,
    }  # fmt: skip
    if kind == "auto":
        scattered, count = bool(study.plan.scattered), len(study.plan.vary)
        kind = "distribution" if scattered else "curves" if count <= 2 else "parallel"
    if kind not in drawn:
        raise OptionError(f"there is no kind of plot '{kind}'; {nearest(kind, ('auto', *drawn))}", element=kind)
    shown, without = _with_numbers(study, output)
    figure = drawn[kind](shown, output if output is not None else next(iter(shown.outputs)))
    title = f"{study.model}: {len(study.run)} runs"
    return finished(figure, "\n".join([title, *(f"without {name}: a number in no run" for name in without)]), path)


def _with_numbers(study: Study, wanted: str | None) -> tuple[Study, list[str]]:
    """The study without outputs that are a number in no run, and the names of these; refused where one is wanted, or
    none is left.
    """
    _ = study[wanted] if wanted is not None else None
    found = {name: values for name, values in study.outputs.items() if np.isfinite(values).any()}
    without = [name for name in study.outputs if name not in found]
    if not found or wanted in without:
        name = wanted if wanted in without else without[0]
        why = next((text for text in study.message if text), "")
        raise OptionError(
            f"'{name}' is a number in no run; there is nothing to draw" + (f" ({why})" if why else ""), element=name
        )
    return replace(study, outputs=found), without


def curves(study: Study, _: str) -> Figure:
    """Outputs over the first varied name, one axes per unit; a second name makes the curves."""
    names = study.varied
    if len(names) > 2:
        remedy = "keep all but one or two fixed, or take kind 'parallel' or 'scatter'"
        raise OptionError(f"curves show one or two varied names, not {len(names)}; {remedy}", element=names[2])
    along, *others = names
    if study[along].dtype == object:
        raise OptionError(
            f"'{along}' is varied over texts; curves need numbers: take kind 'distribution'", element=along
        )
    groups: dict[str, list[str]] = {}
    for output in study.outputs:
        groups.setdefault(study.units[output], []).append(output)
    figure, places = sheet([1.0] * len(groups))
    for axes, (unit, texts) in zip(places, groups.items(), strict=True):
        labels = list(dict.fromkeys(study[others[0]].tolist())) if others else [None]
        lines = [(text, value) for text in texts for value in labels]
        if len(lines) > MOST_CURVES:
            raise OptionError(
                f"{len(lines)} curves are too many for a plot; vary '{names[-1]}' less, or request fewer outputs",
                element=names[-1],
            )
        for k, (text, value) in enumerate(lines):
            shown = np.isfinite(study[text]) & (True if value is None else study[others[0]] == value)
            label = (
                text if value is None else f"{text}, {others[0]} = {_value_text(value, study.varied_units[others[0]])}"
            )
            style = {"color": COLORS[k % len(COLORS)], "linestyle": STYLES[k // len(COLORS) % len(STYLES)]}
            axes.plot(study[along][shown], study[text][shown], marker=".", label=label, **style)  # type: ignore[arg-type]
        widen(axes, [np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
        axes.set_ylabel(labelled(QUANTITIES.get(unit, "") if unit else "", unit).strip())
    legends(places)
    unit = study.varied_units[along]
    figure.axes[-1].set_xlabel(f"{along} [{unit}]" if unit else along, fontsize=9)
    return figure


def _value_text(value: object, unit: str) -> str:
    """A value with its unit."""
    return f"{value:g} {unit}".rstrip() if isinstance(value, int | float) else str(value)
