"""Gradients of driven motion: positions, velocities, accelerations and reactions at every instant.

The drivers determine the position, Phi(q, t; p) = 0, so that along a parameter p, theory (14.2),

    Phi_v dq = -dPhi/dp,     Phi_v dv = d(nu - Phi_v v)/dp     at constant q, then at constant v along dq

by the factors of the constraints at each instant.  dPhi and d(nu - Phi_v v) are differences of the tables
(stencil.py) at states on the line y + (dy/dp) p; there accelerations and multipliers are solved, which is no iteration,
and every channel of the result - reactions are among them - is differenced along this line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.analyses.gradients.stencil import Build, Line, line_of
from linkwork.analyses.gradients.varied import Sloped, Varied
from linkwork.analyses.kinematics.following import METHOD, give_work, segments
from linkwork.analyses.kinematics.kinematics import kinematics
from linkwork.analyses.kinematics.tasks import Task, at_times, over_input
from linkwork.analyses.simulate.samples import columns_of, samples_as_result
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.kernels import bind, bind_loop
from linkwork.errors import Entry, NumericalError, OptionError
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.kinematics import coordinate_rates
from linkwork.integrators import stages
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.at_states import moves_at, samples_at
from linkwork.integrators.loop.chunks import HISTORY
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import OK
from linkwork.results.result import Result
from linkwork.system.compile import Compiled, compile_mechanism
from linkwork.system.pattern import active_at_start, with_active_rows


def task_of(mechanism: Mechanism, options: Mapping[str, Any]) -> Task:
    """What is asked of a mechanism, as `Model.kinematics` takes it."""
    if options.get("sweep") is not None:
        return over_input(mechanism, options["sweep"])
    return at_times(mechanism, options.get("times"), options.get("until"), options.get("every"))


def kinematics_slopes(
    build: Build, settings: Mapping[str, float], parameters: Sequence[str], options: Mapping[str, Any]
) -> Varied:
    """Channels of driven motion with their slopes; refused where positions are integrated, or the motion ends."""
    task = task_of(build(settings), options)
    result = kinematics(task, options.get("formulation", "auto"))
    if result.certificate.integrator != "none":
        raise OptionError(
            "no derivative here: velocities are given or drivers take turns, so that positions are integrated; take "
            "analysis = 'simulate'",
            element="analysis",
        )
    if result.certificate.status != "finished":
        raise NumericalError(f"no derivative here: {'; '.join(result.certificate.warnings)}", entry=Entry.NO_DERIVATIVE)
    driven = DrivenMotion(task, result)
    lines = [line_of(build, settings, name) for name in parameters]
    results = [driven.along(line, [task_of(one, options) for one in line.mechanisms]) for line in lines]

    def number(name: str) -> Sloped:
        values = result.channel(name)
        slopes = [line.slope([one.channel(name) for one in part]) for line, part in zip(lines, results, strict=True)]
        return Sloped(values, np.stack(slopes, axis=-1), result.unit(name))

    return Varied(result.t, lambda: result.known, number)


class DrivenMotion:
    """A motion that was found, and the directions in which a parameter moves its states."""

    def __init__(self, task: Task, result: Result) -> None:
        self.task, self.result = task, result
        self.start = assemble(task.mechanism, result.certificate.formulation, task.start)
        self.equations = Equations(self.start.compiled)
        self.states = np.ascontiguousarray(np.hstack([result.q, result.v, result.states]))
        for stage, contract in (
            (evaluate, stages.EVALUATE), (METHOD.factor, stages.FACTOR), (METHOD.solve, stages.SOLVE)
        ):  # fmt: skip
            bind(stage, contract)
        bind_loop(samples_at, stages.SAMPLES_AT)
        bind_loop(moves_at, stages.MOVES_AT)

    def along(self, line: Line, tasks: Sequence[Task]) -> list[Result]:
        """Results at the places of a line, by states that are right to first order."""
        beside = [Equations(self._compiled(task)) for task in tasks]
        slopes, first = np.zeros_like(self.states), self.equations.compiled.layout.velocities

        def found() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
            return [self._samples(one, self.states + h * slopes) for one, h in zip(beside, line.places, strict=True)]

        self._move(slopes, -line.slope([Phi for _, Phi, _ in found()]))
        slopes[:, first] = self._moves(line.slope([rest for _, _, rest in found()]))
        return [
            self._result(one, rows) for one, (rows, _, _) in zip(beside, found(), strict=True)
        ]  # fmt: skip

    def _compiled(self, task: Task) -> Compiled:
        """The tables beside the middle, with the same rows active; what drivers hold is that of their own start."""
        held = any(driver.hold for driver in task.mechanism.driver)
        formulation = self.result.certificate.formulation
        found = (
            assemble(task.mechanism, formulation, task.start).compiled
            if held
            else compile_mechanism(task.mechanism, formulation)
        )
        here = self.start.compiled
        if (found.layout.q_names, len(found.layout.rows)) != (here.layout.q_names, len(here.layout.rows)):
            raise NumericalError(
                "no derivative here: beside this value the mechanism has other coordinates or rows",
                entry=Entry.NO_DERIVATIVE,
            )
        return replace(found, system=with_active_rows(found.system, active_at_start(here.system)))

    def _samples(self, equations: Equations, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of samples, Phi and nu - Phi_v v at given states."""
        rows = np.zeros((len(states), columns_of(equations).width))
        Phi, rest = (np.zeros((len(states), len(equations.work.Phi))) for _ in range(2))
        control, angles = np.zeros(1, CONTROL), self.start.angles.copy()
        for part in self._parts(equations):
            status = samples_at(
                evaluate, METHOD.factor, METHOD.solve, equations.system_ref, self.result.t[part], states[part], angles,
                equations.work_ref, control, rows[part], Phi[part], rest[part],
            )  # fmt: skip
            _check(status)
        return rows, Phi, rest

    def _moves(self, c: np.ndarray) -> np.ndarray:
        """Motions with Phi_v delta = c at the states of the middle."""
        equations, delta = self.equations, np.zeros((len(c), len(self.equations.work.delta)))
        angles = self.start.angles.copy()
        for part in self._parts(equations):
            status = moves_at(
                evaluate, METHOD.factor, METHOD.solve, equations.system_ref, self.result.t[part], self.states[part],
                angles, equations.work_ref, np.ascontiguousarray(c[part]), delta[part],
            )  # fmt: skip
            _check(status)
        return delta

    def _move(self, slopes: np.ndarray, c: np.ndarray) -> None:
        """Slopes of the coordinates that go with motions."""
        q_count, dofs = self.equations.compiled.layout.q_count, self.equations.system.dofs
        for y, delta, slope in zip(self.states, self._moves(c), slopes, strict=True):
            coordinate_rates(dofs, y, delta, slope[:q_count])

    def _parts(self, equations: Equations) -> Iterator[slice]:
        """Samples between jumps of the drivers, which are read inside of each segment."""
        first = 0
        for _, t_low, t_high, times in segments(self.start.compiled, self.task):
            segment = equations.work.segment[0]
            segment["t_low"], segment["t_high"] = t_low, t_high
            yield slice(first, first + len(times))
            first += len(times)

    def _result(self, equations: Equations, rows: np.ndarray) -> Result:
        result = self.result
        found = samples_as_result(
            equations, result.t, rows, np.zeros(0, HISTORY), result.options, result.certificate
        )  # fmt: skip
        give_work(found)
        return found


def _check(status: int) -> None:
    if status != OK:
        raise NumericalError(
            "no derivative here: the constraints are singular at a position of the motion", entry=Entry.NO_DERIVATIVE
        )
