"""Result: the samples of a run with their names, what was chosen and why, and how well it went.  Holds no live
system; the Python functions of a model, which no file keeps, are at hand as long as the process lives.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from linkwork.errors import OptionError, nearest
from linkwork.mechanism import Mechanism
from linkwork.results.joint_motion import joint_channel, joint_channel_names
from linkwork.results.modal import modal_bodies, modal_part, stored_energy

INTERRUPTED = "stopped by the user"  # how the warning of a run begins that Ctrl-C ended


@dataclass
class Certificate:
    """How the run went: choices, effort, and the two measures of trust - energy balance and constraint violation."""

    status: str = "finished"  # finished | suspect (do not trust it) | stopped | failed
    t_end: float = 0.0  # s, reached
    dof: int = 0
    formulation: str = ""
    method: str = ""
    integrator: str = ""
    why: str = ""
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    factorizations: int = 0
    wall_s: float = 0.0  # of everything but compilation
    loop_s: float = 0.0  # of the compiled time loop alone
    compile_s: float = 0.0
    energy_drift: float = 0.0  # largest residual of the energy balance / energy scale
    max_violation: dict[str, float] = field(default_factory=lambda: {"position": 0.0, "velocity": 0.0})
    switches: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)  # what happened: t, name, action, energy gained
    singular: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    error: dict[str, Any] | None = None

    @property
    def interrupted(self) -> bool:
        """Did Ctrl-C end the run (and not an event of the model)?"""
        return any(text.startswith(INTERRUPTED) for text in self.warnings)


@dataclass
class Result:
    """Samples of a run.  SI units; one row a sample time."""

    model: str
    model_text: str  # the model as JSON
    options: dict[str, Any]
    names: dict[str, list[str]]  # bodies, joints, q, v, rows, measures and their units
    t: np.ndarray  # s
    q: np.ndarray
    v: np.ndarray
    v_dot: np.ndarray
    lam: np.ndarray  # multipliers of the rows
    energy: np.ndarray  # [sample, 3] kinetic, potential, work of forces without potential; J
    position: np.ndarray  # [sample, body, 3] m, origin of the body frame
    orientation: np.ndarray  # [sample, body, 4] Euler parameters, scalar first
    velocity: np.ndarray  # [sample, body, 3] m/s
    angular_velocity: np.ndarray  # [sample, body, 3] rad/s, world axes
    states: np.ndarray  # [sample, state] auxiliary: the work of forces without potential, then those of controllers
    measures: np.ndarray  # [sample, measure] numbers with names
    strength: np.ndarray  # logarithm of the volume that the constraint rows span, each of unit size; -inf: singular
    rank: np.ndarray  # independent constraint rows
    steps: np.ndarray  # history: t, h, order, rank of every accepted step
    certificate: Certificate
    functions: dict[str, Callable[..., Any] | None] = field(default_factory=dict)  # of Python forces; no file has them

    def part(self, rows: slice) -> Result:
        """Some of the samples."""
        return replace(self, **{name: getattr(self, name)[rows] for name in SAMPLED})

    def channels(self) -> list[str]:
        """Names of all that `channel` gives: what the run holds, and coordinates of the other joints and their rates,
        which are read from the bodies' motion (joint_motion.py).
        """
        return list(dict.fromkeys([*self.recorded(), *joint_channel_names(self)]))

    def recorded(self) -> list[str]:
        """Names of all that the run holds."""
        names = ["energy", "energy.kinetic", "energy.potential", "energy.work", "energy.balance"]
        for body in self.names["bodies"]:
            names += [
                f"{body}.{what}.{axis}" for what in ("position", "velocity", "angular_velocity") for axis in "xyz"
            ]
            names += [f"{body}.orientation.e{k}" for k in range(4)]
            names += [f"{body}.strain_energy"] if f"{body}.mode1" in self.names["q"] else []
        names += self.names["measures"]
        names += self.names["q"] + self.names["v"] + [f"{n}.dot" for n in self.names["v"]]
        return names + list(self.multipliers)

    @cached_property
    def multipliers(self) -> dict[str, int]:
        """Channels of the multipliers and their rows: 'pin.lam.point along x', 'motor.lam.shaft.angle' of a driver."""
        said = (row.partition(" = ")[0].partition(": ") for row in self.names["rows"])
        names = [f"{element}.lam.{equation}" for element, _, equation in said]
        often = Counter(names)
        return {name if often[name] == 1 else f"{name} {k}": k for k, name in enumerate(names)}

    def channel(self, name: str) -> np.ndarray:
        """One time history by name, in SI units."""
        if name in ("energy", "energy.total"):
            return self.energy[:, 0] + self.energy[:, 1]
        if name == "energy.balance":
            total = self.energy[:, 0] + self.energy[:, 1] - self.energy[:, 2]
            return total - total[:1]
        if name.startswith("energy.") and name[7:] in ("kinetic", "potential", "work"):
            return self.energy[:, ("kinetic", "potential", "work").index(name[7:])]
        for kind, data in (("q", self.q), ("v", self.v), ("measures", self.measures)):
            if name in self.names[kind]:
                return data[:, self.names[kind].index(name)]
        if name.endswith(".dot") and name[:-4] in self.names["v"]:
            return self.v_dot[:, self.names["v"].index(name[:-4])]
        body, _, rest = name.partition(".")
        what, _, axis = rest.partition(".")
        if body in self.names["bodies"]:
            k = self.names["bodies"].index(body)
            if what == "strain_energy" and f"{body}.mode1" in self.names["q"]:
                modal = modal_bodies(self.model_text)[body]
                return stored_energy(modal, modal_part(self.q, self.names["q"], modal))
            if what == "orientation" and axis in ("e0", "e1", "e2", "e3"):
                return self.orientation[:, k, int(axis[1])]
            if what in ("position", "velocity", "angular_velocity") and axis in ("x", "y", "z"):
                return getattr(self, what)[:, k, "xyz".index(axis)]
        if name in self.multipliers:
            return self.lam[:, self.multipliers[name]]
        if name in joint_channel_names(self):
            return joint_channel(self, name)
        raise OptionError(f"there is no channel '{name}'; {nearest(name, self.channels())}", element=name)

    def unit(self, name: str) -> str:
        """SI unit of a channel."""
        if name in self.names["measures"]:
            return self.names["units"][self.names["measures"].index(name)]
        if name.startswith("energy") or name.endswith(".strain_energy"):
            return "J"
        if name in self.multipliers:
            return self._multiplier_unit(name.partition(".lam.")[2])
        if re.fullmatch(r"mode\d+_rate\.dot", name.partition(".")[2]):
            return ""
        if name.endswith(".dot"):
            return "rad/s2" if self.unit(name[:-4]).startswith("rad") else "m/s2"
        if name.split(".", 1)[-1] in self._body_units:
            return self._body_units[name.split(".", 1)[-1]]
        return self._coordinate_units.get(name, "")

    @cached_property
    def _coordinate_units(self) -> dict[str, str]:
        return Mechanism.model_validate_json(self.model_text).coordinate_units()

    def _multiplier_unit(self, equation: str) -> str:
        """A multiplier times its equation is work: N where that is a length, N m where it is an angle or a cosine."""
        if equation in (*self.names["q"], *joint_channel_names(self)):  # a driver
            return {"m": "N", "rad": "N m"}.get(self.unit(equation), "")
        kinds = {"point": "N", "distance": "N", "axis": "N m", "pins": "N m"}
        return kinds.get(equation.split()[0], "")

    @property
    def _body_units(self) -> dict[str, str]:
        units = {f"{what}.{axis}": unit for what, unit in
                 (("position", "m"), ("velocity", "m/s"), ("angular_velocity", "rad/s")) for axis in "xyz"}  # fmt: skip
        return units | {f"orientation.e{k}": "" for k in range(4)}


SAMPLED = tuple(f.name for f in fields(Result) if f.type == "np.ndarray" and f.name != "steps")


class Recorder(Protocol):
    """Whoever wants to know of a run while it goes on: a file, a progress bar."""

    def begin(self, empty: Result) -> None:
        """The run is about to start: a result without samples."""

    def append(self, part: Result) -> None:
        """A chunk is done: its samples and steps, the certificate as it stands."""

    def finish(self, certificate: Certificate) -> None:
        """The run has ended, well or not."""


def joined(parts: Sequence[Result]) -> Result:
    """One result from consecutive parts of a run."""
    names = (*SAMPLED, "steps")
    arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return replace(parts[-1], **arrays)


def energy_drift(energy: np.ndarray) -> float:
    """Largest residual of the energy balance, relative to the energy that is exchanged in the run.

    T + U - W must keep its first value, W being the work of forces without potential, drivers included.
    """
    if not len(energy):
        return 0.0
    scale = max(float(energy[:, 0].max()), float(np.ptp(energy[:, 1])), float(np.ptp(energy[:, 2])))
    worst = energy_residual(energy)
    return worst / scale if scale > 0.0 else worst


def energy_residual(energy: np.ndarray) -> float:
    """By how much T + U - W leaves its first value, J."""
    balance = energy[:, 0] + energy[:, 1] - energy[:, 2]
    return float(np.abs(balance - balance[:1]).max(initial=0.0))
