"""Many mechanisms of one kind, step by step side by side: inputs and outputs are arrays, on threads or on a GPU.

What a stepper is for one mechanism (stepper.py), for a hundred thousand: nothing in Python is done for each of them.
States, inputs and outputs stay where they are, and other programs read and write them there without a copy, by DLPack.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, choose_formulation, first_state
from linkwork.analyses.start.assembly import Start
from linkwork.compiler.gpu.driver import Device, device, why_not
from linkwork.elements.declaration.changes import Action
from linkwork.errors import OptionError, nearest
from linkwork.fmu.inputs import Input, input_ops, with_inputs
from linkwork.formulations.equations import Equations
from linkwork.integrators.loop.step_share import BEGINS, ENDED, MARK, STATUS, STEPS
from linkwork.mechanism import Mechanism
from linkwork.mechanism.numbers import loads, numbers
from linkwork.model.stepping.stepped_drivers import driver_names
from linkwork.model.stepping.stepper import HORIZON, ONE_STEP
from linkwork.numerics.status import FINISHED, STOPPED
from linkwork.studies.engines.contract import cores
from linkwork.studies.engines.sample_view import SampleView
from linkwork.studies.estimate import available_memory, size_text
from linkwork.studies.measured import with_measures
from linkwork.studies.stepping import Array, Stepped, Steps, StepsOnGpu, StepsOnThreads, here, row_of
from linkwork.system.break_times import break_times

ENGINES = ("threads", "gpu")


class Steppers:
    """`count` mechanisms that are moved by steps of dt (s), each from its own start to its own end.

    `inputs`: names as for a stepper, without drivers; `outputs`: numbers of elements, coordinates, velocities.
    Arrays are [number, simulation]; those of a GPU are taken by `torch.from_dlpack(sim.inputs)` and the like.

    A simulation whose event has come has ended, and one that fails too: its outputs stay as they were.  `restart` lets
    it begin anew: the step after gives its outputs at the start, and those after go on from there.
    """

    def __init__(
        self, mechanism: Mechanism, count: int, dt: float, inputs: Sequence[str] | Mapping[str, float | str | None],
        outputs: Sequence[str] | None = None, *, engine: str = "threads", threads: int | None = None,
        on: Device | None = None, **options: Any,
    ) -> None:  # fmt: skip
        """`on`: another GPU than the first of this machine."""
        _check(count, dt, engine, threads)
        for name in driver_names(mechanism, list(inputs)):
            raise OptionError(
                f"input '{name}' is a driver, whose motion one stepper after the other follows; take model.stepper, or "
                "a force or torque for an input",
                element=name,
            )
        changed, ports = with_inputs(mechanism, inputs)
        changed, measured = _measured(changed, outputs)
        self.count, self.dt = count, dt
        longest = {"hmax": dt} if options.get("step") is None else {}
        self.options = Options.requested(HORIZON * dt, {"integrator": ONE_STEP, **longest, **options})
        formulation, _ = choose_formulation(self.options.formulation, changed, self.options.method)
        start = first_state(changed, formulation, self.options.from_equilibrium)
        _refuse_schedule(start, self.options.until)
        self.input_names = [port.name for port in ports]
        self.output_names, columns = _outputs(start, outputs, measured)
        _refuse_too_many(count, len(start.y) + len(ports) + len(columns))
        stepped = Stepped(start, self.options, dt, _ops(start, ports), np.array(columns, np.int64))
        self.steps: Steps
        if engine == "gpu":
            if on is None and (missing := why_not()):
                raise OptionError(f"there is no GPU to run on ({missing}); take engine = 'threads'", element="engine")
            self.steps = StepsOnGpu(stepped, count, on or device())
        else:
            self.steps = StepsOnThreads(stepped, count, threads or cores())
        self._mark = len(start.y) + len(start.angles) + MARK
        starts = np.array([port.start for port in ports])[:, None]
        self.steps.put(self.steps.inputs, np.repeat(starts, count, axis=1))
        self.steps.step()

    def __repr__(self) -> str:
        """How many there are, and what goes in and comes out."""
        return (f"<{self.count} steppers, dt = {self.dt:g} s: inputs {', '.join(self.input_names) or 'none'}; outputs "
                f"{', '.join(self.output_names)}>")  # fmt: skip

    @property
    def inputs(self) -> Array:
        """[input, simulation] what is held over the next steps: to be written into."""
        return self.steps.inputs

    @property
    def outputs(self) -> Array:
        """[output, simulation] at the present time of each, SI units."""
        return self.steps.observed

    @property
    def states(self) -> Array:
        """[number, simulation]: coordinates, velocities, auxiliary states, counted angles; then the steps since the
        start, a mark (0: goes on, 1: begins anew, 2: has ended), and how the last step ended.
        """
        return self.steps.states

    @property
    def t(self) -> np.ndarray:
        """[simulation] the present time of each, s."""
        return self.dt * here(row_of(self.states, self._mark - MARK + STEPS))

    @property
    def marks(self) -> Array:
        """[simulation] what each does next; a program that writes 1 lets it begin anew, as `restart` does."""
        return row_of(self.states, self._mark)

    @property
    def ended(self) -> np.ndarray:
        """[simulation] whether an event or a failure has ended it."""
        found: np.ndarray = here(self.marks) == ENDED
        return found

    @property
    def failed(self) -> np.ndarray:
        """[simulation] whether the last step of it failed."""
        found: np.ndarray = ~np.isin(here(row_of(self.states, self._mark - MARK + STATUS)), (FINISHED, STOPPED))
        return found

    def step(self, inputs: np.ndarray | None = None) -> Array:
        """One step of each, with these inputs [input, simulation], or what `inputs` holds; the outputs after it."""
        if inputs is not None:
            shape = (len(self.input_names), self.count)
            given = np.asarray(inputs, float)
            if given.shape != shape:
                raise OptionError(f"inputs have the shape {given.shape}; give {shape}", element="inputs")
            self.steps.put(self.steps.inputs, given)
        self.steps.step()
        return self.outputs

    def restart(self, which: np.ndarray | Sequence[int]) -> None:
        """Those chosen by a mask [simulation] or by numbers begin anew in the next step."""
        marks = here(self.marks).copy()
        marks[which] = BEGINS
        self.steps.put(self.states, marks[None], self._mark)

    def reset(self) -> Array:
        """All back to the start; the outputs there."""
        self.restart(np.ones(self.count, bool))
        self.steps.step()
        return self.outputs


def _check(count: int, dt: float, engine: str, threads: int | None) -> None:
    if not (np.isfinite(dt) and dt > 0.0):
        raise OptionError(f"dt is {dt:g}; it must be a finite number > 0, s", element="dt")
    if count < 1 or (threads is not None and threads < 1):
        raise OptionError(f"count is {count} and threads is {threads}; both must be at least 1", element="count")
    if engine not in ENGINES:
        raise OptionError(f"there is no engine '{engine}' of steppers; {nearest(engine, ENGINES)}", element="engine")


def _refuse_too_many(count: int, numbers: int) -> None:
    """`numbers`: of each, its states, inputs and outputs."""
    free = available_memory()
    most = free // (8 * numbers)
    if count > most:
        raise OptionError(
            f"{most} steppers of this model fit into the {size_text(free)} of memory that are free; take no more",
            element="count",
        )


def _measured(mechanism: Mechanism, outputs: Sequence[str] | None) -> tuple[Mechanism, dict[str, str]]:
    """With a measure for each output that is a number of an element."""
    return with_measures(mechanism, outputs or (), chain(numbers(mechanism), loads(mechanism)))


def _outputs(start: Start, outputs: Sequence[str] | None, measured: Mapping[str, str]) -> tuple[list[str], list[int]]:
    """The outputs' names, and their columns in the samples."""
    view = SampleView(Equations(start.compiled), np.zeros(1))
    names = [*view.names["q"], *view.names["v"]] if outputs is None else list(outputs)
    for name in names:
        if measured.get(name, name) not in view.places:
            mechanism = start.compiled.mechanism
            every = [*view.places, *(number.name for number in chain(numbers(mechanism), loads(mechanism)))]
            raise OptionError(f"there is no output '{name}'; {nearest(name, every)}", element=name)
    return names, [view.places[measured.get(name, name)] for name in names]


def _ops(start: Start, ports: Sequence[Input]) -> np.ndarray:
    """The ops whose values are the inputs."""
    return np.array(list(input_ops(start.compiled, ports).values()), np.int64)


def _refuse_schedule(start: Start, until: float) -> None:
    """Each simulation is at a time of its own: what happens at a certain time has no place here, nor what an event lets
    go on.
    """
    layout = start.compiled.layout
    for change, what in zip(layout.changes, start.compiled.system.changes, strict=True):
        if what["t"] >= 0.0 or change.action not in (Action.LOG, Action.STOP):
            raise OptionError(
                f"'{change.name}' changes the mechanism on its way, and steppers side by side are each at a time of "
                "their own; take model.stepper",
                element=change.name,
            )
    breaks = break_times(start.compiled, until)
    if len(breaks) or layout.periods:
        raise OptionError(
            "an expression of the model jumps at a certain time, and steppers side by side are each at a time of their "
            "own; make it an input, or take model.stepper",
            element="t",
        )
