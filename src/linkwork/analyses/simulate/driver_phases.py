"""Drivers that hold from the start, and what the rows of drivers hold at each sample of a run.

What a row holds at present is state, `work.row_state`; the System has what it holds at the start of a run.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.constraints.rows import IDLE
from linkwork.elements.signals.measures import Event
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_POSES
from linkwork.results.result import Result
from linkwork.system.compile import Compiled
from linkwork.system.tables import System


def hold_from_start(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> None:
    """Drivers that hold from the start: their value is what the assembly found."""
    state = equations.work.row_state
    for driver in equations.compiled.mechanism.driver:
        if driver.hold and driver.since == 0.0:
            row = equations.compiled.layout.driver_rows[driver.name]
            state[row]["mode"] = driver.acting_mode
            equations.evaluate(t, y, angles, LEVEL_POSES)
            state[row]["held"] += equations.work.Phi[row]


def with_row_state(system: System, row_state: np.ndarray) -> System:
    """The System whose rows begin a run with this state."""
    rows = system.rows.copy()
    rows["mode"], rows["held"] = row_state["mode"], row_state["held"]
    return system.changed(rows=rows)


def modes_at_samples(result: Result, compiled: Compiled) -> np.ndarray:
    """What each row holds at each sample [sample, row]: drivers begin and let go as the run has written down.

    A sample at such an instant was taken before it.
    """
    mechanism = compiled.mechanism
    modes = np.tile(compiled.system.rows["mode"], (len(result.t), 1))
    drivers = {driver.name: driver for driver in mechanism.driver}
    of_event = {event.name: event.driver for event in mechanism.of(Event) if event.driver is not None}
    for entry in result.certificate.events:
        driver = drivers.get(of_event.get(entry["name"], entry["name"]))
        if driver is not None and entry["action"] in ("lock", "release"):
            mode = driver.acting_mode if entry["action"] == "lock" else IDLE
            modes[result.t > entry["t"], compiled.layout.driver_rows[driver.name]] = mode
    return modes
