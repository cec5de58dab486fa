"""A mechanism step by step: inputs are held over a step, outputs are read after it, the state can be kept and put back.

The steps are those of a run's own compiled loop: at each communication point the integrator begins afresh, so that the
same inputs give the same bits, wherever a state was kept and restored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, choose_formulation, first_integrator, first_state
from linkwork.analyses.simulate.events import watch_from_start
from linkwork.analyses.simulate.failures import failure_of
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.errors import OptionError, nearest
from linkwork.fmu.inputs import input_ops, with_inputs
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.mechanism.numbers import numbers
from linkwork.methods.registry import choose_method
from linkwork.model.stepping.side_by_side import ReadyRun, advance_together
from linkwork.model.stepping.stepped_drivers import SteppedDrivers, driver_names
from linkwork.numerics.status import Status
from linkwork.results.result import Certificate
from linkwork.studies.engines.sample_view import SampleView, View
from linkwork.studies.measured import with_measures
from linkwork.system.break_times import stops_between

ONE_STEP = "dop853"  # keeps no history, so that beginning afresh costs nothing
HORIZON = 1e4  # steps, unless an end is given
WHOLE = 1e-9  # of a step: what the period of a controller may be off a multiple of it

Controller = Callable[[float, Mapping[str, float]], Mapping[str, float]]  # t (s), outputs -> inputs


class State(NamedTuple):
    """A state that was kept: plain arrays."""

    arrays: tuple[np.ndarray, ...]
    inputs: np.ndarray
    drivers: np.ndarray
    row: np.ndarray
    step: int
    ended: bool


class Stepper:
    """A mechanism that is moved by steps of dt (s), until a last time (s).

    `inputs`: names as for an FMU, "cart.force.x", "motor.torque", "servo.target", a measure that is a number, with
    their values at the start; a driver by motion as "crank" (where it is at the end of a step), "crank.rate" or
    "crank.acceleration" (stepped_drivers.py), one by velocity as "crank".  `outputs`: channels of a run and numbers of
    elements; default: coordinates and velocities.
    """

    def __init__(
        self, mechanism: Mechanism, dt: float, inputs: Sequence[str] | Mapping[str, float | str | None] = (),
        outputs: Sequence[str] | None = None, *, until: float | None = None, **options: Any,
    ) -> None:  # fmt: skip
        if not (np.isfinite(dt) and dt > 0.0):
            raise OptionError(f"dt is {dt:g}; it must be a finite number > 0, s", element="dt")
        driven = driver_names(mechanism, list(inputs))
        starts = inputs if isinstance(inputs, Mapping) else dict.fromkeys(inputs)
        for name in driven:
            with_inputs(mechanism, {driven[name][0]: starts[name]})  # refused where it cannot be one
        changed, ports = with_inputs(mechanism, {name: x for name, x in starts.items() if name not in driven})
        changed, self.measured = with_measures(changed, outputs or (), numbers(changed))
        self.dt, self.until = dt, until if until is not None else HORIZON * dt
        longest = {"hmax": dt} if options.get("step") is None else {}
        self.options = Options.requested(self.until, {"integrator": ONE_STEP, **longest, **options})
        formulation, _ = choose_formulation(self.options.formulation, changed, self.options.method)
        start = first_state(changed, formulation, self.options.from_equilibrium)
        self.drivers = SteppedDrivers(start, driven, dt)
        start = self.drivers.start
        ops = start.compiled.system.ops.copy()
        system = start.compiled.system._replace(ops=ops)
        start = replace(start, compiled=replace(start.compiled, system=system))
        self.values = ops["value"]
        self.places = input_ops(start.compiled, ports)
        self.units = {port.name: port.unit for port in ports}
        self._prepare(start)
        self.names = self._outputs(outputs)
        self.controllers: list[tuple[int, Controller]] = []
        self._first = self._kept(self._row_now())
        self.restore(self._first)

    def __repr__(self) -> str:
        """Where it is, and what goes in and comes out."""
        given, found = ", ".join(self.places) or "none", ", ".join(self.outputs)
        return f"<Stepper at t = {self.t:g} s, dt = {self.dt:g} s: inputs {given}; outputs {found}>"

    def _prepare(self, start: Any) -> None:
        """The run, at its start."""
        method, _ = choose_method(self.options.method, start.compiled.system)
        times = np.arange(round(self.until / self.dt) + 1) * self.dt
        scheme = first_integrator(self.options.integrator)
        self.run = ForwardRun(start, method, scheme, self.options, Certificate(), (), times)
        self.run.bind()
        tolerance = self.options.rtol if scheme.adaptive else None
        watch_from_start(self.run.equations, self.run.y, self.run.angles, tolerance)
        self.view = SampleView(Equations(start.compiled), times[:1])
        self.count, self.ended = 0, False

    def _outputs(self, outputs: Sequence[str] | None) -> list[str]:
        known = self.view.channels
        if outputs is None:
            return [*self.view.names["q"], *self.view.names["v"]]
        for name in outputs:
            if name not in known and name not in self.measured:
                every = [*known, *(number.name for number in numbers(self.run.compiled.mechanism))]
                raise OptionError(f"there is no output '{name}'; {nearest(name, every)}", element=name)
        return list(outputs)

    # -- steps --------------------------------------------------------------------------------------------------
    @property
    def t(self) -> float:
        """The present time, s."""
        return self.count * self.dt

    @property
    def inputs(self) -> dict[str, float]:
        """The values that are held."""
        drivers = zip(self.drivers.names, self.drivers.given.tolist(), strict=True)
        return {name: float(self.values[place]) for name, place in self.places.items()} | dict(drivers)

    @property
    def outputs(self) -> dict[str, float]:
        """The outputs at the present time, SI units."""
        return dict(zip(self.names, self.read(self.row[None])[0].tolist(), strict=True))

    @property
    def row(self) -> np.ndarray:
        """The samples at the present time."""
        return self.ready.row

    def read(self, rows: np.ndarray) -> np.ndarray:
        """The outputs [row, output] of rows of samples, of this stepper or others like it."""
        view, channels = View(self.view, rows, Certificate()), self.view.channels
        return np.column_stack([channels[self.measured.get(name, name)].read(view) for name in self.names])

    def controller(self, function: Controller, every: float) -> None:
        """Call function(t, outputs) `every` so often (s); the inputs that it gives are held until the next call."""
        steps = round(every / self.dt)
        if steps < 1 or abs(every / self.dt - steps) > WHOLE * steps:
            raise OptionError(
                f"the controller is called every {every:g} s, no multiple of the step of {self.dt:g} s; choose "
                "a step that divides it",
                element="every",
            )
        self.controllers.append((steps, function))

    def step(self, inputs: Mapping[str, float] | None = None) -> dict[str, float]:
        """One step with these inputs, the others as they are; the outputs after it."""
        self.begin_step(inputs or {})
        advance_together([self])
        return self.outputs

    def begin_step(self, inputs: Mapping[str, float]) -> None:
        """All of a step but its integration."""
        if self.ended:
            raise OptionError(f"the motion has ended at t = {self.t:g} s, by an event; restore or reset", element="t")
        if self.count + 1 >= len(self.run.times):
            raise OptionError(
                f"the stepper ends at t = {self.until:g} s; make it with a later `until`", element="until"
            )
        for steps, function in self.controllers:
            if self.count % steps == 0:
                self.set(function(self.t, self.outputs))
        self.set(inputs)
        self.drivers.begin_step(self.values, self.t)
        run, t, end = self.run, self.t, float(self.run.times[self.count + 1])
        run.stops = stops_between(run.breaks, t, end, self.until)
        run.buffers.progress[0]["next_stop"] = 0
        run._begin_afresh()
        self.ready.take_stops()

    def end_step(self, status: Status) -> None:
        """After the integration; what it failed at is raised."""
        run = self.run
        if status == Status.STOPPED:
            self.ended = True
        elif status != Status.FINISHED:
            h = float(run.buffers.control[0]["h"])
            raise failure_of(status, run.buffers.t, h, run.equations, run.y, run.angles, run.integrator.adaptive)
        self.count += 1

    def set(self, inputs: Mapping[str, float]) -> None:
        """Inputs that are held from now on."""
        if not isinstance(inputs, Mapping):
            example = next(iter((*self.places, *self.drivers.names)), "cart.force.x")
            raise OptionError(
                f"inputs are {inputs!r}; give a dict of names and numbers, {{'{example}': 0.0}}", element="inputs"
            )
        for name, value in inputs.items():
            if name not in self.places and name not in self.drivers.names:
                known = [*self.places, *self.drivers.names]
                raise OptionError(f"there is no input '{name}'; {nearest(name, known)}", element=name)
            if not _is_number(value):
                raise OptionError(f"input '{name}' is {value!r}; it must be a finite number", element=name)
            if name in self.places:
                self.values[self.places[name]] = value
            else:
                self.drivers.given[list(self.drivers.names).index(name)] = value

    # -- states -------------------------------------------------------------------------------------------------
    def _arrays(self) -> list[np.ndarray]:
        run, buffers = self.run, self.run.buffers
        return [
            *run.work, run.y, run.angles, buffers.control, buffers.progress, buffers.memory, buffers.event_location,
            buffers.event_state, buffers.occurrences,
        ]  # fmt: skip

    def _row_now(self) -> np.ndarray:
        """The samples at the start: a step is tried, and undone."""
        before = [array.copy() for array in self._arrays()]
        run = self.run
        run.stops = stops_between(run.breaks, 0.0, float(run.times[1]), self.until)
        run._begin_afresh()
        self.ready = ReadyRun(run)
        run.chunk(len(run.buffers.history))
        row = np.array(run.buffers.samples[0])
        for array, kept in zip(self._arrays(), before, strict=True):
            array[...] = kept
        return row

    def _kept(self, row: np.ndarray) -> State:
        arrays = tuple(array.copy() for array in self._arrays())
        return State(arrays, self.values.copy(), self.drivers.given.copy(), row.copy(), self.count, self.ended)

    def save(self) -> State:
        """The present state; `restore` goes on from it, to the bit."""
        return self._kept(self.row)

    def restore(self, state: State) -> None:
        """As it was when it was saved; a state of a stepper of another model is refused."""
        if not isinstance(state, State):
            raise OptionError(f"state is {state!r}; give one that save() has returned", element="state")
        own = [array.shape for array in (*self._arrays(), self.values, self.drivers.given)]
        if [array.shape for array in (*state.arrays, state.inputs, state.drivers)] != own:
            raise OptionError(
                "the state was saved by a stepper of another model, or with other inputs; restore one of its own",
                element="state",
            )
        for array, kept in zip(self._arrays(), state.arrays, strict=True):
            array[...] = kept
        self.values[...], self.drivers.given[...] = state.inputs, state.drivers
        self.row[:], self.count, self.ended = state.row, state.step, state.ended

    def reset(self) -> dict[str, float]:
        """Back to the start; the outputs there."""
        self.restore(self._first)
        return self.outputs


def _is_number(value: Any) -> bool:
    """Whether it is one, and finite."""
    if type(value) is float:
        return math.isfinite(value)
    kind = np.asarray(value)
    return not kind.ndim and kind.dtype.kind in "iuf" and bool(np.isfinite(value))
