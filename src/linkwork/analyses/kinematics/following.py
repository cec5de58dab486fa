"""A fully driven mechanism followed through its positions: segments, chunks, dead points, the result."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from linkwork.analyses.certificate.singular.rank_monitor import RankMonitor
from linkwork.analyses.certificate.singular.singular_positions import singular_positions
from linkwork.analyses.certificate.trajectory import Trajectory
from linkwork.analyses.kinematics.dead_points import dead_point
from linkwork.analyses.kinematics.tasks import Task
from linkwork.analyses.simulate.chunk_buffers import ChunkBuffers
from linkwork.analyses.simulate.recording import Recording, count_effort
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.scales import state_scales
from linkwork.compiler.kernels import bind, bind_loop
from linkwork.errors import Entry, NumericalError
from linkwork.expressions.kernels.crossings import BREAK
from linkwork.formulations.equations import Equations, evaluate
from linkwork.integrators import stages
from linkwork.integrators.loop.follow import VECTORS, follow
from linkwork.methods.registry import METHODS
from linkwork.numerics import status as codes
from linkwork.results.result import Certificate, Result
from linkwork.system.break_times import break_times
from linkwork.system.compile import Compiled

METHOD = METHODS["parametrization"]
SHORTEST = 1e-7  # of the whole span: a step below this is a standstill


def segments(compiled: Compiled, task: Task) -> Iterator[tuple[float, float, float, np.ndarray]]:
    """Where each segment ends, between what times its drivers are read, and the samples wanted in it.

    A sample at a jump is taken before it.
    """
    times = task.times
    breaks = break_times(compiled, float(times[-1])) if task.over_time else np.zeros(0, BREAK)
    parts = np.split(times, np.searchsorted(times, breaks["t"], side="right"))
    yield from zip([*breaks["t"], np.inf], [-np.inf, *breaks["after"]], [*breaks["before"], np.inf], parts, strict=True)


def give_work(result: Result) -> None:
    """The work of the drivers is the change of the energies, since they give whatever it takes."""
    total = result.energy[:, 0] + result.energy[:, 1]
    result.energy[:, 2] = result.states[:, 0] = total - total[:1]


class Follower:
    """One analysis: the stages, their memory, and the samples collected.  t in s, or the input of a sweep."""

    def __init__(self, start: Start, task: Task, certificate: Certificate) -> None:
        self.task, self.certificate = task, certificate
        self.equations, self.sampler = Equations(start.compiled), Equations(start.compiled)
        self.work = self.equations.work
        self.y, self.angles = start.y.copy(), start.angles.copy()
        scales = state_scales(start.compiled)
        self.work.scales[:] = np.where(scales > 0.0, scales, 1.0)
        memory = np.zeros((VECTORS, len(self.y)))
        self.buffers = ChunkBuffers(self.equations, memory, task.times, self.y, self.angles)
        span, control = max(float(np.abs(task.times - task.start).max()), 1e-300), self.buffers.control[0]
        control["t"], control["h"], control["h_min"] = task.start, span, SHORTEST * span
        self.trajectory = Trajectory(self.sampler, self.work.scales, task.start, self.y, self.angles)
        options = {
            "analysis": "kinematics", "until": float(task.times[-1]), "input": task.input, "unit": task.unit
        }  # fmt: skip
        most = self.buffers.most_samples
        self.recording = Recording(self.sampler, options, certificate, (), len(task.times), most)
        self.recording.begin()

    def bind(self) -> None:
        """Compile each stage alone, then the loop."""
        bind(evaluate, stages.EVALUATE)
        bind(METHOD.factor, stages.FACTOR)
        bind(METHOD.solve, stages.SOLVE)
        bind(METHOD.correct, stages.CORRECT)
        bind_loop(follow, stages.FOLLOW)

    def go(self) -> NumericalError | None:
        """Segment by segment between the jumps of the drivers, chunk by chunk; a dead point ends it."""
        buffers = self.buffers
        for end, t_low, t_high, wanted in segments(self.equations.compiled, self.task):
            self._begin_segment(t_low, t_high)
            goals = wanted if end == np.inf or end in wanted else np.append(wanted, end)
            status = codes.CHUNK_DONE
            while status == codes.CHUNK_DONE:
                buffers.samples = self.recording.next_rows()
                began, processor = time.perf_counter(), time.thread_time()
                status = follow(
                    evaluate, METHOD.factor, METHOD.solve, METHOD.correct, self.equations.system_ref, self.y,
                    self.angles, self.equations.work_ref, buffers.memory, buffers.control, buffers.progress, goals,
                    buffers.samples, buffers.history, buffers.path,
                )  # fmt: skip
                self.certificate.loop_s += time.perf_counter() - began
                self.certificate.cpu_s += time.thread_time() - processor
                self._collect(wanted)
            if status != codes.FINISHED:
                return self._standstill(goals)
        return None

    def _begin_segment(self, t_low: float, t_high: float) -> None:
        """Drivers are read inside of the segment; velocities may jump at its start."""
        t, segment = self.buffers.t, self.work.segment[0]
        segment["t_low"], segment["t_high"] = t_low, t_high
        segment["t_accepted"] = t
        self.buffers.control[0]["fresh"], self.buffers.progress[0]["next_sample"] = 1, 0

    def _collect(self, wanted: np.ndarray) -> None:
        """The samples of a chunk; the last may be a break time, which is not a sample."""
        count_effort(self.certificate, self.buffers, self.work, self.equations.compiled.layout.v_names)
        rows, steps, path = self.buffers.taken()
        done = int(self.buffers.progress[0]["next_sample"])
        times = wanted[done - len(rows) : done]
        self.trajectory.append(steps, path)
        self.recording.append(times, steps)

    def _standstill(self, goals: np.ndarray) -> NumericalError | None:
        """A dead point, which is written down; or an error."""
        t, task, certificate = self.buffers.t, self.task, self.certificate
        goal = goals[int(self.buffers.progress[0]["next_sample"])]
        found = dead_point(self.sampler, t, self.y, self.angles, float(np.sign(goal - t)) or 1.0)
        if found is not None:
            certificate.status = "stopped"
            certificate.singular.append({"t": found.t, "rank": found.rank, "joint": found.joint, "dead": True})
            certificate.warnings.append(
                f"dead point at {task.input} = {found.t:.10g} {task.unit} (rank {found.rank} of {len(self.work.v)}): "
                f"there joint '{found.joint}' can move while all drivers stand still, and the drivers cannot go on; "
                f"results up to there are kept. {Entry.DEAD_CENTRE.reference}"
            )
            return None
        certificate.status = "failed"
        remedy = "check that the drivers agree with each other and with the loops"
        return NumericalError(
            f"at {task.input} = {t:.6g} {task.unit} no next position is found; {remedy}; results up to there are kept",
            t=t,
            remedy=remedy,
            entry=Entry.NOT_MET,
        )

    def result(self) -> Result:
        """All samples, and the singular positions that were passed."""
        whole, task = self.recording.whole(), self.task
        give_work(whole)
        self.certificate.energy_drift = float("nan")
        passed = singular_positions(RankMonitor(self.trajectory.path(), self.sampler))
        self.certificate.singular = [*passed, *self.certificate.singular]
        self.certificate.warnings += [
            f"singular position passed near {task.input} = {entry['t']:.6g} {task.unit} (rank {entry['rank']} of "
            f"{entry['of']}): other branches begin there; the smooth one was followed"
            for entry in passed
        ]
        return whole
