"""The nodes at which the adjoint equation needs the motion: those of a Runge-Kutta formula, panel after panel.

Panels end where the law jumps and where an output reads the motion; between, they are as long as some steps of the run,
and shorter where the error of the adjoint equation says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from linkwork.analyses.gradients.adjoint.motion import Instant
from linkwork.integrators.dop853_table import NODES, STAGES

STEPS = 6  # of the run in a panel: so many evaluations a panel has, and so many the steps, of two each


GRADED = 8.0 ** -np.arange(1, 4)  # of a panel beside an instant


@dataclass(frozen=True)
class Panels:
    """Ends of panels, ascending, with the number of the segment between two instants in which each panel lies."""

    ends: np.ndarray  # [panel + 1] s
    segment: np.ndarray  # [panel]


@dataclass(frozen=True)
class Nodes:
    """Where the motion is needed: times, and on which side of an instant."""

    t: np.ndarray  # [node] s
    segment: np.ndarray  # [node]
    stages: np.ndarray  # [panel, stage] nodes, from the end of the panel back
    borrowed: np.ndarray  # [node] one that lies at an instant takes the branch of this one; -1: it has its own

    def at_end(self, panel: int) -> int:
        """The node at the end of a panel."""
        return int(self.stages[panel, 0])


def first_panels(
    steps: np.ndarray, instants: Sequence[Instant], reads: np.ndarray, until: float
) -> Panels:  # fmt: skip
    """Panels from 0 to `until` (s); `steps`: s, ends of those of the run; `reads`: s, when outputs read the motion."""
    jumps = [one.t for one in instants if 0.0 < one.t < until]
    ends = np.unique(np.concatenate([[0.0, until], jumps, reads[(reads > 0.0) & (reads < until)]]))
    for a, b in pairwise(ends):
        inside = steps[(steps > a) & (steps < b)]
        ends = np.append(ends, inside[STEPS - 1 : -STEPS // 2 : STEPS])
    return _of_ends(np.sort(ends), np.array(jumps))


def refined(panels: Panels, pieces: np.ndarray, instants: Sequence[Instant]) -> Panels:
    """Each panel in so many; one that is cut and touches an instant, where a law may begin as a root does, is cut ever
    finer towards it.
    """
    jumps = np.array([one.t for one in instants])
    touched, parts = set(jumps.tolist()), []
    for a, b, n in zip(panels.ends[:-1], panels.ends[1:], pieces, strict=True):
        part = np.linspace(a, b, n + 1)[:-1]
        if n > 1 and a in touched:
            part = np.append(part, a + (part[1] - a) * GRADED)
        if n > 1 and b in touched:
            part = np.append(part, b - (b - a) / n * GRADED)
        parts.append(np.sort(part))
    return _of_ends(np.append(np.concatenate(parts), panels.ends[-1]), jumps)


def _of_ends(ends: np.ndarray, jumps: np.ndarray) -> Panels:
    return Panels(ends, np.searchsorted(np.sort(jumps), ends[:-1], side="right"))


def nodes_of(panels: Panels, instants: Sequence[Instant]) -> Nodes:
    """All nodes, those of two panels that meet once, but twice where the law jumps between them."""
    ends, count = panels.ends, len(panels.segment)
    t = ends[1:, None] - NODES[None, :STAGES] * np.diff(ends)[:, None]
    t[:, 0], t[:, NODES[:STAGES] == 1.0] = ends[1:], ends[:-1, None]
    segment = np.repeat(panels.segment[:, None], STAGES, axis=1)
    keys = np.stack([segment.ravel().astype(float), t.ravel()], axis=1)
    unique, stages = np.unique(keys, axis=0, return_inverse=True)
    times, of = unique[:, 1], unique[:, 0].astype(int)
    borrowed = np.full(len(times), -1)
    jumps = {one.t for one in instants}
    for k in np.flatnonzero([one in jumps for one in times]):
        inner = k + 1 if k + 1 < len(times) and of[k + 1] == of[k] else k - 1
        borrowed[k] = inner
    return Nodes(times, of, stages.reshape(count, STAGES), borrowed)
