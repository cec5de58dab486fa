"""What the compiled loop of a run works with, chunk by chunk: control, memory, and the rows that it fills."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.certificate.trajectory import path_buffer
from linkwork.analyses.simulate.samples import columns_of
from linkwork.formulations.equations import Equations
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.changes import OCCURRENCE
from linkwork.integrators.loop.chunks import HISTORY, PROGRESS
from linkwork.integrators.loop.locate import EVENT_LOCATION, NO_EVENT

CHUNK_ROWS, NUMBERS = 4096, 2**19  # most samples of a chunk, and most numbers of these; but ...
LEAST_ROWS = 16  # ... so many samples at least
OCCURRENCES = 64  # of a chunk, beside those of one instant


class ChunkBuffers:
    """Arrays that are allocated once; `progress` holds how much of them a chunk has filled.

    `samples` may be others from chunk to chunk: those of a run are where its result will have them.
    """

    def __init__(
        self, equations: Equations, memory: np.ndarray, times: np.ndarray, y: np.ndarray, angles: np.ndarray,
        constraints: int = 0,
    ) -> None:  # fmt: skip
        """`constraints`: how many have their conditioning in the rows of the path."""
        self.memory = memory
        self.control = np.zeros(1, CONTROL)
        self.progress = np.zeros(1, PROGRESS)
        self.progress["keeps"] = 1
        width = columns_of(equations).width
        self.samples = np.zeros((min(len(times), CHUNK_ROWS, max(NUMBERS // width, LEAST_ROWS)) + 1, width))
        self.path = path_buffer(y, angles, constraints)
        self.history = np.zeros(len(self.path), HISTORY)
        self.event_location = np.array([(0.0, NO_EVENT)], EVENT_LOCATION)
        self.event_state = np.zeros_like(y)  # scratch
        self.occurrences = np.zeros(len(equations.system.changes) + OCCURRENCES, OCCURRENCE)

    @property
    def most_samples(self) -> int:
        """Of a chunk; one row more is worked in."""
        return len(self.samples) - 1

    @property
    def t(self) -> float:
        """Time of the present state, s."""
        return float(self.control[0]["t"])

    def begin_chunk(self) -> None:
        """Empty, but for the record of a step that is going back to an event."""
        progress = self.progress[0]
        if self.event_location[0]["number"] != NO_EVENT:
            last = progress["history"]
            self.history[0], self.path[0] = self.history[last], self.path[last]
        progress["filled"] = progress["history"] = progress["occurred"] = 0

    def taken(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Samples, steps and path rows of the chunk; the steps are a copy."""
        filled, steps = int(self.progress[0]["filled"]), int(self.progress[0]["history"])
        return self.samples[:filled], self.history[:steps].copy(), self.path[:steps]

    def taken_occurrences(self) -> np.ndarray:
        """What has happened in the chunk, a copy."""
        return self.occurrences[: int(self.progress[0]["occurred"])].copy()
