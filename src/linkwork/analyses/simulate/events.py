"""Events of a run: what holds at the start, which of them occurred, and what the certificate reports of them."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.start.scales import speed_scale
from linkwork.elements.declaration.changes import Action, Change
from linkwork.formulations.equations import Equations
from linkwork.integrators.loop.locate import begin_to_watch
from linkwork.numerics.status import LEVEL_ALL
from linkwork.results.result import BY_EVENT, Certificate
from linkwork.system.layout import Layout


def watch_from_start(equations: Equations, y: np.ndarray, angles: np.ndarray, tolerance: float | None) -> None:
    """Note what holds at the start; `tolerance`: rtol, None of integrators that promise none."""
    if len(equations.work.watch):
        set_slowness(equations, tolerance)
        equations.evaluate(0.0, y, angles, LEVEL_ALL)
        begin_to_watch(equations.system_ref, equations.work_ref)


def set_slowness(equations: Equations, tolerance: float | None) -> None:
    """Which contacts matter: none to integrators that promise no tolerance.

    A contact that begins or ends so slowly that v^2 / 2 is below rtol of the scale of its energy cannot bring an error
    of energy that counts: a body at rest on its corners may let them flicker.
    """
    watch, layout = equations.work.watch, equations.compiled.layout
    fall, of_contacts = speed_scale(equations.compiled), watch["rate"] >= 0
    speeds = np.array([1.0 if kink.turns else fall for kink in layout.kinks for _ in range(2)])
    watch["slow"][of_contacts] = np.inf if tolerance is None else np.sqrt(2.0 * tolerance) * speeds


def chattering(switches: np.ndarray, layout: Layout) -> list[str]:
    """What to say of expressions that changed over and over."""
    return [
        f"{given.owner}: '{given.text}' switches back and forth without end from t = {switch['chatters_since']:.6g} s: "
        f"it was held off until its argument had passed the threshold by up to {switch['widest']:.3g}; smooth it, or "
        "use an element made for that (friction, a stop)"
        for switch, given in zip(switches, layout.switches, strict=True)
        if np.isfinite(switch["chatters_since"])
    ]


class EventLog:
    """What happened, as entries in the certificate."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate

    def log(self, change: Change, occurrence: np.void) -> None:
        """An OCCURRENCE, with the energy that its instant brought (J, negative: lost); it may end the run."""
        t, energy = float(occurrence["t"]), float(occurrence["energy"])
        entry = {"t": t, "name": change.name, "action": change.action.word}
        self.certificate.events.append(entry if np.isnan(energy) else {**entry, "energy": energy})
        if change.action == Action.STOP:
            self.certificate.status = "stopped"
            self.certificate.warnings.append(f"event '{change.name}' {BY_EVENT} {t:.6g} s")
