"""A fully driven mechanism followed through its positions: segments, chunks, dead points, the result."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwork.analyses.certificate.rank_monitor import RankMonitor
from linkwork.analyses.certificate.singular_positions import singular_positions
from linkwork.analyses.certificate.trajectory import Trajectory, path_buffer
from linkwork.analyses.kinematics.dead_points import dead_point
from linkwork.analyses.simulate.chunk_buffers import CHUNK_ROWS
from linkwork.analyses.simulate.samples import columns_of, samples_as_result
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.scales import state_scales
from linkwork.compiler.kernels import bind, bind_loop
from linkwork.errors import NumericalError
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.records import INSIDE
from linkwork.integrators import stages
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.chunks import HISTORY, PROGRESS
from linkwork.integrators.loop.follow import VECTORS, follow
from linkwork.methods.registry import METHODS
from linkwork.numerics import status as codes
from linkwork.results.result import Certificate, Result, joined

METHOD = METHODS["parametrization"]
SHORTEST = 1e-7  # of the whole way: a step below this is a standstill


class Follower:
    """One analysis: the stages, their memory, and the samples collected.  t in s, or the input of a sweep."""

    def __init__(
        self, start: Start, t: float, times: np.ndarray, input: str, unit: str, certificate: Certificate
    ) -> None:
        self.times, self.input, self.unit, self.certificate = times, input, unit, certificate
        self.equations, self.looking = Equations(start.compiled), Equations(start.compiled)
        self.work = self.equations.work
        self.y, self.angles = start.y.copy(), start.angles.copy()
        self.work.scales[:] = np.where(state_scales(start.compiled) > 0.0, state_scales(start.compiled), 1.0)
        self.memory = np.zeros((VECTORS, len(self.y)))
        self.control, self.progress = np.zeros(1, CONTROL), np.zeros(1, PROGRESS)
        span = max(float(np.abs(times - t).max()), 1e-300)
        self.control[0]["t"], self.control[0]["h"], self.control[0]["h_min"] = t, span, SHORTEST * span
        self.options: dict[str, Any] = {
            "analysis": "kinematics", "until": float(times[-1]), "input": input, "unit": unit
        }  # fmt: skip
        self.buffer = np.zeros((min(len(times) + 1, CHUNK_ROWS), columns_of(self.equations).width))
        self.path = path_buffer(self.y, self.angles)
        self.history = np.zeros(len(self.path), HISTORY)
        self.trajectory = Trajectory(self.looking, self.work.scales, t, self.y, self.angles)
        self.parts: list[Result] = []
        self._collect(times[:0])

    def bind(self) -> None:
        """Compile each stage alone, then the loop."""
        bind(evaluate, stages.EVALUATE)
        bind(METHOD.factor, stages.FACTOR)
        bind(METHOD.solve, stages.SOLVE)
        bind(METHOD.correct, stages.CORRECT)
        bind_loop(follow, stages.FOLLOW)

    def go(self) -> NumericalError | None:
        """Segment by segment between the jumps of the drivers, chunk by chunk; a dead point ends it."""
        for end, wanted in self._segments():
            self._begin_segment(end)
            goals = wanted if end == np.inf or end in wanted else np.append(wanted, end)
            status = codes.CHUNK_DONE
            while status == codes.CHUNK_DONE:
                began = time.perf_counter()
                status = follow(
                    evaluate, METHOD.factor, METHOD.solve, METHOD.correct, self.equations.system_ref, self.y,
                    self.angles, self.equations.work_ref, self.memory, self.control, self.progress, goals, self.buffer,
                    self.history, self.path,
                )  # fmt: skip
                self.certificate.loop_s += time.perf_counter() - began
                self._collect(wanted)
            if status != codes.FINISHED:
                return self._standstill(goals)
        return None

    def _segments(self) -> Iterator[tuple[float, np.ndarray]]:
        """Where each segment ends, and the samples wanted in it; one at a jump is taken before it."""
        breaks = self.equations.compiled.layout.break_times if self.unit == "s" else ()
        inner = [t for t in breaks if 0.0 < t < self.times[-1]]
        parts = np.split(self.times, np.searchsorted(self.times, inner, side="right"))
        yield from zip([*inner, np.inf], parts, strict=True)

    def _begin_segment(self, end: float) -> None:
        """Drivers are read inside of the segment; velocities may jump at its start."""
        t, segment = float(self.control[0]["t"]), self.work.segment[0]
        later = self.unit == "s" and t > 0.0
        segment["t_low"] = t + INSIDE * t if later else -np.inf
        segment["t_high"] = end - INSIDE * end if end != np.inf else np.inf
        segment["t_accepted"] = t
        self.control[0]["fresh"], self.progress[0]["next_sample"] = 1, 0

    def _collect(self, wanted: np.ndarray) -> None:
        """The samples of a chunk; the last may be a break time, which nobody asked for."""
        now, control, certificate = self.progress[0], self.control[0], self.certificate
        done = int(now["next_sample"])
        times = wanted[done - int(now["filled"]) : done].copy()
        rows, steps = self.buffer[: len(times)].copy(), self.history[: now["history"]].copy()
        before = next((part.orientation[-1] for part in reversed(self.parts) if len(part.t)), None)
        certificate.t_end = float(control["t"])
        certificate.steps, certificate.rejected = int(control["steps"]), int(control["rejected"])
        certificate.evaluations = int(control["evaluations"])
        certificate.factorizations = int(self.work.counters[0]["factorizations"])
        certificate.max_violation = {
            "position": float(now["worst_position"]), "velocity": float(now["worst_velocity"])
        }  # fmt: skip
        self.trajectory.append(steps, self.path[: len(steps)])
        self.parts.append(samples_as_result(self.looking, times, rows, steps, self.options, certificate, before))

    def _standstill(self, goals: np.ndarray) -> NumericalError | None:
        """A dead point, which is written down; or an error."""
        t = float(self.control[0]["t"])
        goal = goals[int(self.progress[0]["next_sample"])]
        certificate = self.certificate
        found = dead_point(self.looking, t, self.y, self.angles, float(np.sign(goal - t)) or 1.0)
        if found is not None:
            certificate.status = "stopped"
            certificate.singular.append({"t": found.t, "rank": found.rank, "joint": found.joint, "dead": True})
            certificate.warnings.append(
                f"dead point at {self.input} = {found.t:.10g} {self.unit} (rank {found.rank} of "
                f"{len(self.work.v)}): there joint '{found.joint}' can move though all drivers stand still, and the "
                "drivers cannot go on; results until there are kept"
            )
            return None
        certificate.status = "failed"
        remedy = "check that the drivers agree with each other and with the loops"
        return NumericalError(
            f"at {self.input} = {t:.6g} {self.unit} no next position is found; {remedy}; results until then are kept",
            t=t,
            remedy=remedy,
        )

    def result(self) -> Result:
        """All samples; the work is what the energies tell, since the drivers give whatever it takes."""
        whole = joined(self.parts)
        total = whole.energy[:, 0] + whole.energy[:, 1]
        whole.energy[:, 2] = whole.states[:, 0] = total - total[:1]
        self.certificate.energy_drift = float("nan")
        passed = singular_positions(RankMonitor(self.trajectory.path(), self.looking))
        self.certificate.singular = [*passed, *self.certificate.singular]
        self.certificate.warnings += [
            f"singular position passed near {self.input} = {entry['t']:.6g} {self.unit} (rank {entry['rank']}): other "
            "branches begin there; the smooth one was followed"
            for entry in passed
        ]
        return whole
