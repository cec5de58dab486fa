"""The gradient of outputs of a run by its adjoint equation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from linkwork.analyses.gradients.adjoint.channels import Channels, Weights
from linkwork.analyses.gradients.adjoint.motion import Motion, MotionRun
from linkwork.analyses.gradients.adjoint.panels import first_panels, nodes_of, refined
from linkwork.analyses.gradients.adjoint.parameters import Parameters
from linkwork.analyses.gradients.adjoint.sweep import Sweep, Tapes
from linkwork.analyses.gradients.refusals import singular_reasons
from linkwork.analyses.gradients.starts import start_of
from linkwork.analyses.gradients.stencil import Build
from linkwork.analyses.gradients.varied import NoAdjointError, Reversed, Sloped
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.scales import state_scales
from linkwork.elements.family import Phase
from linkwork.formulations.equations import family_kernels
from linkwork.integrators.sensitivities.saltation import NO_WATCH
from linkwork.results.result import Result
from linkwork.system.break_times import break_times

ROUNDS = 8  # of shorter panels
MOST_PANELS, FEW_PANELS = 20, 200  # times the first ones, and some
MOST_PIECES = 32  # of one panel, in a round
ORDER = 8


def adjoint_slopes(
    result: Result, build: Build, settings: Mapping[str, float], parameters: Sequence[str], start: Start | None = None
) -> Reversed:
    """A run whose numbers are differentiated backward."""
    run = AdjointRun(result, build, settings, parameters, start)

    def number(name: str) -> Sloped:
        return Sloped(result.channel(name), np.zeros(0), result.unit(name))

    return Reversed(result.t, lambda: result.known, number, run.gradients, run.reasons)


class AdjointRun:
    """A run, its parameters, and the gradients of numbers made of its channels."""

    def __init__(
        self, result: Result, build: Build, settings: Mapping[str, float], parameters: Sequence[str],
        start: Start | None = None,
    ) -> None:  # fmt: skip
        self.result = result
        self.options = replace(Options(**result.options), formulation=result.certificate.formulation)
        self.start = start_of(start, build(settings), self.options)
        self._refuse()
        self.parameters = Parameters(build, settings, parameters, self.start, self.options)
        self.changes = self.parameters.changes()
        self.tapes = Tapes(self.start, self.changes.words)
        self.motion = self._motion(result.t)
        self.last, self.reasons = self._limits()

    def _refuse(self) -> None:
        for phase, _, table in family_kernels(self.start.compiled):
            if phase == Phase.LOADS:
                raise NoAdjointError(
                    f"'{table.owners[0]}' depends on the loads of joints, through which the adjoint equation does not "
                    "go",
                    element=table.owners[0],
                )
        if self.start.misfit is not None:
            raise NoAdjointError("a loop closes only nearly, and is met by least squares, whose adjoint is not known")

    def _limits(self) -> tuple[float, list[str]]:
        """Until when (s) there are derivatives, and why not longer."""
        times = [float(entry["t"]) for entry in self.result.certificate.singular]
        return min([self.motion.trouble, *times]), [*self.motion.reasons, *singular_reasons(self.result)]

    # -- the recipe ---------------------------------------------------------------------------------------------
    def gradients(self, outputs: Sequence[Weights]) -> np.ndarray:
        """[output, parameter] of numbers with these derivatives with respect to channels at samples; NaN where one
        reads the motion when it has no derivative any more.
        """
        found = np.full((len(outputs), len(self.parameters.names)), np.nan)
        exist = [k for k, one in enumerate(outputs) if self.result.t[self._reads([one])].max(initial=0.0) <= self.last]
        if exist:
            found[exist] = self._existing([outputs[k] for k in exist])
        return found

    def _existing(self, outputs: Sequence[Weights]) -> np.ndarray:
        reads = self._reads(outputs)
        rows, times = self.motion.rows[reads], self.result.t[reads]
        channels = Channels(self.result, self.start.compiled, times, rows, state_scales(self.start.compiled))
        cut = [{name: weight[reads] for name, weight in one.items()} for one in outputs]
        by_rows = [channels.by_numbers(one) for one in cut]
        explicit = [channels.by_parameters(one, self.parameters) for one in cut]
        return np.asarray(np.array(explicit) + self._through_motion(by_rows, times))

    def _reads(self, outputs: Sequence[Weights]) -> np.ndarray:
        """The samples that some output reads."""
        used = np.zeros(len(self.result.t), bool)
        for one in outputs:
            for weight in one.values():
                used |= weight != 0.0
        return np.flatnonzero(used)

    def _motion(self, times: np.ndarray) -> Motion:
        return MotionRun(self.start, self.options, times, self.result.certificate.steps).motion()

    def _through_motion(self, rows: Sequence[np.ndarray], reads: np.ndarray) -> np.ndarray:
        """What parameters change by way of the motion."""
        motion = self.motion
        end = max(float(reads.max(initial=0.0)), float(self.result.t[1]))
        panels = first_panels(motion.steps, motion.instants, reads, end)
        most = MOST_PANELS * len(panels.segment) + FEW_PANELS
        for _ in range(ROUNDS):
            nodes = nodes_of(panels, motion.instants)
            sampled = self._motion(np.unique(nodes.t))
            sweep = Sweep(self.tapes, nodes, panels, sampled, self.changes.values)
            found = [self._back(sweep, one, reads) for one in rows]
            errors = np.nan_to_num(np.max([one[1] for one in found], axis=0), nan=np.inf) / self.options.rtol
            if errors.max() <= 1.0:
                return np.array([one[0] for one in found])
            pieces = np.ceil(1.2 * errors ** (1.0 / ORDER)).clip(1, MOST_PIECES).astype(int)
            panels = refined(panels, pieces, motion.instants)
            if len(panels.segment) > most:
                break
        raise NoAdjointError("the adjoint equation needs far shorter steps than the motion, whose fast modes it moves")

    def _back(self, sweep: Sweep, rows: np.ndarray, reads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The gradient of one output, and the errors of the panels."""
        total, at_panel = np.zeros(len(self.changes.values)), {}
        first = np.zeros(len(self.changes.y))
        for t, row in zip(reads, rows, strict=True):
            if not np.any(row):
                continue
            panel = int(np.searchsorted(sweep.panels.ends, t)) - 1
            node = sweep.nodes.at_end(panel) if panel >= 0 else int(sweep.nodes.stages[0, -1])
            y, words = sweep.sample(node, row)
            total += words
            if panel >= 0:
                at_panel[panel] = y
            else:
                first += y
        w, words, shares = sweep.back_from(at_panel)
        errors, changes = sweep.errors, self.changes
        w, more = sweep.onto_constraints(w + first)
        gradient = w @ changes.y + (total + words + more) @ changes.slopes
        for share, one in zip(shares, sweep.motion.instants, strict=True):
            if one.watch == NO_WATCH:
                gradient += share * self._break_slope(one.t)
        return gradient, errors

    def _break_slope(self, t: float) -> np.ndarray:
        """Of a break time, [parameter]."""
        breaks = break_times(self.start.compiled, self.options.until)["t"]
        return np.asarray(self.changes.breaks[int(np.argmin(np.abs(breaks - t)))])
