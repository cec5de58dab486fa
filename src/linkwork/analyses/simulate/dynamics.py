"""Forward dynamics: a mechanism from its start to an end time; the options, and what is refused."""

from __future__ import annotations

import numbers
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.certificate.global_error import LEAST_RTOL, TIGHTER, enter_errors
from linkwork.analyses.diagnosis import shared_loads
from linkwork.analyses.loads.used_loads import refuse_open_loads
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.simulate.interrupts import interrupts_held_back
from linkwork.analyses.simulate.literal import how_printed
from linkwork.analyses.simulate.stiffness import EXPLICIT, IMPLICIT
from linkwork.analyses.start.assembly import Start, assemble
from linkwork.compiler.meter import METER
from linkwork.elements.forces.callbacks import CompiledForce
from linkwork.elements.forces.friction import Friction
from linkwork.elements.forces.python_force import PythonForce
from linkwork.errors import ModelError, NumericalError, OptionError, nearest
from linkwork.formulations.workspace import DENSE_LIMIT
from linkwork.integrators.contract import Integrator
from linkwork.integrators.registry import INTEGRATORS, integrator
from linkwork.lazy_import import lazy_functions
from linkwork.mechanism import Mechanism
from linkwork.mechanism.collector import collector_waits
from linkwork.methods.contract import Method
from linkwork.methods.registry import METHODS, choose_method
from linkwork.results.result import Certificate, Recorder, Result
from linkwork.system.compile import FORMULATIONS, Compiled
from linkwork.system.coupling import is_wide
from linkwork.system.pattern import refuse_tall

if TYPE_CHECKING:
    from linkwork.analyses.steady.equilibrium import start_in_equilibrium
    from linkwork.results.disk.resumable import Resumed
else:  # for runs that begin in equilibrium
    (start_in_equilibrium,) = lazy_functions("linkwork.analyses.steady.equilibrium", "start_in_equilibrium")

NUMBERS = {"until": "s", "rtol": "", "atol": "", "hmax": "s", "step": "s", "every": "s"}  # options, and their units
DEFAULT_SAMPLES = 500  # a run, unless `every` is given
MOST_SAMPLES = 10_000_000
LARGEST_RTOL = 0.1  # a larger tolerance is none
FINE_RTOL = 1e-8  # for loads and what is compared with measurements
OF_ADAPTIVE = ("rtol", "atol", "hmax")  # options that a fixed step has no use for
MOST_MEMORY = 4e9  # bytes of an integrator
MOST_STEPS = 1e10  # at about a microsecond each, three hours and more


