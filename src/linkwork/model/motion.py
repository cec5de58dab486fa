"""Verbs for the analyses of motion: simulate, kinematics, comparisons, studies, loads, and the diagnosis of a model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from linkwork.analyses.diagnosis import Diagnosis, diagnose
from linkwork.analyses.simulate.dynamics import Options, finer, simulate_and_start
from linkwork.analyses.start.assembly import Start, assemble
from linkwork.elements.declaration.calls import stack_level
from linkwork.errors import NumericalError, OptionError, RunWarning, nearest
from linkwork.files.settings import changed, changed_text
from linkwork.lazy_import import lazy_functions
from linkwork.model.builder import Builder
from linkwork.results.result import Result
from linkwork.results.storage import Writer
from linkwork.run import JointLoads, Run
from linkwork.view.progress import compiling, progress_bar, shown_already

if TYPE_CHECKING:
    from linkwork.analyses.comparison import Comparison, compare
    from linkwork.analyses.kinematics.kinematics import kinematics
    from linkwork.analyses.kinematics.tasks import InputSweep, at_times, over_input
    from linkwork.analyses.loads.places import Place
    from linkwork.analyses.single_state import Calls
    from linkwork.design.fitted import Fitted
    from linkwork.design.optimum import Optimum
    from linkwork.elements.declaration.quantities import Setting
    from linkwork.mechanism import Mechanism
    from linkwork.model.designing import fit_of, optimize_of
    from linkwork.model.gradients import gradient_of
    from linkwork.model.stepping.environment import (
        ArrayEnvironments,
        Done,
        Environment,
        Environments,
        Reward,
        Start,
        make_environment,
    )
    from linkwork.model.stepping.stepper import Stepper
    from linkwork.model.stepping.steppers import Steppers
    from linkwork.model.studying import study_of, travels
    from linkwork.studies.found import Study
    from linkwork.studies.slopes import Slopes
else:  # what a run does not need loads when it is used
    (Calls,) = lazy_functions("linkwork.analyses.single_state", "Calls")
    (compare,) = lazy_functions("linkwork.analyses.comparison", "compare")
    (kinematics,) = lazy_functions("linkwork.analyses.kinematics.kinematics", "kinematics")
    at_times, over_input = lazy_functions("linkwork.analyses.kinematics.tasks", "at_times", "over_input")
    (Stepper,) = lazy_functions("linkwork.model.stepping.stepper", "Stepper")
    (Steppers,) = lazy_functions("linkwork.model.stepping.steppers", "Steppers")
    (make_environment,) = lazy_functions("linkwork.model.stepping.environment", "make_environment")
    study_of, travels = lazy_functions("linkwork.model.studying", "study_of", "travels")
    optimize_of, fit_of = lazy_functions("linkwork.model.designing", "optimize_of", "fit_of")
    (gradient_of,) = lazy_functions("linkwork.model.gradients", "gradient_of")


def warned(run: Run, shown: Sequence[str] = ()) -> Run:
    """The run; what it warns of are Python warnings at the line that called the verb, but for those `shown` already."""
    for text in run.certificate.warnings:
        if text not in shown:
            warnings.warn(text, RunWarning, stacklevel=stack_level())
    return run


class RunOptions(TypedDict, total=False):
    """What may be chosen for a run (analyses/simulate/dynamics.py has the meaning and the defaults)."""

    formulation: str
    method: str
    integrator: str
    rtol: float | None
    atol: float | None
    hmax: float | None  # s
    step: float | None  # s
    max_steps: int | None
    every: float | None  # s
    from_equilibrium: bool | None
    method_options: Mapping[str, float]
    literal: bool | None
    verify: bool
    planar: bool


class StudyOptions(RunOptions, total=False):
    """What may be chosen for a study beside options of its analysis (studies/study.py has the meaning)."""

    analysis: str
    runs: int | None
    sampling: str
    seed: int
    correlated: Mapping[tuple[str, str], float]
    engine: str
    jobs: int | None
    scheduler: str | None
    out: str | Path | None
    # of analyses other than a simulation
    times: Sequence[float]
    sweep: Mapping[str, tuple[float, float, int]]
    speeds: Mapping[str, float]
    independent: Sequence[str]
    about: str
    t: float
    input: str
    to: str | Sequence[str]
    omega: Sequence[float]


class MotionVerbs(Builder):
    """Analyses of motion."""

    def simulate(
        self,
        until: float | None = None,
        *,
        out: str | Path | None = None,
        progress: bool | None = None,
        **options: Unpack[RunOptions],
    ) -> Run:
        """Move the mechanism from its start until a time (s); see `Options` for what can be chosen.

        `out` writes the result to an HDF5 file while the run goes on.  Ctrl-C stops and keeps what was computed.
        """
        chosen, mechanism = self._options(until, options), self.mechanism
        with ExitStack() as stack:
            bar = stack.enter_context(progress_bar(mechanism.name, chosen.until, progress))
            file = stack.enter_context(Writer(out)) if out is not None else None
            try:
                recorders = [recorder for recorder in (bar, file) if recorder is not None]
                run = Run(*simulate_and_start(mechanism, chosen, recorders), self._origin)
                return warned(run, shown_already(bar))
            except NumericalError as failure:
                if isinstance(failure.partial, Result):
                    failure.partial = Run(failure.partial)
                raise

    def _options(self, until: float | None, options: RunOptions) -> Options:
        """What was requested, with the model's own duration as the end; unknown names are refused."""
        end = until if until is not None else self.mechanism.duration
        if end is None:
            raise OptionError("no end time; give until = ... (s)", element="until")
        known = Options.__dataclass_fields__
        for name in options:
            if name not in known:
                hint = nearest(name, [*known, "out", "progress"])
                raise OptionError(f"there is no option '{name}'; {hint}", element=name)
        return Options.requested(end, options)

    def kinematics(
        self,
        times: Sequence[float] | np.ndarray | None = None,
        *,
        until: float | None = None,
        every: float | None = None,
        sweep: InputSweep | None = None,
        formulation: str = "auto",
    ) -> Run:
        """Positions, velocities and accelerations of a fully driven mechanism, without integration.

        At `times` (s), or from 0 `until` a time (s) with samples `every` so often; or over an input coordinate:
        `sweep={"crank.angle": (from, to, how many)}` (rad or m), which needs no driver of its own; then t is the input,
        and velocities are derivatives with respect to it.  A dead point ends the analysis, and is reported.
        """
        if sweep is not None and (times is not None or until is not None or every is not None):
            raise OptionError("both times and a sweep; give one of the two", element="sweep")
        mechanism = self.mechanism
        task = at_times(mechanism, times, until, every) if sweep is None else over_input(mechanism, sweep)
        with compiling(None):
            try:
                return warned(Run(kinematics(task, formulation)))
            except NumericalError as failure:
                if isinstance(failure.partial, Result):
                    failure.partial = Run(failure.partial)
                raise

    def compare(
        self,
        until: float | None = None,
        *,
        methods: Sequence[str] | None = None,
        formulations: Sequence[str] | None = None,
        **options: Unpack[RunOptions],
    ) -> Comparison:
        """Every constraint method in every formulation on this model: status, effort, drift, violation, error."""
        with compiling(None):
            return compare(self.mechanism, self._options(until, options), methods, formulations)

    def study(
        self, vary: Mapping[str, object], outputs: Sequence[str], until: float | None = None, *,
        progress: bool | None = None, **more: Unpack[StudyOptions],
    ) -> Study:  # fmt: skip
        """Vary numbers of the model, analyse every variant, tabulate some numbers of each; Ctrl-C keeps the runs made.

        `vary`: by parameter or field as in `with_settings` or, as "options.rtol", by option: lists, "0.1:0.2:11",
        "25 mm +/- 0.05", "uniform(1, 2)", "normal(1, 0.1) N/m" (studies/vary.py).  `outputs`: expressions over
        channels and answers, "max(slider.velocity.x)", 'max(abs(reaction("A").force))', "frequency(1)"
        (studies/outputs.py).  `more`: analysis, runs, sampling, seed, correlated, engine, jobs, scheduler, out (a
        folder that the table grows in, and from which the study goes on), and options of the analysis.
        """
        mechanism, origin = self.mechanism, self._origin
        if origin is not None:
            units = {name: unit for name, (_, unit, _) in origin.parameters.items()}
            return study_of(origin.build, mechanism, vary, outputs, until, progress, more, units)
        return study_of(partial(changed_text, mechanism.model_dump_json(exclude_none=True))
                        if travels(mechanism) else partial(changed, mechanism),
                        mechanism, vary, outputs, until, progress, more)  # fmt: skip

    def gradient(
        self, outputs: Sequence[str], parameters: Sequence[str], *, analysis: str = "simulate", **options: Any
    ) -> Slopes:
        """Outputs, as of a study, and their exact derivatives with respect to fields of the model.

        `parameters`: "bar.mass", "spring.stiffness", "pin.at.0", as in `with_settings`; the gradient is per SI unit, or
        per unit of its own of a parameter of a file or the library.
        `analysis`: simulate, kinematics, equilibrium, modes or response, with its options.  `.reasons` say when and why
        there is no derivative, where it is NaN.
        """
        with compiling(None):
            return gradient_of(self._changed, self._own(), outputs, parameters, analysis, options)

    def optimize(
        self, vary: Mapping[str, object], minimize: str | Sequence[str], subject_to: str | Sequence[str] = (),
        **more: Any,
    ) -> Optimum:  # fmt: skip
        """Find numbers of the model for which an output is least; `lw.optimize` has the words.

        `vary`: fields and their bounds, {"spring.stiffness": (100, 5000)}; `minimize`: an output as of a study, or a
        list whose sum of squares is least; `subject_to`: conditions, ["frequency(1) >= 5"].
        """
        return optimize_of(self._changed, self._own(), vary, minimize, subject_to, **more)

    def fit(self, data: Any, unknown: Mapping[str, object], **more: Any) -> Fitted:
        """Find numbers of the model from measured channels, with confidence intervals; `lw.fit` has the words.

        `data`: a CSV file, a table of pandas or arrays by name, with a column 't' (s); `unknown`: fields and bounds.
        """
        return fit_of(self._changed, self._own(), data, unknown, **more)

    def _changed(self, settings: Mapping[str, Setting]) -> Mechanism:
        if self._origin is not None and self._origin.means(settings):
            return self._origin.build(settings)
        return changed(self.mechanism, settings)

    def _own(self) -> dict[str, tuple[float, str]]:
        """Values and units of the parameters."""
        return self._origin.own() if self._origin is not None else {}

    def stepper(
        self, dt: float, inputs: Sequence[str] | Mapping[str, float | str | None] = (),
        outputs: Sequence[str] | None = None, *, until: float | None = None, **options: Unpack[RunOptions],
    ) -> Stepper:  # fmt: skip
        """The mechanism step by step, dt (s) each: `step(inputs)`, `outputs`, `save`, `restore`, `controller`.

        `inputs`: what is given from outside, by names as for `fmu`: "cart.force.x", "motor.torque", "servo.target".
        `outputs`: channels and numbers by name; default: coordinates and velocities.  `until`: the last time, s.
        """
        return Stepper(self.mechanism, dt, inputs, outputs, until=until, **options)

    def steppers(
        self, count: int, dt: float, inputs: Sequence[str] | Mapping[str, float | str | None] = (),
        outputs: Sequence[str] | None = None, *, engine: str = "threads", threads: int | None = None,
        **options: Unpack[RunOptions],
    ) -> Steppers:  # fmt: skip
        """So many mechanisms step by step side by side, dt (s) each: `step(inputs)`, `outputs`, `restart`, `reset`.

        Inputs and outputs, by the names of `stepper`, are arrays [number, simulation].  `engine`: "threads" of this
        machine, or "gpu", in whose memory they stay: PyTorch, JAX and CuPy read and write them there, by DLPack.
        """
        with compiling(None):
            return Steppers(self.mechanism, count, dt, inputs, outputs, engine=engine, threads=threads, **options)

    def environment(
        self, dt: float, inputs: Mapping[str, tuple[float, float]], outputs: Sequence[str], *,
        reward: Reward | None = None, done: Done | None = None, until: float = 10.0, start: Start | None = None,
        count: int | None = None, threads: int = 2, engine: str | None = None, **options: Unpack[RunOptions],
    ) -> Environment | Environments | ArrayEnvironments:  # fmt: skip
        """A gymnasium environment over `stepper` (extra `gym`): actions are the inputs between their bounds,
        observations the outputs; with `count` a vector of them on `threads`, and with `engine`, "threads" or "gpu", one
        over `steppers`: for very many, of which `reward` and `done` take arrays.

        `reward(outputs, inputs)`: of a step, default 0; `done(outputs)`: whether an episode has ended; `until`: the
        last time, s; `start(stepper, random)`: what a reset does.  Options are those of a run.
        """
        own = {"reward": reward, "done": done, "start": start}
        given = {name: value for name, value in own.items() if value is not None}
        return make_environment(
            self.mechanism,
            dt,
            inputs,
            outputs,
            until=until,
            count=count,
            threads=threads,
            engine=engine,
            **given,
            **options,
        )

    def loads(
        self,
        joints: Sequence[str] | None = None,
        during: float | tuple[float, float] | None = None,
        *,
        on: str | None = None,
        at: Place = "joint",
        frame: str = "world",
        loads_method: str = "auto",
        **options: Unpack[RunOptions],
    ) -> JointLoads:
        """Simulate, and give the reactions and driving forces of the chosen joints (default: all of them).

        `during`: an end time (s), or a span (from, to) of the run.  `on`, `at`, `frame` and `loads_method`
        (there `method`) as in `Run.reaction`; further options as in `simulate`, with rtol = 1e-8 unless given.
        """
        if "until" in options:
            raise OptionError("loads: unknown key 'until'; give the end time (s) as during", element="until")
        span = during if isinstance(during, tuple) else None
        end = during[1] if isinstance(during, tuple) else during
        run = self.simulate(end, **finer(options))
        return run.loads(joints, on=on, at=at, frame=frame, method=loads_method, during=span)

    def assemble(self, formulation: str = "joint") -> Start:
        """The mechanism put together, with a consistent state at t = 0."""
        return assemble(self.mechanism, formulation)

    def check(self) -> Diagnosis:
        """Coordinates, equations, rank, degrees of freedom and redundant equations."""
        with compiling(None):
            return diagnose(self.mechanism)

    def calls(self) -> Calls:
        """Forward and inverse dynamics and mass matrix, one state per call."""
        with compiling(None):
            return Calls(self.assemble("joint"))
