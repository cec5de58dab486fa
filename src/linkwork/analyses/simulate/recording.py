"""The results of a run as they grow: parts with names, handed to the recorders, and the counts of the certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.analyses.simulate.chunk_buffers import ChunkBuffers
from linkwork.analyses.simulate.samples import columns_of, motion_of, places_of, samples_as_result
from linkwork.formulations.equations import Equations
from linkwork.formulations.workspace import Work
from linkwork.integrators.loop.chunks import HISTORY
from linkwork.methods.reasons import BASES, REASONS, Reason
from linkwork.results.body_motion import Motion
from linkwork.results.result import Certificate, Recorder, Result

FIRST_ROOM = 10_000  # samples


class Recording:
    """The rows of all samples, into which the loop writes, and parts of the result, one a chunk; `sampler`: equations
    beside the run.
    """

    def __init__(
        self, sampler: Equations, options: Mapping[str, Any], certificate: Certificate, recorders: Sequence[Recorder],
        expected: int, at_once: int,
    ) -> None:  # fmt: skip
        """`expected`: samples, of which a chunk fills so many `at_once`."""
        self.sampler, self.options, self.certificate, self.recorders = sampler, dict(options), certificate, recorders
        self.empty: Result  # a part without samples, from `begin` on
        self.steps: list[np.ndarray] = []
        self.filled, self.expected, self.at_once = 0, expected, at_once
        self.t, self.rows = np.empty(0), np.empty((0, columns_of(sampler).width))  # of all so far, with room for more
        self.motion = motion_of(sampler, self.rows)

    def begin(self) -> None:
        """An empty part, from which the recorders learn names and shapes."""
        steps = np.zeros(0, HISTORY)
        self.empty = samples_as_result(self.sampler, self.t, self.rows, steps, self.options, self.certificate)
        self.steps = [steps]
        for recorder in self.recorders:
            recorder.begin(self.empty)

    def next_rows(self) -> np.ndarray:
        """Rows for a chunk to write, and one more, in which it works."""
        count = min(self.at_once, self.expected - self.filled)
        self._make_room(self.filled + count)
        return self.rows[self.filled : self.filled + count + 1]

    def _make_room(self, count: int) -> None:
        """For so many samples: there is room for all expected, or of very many for twice those so far, as a run may
        end early.
        """
        if count > len(self.t):
            room = max(min(self.expected, max(2 * count, FIRST_ROOM)), count)
            t, rows = self.t, self.rows
            self.t, self.rows = np.empty(room), np.empty((room + 1, rows.shape[1]))
            self.t[: self.filled], self.rows[: self.filled] = t[: self.filled], rows[: self.filled]

    def take_up(self, part: Result) -> None:
        """What was computed before a run goes on."""
        self._make_room(len(part.t))
        for name, columns in places_of(self.sampler).items():
            self.rows[: len(part.t), columns] = getattr(part, name)
        self.append(part.t, part.steps)

    def append(self, times: np.ndarray, steps: np.ndarray) -> None:
        """The samples of a chunk, which are in the next rows, and its steps."""
        new = slice(self.filled, self.filled + len(times))
        self.t[new], self.filled = times, new.stop
        self.motion.goes_on(self.rows[: self.filled], len(self.t))
        self.steps.append(steps)
        for recorder in self.recorders:
            recorder.append(self._result(new, steps, self.motion.part(new)))

    def whole(self) -> Result:
        """All parts as one; the shares of the bases into the certificate."""
        whole = self._result(slice(self.filled), np.concatenate(self.steps), self.motion)
        self.certificate.bases = basis_shares(whole.steps)
        return whole

    def _result(self, samples: slice, steps: np.ndarray, motion: Motion) -> Result:
        described = (self.options, self.certificate, self.empty)
        return samples_as_result(self.sampler, self.t[samples], self.rows[samples], steps, *described, motion)


def basis_shares(steps: np.ndarray) -> dict[str, dict[str, float]]:
    """The share of the accepted steps, and of their time, that each basis served; none for methods without one."""
    shares = {}
    for code, name in enumerate(BASES):
        served = steps["basis"] == code
        if served.any():
            time = float(steps["h"][served].sum() / steps["h"].sum())
            shares[name] = {"steps": float(served.mean()), "time": time}
    return shares


def count_effort(
    certificate: Certificate, buffers: ChunkBuffers, work: Work, v_names: Sequence[str],
    switches: Sequence[Mapping[str, Any]] = (),
) -> None:  # fmt: skip
    """The counts and measures of the certificate as they stand; `switches` of the integrator."""
    control, progress, method = buffers.control[0], buffers.progress[0], work.method[0]
    certificate.t_end = buffers.t
    certificate.steps, certificate.rejected = int(control["steps"]), int(control["rejected"])
    certificate.evaluations = int(control["evaluations"])
    certificate.factorizations = int(method["factorizations"])
    decisions = [*decisions_log(work.log[: method["decisions"]], v_names), *map(dict, switches)]
    certificate.switches = sorted(decisions, key=lambda entry: float(entry["t"]))
    certificate.max_violation = {
        "position": float(progress["worst_position"]), "velocity": float(progress["worst_velocity"])
    }  # fmt: skip


def decisions_log(decisions: np.ndarray, names: Sequence[str]) -> list[dict[str, Any]]:
    """What the method decided, for people; the independent coordinates by the names of their velocities."""
    return [
        {
            "t": float(decision["t"]),
            "from": BASES[decision["before"]],
            "to": BASES[decision["after"]],
            "why": REASONS[Reason(decision["why"])],
            "rank": int(decision["rank"]),
            "coordinates": [names[j] for j in decision["independent"] if j >= 0],
        }
        for decision in decisions
    ]
