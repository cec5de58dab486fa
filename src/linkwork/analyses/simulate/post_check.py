"""Checks of the trajectory after it was computed: singular positions that were passed, branches that were left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.analyses.certificate.branches import branches_left
from linkwork.analyses.certificate.singular.rank_monitor import RankMonitor
from linkwork.analyses.certificate.singular.singular_positions import singular_positions
from linkwork.analyses.certificate.trajectory import Trajectory
from linkwork.formulations.equations import Equations
from linkwork.formulations.plane.records import PlaneTables
from linkwork.results.result import Certificate, Informed, Recorder
from linkwork.system.compile import Compiled

PATH_NUMBERS, LEAST_STATES = 2**22, 100  # that the states of the path may fill before it is checked; so many at least


class PostCheck:
    """The trajectory since the constraints last changed, or were last checked; `scales`: of the entries of y; `breaks`:
    BREAKs, where velocities may jump.

    Branches are only judged for integrators with a tolerance (`adaptive`); without rows there is nothing to check.
    `recursion`: the run eliminates rows where they close.
    """

    def __init__(
        self, trajectory: Trajectory, compiled: Compiled, scales: np.ndarray, width: int, adaptive: bool,
        breaks: np.ndarray, certificate: Certificate, recorders: Sequence[Recorder] = (),
        plane: PlaneTables | None = None, recursion: bool = False,
    ) -> None:  # fmt: skip
        """`plane`: tables of a mechanism that moves in a plane, and is examined there."""
        self.informed = [recorder for recorder in recorders if isinstance(recorder, Informed)]
        self.compiled = compiled
        self.trajectory, self.scales, self.adaptive, self.certificate = trajectory, scales, adaptive, certificate
        self.breaks, self.plane, self.recursion = breaks, plane, recursion
        self.longest = max(PATH_NUMBERS // width, LEAST_STATES)  # of the trajectory, in states
        self.warnings: list[str] = []

    def append(self, steps: np.ndarray, rows: np.ndarray, row_state: np.ndarray) -> None:
        """The steps of a chunk, and what the constraint rows hold in them; a long trajectory is checked at once."""
        if not len(self.compiled.system.rows):
            return
        self.trajectory.append(steps, rows)
        if self.trajectory.count > self.longest:
            self.check(row_state)

    def check(self, row_state: np.ndarray) -> None:
        """Enter singular positions into the certificate; keep warnings about branches for the verdict."""
        if not len(self.compiled.system.rows):
            return
        certificate, layout = self.certificate, self.compiled.layout
        recursive = Equations(self.compiled, row_state=row_state, recursion=True) if self.recursion else None
        equations = Equations(self.compiled, row_state=row_state, plane=self.plane)
        monitor = RankMonitor(self.trajectory.path(), equations, recursive)
        certificate.singular += singular_positions(monitor, certificate.singular, self._tell)
        if self.adaptive:
            breaks = [*self.breaks["t"], *(event["t"] for event in certificate.events)]
            left = branches_left(monitor, self.scales[layout.velocities], breaks)
            self.warnings += [text for text in left if text not in self.warnings]
        self.trajectory.shorten()

    def _tell(self, what: str, done: int, count: int) -> None:
        for recorder in self.informed:
            recorder.checking(what, done, count)
