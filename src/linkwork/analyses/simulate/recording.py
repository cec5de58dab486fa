"""The results of a run as they grow: parts with names, handed to the recorders, and the counts of the certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.analyses.simulate.chunk_buffers import ChunkBuffers
from linkwork.analyses.simulate.samples import Samples, samples_as_result
from linkwork.formulations.equations import Equations
from linkwork.formulations.workspace import Work
from linkwork.methods.reasons import BASES, REASONS, Reason
from linkwork.results.result import SAMPLED, Certificate, Recorder, Result

FIRST_ROOM = 10_000  # samples


class Recording:
    """Parts of the result, one a chunk; `sampler`: equations beside the run, for what the bodies do at a sample."""

    def __init__(
        self, sampler: Equations, options: Mapping[str, Any], certificate: Certificate, recorders: Sequence[Recorder]
    ) -> None:
        self.sampler, self.options, self.certificate, self.recorders = sampler, dict(options), certificate, recorders
        self.empty: Result  # a part without samples, from `begin` on
        self.steps: list[np.ndarray] = []
        self.filled = self.expected = 0  # samples
        self.columns: Samples = {}  # of all samples so far, with room for more

    def begin(self, buffers: ChunkBuffers, times: np.ndarray) -> None:
        """An empty part, from which the recorders learn names and shapes."""
        rows, steps = buffers.samples[:0], buffers.history[:0]
        self.empty = samples_as_result(self.sampler, times[:0], rows, steps, self.options, self.certificate)
        self.steps, self.filled, self.expected = [steps], 0, len(times)
        self.columns = {name: getattr(self.empty, name) for name in SAMPLED}
        for recorder in self.recorders:
            recorder.begin(self.empty)

    def take_up(self, part: Result) -> None:
        """What was computed before a run goes on."""
        views = self._next(len(part.t))
        for name, column in views.items():
            column[:] = getattr(part, name)
        kept: dict[str, Any] = {"certificate": self.certificate, **views}
        self._keep(replace(part, **kept))

    def append(self, times: np.ndarray, rows: np.ndarray, steps: np.ndarray) -> None:
        """The samples and steps of a chunk; they are in memory once."""
        views, first = self._next(len(times)), self.filled - len(times)
        before = self.columns["orientation"][first - 1] if first else None
        described = (self.options, self.certificate, self.empty)
        self._keep(samples_as_result(self.sampler, times, rows, steps, *described, views, before))

    def _keep(self, part: Result) -> None:
        """Hand a part, whose samples are in the columns, to the recorders."""
        self.steps.append(part.steps)
        for recorder in self.recorders:
            recorder.append(part)

    def _next(self, count: int) -> Samples:
        """Places of so many more samples; there is room for all expected, or of very many for twice those so far, as a
        run may end early.
        """
        first, self.filled = self.filled, self.filled + count
        if self.filled > len(self.columns["t"]):
            room = max(min(self.expected, max(2 * self.filled, FIRST_ROOM)), self.filled)
            for name, column in self.columns.items():
                self.columns[name] = np.empty((room, *column.shape[1:]), column.dtype)
                self.columns[name][:first] = column[:first]
        return {name: column[first : self.filled] for name, column in self.columns.items()}

    def whole(self) -> Result:
        """All parts as one; the shares of the bases into the certificate."""
        views: dict[str, Any] = {name: column[: self.filled] for name, column in self.columns.items()}
        whole = replace(self.empty, steps=np.concatenate(self.steps), **views)
        self.certificate.bases = basis_shares(whole.steps)
        return whole


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
