"""Runs side by side: each from where it stands to its next stop, one after the other in one call.

Each has a workspace, tables and buffers of its own (`Prepared`), and is found by its address; so the loop over them is
compiled, and a thread takes a share of them without Python.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.compiler.argument_types import SYSTEM, WORK, Structure
from linkwork.compiler.kernels import kernel
from linkwork.compiler.references import opener
from linkwork.expressions.kernels.crossings import BREAK
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.advance import advance
from linkwork.integrators.loop.changes import OCCURRENCE
from linkwork.integrators.loop.chunks import HISTORY, PROGRESS
from linkwork.integrators.loop.locate import EVENT_LOCATION
from linkwork.integrators.loop.share import begin_chunk
from linkwork.numerics.status import CHANGED, CHUNK_DONE


class Prepared(NamedTuple):
    """What `advance` takes of one run after its stages, and the last row of samples that it has filled."""

    addresses: np.ndarray  # System, that with bodies all alike, Work
    y: np.ndarray
    angles: np.ndarray
    memory: np.ndarray
    control: np.ndarray
    progress: np.ndarray
    stops: np.ndarray
    times: np.ndarray
    samples: np.ndarray
    history: np.ndarray
    path: np.ndarray
    event_location: np.ndarray
    state: np.ndarray
    occurrences: np.ndarray
    row: np.ndarray


def no_run() -> Prepared:
    """One with nothing in it, by which the structure is laid out."""
    vector, matrix = np.zeros(0), np.zeros((0, 0))
    return Prepared(
        np.zeros(0, np.int64), vector, vector, matrix, np.zeros(0, CONTROL), np.zeros(0, PROGRESS), np.zeros(0, BREAK),
        vector, matrix, np.zeros(0, HISTORY), matrix, np.zeros(0, EVENT_LOCATION), vector, np.zeros(0, OCCURRENCE),
        vector,
    )  # fmt: skip


PREPARED = Structure("Prepared")
open_prepared, open_system, open_work = opener(PREPARED), opener(SYSTEM), opener(WORK)


@kernel
def advance_each(evaluate, factor, solve, correct, accept, step, interpolate, runs, status, first, last):
    """Each of these from its present instant to its last stop; `runs`: addresses, `status`: how each ended."""
    for n in range(first, last):
        one = open_prepared(runs[n])
        system, alike = open_system(one.addresses[0]), open_system(one.addresses[1])
        work, progress, ended = open_work(one.addresses[2]), one.progress, CHUNK_DONE
        while ended in (CHUNK_DONE, CHANGED):
            begin_chunk(progress, one.history, one.path, one.event_location)
            ended = advance(
                evaluate, factor, solve, correct, accept, step, interpolate, system, one.y, one.angles, work,
                one.memory, one.control, progress, one.stops, one.times, one.samples, one.history, one.path, alike,
                one.event_location, one.state, one.occurrences,
            )  # fmt: skip
            if progress[0].filled > 0:
                for k in range(one.row.shape[0]):
                    one.row[k] = one.samples[progress[0].filled - 1, k]
        status[n] = ended
