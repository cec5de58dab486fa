"""Histories of several runs of the four-bar beside the exact motion: acceleration, position, energy, step, method.

Titles have the captions of the papers, with the number of the figure where it is one of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from linkwork.reproduce.parallelogram.contest import EVERY, UNTIL
from linkwork.reproduce.parallelogram.motion import CRANK, JUMP, PULL, exact
from linkwork.results.result import Result
from linkwork.view.plots.panels import Curve, Lane, Panel, plot_panels, step_panels
from linkwork.view.plots.sheet import COLORS

MOST = 60.0  # m/s2, drawn of an acceleration; that of the exact motion stays below 26
WIDTHS = (1.4, 2.4, 1.8, 1.3, 1.0)  # of the LU that fails, which is alone then, and of runs that lie on each other

CAPTIONS: Mapping[str, str] = {
    "acceleration": "vertical acceleration of the coupler",
    "position": "vertical displacement of the coupler",
    "energy": "total energy of the system",
    "deflection": "local displacement of node 6",
    "mode": "displacement of the first modal coordinate",
    "mode acceleration": "acceleration of the first modal coordinate",
    "step": "integration step size",
    "method": "partitioning method in use",
}


def acceleration(run: Result) -> np.ndarray:
    """Vertical acceleration of the coupler, m/s2: the coordinate's own, or by differences of the velocity."""
    if "coupler.vz" in run.names["v"]:
        return run.channel("coupler.vz.dot")
    return np.gradient(run.channel("coupler.velocity.z"), run.t) if len(run.t) > 2 else np.zeros(len(run.t))


def acceleration_limits(histories: Iterable[np.ndarray]) -> tuple[float, float]:
    """What all of them need, and no more than MOST: where LU fails they are spikes of any height."""
    values = np.clip(np.concatenate(list(histories)), -MOST, MOST)
    margin = 0.05 * float(np.ptp(values))
    return max(float(values.min()) - margin, -MOST), min(float(values.max()) + margin, MOST)


def history_figures(
    runs: Mapping[str, Result], files: Mapping[str, Path], paper: str, what_moves: str, reference: Result | None = None
) -> None:
    """One PNG per quantity; `files` names those to draw.  `reference`: a tight run, where there is no exact motion.

    acceleration, position, energy, step, method; of a flexible coupler also deflection, mode, mode acceleration.  Of
    the mode the papers leave LU out, so that the others can be seen.  A change of the energy is to be seen in plain
    beside what is exchanged, and rounding is not.
    """
    t = np.arange(0.0, UNTIL + EVERY / 2, EVERY)
    theta, omega = exact(t)
    z = CRANK * np.sin(theta)
    z_dot_dot = CRANK * (-PULL * np.cos(theta) ** 2 - omega**2 * np.sin(theta))

    def curves(history: Callable[[Result], np.ndarray], first: int = 0) -> list[Curve]:
        return [
            Curve(name, run.t, history(run), COLORS[k], "-" if k == first else "--", width=WIDTHS[k])
            for k, (name, run) in list(enumerate(runs.items()))[first:]
        ]

    def with_exact(history: Callable[[Result], np.ndarray], y: np.ndarray, first: int = 0) -> list[Curve]:
        true = Curve("exact", t, y, "black", ":", width=0.9)
        if reference is not None:
            true = Curve("auto, rtol 1e-9", reference.t, history(reference), "black", ":", width=0.9)
        return [*curves(history, first), true]

    def bending(name: str, first: int = 0) -> list[Curve]:
        return with_exact(lambda run: run.channel(name), z, first) if reference is not None else []

    others = sum(name.startswith("lu") for name in runs)  # how many come first

    def title(what: str) -> str:
        number = re.search(r"-fig(\d+)-", files[what].name)
        figure = f", Fig. {number.group(1)}" if number else ""
        return f"{paper}{figure}, {what_moves}: {CAPTIONS[what]}"

    panels = {
        "acceleration": Panel("vertical acceleration [m/s$^2$]", with_exact(acceleration, z_dot_dot),
                              limits=acceleration_limits(map(acceleration, runs.values())), height=1.6),
        "position": Panel("vertical position [m]",
                          with_exact(lambda run: run.channel("coupler.position.z"), z), height=1.6),
        "energy": Panel("total energy [J]", curves(lambda run: run.channel("energy")),
                        limits=_energy_limits(list(runs.values())), height=1.6),
        "deflection": Panel("local displacement [m]", bending("deflection"), height=1.6),
        "mode": Panel("modal coordinate [kg$^{1/2}$ m]", bending("coupler.mode1", others), height=1.6),
        "mode acceleration": Panel("modal acceleration [kg$^{1/2}$ m/s$^2$]",
                                   bending("coupler.mode1_rate.dot", others), height=1.6),
    }  # fmt: skip
    for what, panel in panels.items():
        if what in files:
            plot_panels([panel], path=files[what], title=title(what))
    if "step" in files:
        plot_panels(step_panels(runs), path=files["step"], title=title("step"))
    if "method" in files:
        lanes = [Lane(name, run.steps) for name, run in runs.items() if len(run.steps)]
        plot_panels([], lanes, files["method"], title("method"))


def _energy_limits(runs: Sequence[Result]) -> tuple[float, float]:
    """What all runs need, and at least JUMP of the energy exchanged on both sides of where it began."""
    energies = np.concatenate([run.channel("energy") for run in runs])
    first, room = float(energies[0]), JUMP * max(float(np.ptp(run.channel("energy.kinetic"))) for run in runs)
    margin = 0.05 * float(np.ptp(energies))
    return min(float(energies.min()) - margin, first - room), max(float(energies.max()) + margin, first + room)
