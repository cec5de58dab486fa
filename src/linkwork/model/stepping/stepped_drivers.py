"""Drivers whose motion is an input of a stepper: a parabola from each communication point to the next.

NAME                of a driver by motion: where it is at the end of the step, reached at constant speed
NAME.rate           its speed over the step
NAME.acceleration   its acceleration over the step, from the speed that it has
NAME                of a driver by velocity: its speed over the step
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwork.analyses.start.assembly import Start
from linkwork.errors import OptionError
from linkwork.fmu.inputs import Input, place_drivers
from linkwork.mechanism import Mechanism

SUFFIXES = ("", "rate", "acceleration")
T0 = (4, 9)  # ops of the program a + s (b + s c), s = t - t0: a, b and c are the first three


def driver_names(mechanism: Mechanism, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The driver, and which of its inputs, of those names that are inputs of drivers; one of each."""
    known, found = {driver.name: driver for driver in mechanism.driver}, dict[str, tuple[str, str]]()
    for name in names:
        owner, _, suffix = name.partition(".")
        if owner not in known or suffix not in SUFFIXES:
            continue
        if any(owner == other for other, _ in found.values()):
            raise OptionError(f"input '{name}': driver '{owner}' has another input already; give one", element=name)
        if suffix and known[owner].motion is None:
            raise OptionError(
                f"input '{name}': '{owner}' is no driver by motion; its input is '{owner}', the velocity", element=name
            )
        found[name] = (owner, suffix)
    return found


class SteppedDrivers:
    """The drivers of a stepper that are inputs, in the table of its programs."""

    def __init__(self, start: Start, names: Mapping[str, tuple[str, str]], dt: float) -> None:
        """`start`: of which `start` of this object has other tables."""
        ports = [Input(owner, "", 0.0) for owner, _ in names.values()]
        self.start, first = place_drivers(start, ports)
        self.dt, self.names = dt, dict(names)
        self._first = {name: first[owner] for name, (owner, _) in names.items()}
        motions = {driver.name for driver in start.compiled.mechanism.driver if driver.motion is not None}
        self._by_motion = {name: owner in motions for name, (owner, _) in names.items()}
        ops = self.start.compiled.system.ops["value"]
        self.given = np.array([self._present(ops, name) for name in self.names])

    def _present(self, values: np.ndarray, name: str) -> float:
        """What the input is as the model has it at the start."""
        a, b, c = values[self._first[name] : self._first[name] + 3]
        return float({"": a, "rate": b, "acceleration": 2.0 * c}[self.names[name][1]])

    def begin_step(self, values: np.ndarray, t: float) -> None:
        """The parabolas of the step from t on (s), into the values of the programs."""
        for name, x in zip(self.names, self.given.tolist(), strict=True):
            first, suffix = self._first[name], self.names[name][1]
            a, b, c = values[first : first + 3].tolist()
            s = t - float(values[first + T0[0]])
            a, b = a + s * (b + s * c), b + 2.0 * s * c
            if not self._by_motion[name]:
                a, b, c = x, 0.0, 0.0
            elif suffix == "":
                b, c = (x - a) / self.dt, 0.0
            elif suffix == "rate":
                b, c = x, 0.0
            else:
                c = 0.5 * x
            values[first : first + 3] = a, b, c
            for k in T0:
                values[first + k] = t
