"""Drivers that begin to act and let go; one that holds keeps the value of the instant at which it began."""

from __future__ import annotations

import numpy as np

from linkwork.elements.constraints import IDLE, POSITION, VELOCITY
from linkwork.elements.drivers import Driver
from linkwork.formulations.equations import Equations
from linkwork.numerics.codes import LEVEL_ALL


def hold_from_start(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> None:
    """Drivers that hold from the start: their value is what the assembly found."""
    for driver in equations.compiled.mechanism.driver:
        if driver.hold and driver.since == 0.0:
            set_driver(equations, driver, True, t, y, angles)


def set_driver(
    equations: Equations, driver: Driver, acting: bool, t: float, y: np.ndarray, angles: np.ndarray
) -> None:
    """Let a driver act or let go; one that holds keeps the value of this instant."""
    system = equations.system
    row = equations.compiled.layout.driver_rows[driver.name]
    mode = POSITION if driver.motion is not None or driver.hold else VELOCITY
    if acting and driver.hold:
        record = system.rows[row]
        record["mode"] = POSITION
        constant = system.ops[record["first_op"]]
        constant["value"] += _violation(equations, row, t, y, angles)
    system.rows[row]["mode"] = mode if acting else IDLE


def _violation(equations: Equations, row: int, t: float, y: np.ndarray, angles: np.ndarray) -> float:
    equations.evaluate(t, y, angles, LEVEL_ALL)
    return float(equations.work.Phi[row].real)
