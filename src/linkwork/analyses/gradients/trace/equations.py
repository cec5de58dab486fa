"""The equations of motion as a program: `evaluate` is run once with numbers that write down what is done with them.

What goes in, in this order: t, y, counted angles, v_dot, lam, what rows hold, and words of the System's tables; what
comes out: M, Phi_v, Q, gamma, nu, Phi, dy/dt but for v_dot, energies, signals, arguments of switches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from linkwork.analyses.gradients.collector import paused_collector
from linkwork.analyses.gradients.trace.as_python import AsPython, MemoryTable
from linkwork.analyses.gradients.trace.numbers import Tape
from linkwork.analyses.gradients.trace.program import program_of
from linkwork.analyses.gradients.trace.words import Word
from linkwork.elements.family import Phase
from linkwork.expressions.kernels.of_state import UNDECIDED
from linkwork.formulations.equations import Equations, call_families, evaluate, family_kernels
from linkwork.integrators.sensitivities.tape import Program
from linkwork.numerics.status import LEVEL_EQUATIONS
from linkwork.system.tables import System

FILLED = ("M", "J", "Q", "gamma", "nu", "Phi", "rate", "energy", "signals")  # of the workspace, then switches


@dataclass(frozen=True)
class Given:
    """Where the numbers that a program is given begin: t is the first."""

    y: slice
    angles: slice
    v_dot: slice
    lam: slice
    held: slice
    words: slice


@dataclass(frozen=True)
class Filled:
    """Where its outputs begin."""

    parts: Mapping[str, slice]
    switches: slice
    count: int


def given_of(equations: Equations, words: int) -> Given:
    """The places for a mechanism, and so many words of its tables."""
    work = equations.work
    sizes = (len(work.rate), len(work.angle), len(work.v_dot), len(work.lam), len(work.row_state), words)
    ends = np.cumsum([1, *sizes])
    return Given(*(slice(int(a), int(b)) for a, b in pairwise(ends)))


def filled_of(equations: Equations) -> Filled:
    """The places of outputs."""
    sizes = [getattr(equations.work, name).size for name in FILLED]
    ends = np.cumsum([0, *sizes, len(equations.work.switches)])
    parts = [slice(int(a), int(b)) for a, b in pairwise(ends)]
    return Filled(dict(zip(FILLED, parts[:-1], strict=True)), parts[-1], int(ends[-1]))


@paused_collector()
def trace(
    equations: Equations, given: np.ndarray, words: Sequence[Word], cells: np.ndarray | None = None, directions: int = 0
) -> Program:  # fmt: skip
    """The program for the branches taken at the numbers given.

    `cells`: of expressions that jump, if not those in which their arguments are; `directions`: for which there is room.
    """
    tape, place = Tape(), given_of(equations, len(words))

    def numbers(part: slice) -> np.ndarray:
        found = [tape.input(k, float(given[k])) for k in range(part.start, part.stop)]
        return np.array(found, object) if found else np.zeros(0, object)

    system = _traced_system(equations.system, words, place.words.start, given, tape)
    work = _traced_work(equations, cells)
    for record, held in zip(work.row_state.records, numbers(place.held), strict=True):
        record.held = held
    work.v_dot, work.lam = numbers(place.v_dot), numbers(place.lam)
    t, y, angles = tape.input(0, float(given[0])), numbers(place.y), numbers(place.angles)
    stages = equations.work.stages["address"]
    as_python = AsPython(
        tape, {int(a): f for a, (_, f, _) in zip(stages, family_kernels(equations.compiled), strict=False)}
    )
    as_python(evaluate)(system, t, y, angles, work, LEVEL_EQUATIONS)
    as_python(call_families)(Phase.OUTPUT, system, t, angles, work)
    outputs = [x for name in FILLED for x in getattr(work, name).reshape(-1)]
    outputs += [tape.whole(record.x) for record in work.switches.records]  # of which kernels keep the real part
    return program_of(tape, [tape.place(x) for x in outputs], directions)


def _traced_system(
    system: System, words: Sequence[Word], first: int, given: np.ndarray, tape: Tape
) -> SimpleNamespace:  # fmt: skip
    """The tables, with inputs in place of some of their words."""
    place = {word: first + k for k, word in enumerate(words)}
    made: dict[str, Any] = {}
    for name in System._fields:

        def number(at: int, x: float, name: str = name) -> Any:
            k = place.get((name, at))
            return x if k is None else tape.input(k, float(given[k]))

        table = getattr(system, name)
        if table.dtype.names or name == "block":
            made[name] = MemoryTable(table, number)
        elif table.dtype.kind == "f":
            made[name] = np.array([number(8 * k, float(x)) for k, x in enumerate(table)] + [None], object)[:-1]
        else:
            made[name] = table.astype(object)
    return SimpleNamespace(**made)


def _traced_work(equations: Equations, cells: np.ndarray | None) -> SimpleNamespace:
    """A workspace of plain numbers, in which nothing is held over from an evaluation before."""
    made: dict[str, Any] = {}
    for name in equations.work._fields:
        array = getattr(equations.work, name)
        made[name] = MemoryTable(array, lambda at, x: x) if array.dtype.names else np.zeros(array.shape, object)
    work = SimpleNamespace(**made)
    work.R[0] = np.eye(3)
    for name in FILLED:
        getattr(work, name)[:] = 0.0
    segment = work.segment[0]
    segment.t_low, segment.t_high = -np.inf, np.inf
    for k, record in enumerate(work.switches.records):
        record.cell = UNDECIDED if cells is None else int(cells[k])
    return work


def traceable(equations: Equations) -> bool:
    """Whether all follows from one evaluation: friction with the loads of joints is settled in rounds."""
    return all(phase != Phase.LOADS for phase, _, _ in family_kernels(equations.compiled))
