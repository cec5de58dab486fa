"""Trim: forces or driver values that hold a mechanism in a wanted pose, at rest or in steady motion.

The wanted coordinates are held by rows, whose multipliers are the forces that are missing there.  Unknown are the
adjusted inputs u and the displacements x of the coordinates that stay free; Newton makes the multipliers and the
balance r of the free coordinates vanish:

    d(lam, r)/dx x + d(lam, r)/du u = -(lam, r)

with exact derivatives.  With more inputs than needed, the smallest that suffice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.steady.equilibrium import Equilibrium, judged
from linkwork.analyses.steady.independent import measured_coordinates, running_coordinates
from linkwork.analyses.steady.ports import (
    DriverInput,
    ForceInput,
    driver_direction,
    find_input,
    force_direction,
    force_input,
    measure,
)
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.newton import limited
from linkwork.elements.constraints.drivers import driven_coordinate
from linkwork.elements.forces.applied_force import APPLIED_FORCES, AppliedForce
from linkwork.errors import Entry, NumericalError, OptionError, nearest
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_ALL
from linkwork.tables import Shown, Table, facts, warnings_of

ITERATIONS = 30
ENOUGH = 1e-10  # of the forces involved


@dataclass(frozen=True, repr=False)
class Trim(Shown):
    """What holds the wanted pose."""

    values: dict[str, float]  # of the adjusted inputs, N, N m, m or rad
    units: dict[str, str]
    equilibrium: Equilibrium  # of the mechanism so trimmed, the wanted coordinates free again

    def tables(self) -> list[Table]:
        """The values, and the balance that they give."""
        state = self.equilibrium
        return [facts(f"{state.reduction.mechanism.name}: trim", [
            *((name, f"{value:.8g} {self.units[name]}") for name, value in self.values.items()),
            ("stability", state.stability),
            ("residual", f"{state.residual:.2e} N or N m"),
            *((f"coordinate {name}", text) for name, text in state.coordinate_facts()),
            *warnings_of(state.notes),
        ])]  # fmt: skip


def trim(
    mechanism: Mechanism,
    pose: Mapping[str, float],
    adjust: Sequence[str],
    speeds: Mapping[str, float] | None = None,
) -> Trim:
    """Values of the inputs `adjust` for which the coordinates `pose` (rad, m) are an equilibrium, r = 0 (P4 section 2).

    `adjust`: components of forces (ports.py), or drivers that give a motion; `speeds`: coordinates at constant speed
    (rad/s, m/s).  Refused: unknown or driven coordinates, drivers of a rate.  A NumericalError names what remains where
    the inputs cannot hold the pose.
    """
    _check_pose(mechanism, pose, speeds or {})
    _check_inputs(mechanism, adjust)
    search = _Search(mechanism, pose, list(dict.fromkeys(adjust)), dict(speeds or {}))
    search.run()
    return search.result()


def _check_pose(mechanism: Mechanism, pose: Mapping[str, float], speeds: Mapping[str, float]) -> None:
    known = measured_coordinates(mechanism)
    for name, value in pose.items():
        if name not in known:
            raise OptionError(f"pose of '{name}': there is no such joint coordinate; {nearest(name, known)}",
                              element=name)  # fmt: skip
        if not np.isfinite(value):
            raise OptionError(f"pose of '{name}' is {value}; it must be a finite number (rad or m)", element=name)
    running_coordinates(mechanism, {**speeds, **dict.fromkeys(pose, 0.0)})


def _check_inputs(mechanism: Mechanism, adjust: Sequence[str]) -> None:
    if not adjust:
        raise OptionError(
            "nothing to adjust; name forces or drivers, as in adjust = ['push.force.x']", element="adjust"
        )
    drivers = {driver.name: driver for driver in mechanism.driver}
    for name in adjust:
        if name in drivers and drivers[name].motion is None and not drivers[name].hold:
            raise OptionError(
                f"driver '{name}' gives a rate, and has no position to adjust; name one that gives a motion or holds",
                element=name,
            )


class _Search:
    """Newton over the pose's multipliers, the balance of the free coordinates, and the inputs."""

    def __init__(
        self, mechanism: Mechanism, pose: Mapping[str, float], adjust: Sequence[str], speeds: dict[str, float]
    ) -> None:
        self.mechanism, self.pose, self.adjust, self.speeds = mechanism, dict(pose), list(adjust), speeds
        drivers = {driver.name for driver in mechanism.driver}
        self.forces = {name: force_input(mechanism, name, sorted(drivers)) for name in adjust if name not in drivers}
        self.values = dict.fromkeys(self.adjust, 0.0)
        self.y: np.ndarray | None = None
        self.reduction, self.point = self._at(self.values)

    def _trimmed(self, values: Mapping[str, float]) -> Mechanism:
        """The mechanism with the forces added; driver values are targets of their rows."""
        return with_forces(self.mechanism, {port: values[name] for name, port in self.forces.items()})

    def _at(self, values: Mapping[str, float], step: np.ndarray | None = None) -> tuple[Reduction, Point]:
        """The mechanism held in the pose, with these inputs, the free coordinates moved by `step`."""
        held = {**self.speeds, **dict.fromkeys(self.pose, 0.0)}
        reduction = Reduction(self._trimmed(values), held)
        reduction.target[reduction.running_rows[len(self.speeds) :]] = list(self.pose.values())
        for name, value in values.items():
            if name not in self.forces:
                reduction.target[self._driver(reduction, name).row] = value
        start = reduction.rough if self.y is None else reduction.point(self.y)
        if step is not None:
            reduction.take_motions(self.reduction.motions.tolist())
            start = reduction.point(start.y)
            return reduction, reduction.moved(start, step)
        return reduction, reduction.closed(start.y, start)

    def _rest(self, reduction: Reduction, point: Point) -> tuple[np.ndarray, np.ndarray]:
        """(lam of the pose, r), and the places of these in the balance."""
        rows = reduction.running_rows[len(self.speeds) :]
        first = len(reduction.base) + len(self.speeds)
        places = np.arange(first, reduction.layout.v_count)
        return np.concatenate([point.lam[rows], point.r]), places

    def run(self) -> None:
        """Newton with halving; the step after the one that balanced is the last polish."""
        scale = 1e-300  # of the forces involved; at the end they may all be balanced away
        for _ in range(ITERATIONS):
            rest, places = self._rest(self.reduction, self.point)
            worst = float(np.abs(rest).max(initial=0.0))
            size = float(self.point.size.max(initial=0.0)) + float(np.abs(self.point.lam).max(initial=0.0))
            scale = max(scale, size)
            step, change = self._newton(rest, places, max(worst, ENOUGH * scale))
            if not self._go(rest, step, change, ENOUGH * scale) and worst > ENOUGH * scale:
                raise self._cannot(rest)
            if worst <= ENOUGH * scale:
                return
        raise self._cannot(self._rest(self.reduction, self.point)[0])

    def _newton(self, rest: np.ndarray, places: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
        """Displacements of the free coordinates and changes of the inputs that make the linear rest vanish."""
        r, point = self.reduction, self.point
        columns = [self._input_column(r, point, name)[places][:, None] for name in self.adjust]
        J = np.hstack([r.derivatives.along_independent(point).balance[places], *columns])
        change = -np.linalg.lstsq(J, rest, rcond=1e-11)[0]
        if np.abs(J @ change + rest).max(initial=0.0) > 1e-6 * size:
            raise self._cannot(rest)
        step, inputs = np.split(change, [len(point.r)])
        return limited(r, step) if len(step) else step, inputs

    def _go(self, rest: np.ndarray, step: np.ndarray, change: np.ndarray, enough: float) -> bool:
        """The largest share of a step that makes the rest smaller; whether there was any."""
        self.y = self.point.y
        for share in 0.5 ** np.arange(12):
            values = {n: float(self.values[n] + share * d) for n, d in zip(self.adjust, change, strict=True)}
            trial, at = self._at(values, share * step)
            left = self._rest(trial, at)[0]
            smaller = np.linalg.norm(left) <= (1.0 - 0.1 * share) * np.linalg.norm(rest)
            if smaller or np.abs(left).max(initial=0.0) <= enough:
                self.values, self.reduction, self.point = values, trial, at
                return True
        return False

    def _input_column(self, reduction: Reduction, point: Point, name: str) -> np.ndarray:
        """d(lam, r) for a unit of an input."""
        if name in self.forces:
            return np.asarray(point.inverse.T @ force_direction(reduction, point, self.forces[name]))
        direction = driver_direction(reduction, point, self._driver(reduction, name))
        return np.asarray(reduction.derivatives.along_displacements(point, direction).balance[:, 0])

    def _driver(self, reduction: Reduction, name: str) -> DriverInput:
        port = find_input(reduction, name)
        assert isinstance(port, DriverInput)
        return port

    def _cannot(self, rest: np.ndarray) -> NumericalError:
        names = [*self.pose, *self.reduction.names]
        worst = np.argsort(-np.abs(rest))[:3]
        left = ", ".join(f"{rest[k]:.4g} on '{names[k]}'" for k in worst if abs(rest[k]) > 0.0)
        remedy = "adjust other or more inputs"
        return NumericalError(
            f"the pose cannot be held by {', '.join(self.adjust)}: {left} (N or N m) remain; {remedy}",
            element=self.adjust[0],
            remedy=remedy,
            entry=Entry.NOT_HELD,
        )

    def result(self) -> Trim:
        """The trimmed mechanism with its pose free again, and whether it is stable."""
        free = Reduction(self._trimmed(self.values), self.speeds)
        for name, value in self.values.items():
            if name not in self.forces:
                free.target[self._driver(free, name).row] = value
        point = free.closed(self.point.y, free.rough)
        free.choose_again(point.y, point.angles)
        point = free.point(point.y, point.angles)
        found = judged(free, point, "trim", 0)
        shown = {name: self._shown(free, point, name) for name in self.adjust}
        units = {name: find_input(free, name).unit for name in self.adjust}
        return Trim(shown, units, found)

    def _shown(self, reduction: Reduction, point: Point, name: str) -> float:
        """The whole force component (as modelled, and what was added), or the coordinate that a driver holds."""
        port = self.forces.get(name)
        if port is not None:
            return _component(reduction, point, port) if port.element in _forces(self.mechanism) else self.values[name]
        driver = next(d for d in self.mechanism.driver if d.name == name)
        joint = next(j for j in self.mechanism.joint if j.name == driver.joint)
        return measure(reduction, point, f"{joint.name}.{driven_coordinate(driver, joint)}")


def _forces(mechanism: Mechanism) -> dict[str, AppliedForce]:
    return {force.name: force for force in mechanism.of(AppliedForce)}


def _component(reduction: Reduction, point: Point, port: ForceInput) -> float:
    """A component of an applied force at a point: a number, or what its expression of time or of the state gives."""
    table = reduction.compiled.table(APPLIED_FORCES)
    assert table is not None
    record = table.records(reduction.system.block)[table.owners.index(port.element)]
    reduction.real.evaluate(reduction.t, point.y, point.angles, LEVEL_ALL)
    return float(reduction.real.work.signals[record["signals"][port.component]])


def with_forces(mechanism: Mechanism, added: Mapping[ForceInput, float]) -> Mechanism:
    """The mechanism with values added to components of its applied forces, or with forces on bodies."""
    forces = _forces(mechanism)
    for port, value in added.items():
        key = port.element if port.element in forces else port.name
        force = forces.get(key) or AppliedForce.model_construct(
            name=key, body=port.element, force=(0.0, 0.0, 0.0), torque=(0.0, 0.0, 0.0), at=(0.0, 0.0, 0.0), axes="world"
        )
        parts = [*force.force, *force.torque]
        old = parts[port.component]
        parts[port.component] = old + value if isinstance(old, float) else f"({old})+({value!r})"
        forces[key] = force.model_copy(update={"force": tuple(parts[:3]), "torque": tuple(parts[3:])})
    return mechanism.model_copy(update={"applied_force": tuple(forces.values())})
