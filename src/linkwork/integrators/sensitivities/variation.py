"""What the kernels of sensitivities need beside the run: addresses of structures, and room."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.compiler.argument_types import COMPLEX_WORK, SYSTEM, WORK, Structure
from linkwork.compiler.references import opener


class Variation(NamedTuple):
    """What the kernel needs beside the run: addresses of structures, and room."""

    addresses: np.ndarray  # STEPS, SIDE, PLAIN, BESIDE, DIRECT
    systems: np.ndarray  # [parameter, place] addresses of Systems beside this one; 0: the parameter changes no table
    works: np.ndarray  # [parameter, place] addresses of workspaces for them
    weights: np.ndarray  # [formula, parameter, place] of the differences: CENTRAL, FORWARD, BACKWARD
    places: np.ndarray  # [parameter, place] how far from the middle, in units of the parameter
    held: np.ndarray  # [parameter, row] slope of what drivers hold, m or rad
    signals: np.ndarray  # slopes along one parameter at a given state
    state: np.ndarray  # y + i STEP S
    predicted: np.ndarray  # S for which rates were evaluated last
    moved: np.ndarray  # y moved a little along the change of S
    y: np.ndarray  # the state evaluated last, and
    y_rate: np.ndarray  # its rate
    rate: np.ndarray  # the rate of one sensitivity
    row: np.ndarray  # slopes of a sample (integrators/loop/rows.py) along one parameter
    t: np.ndarray  # s, of the state evaluated last
    # Of instants at which something jumps (saltation.py).
    cells: np.ndarray  # [switch] at the state evaluated last
    end_y: np.ndarray  # the same at the end of the last step, which samples within it do not replace
    end_rate: np.ndarray
    end_t: np.ndarray
    end_cells: np.ndarray
    before: np.ndarray  # rate before the instant
    extended: np.ndarray  # room for y and S
    breaks: np.ndarray  # s, known break times
    break_slopes: np.ndarray  # [break, parameter] s per unit of the parameter
    instant: np.ndarray  # [parameter] slope of the instant, s per unit of the parameter
    status: np.ndarray  # BEGUN, RESET, TROUBLE
    trouble: np.ndarray  # s, when the derivative ceased to exist; NaN: it exists
    # The tape of the equations (tape.py), by which all directions go at once.
    programs: np.ndarray  # addresses; none where the equations cannot be traced
    program_cells: np.ndarray  # [program, switch] for which each was written
    tape_places: np.ndarray  # TapePlaces
    given: np.ndarray  # its inputs
    word_slopes: np.ndarray  # [word, parameter] of the tables
    missing: np.ndarray  # how often none of the tapes would do: `given` and `cells` are of the last time
    instants: np.ndarray  # s, at which the run has begun afresh, MOST_INSTANTS of them at most,
    watches: np.ndarray  # and what has changed there (saltation.py); the last entry: how many there are


class TapePlaces(NamedTuple):
    """Where the inputs of a tape begin, and its outputs (analyses/gradients/trace/equations.py)."""

    y: int
    angles: int
    v_dot: int
    lam: int
    held: int
    words: int
    M: int
    J: int
    Q: int
    gamma: int
    nu: int
    Phi: int
    rate: int
    energy: int


def new_variation(
    n: int = 0, width: int = 0, rows: int = 0, signals: int = 0, switches: int = 0, count: int = 0, places: int = 0,
    breaks: int = 0, given: int = 0, words: int = 0,
) -> Variation:  # fmt: skip
    """Room for `count` parameters: a state of n numbers, samples of `width`, so many places of the differences; a tape
    of `given` numbers, so many of them words of tables.
    """
    shapes: dict[str, tuple[int, ...]] = {
        "weights": (3, count, places), "places": (count, places), "held": (count, rows), "signals": (signals,),
        "row": (width,), "extended": (n + count * n,), "breaks": (breaks,), "break_slopes": (breaks, count),
        "instant": (count,), "given": (given,), "word_slopes": (words, count), "predicted": (count * n,),
    }  # fmt: skip
    real = {name: np.zeros(shape) for name, shape in shapes.items()}
    real |= {name: np.zeros(n) for name in ("y", "y_rate", "rate", "end_y", "end_rate", "before", "moved")}
    return Variation(
        addresses=np.zeros(5, np.int64), systems=np.zeros((count, places), np.int64),
        works=np.zeros((count, places), np.int64), state=np.zeros(n, np.complex128),
        t=np.zeros(1), end_t=np.full(1, -1.0), trouble=np.full(1, np.nan), status=np.zeros(3, np.int64),
        cells=np.zeros(switches, np.int64), end_cells=np.zeros(switches, np.int64), instants=np.zeros(MOST_INSTANTS),
        watches=np.zeros(MOST_INSTANTS + 1, np.int64), programs=np.zeros(0, np.int64),
        program_cells=np.zeros((0, switches), np.int64), tape_places=np.zeros(len(TapePlaces._fields), np.int64),
        missing=np.zeros(1, np.int64), **real,
    )  # fmt: skip


VARIATION = Structure("Variation", complex=True)
open_variation, open_system = opener(VARIATION), opener(SYSTEM)
open_work, open_complex_work = opener(WORK), opener(COMPLEX_WORK)
# Addresses of the complex workspace, of that with the run's factors, of the System without S, of workspaces for the
# state moved a little and for what the parameter itself does.
STEPS, SIDE, PLAIN, BESIDE, DIRECT = range(5)
CENTRAL, FORWARD, BACKWARD = range(3)
MOST_INSTANTS = 4096