@dataclass(frozen=True)
class Options:
    """How to simulate.  Times in s; tolerances relative, and absolute in units of the scales of the coordinates."""

    until: float  # s, the end of the run
    formulation: str = "auto"  # joint (relative coordinates, cut loops) or absolute; auto: joint, of nets absolute
    method: str = "auto"  # how it stays on the constraints; auto: by the model, and it says why
    integrator: str = "auto"  # adams, and an implicit one from where the forces prove stiff
    rtol: float = 1e-6  # error of a step, relative
    atol: float | None = None  # the same in units of the scales of the coordinates; default: rtol
    hmax: float | None = None  # s, the longest step; default: a tenth of the run
    step: float | None = None  # s, of a fixed-step integrator; the others choose their own
    max_steps: int | None = None  # after which a run fails, with its results kept; default: no limit
    every: float | None = None  # s, between samples; default: 500 samples
    from_equilibrium: bool | None = None  # start where the forces are in balance; default: as in the model
    method_options: Mapping[str, float] = field(default_factory=dict)  # of the method, by name
    literal: bool | None = None  # the method as its paper prints it; default: as in the model
    verify: bool = False  # estimate the error of every channel by a second, tighter run
    planar: bool = True  # by kernels for the plane, where the mechanism moves in one

    def __post_init__(self) -> None:
        self._check_types()
        for name in NUMBERS:
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0.0):
                raise OptionError(f"option '{name}' is {value:g}; it must be a finite number > 0", element=name)
        if not LEAST_RTOL <= self.rtol <= LARGEST_RTOL:
            small = f"{LEAST_RTOL:g} or more (below it rounding decides)"
            bound = f"{LARGEST_RTOL:g} or less" if self.rtol > LARGEST_RTOL else small
            raise OptionError(f"option 'rtol' is {self.rtol:g}; it must be {bound}, as 1e-6", element="rtol")
        for name in ("hmax", "step"):
            self._refuse_endless(name, getattr(self, name))
        if self.formulation != "auto" and self.formulation not in FORMULATIONS:
            known = ["auto", *FORMULATIONS]
            raise OptionError(
                f"there is no formulation '{self.formulation}'; {nearest(self.formulation, known)}",
                element="formulation",
            )
        adaptive = first_integrator(self.integrator).adaptive
        if not adaptive and self.step is None:
            raise OptionError(
                f"integrator '{self.integrator}' has a fixed step; give step = ... (s)", element=self.integrator
            )
        if adaptive and self.step is not None:
            raise OptionError(
                f"option 'step' is {self.step:g} s, but integrator '{self.integrator}' chooses its steps by rtol; give "
                "hmax for the largest, or an integrator of fixed step: rk4, ab3",
                element="step",
            )
        if self.max_steps is not None:
            object.__setattr__(self, "max_steps", _whole("max_steps", self.max_steps))

    @classmethod
    def requested(cls, until: float, given: Mapping[str, Any]) -> Options:
        """As given by a user: None is left to the default, and what a fixed step has no use for is refused."""
        values = {name: value for name, value in given.items() if value is not None and name != "until"}
        options = cls(until=until, **values)
        idle = [name for name in OF_ADAPTIVE if name in values]
        if idle and options.step is not None:
            raise OptionError(
                f"option '{idle[0]}' is {values[idle[0]]:g}, but integrator '{options.integrator}' takes fixed steps "
                f"of {options.step:g} s; leave {idle[0]} out, or take one that controls its error, such as adams",
                element=idle[0],
            )
        return options

    def _check_types(self) -> None:
        """Numbers are numbers, names texts, switches True or False."""
        wanted = (
            (NUMBERS, numbers.Real, "a number"),
            (("formulation", "method", "integrator"), str, "a name"),
            (("from_equilibrium", "literal", "verify", "planar"), bool, "True or False"),
            (("method_options",), Mapping, "a dict of names and numbers"),
        )
        for names, kind, what in wanted:
            for name in names:
                value = getattr(self, name)
                optional = value is None and getattr(type(self), name, 0) is None
                if not optional and (not isinstance(value, kind) or (kind is numbers.Real and isinstance(value, bool))):
                    unit = f", in {NUMBERS[name]}" if NUMBERS.get(name) else ""
                    raise OptionError(f"option '{name}' is {value!r}; it must be {what}{unit}", element=name)

    def _refuse_endless(self, name: str, length: float | None) -> None:
        """Steps of so few seconds that no run comes to its end."""
        if length is not None and self.until / length > MOST_STEPS:
            raise OptionError(
                f"option '{name}' is {length:g} s: that makes {self.until / length:.3g} steps until {self.until:g} s, "
                f"which no run can finish; give {name} = {self.until / MOST_STEPS:.3g} or more",
                element=name,
            )


