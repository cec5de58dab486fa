"""Drivers that begin to act and let go; one that holds keeps the value of the instant at which it began.

What a row holds at present is state, `work.row_state`; the System has what it holds at the start of a run.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.constraints.rows import ANGLE, IDLE
from linkwork.elements.signals.measures import Event
from linkwork.errors import NumericalError
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_ALL
from linkwork.results.result import Result
from linkwork.system.compile import Compiled
from linkwork.system.tables import System

APART = 1e-4  # rad, or of the mechanism's size: more is no error of integration, it would be a jump


def hold_from_start(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> None:
    """Drivers that hold from the start: their value is what the assembly found."""
    for driver in equations.compiled.mechanism.driver:
        if driver.hold and driver.since == 0.0:
            set_driver(equations, driver, True, t, y, angles)


def set_driver(equations: Equations, driver: Driver, acting: bool, t: float, y: np.ndarray, angles: np.ndarray) -> None:
    """Let a driver act or let go; one that holds keeps the value of this instant.

    One by position must find its coordinate where it begins: velocities may jump, as in an impact, positions not.
    """
    system = equations.system
    row = equations.compiled.layout.driver_rows[driver.name]
    state = equations.work.row_state[row]
    if not acting:
        state["mode"] = IDLE
        return
    state["mode"] = driver.acting_mode
    if driver.hold:
        state["held"] += _violation(equations, row, t, y, angles)
    elif driver.motion is not None:
        off = _violation(equations, row, t, y, angles)
        unit, size = ("rad", 1.0) if system.rows[row]["kind"] == ANGLE else ("m", float(system.whole[0]["length"]))
        if t > 0.0 and abs(off) > APART * size:
            remedy = "begin its motion where the coordinate is then, hold it there, or drive its velocity"
            raise NumericalError(
                f"driver '{driver.name}' begins at t = {t:.6g} s, {abs(off):.3g} {unit} from where its coordinate is "
                f"then, and positions do not jump; {remedy}",
                element=driver.name, t=t, remedy=remedy,
            )  # fmt: skip


def _violation(equations: Equations, row: int, t: float, y: np.ndarray, angles: np.ndarray) -> float:
    equations.evaluate(t, y, angles, LEVEL_ALL)
    return float(equations.work.Phi[row].real)


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
