"""The report of a run: HTML or PDF: pictures, method and why, degrees of freedom, plots, loads, model."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import numpy as np

from linkwork import __version__
from linkwork.analyses.diagnosis import diagnose
from linkwork.analyses.loads.loads import all_loads, joint_loads
from linkwork.analyses.loads.reactions import Loads, Transmitted
from linkwork.errors import LinkworkError, OptionError
from linkwork.mechanism import Mechanism
from linkwork.output_files import output_file, writing
from linkwork.results.result import Result
from linkwork.view.html import document, drawing, escaped, image, table
from linkwork.view.plots.histories import plot_result
from linkwork.view.plots.loads import plot_loads
from linkwork.view.report.pdf import browser_for, print_pdf
from linkwork.view.report.tables import body_rows, element_rows, joint_rows, run_rows, vector_text
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.scene import Scene
from linkwork.view.scene.still import picture
from linkwork.view.summary import rank_text

MOST_EVENTS = 20  # listed of switches and singular positions
MOST_PLOTTED = 3  # joints whose loads are plotted: those with the largest forces
NOISE = 1e-10  # of the largest load: below it a load is rounding


def write_report(result: Result, path: str | Path) -> Path:
    """Write the report, .html or .pdf."""
    target = output_file(path, "a report", (".html", ".pdf"))
    browser = browser_for(target) if target.suffix.lower() == ".pdf" else None
    text = report(result)
    with writing(target):
        if browser is None:
            target.write_text(text, encoding="utf-8")
        else:
            print_pdf(browser, text, target)
    return target


def report(result: Result) -> str:
    """The text of the report."""
    mechanism = result.mechanism
    scene = scene_of(result, loads=False)
    parts = [
        _headline(result),
        _pictures(scene),
        _section("The model", _model(mechanism)),
        _section("Degrees of freedom", _account(mechanism)),
        _section("Motion", _motion(result, scene)),
        _section("Joint loads", _loads(result)),
        _section("How it was computed", _computation(result)),
        f"<footer>linkwork {__version__}; SI units; a load that is not unique is not printed.</footer>",
    ]
    return document(f"{result.model} - report", "".join(parts))


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escaped(title)}</h2>{content}</section>"


def _headline(result: Result) -> str:
    c = result.certificate
    freedom = f"{c.dof} degree{'s' if c.dof != 1 else ''} of freedom"
    lead = f"{c.status} at t = {c.t_end:g} s; {freedom}; energy drift {c.energy_drift:.1e}"
    made = f"{datetime.now():%Y-%m-%d %H:%M}, linkwork {__version__}"
    return (
        f'<h1>{escaped(result.model)}</h1><p class="made">{made}</p>'
        f'<p class="lead {escaped(c.status)}">{escaped(lead)}</p>'
    )


def _pictures(scene: Scene) -> str:
    """The start large, and two later instants."""
    last = len(scene.t) - 1
    samples = dict.fromkeys((0, last // 3, 2 * last // 3))
    shown = [image(picture(scene, n, size=(6.4, 3.2)), f"at t = {scene.t[n]:.4g} s") for n in samples]
    return f'<div class="pictures">{"".join(f"<figure>{each}</figure>" for each in shown)}</div>'


def _events(result: Result) -> str:
    c = result.certificate
    events = [(float(e["t"]), "singular position", rank_text(e)) for e in c.singular]
    events += [(float(e["t"]), f"{e.get('from', '')} to {e.get('to', '')}", str(e.get("why", ""))) for e in c.switches]
    if not events:
        return "<p>No singular position was met, and the method did not switch.</p>"
    rows = [(f"{t:.5g}", what, why) for t, what, why in sorted(events)]
    more = f"<p>and {len(rows) - MOST_EVENTS} more</p>" if len(rows) > MOST_EVENTS else ""
    return table(("t, s", "event", "why"), rows[:MOST_EVENTS]) + more


def _account(mechanism: Mechanism) -> str:
    """Coordinates, equations, degrees of freedom, redundant equations."""
    try:
        found = diagnose(mechanism)
    except LinkworkError as failure:
        return f"<p>{escaped(failure.message)}</p>"
    return table((), found.account()) + "".join(f"<p>{escaped(note)}</p>" for note in found.notes)


def _motion(result: Result, scene: Scene) -> str:
    """Measures, driven coordinates and what drives them, the rest; what stays zero is left out."""
    names = [name for names in scene.plots for name in names if not name.startswith("energy")]
    moving = [name for name in dict.fromkeys(names) if not _stays_zero(result, name)]
    if not moving:
        return "<p>Nothing moves.</p>"
    return f"<figure>{drawing(plot_result(result, moving, title='motion'), 'plot')}</figure>"


def _stays_zero(result: Result, name: str) -> bool:
    """Whether a channel is nothing but rounding beside others of its unit."""
    values, unit = result.channel(name), result.unit(name)
    alike = [result.channel(other) for other in result.recorded() if result.unit(other) == unit]
    largest = max((float(np.nanmax(np.abs(other), initial=0.0)) for other in alike), default=0.0)
    return float(np.nanmax(np.abs(values), initial=0.0)) <= NOISE * largest or not np.isfinite(values).any()


def _computation(result: Result) -> str:
    """Method, effort, events, and the curves that tell how far to trust it."""
    figure = plot_result(result, title="energy, its balance, step size")
    return table((), run_rows(result)) + _events(result) + f"<figure>{drawing(figure, 'plot')}</figure>"


def _loads(result: Result) -> str:
    """Peaks of every joint, link and coupling, and the histories of those that carry most."""
    every = all_loads(result)
    if not every:
        return "<p>There are no joints.</p>"
    try:
        loads = joint_loads(result, every)
    except LinkworkError as failure:
        return f"<p>{escaped(failure.message)}</p>"
    rows = [row for name in loads for row in _load_rows(loads, name)]
    rows += [_along_row(one) for one in loads.along.values()]
    notes = "".join(f"<p>{escaped(note)}</p>" for note in loads.notes())
    head = ("joint", "on", "peak of", "value", "t, s", "force at that time, N", "torque at that time, N m")
    return table(head, rows) + notes + _plotted(loads)


def _load_rows(loads: Loads, name: str) -> list[Sequence[str]]:
    """Peaks of the magnitudes and driving forces; where no whole force or torque is unique, of the components."""
    reaction = loads[name]
    peaks = reaction.peaks()
    noise = NOISE * max((abs(peak.value) for peak in peaks), default=0.0)
    whole = [p for p in peaks if p.of in ("force", "torque") or p.of.startswith("driving")]
    printed = [p for p in whole or peaks if abs(p.value) > noise]

    def shown(values: np.ndarray) -> str:
        return ", ".join("not unique" if v != v else f"{0.0 if abs(v) <= noise else v:.5g}" for v in values)

    rows: list[Sequence[str]] = [
        (name, reaction.on, p.of, f"{p.value:.5g}", f"{p.t:.5g}", shown(p.force), shown(p.torque)) for p in printed
    ]
    return rows or [(name, reaction.on, "nothing", "0" if peaks else "not unique", "", "", "")]


def _along_row(one: Transmitted) -> Sequence[str]:
    """The largest force or torque along a link or coupling."""
    peak = one.peak()
    shown = ("not unique", "") if peak is None else (f"{peak[0]:.5g}", f"{peak[1]:.5g}")
    return (one.element, "", f"{one.quantity} along it", *shown, "", "")


def _plotted(loads: Loads) -> str:
    largest = {name: float(np.nanmax(np.abs(reaction.force), initial=0.0)) for name, reaction in loads.items()}
    chosen = sorted(largest, key=lambda name: -largest[name])[:MOST_PLOTTED]
    figures = []
    apart = [Loads(loads.result, {name: loads[name]}) for name in chosen]
    if loads.along:
        apart.append(Loads(loads.result, {}, loads.along))
    for one in apart:  # a figure each, so that a page ends between two of them
        with suppress(OptionError):  # no component of this one is unique
            figures.append(drawing(plot_loads(one), "loads"))
    if not figures:
        return "<p>No component of these loads is unique: there is nothing to plot.</p>"
    return "".join(f"<figure>{figure}</figure>" for figure in figures)


def _model(mechanism: Mechanism) -> str:
    plane = f"; planar mechanism in {mechanism.plane}" if mechanism.plane else ""
    mass = sum(body.mass_kg for body in mechanism.body)
    head = f"<p>{mass:.5g} kg in all; gravity {vector_text(mechanism.gravity)} m/s2{plane}</p>"
    bodies = table(("body", "mass, kg", "Jxx, Jyy, Jzz, kg m2", "shape", "at the start, m"), body_rows(mechanism))
    joints = table(("joint", "kind", "between", "place, m"), joint_rows(mechanism)) if mechanism.joint else ""
    others = element_rows(mechanism)
    return head + bodies + joints + (table(("element", "kind", "numbers"), others) if others else "")
