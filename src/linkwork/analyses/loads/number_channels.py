"""Numbers of the elements as channels of a run, computed when they are read: accelerations of bodies and frames, and
forces.

The model is compiled again with a measure for each number of one element (mechanism/numbers.py has their names), and
goes through the samples of the run; what was computed last is kept.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from functools import partial

import numpy as np

from linkwork.analyses.loads.cases.record_forces import equations_of
from linkwork.analyses.loads.replay import Replay
from linkwork.analyses.loads.sample_kernels import signals_at_samples
from linkwork.elements.forces.python_force import PythonForce
from linkwork.elements.signals.measures import Measure
from linkwork.mechanism.numbers import numbers
from linkwork.results.channels import Channel
from linkwork.results.result import Result


def number_channels(result: Result) -> Iterator[Channel]:
    """All that there are, but for forces by Python functions: these a measure has to record."""
    mechanism = result.mechanism
    of_python = {force.name for force in mechanism.of(PythonForce)}
    for number in numbers(mechanism):
        if number.name.partition(".")[0] not in of_python:
            yield Channel(number.name, number.unit, partial(_LATEST.of, name=number.name))


class _Latest:
    """The numbers of one element that were computed last, as long as their result lives."""

    def __init__(self) -> None:
        self.result: weakref.ref[Result] | None = None
        self.values: dict[str, np.ndarray] = {}

    def of(self, result: Result, name: str) -> np.ndarray:
        """One number at the samples; those of its element are computed with it."""
        if self.result is None or self.result() is not result or name not in self.values:
            element = name.partition(".")[0]
            names = [one.name for one in numbers(result.mechanism) if one.name.partition(".")[0] == element]
            self.result, self.values = weakref.ref(result), at_samples(result, names)
        return self.values[name]


_LATEST = _Latest()


def at_samples(result: Result, names: list[str]) -> dict[str, np.ndarray]:
    """Numbers by name at the samples of a run, SI units; angles are counted from sample to sample."""
    taken = {element.name for element in result.mechanism.elements()}
    made = {name: _unused(f"{k}", taken) for k, name in enumerate(names)}
    equations = equations_of(result, [Measure(name=own, of=quoted(name)) for name, own in made.items()])
    replay = Replay.of(result, equations.compiled)
    places = np.array([replay.layout.measures[own] for own in made.values()], np.int64)
    values, angles = np.zeros((len(result.t), len(names))), replay.first_angles()
    for s in replay.segments():
        replay.hold_rows_of(s.start, equations)
        signals_at_samples(
            equations.system_ref, equations.work_ref, replay.t[s], replay.states[s], replay.v_dot[s], replay.lam[s],
            angles, places, values[s],
        )  # fmt: skip
    return dict(zip(names, values.T, strict=True))


def quoted(name: str) -> str:
    """A name as expressions take it, whatever is in it."""
    return f"'{name}'" if "'" not in name else f'"{name}"'


def _unused(wanted: str, taken: set[str]) -> str:
    """A name for a measure that no element has."""
    name = f"number {wanted}"
    while name in taken:
        name += " again"
    return name
