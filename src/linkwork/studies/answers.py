"""The analyses that a study may make of each variant, and what outputs can name of their answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.loads.channels import why_not_a_number
from linkwork.analyses.simulate.dynamics import Options, finer, simulate
from linkwork.errors import OptionError, nearest
from linkwork.lazy_import import lazy_functions
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.kinematics import kinematics
    from linkwork.analyses.kinematics.tasks import at_times, over_input
    from linkwork.analyses.steady.equilibrium import equilibrium
    from linkwork.analyses.vibration.frequency_response import frequency_response
    from linkwork.analyses.vibration.linearization import linearize
else:
    (kinematics,) = lazy_functions("linkwork.analyses.kinematics.kinematics", "kinematics")
    at_times, over_input = lazy_functions("linkwork.analyses.kinematics.tasks", "at_times", "over_input")
    (equilibrium,) = lazy_functions("linkwork.analyses.steady.equilibrium", "equilibrium")
    (frequency_response,) = lazy_functions("linkwork.analyses.vibration.frequency_response", "frequency_response")
    (linearize,) = lazy_functions("linkwork.analyses.vibration.linearization", "linearize")


@dataclass(frozen=True)
class Value:
    """A number, a history over the time (or frequency), or (`vector`) components of one along the last axis."""

    data: Any  # float or array
    unit: str = ""  # SI
    vector: bool = False


# A statistic of a history by its name, or "at" a time (s): a number [run] of each of many runs.
Statistic = Callable[[str, str, float], Value]


@dataclass(frozen=True)
class Answer:
    """What an analysis found: numbers by name, and functions that outputs may call with texts and numbers."""

    t: np.ndarray | None  # s, of histories; rad/s of responses; rad or m of a sweep
    names: Callable[[], Collection[str]]  # of all numbers
    number: Callable[[str], Value]
    functions: Mapping[str, Callable[..., Value]] = field(default_factory=dict)
    status: str = "finished"
    message: str = ""
    energy_drift: float = float("nan")
    doubts: list[str] = field(default_factory=list)  # why numbers read so far are none: it grows as outputs are taken
    statistic: Statistic | None = None  # of many runs at once, of which it is all that is known


def of_result(result: Result) -> Answer:
    """Channels of a run."""
    c = result.certificate
    if c.interrupted:
        raise KeyboardInterrupt
    doubts: list[str] = []

    def number(name: str) -> Value:
        data = result.channel(name)
        why = why_not_a_number(result, name) if np.isnan(data).any() else None
        if why is not None and why not in doubts:
            doubts.append(why)
        return Value(data, result.unit(name))

    return Answer(
        result.t, lambda: result.known, number, {}, c.status, "; ".join(c.warnings), c.energy_drift, doubts
    )  # fmt: skip


def _simulate(mechanism: Mechanism, options: Mapping[str, Any]) -> Answer:
    end = options.get("until") if options.get("until") is not None else mechanism.duration
    if end is None:
        raise OptionError("no end time; give until = ... (s)", element="until")
    return of_result(simulate(mechanism, Options.requested(end, options), []))


def _loads(mechanism: Mechanism, options: Mapping[str, Any]) -> Answer:
    """As the verb: a simulation of finer tolerance."""
    return _simulate(mechanism, finer(options))


def _kinematics(mechanism: Mechanism, options: Mapping[str, Any]) -> Answer:
    times = {name: options.get(name) for name in ("times", "until", "every")}
    sweep = options.get("sweep")
    task = over_input(mechanism, sweep) if sweep is not None else at_times(mechanism, **times)
    return of_result(kinematics(task, options.get("formulation", "auto")))


def _equilibrium(mechanism: Mechanism, options: Mapping[str, Any]) -> Answer:
    found = equilibrium(mechanism, **options)
    values = {name: Value(value, found.units[name]) for name, value in found.coordinates.items()}
    values |= {f"driving({name})": Value(value, found.driving_units[name]) for name, value in found.driving.items()}
    values |= {"residual": Value(found.residual), "stable": Value(float(found.stable))}
    return Answer(None, lambda: values, lambda name: _known(values, name), message="; ".join(found.notes))


def _modes(mechanism: Mechanism, options: Mapping[str, Any]) -> Answer:
    linear = linearize(mechanism, **options)
    modes = linear.modes()

    def of_mode(what: str, unit: str) -> Callable[..., Value]:
        def value(number: float) -> Value:
            k = int(number)
            if k != number or not 1 <= k <= len(modes):
                raise OptionError(f"there is no mode {number:g}; count from 1 to {len(modes)}", element=what)
            return Value(float(getattr(modes[k - 1], what)), unit)

        return value

    functions = {
        "frequency": of_mode("frequency_hz", "Hz"), "omega": of_mode("omega", "rad/s"),
        "damping": of_mode("damping", ""),
    }  # fmt: skip
    values = {"modes": Value(float(len(modes)))}
    return Answer(None, lambda: values, lambda name: _known(values, name), functions)


def _response(mechanism: Mechanism, options: Mapping[str, Any]) -> Answer:
    given = dict(options)
    for name in ("input", "to", "omega"):
        if name not in given:
            raise OptionError(
                f"analysis 'response' needs {name}; give input = NAME, to = [NAMES], omega = [rad/s]", element=name
            )
    to = [given["to"]] if isinstance(given["to"], str) else list(given["to"])
    found = frequency_response(linearize(mechanism, given.get("speeds")), given["input"], to, given["omega"])
    values = {name: Value(found.amplitude(name), found.units[name]) for name in to} | {
        "omega": Value(found.omega, "rad/s")
    }

    def peak_frequency(name: str) -> Value:
        """Where an amplitude is largest, rad/s."""
        return Value(float(found.omega[int(np.argmax(_known(values, name).data))]), "rad/s")

    functions = {
        "amplitude": lambda name: _known(values, name),
        "phase": lambda name: Value(found.phase(name), "rad"), "peak_frequency": peak_frequency,
    }  # fmt: skip
    return Answer(
        found.omega, lambda: values, lambda name: _known(values, name), functions, message="; ".join(found.notes)
    )


def _known(values: Mapping[str, Value], name: str) -> Value:
    if name not in values:
        raise OptionError(f"there is no number '{name}' in this analysis; {nearest(name, values)}", element=name)
    return values[name]


RUN = tuple(Options.__dataclass_fields__)
STEADY = ("speeds", "independent", "formulation", "t")
ANALYSES: dict[str, tuple[Callable[[Mechanism, Mapping[str, Any]], Answer], tuple[str, ...]]] = {  # with their options
    "simulate": (_simulate, RUN),
    "loads": (_loads, RUN),
    "kinematics": (_kinematics, ("times", "until", "every", "sweep", "formulation")),
    "equilibrium": (_equilibrium, STEADY),
    "modes": (_modes, (*STEADY, "about")),
    "response": (_response, ("input", "to", "omega", "speeds")),
}


def check_analysis(name: str, options: Iterable[str], others: Iterable[str] = ()) -> None:
    """An analysis or option that there is not is refused; `others`: what may be given beside options."""
    if name not in ANALYSES:
        raise OptionError(f"there is no analysis '{name}'; {nearest(name, ANALYSES)}", element=name)
    for option in options:
        if option not in ANALYSES[name][1]:
            hint = nearest(option, [*ANALYSES[name][1], *others])
            raise OptionError(f"there is no option '{option}' of {name}; {hint}", element=option)


def analyse(name: str, mechanism: Mechanism, options: Mapping[str, Any]) -> Answer:
    """The answer for one variant."""
    return ANALYSES[name][0](mechanism, options)