def finer(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options as given, with a finer tolerance than a run has unless one is given, or steps are fixed."""
    values = {name: value for name, value in given.items() if value is not None}
    return values if "step" in values else {"rtol": FINE_RTOL} | values


def simulate(
    mechanism: Mechanism, options: Options, recorders: Sequence[Recorder] = (), times: np.ndarray | None = None,
    resumed: Resumed | None = None, start: Start | None = None,
) -> Result:  # fmt: skip
    """Assemble, choose, bind, run, certify; `times` (s) at which to sample, instead of options.every.

    `resumed`: a run with the same options that goes on.  `start`: an assembled one, instead of that of the model.
    """
    return simulate_and_start(mechanism, options, recorders, times, resumed, start)[0]


def simulate_and_start(
    mechanism: Mechanism, options: Options, recorders: Sequence[Recorder] = (), times: np.ndarray | None = None,
    resumed: Resumed | None = None, start: Start | None = None,
) -> tuple[Result, Start]:  # fmt: skip
    """The same, and the start, tables and state: whoever differentiates the run need not make it again."""
    began, compiled_before = time.perf_counter(), METER.seconds
    run = _prepared(mechanism, options, recorders, times, start)
    certificate = run.certificate
    failure = run.go(resumed)
    result = run.result()
    if options.verify and failure is None:
        verify(mechanism, options, result)
    certificate.compile_s = METER.seconds - compiled_before
    certificate.wall_s = time.perf_counter() - began - certificate.compile_s
    with interrupts_held_back():
        for recorder in recorders:
            recorder.finish(certificate)
    if failure is not None:
        failure.partial = result
        raise failure
    return result, run.start


@collector_waits()
def _prepared(
    mechanism: Mechanism, options: Options, recorders: Sequence[Recorder], times: np.ndarray | None, start: Start | None
) -> ForwardRun:
    """A run that is ready to go: assembled, chosen, bound."""
    formulation, why_formulation = choose_formulation(options.formulation, mechanism, options.method)
    start = first_state(mechanism, formulation, options.from_equilibrium) if start is None else start
    method, why_method = choose_method(options.method, start.compiled.system)
    scheme = first_integrator(options.integrator)
    refuse_pairing(start, method, scheme)
    refuse_open_loads(start)
    printed = how_printed(mechanism, method, options)
    certificate = Certificate(
        dof=start.compiled.layout.v_count - start.rank,
        formulation=formulation,
        method=method.name,
        integrator=scheme.name,
        why=f"{formulation}: {why_formulation}; {method.name}{printed}: {why_method}",
        warnings=[
            *start.notes,
            *shared_loads(start),
            *slow_functions(mechanism),
            *stands_still(start),
            *few_samples(options),
            *large_matrices(method, start.compiled),
        ],
        misfits=[start.misfit.as_dict()] if start.misfit else [],
    )
    times = sample_times(options.until, options.every) if times is None else times
    refusals = {name: refusal(start, method, name) for name in IMPLICIT}
    run = ForwardRun(start, method, scheme, options, certificate, recorders, times, options.planar, refusals)
    run.bind()
    return run


def verify(mechanism: Mechanism, options: Options, result: Result) -> None:
    """Estimate the errors of a run by a second one with a hundredth of its tolerance and no step longer than half its
    longest, or with half its fixed step.
    """
    if first_integrator(options.integrator).adaptive:
        rtol = max(options.rtol / TIGHTER, LEAST_RTOL)
        atol = None if options.atol is None else options.atol / TIGHTER
        hmax = 0.5 * float(result.steps["h"].max(initial=0.0)) or options.hmax
        tighter = replace(options, rtol=rtol, atol=atol, hmax=hmax, verify=False)
        by = f"a second run with rtol = {rtol:.3g}"
    else:
        assert options.step is not None
        step = options.step / 2.0
        tighter, by = replace(options, step=step, verify=False), f"a second run with step = {step:.3g} s"
    try:
        second = simulate(mechanism, tighter, times=result.t)
    except NumericalError:
        second = None
    enter_errors(result, second, by)


def first_state(mechanism: Mechanism, formulation: str, balanced: bool | None) -> Start:
    """The start as modelled, or in equilibrium."""
    if mechanism.from_equilibrium if balanced is None else balanced:
        return start_in_equilibrium(mechanism, formulation)
    return assemble(mechanism, formulation)


def large_matrices(method: Method, compiled: Compiled) -> list[str]:
    """A warning for a method whose dense matrices are large."""
    rows, motions = len(compiled.system.rows), compiled.layout.v_count
    if not method.dense or rows * motions <= DENSE_LIMIT:
        return []
    return [
        f"method '{method.name}' works with dense matrices, here of {rows} equations and {motions} motions: its time "
        "grows with the cube of their number; parametrization, lu, qr, projection and the hybrids are sparse"
    ]


def stands_still(start: Start) -> list[str]:
    """A warning for a mechanism that cannot move, and that nothing drives."""
    compiled = start.compiled
    moves = compiled.layout.v_count > start.rank or not compiled.layout.v_count
    if moves or start.stuck or compiled.mechanism.driver:
        return []
    return ["the mechanism has 0 degrees of freedom: it stands still"]


def few_samples(options: Options) -> list[str]:
    """A warning for samples so far apart that none lies within the run."""
    if options.every is None or options.every <= options.until:
        return []
    return [
        f"option 'every' is {options.every:g} s, longer than the run of {options.until:g} s: only its start and "
        "end are kept"
    ]


def slow_functions(mechanism: Mechanism) -> list[str]:
    """A warning for each force that is a Python function, and not compiled."""
    return [
        f"python force '{force.name}' is called back at every evaluation, which is slower than an expression"
        for force in mechanism.of(PythonForce)
        if not isinstance(force.function, CompiledForce)
    ]


def choose_formulation(requested: str, mechanism: Mechanism, method: str = "") -> tuple[str, str]:
    """The formulation requested; for 'auto' joint coordinates, which need fewer equations for the same motion, but for
    nets of many loops, and other systems of many where the `method` of a run cannot eliminate them where they close.
    """
    if requested != "auto":
        return requested, "as requested"
    if is_wide(mechanism, recursive=method == "auto" or (method in METHODS and METHODS[method].may_recur)):
        return "absolute", "joint coordinates would couple all loops of a tree with each other"
    return "joint", "fewest coordinates and equations"


def _whole(name: str, value: object) -> int:
    """A whole number > 0, also one that is written as 100.0."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not float(value).is_integer() or float(value) <= 0.0:  # type: ignore[arg-type]
        raise OptionError(f"option '{name}' is {value!r}; it must be a whole number > 0", element=name)
    return int(value)  # type: ignore[call-overload, no-any-return]


def first_integrator(requested: str) -> Integrator:
    """The integrator requested; 'auto' begins with an explicit one."""
    if requested not in INTEGRATORS and requested != "auto":
        raise OptionError(
            f"there is no integrator '{requested}'; {nearest(requested, ['auto', *INTEGRATORS])}", element=requested
        )
    return integrator(EXPLICIT if requested == "auto" else requested)


def refusal(start: Start, method: Method, name: str) -> str:
    """Why an integrator cannot be used with this model and method; "": it can."""
    try:
        refuse_pairing(start, method, integrator(name))
    except (OptionError, ModelError) as refused:
        return refused.message
    return ""


def refuse_pairing(start: Start, method: Method, scheme: Integrator) -> None:
    """An integrator with a method, a force or a tree that it cannot be used with."""
    _refuse_method(method, scheme)
    _refuse_with_load_friction(start.compiled.mechanism, method, scheme)
    system = start.compiled.system
    _refuse_large(scheme, len(start.y))
    if scheme.mass_weighted or len(system.changes):  # implicit equations and blows need M
        refuse_tall(system.dofs)


def _refuse_large(scheme: Integrator, n: int) -> None:
    """Full matrices that would fill the memory."""
    size = 8.0 * n * scheme.vectors_for(n)
    if size > MOST_MEMORY:
        raise OptionError(
            f"integrator '{scheme.name}' works with full matrices, for this model's {n:,} coordinates and speeds with "
            f"{size / 1e9:.0f} GB; choose an explicit one, or cut the model into smaller ones",
            element=scheme.name,
        )


def _refuse_method(method: Method, scheme: Integrator) -> None:
    """Equations of index 3 leave an error of velocity of order h^2 along M^-1 Phi_v^T: taken out along another
    direction it would be an error of the motion, of first order.
    """
    if scheme.mass_weighted and not method.mass_weighted:
        fit = ", ".join(f"'{m.name}'" for m in METHODS.values() if m.mass_weighted and not m.open_tree)
        raise OptionError(
            f"method '{method.name}' does not correct velocities in the metric of the masses, by which integrator "
            f"'{scheme.name}' would lose its order; choose method 'auto' or another of {fit}, or another integrator",
            element=method.name,
        )


def _refuse_with_load_friction(mechanism: Mechanism, method: Method, scheme: Integrator) -> None:
    """Friction with the joint's load is found by rounds of `solve`; what solves otherwise, or changes gamma, cannot."""
    for friction in mechanism.of(Friction):
        for what, name, unfit in (
            ("integrator", scheme.name, not scheme.solves_accelerations),
            ("method", method.name, not method.projects),
        ):
            if friction.coefficient and unfit:
                raise OptionError(
                    f"friction '{friction.name}' depends on the joint's load, which {what} '{name}' cannot follow; "
                    f"choose another {what}, or give coulomb instead of coefficient",
                    element=friction.name,
                )


def sample_times(until: float, every: float | None) -> np.ndarray:
    """Times at equal distances, and the end, s."""
    every = every or until / DEFAULT_SAMPLES
    if until / every > MOST_SAMPLES:
        raise OptionError(
            f"option 'every' is {every:g} s: that makes {until / every:.3g} samples until {until:g} s, and at most "
            f"{MOST_SAMPLES} are kept; give every = {until / MOST_SAMPLES:.3g} or more",
            element="every",
        )
    count = int(np.floor(until / every * (1.0 + 1e-12)))
    times = np.append(np.arange(count + 1) * float(every), until)
    if times[-2] >= until * (1.0 - 1e-12):
        times = times[:-1]
        times[-1] = until
    return times
