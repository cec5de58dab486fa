"""Checks of the trajectory after it was computed: singular positions that were passed, branches that were left."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.certificate.branches import branches_left
from linkwork.analyses.certificate.rank_monitor import RankMonitor
from linkwork.analyses.certificate.singular_positions import singular_positions
from linkwork.analyses.certificate.trajectory import Trajectory
from linkwork.formulations.equations import Equations
from linkwork.results.result import Certificate

PATH_NUMBERS = 2**22  # that the states of the path may fill before it is checked


class PostCheck:
    """The trajectory since the constraints last changed, or were last checked; `scales`: of the entries of y.

    Branches are only judged for integrators with a tolerance (`adaptive`).
    """

    def __init__(
        self, trajectory: Trajectory, scales: np.ndarray, width: int, adaptive: bool, certificate: Certificate
    ) -> None:
        self.trajectory, self.scales, self.adaptive, self.certificate = trajectory, scales, adaptive, certificate
        self.longest = max(PATH_NUMBERS // width, 100)  # of the trajectory, in states
        self.warnings: list[str] = []

    def append(self, steps: np.ndarray, rows: np.ndarray, equations: Equations) -> None:
        """The steps of a chunk; a trajectory that has become long is checked at once."""
        self.trajectory.append(steps, rows)
        if self.trajectory.count > self.longest:
            self.check(equations)

    def check(self, equations: Equations) -> None:
        """Enter singular positions into the certificate; keep warnings about branches for the verdict."""
        certificate, compiled = self.certificate, equations.compiled
        layout = compiled.layout
        monitor = RankMonitor(self.trajectory.path(), Equations(compiled, row_state=equations.work.row_state))
        certificate.singular += singular_positions(monitor, certificate.singular)
        if self.adaptive:
            breaks = [*layout.breaks(certificate.t_end), *(event["t"] for event in certificate.events)]
            left = branches_left(monitor, self.scales[layout.velocities], breaks)
            self.warnings += [text for text in left if text not in self.warnings]
        self.trajectory.shorten()
