"""Channels: the time histories of a run by name - what each is called, its SI unit, and how it is read or computed.

Recorded are energies, the motion of the bodies, measures, coordinates, velocities, accelerations and multipliers.
Coordinates of joints for which the formulation has none are computed from the motion of the bodies (joint_motion.py),
loads by the analysis of loads, which registers them (`register_channels`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwork.results.joint_motion import joint_channel, joint_channel_names
from linkwork.results.modal import modal_bodies, modal_part, stored_energy

if TYPE_CHECKING:
    from linkwork.results.result import Names, Result

EULER = ("e0", "e1", "e2", "e3")  # Euler parameters, scalar first
ENERGY_PARTS = ("kinetic", "potential", "work")
MOTION = {  # of a body: array of the result -> SI unit, components
    "position": ("m", tuple("xyz")), "velocity": ("m/s", tuple("xyz")), "angular_velocity": ("rad/s", tuple("xyz")),
    "orientation": ("", EULER),
}  # fmt: skip
_ACCELERATION = {"rad/s": "rad/s2", "m/s": "m/s2"}  # unit of a velocity -> of its rate


class Channel(NamedTuple):
    """One time history of a run."""

    name: str
    unit: str  # SI; "" without dimension
    read: Callable[[Result], np.ndarray]  # [sample]


Maker = Callable[["Result"], Iterator[Channel]]
DERIVED: list[Maker] = []  # what analyses make of a run


def register_channels(make: Maker) -> None:
    """Channels that an analysis makes of a run; they are computed when they are read."""
    DERIVED.append(make)


def recorded_channels(result: Result) -> Iterator[Channel]:
    """All that the run holds."""
    names = result.names
    flexible = {name.removesuffix(".mode1") for name in names["q"] if name.endswith(".mode1")}
    yield from _energies()
    for k, body in enumerate(names["bodies"]):
        yield from _body_channels(body, k, body in flexible)
    for array, columns, units in _columns(names):
        for k, (name, unit) in enumerate(zip(columns, units, strict=True)):
            yield Channel(name, unit, partial(_column, array, k))


def recorded_channel(result: Result, name: str) -> Channel | None:
    """The first of these that has the name, if one has, without a list of all."""
    names = result.names
    before, _, _ = name.rpartition(".")
    known = list(_energies())
    for body in (before, before.rpartition(".")[0]):
        if body in names["bodies"]:
            known += _body_channels(body, names["bodies"].index(body), f"{body}.mode1" in names["q"])
    for channel in known:
        if channel.name == name:
            return channel
    for array, columns, units in _columns(names):
        if name in columns:
            k = columns.index(name)
            return Channel(name, units[k], partial(_column, array, k))
    return None


def joint_channels(result: Result) -> Iterator[Channel]:
    """Coordinates and rates of joints between rigid bodies, computed from the motion of these."""
    units = result.mechanism.coordinate_units()
    for name in joint_channel_names(result):
        yield Channel(name, units[name], partial(joint_channel, name=name))


def _body_channels(body: str, place: int, flexible: bool) -> Iterator[Channel]:
    yield from body_motion_channels(body, place)
    if flexible:
        yield Channel(f"{body}.strain_energy", "J", partial(_strain_energy, body))


def body_motion_channels(body: str, place: int) -> Iterator[Channel]:
    """Position, velocity, angular velocity and orientation of a body; `place`: its index in the arrays."""
    for array, (unit, components) in MOTION.items():
        for k, component in enumerate(components):
            yield Channel(f"{body}.{array}.{component}", unit, partial(_component, array, place, k))


def multiplier_names(rows: Sequence[str]) -> list[str]:
    """Channels of the multipliers of the rows: 'pin.lam.point along x', 'motor.lam.shaft.angle' of a driver."""
    parts = (row.partition(" = ")[0].partition(": ") for row in rows)
    names = [f"{element}.lam.{equation}" for element, _, equation in parts]
    often = Counter(names)
    return [name if often[name] == 1 else f"{name} {k}" for k, name in enumerate(names)]


def _energies() -> Iterator[Channel]:
    yield Channel("energy", "J", _total_energy)
    for k, part in enumerate(ENERGY_PARTS):
        yield Channel(f"energy.{part}", "J", partial(_column, "energy", k))
    yield Channel("energy.balance", "J", _energy_balance)


def _total_energy(result: Result) -> np.ndarray:
    """T + U, J."""
    total: np.ndarray = result.energy[:, 0] + result.energy[:, 1]
    return total


def _energy_balance(result: Result) -> np.ndarray:
    """T + U - W less its first value: the residual of the energy balance, J."""
    total: np.ndarray = result.energy[:, 0] + result.energy[:, 1] - result.energy[:, 2]
    total -= total[:1].copy()
    return total


def _strain_energy(body: str, result: Result) -> np.ndarray:
    modal = modal_bodies(result.mechanism)[body]
    return stored_energy(modal, modal_part(result.q, result.names["q"], modal))


def _columns(names: Names) -> Iterator[tuple[str, list[str], list[str]]]:
    """Arrays of the result with a channel for each column: their names and units."""
    yield "measures", names["measures"], names["measure_units"]
    yield "q", names["q"], names["q_units"]
    yield "v", names["v"], names["v_units"]
    rates = [_ACCELERATION.get(unit, "") for unit in names["v_units"]]
    yield "v_dot", [f"{name}.dot" for name in names["v"]], rates
    yield "lam", multiplier_names(names["rows"]), names["row_units"]


def _column(array: str, place: int, result: Result) -> np.ndarray:
    values: np.ndarray = getattr(result, array)
    return values[:, place]


def _component(array: str, body: int, place: int, result: Result) -> np.ndarray:
    values: np.ndarray = getattr(result.motion.of(body), array)
    return values[:, place]
