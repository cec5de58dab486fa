"""Stiff forces: whether stability, and not accuracy, holds down the steps of an explicit integrator.

Adams at the border of its stability gives up its order (Shampine and Gordon 1975, chapter 8: 50 steps of order 4 or
less are the sign of a stiff problem; dop853 has no such sign).  The history of a run holds the orders, so that the
loop pays nothing.  A run that shows the sign, with many steps to go, tries the implicit integrators for some steps each
from the present state.  What they achieve there is no guess: if evaluations per second of motion are many times fewer,
the run goes on with the best, or, where an integrator was asked for by name, says so and returns to the state before.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import Entry, NumericalError
from linkwork.integrators.registry import INTEGRATORS
from linkwork.numerics.status import Status

if TYPE_CHECKING:
    from linkwork.analyses.simulate.forward_run import ForwardRun

EXPLICIT, IMPLICIT = "adams", ("radau", "generalized-alpha")
WINDOW = 200  # steps that are looked at
LOW_ORDER = 4.0  # median over the window
# Steps before the first look; how many times as many before the next one, and after a trial.  Chunks end there,
# whatever the clock says, so that a run does not depend on how busy the machine is.
FIRST_LOOK, AGAIN, WAIT = 400, 1.1, 4
WORTH = 1000  # steps still to go, below which no trial pays
# Steps of a trial: radau's grow eightfold until they have found their length, the others' twofold.
TRIAL = {"adams": 60, "radau": 24, "generalized-alpha": 60}
PAYS = 3.0  # times fewer evaluations
# Evaluations that a step's share of factoring matrices costs, times the square of their size: of all motions, and of
# motions and rows where accelerations are not solved for.
FACTORS, FACTORS_WITH_ROWS = 1 / 400, 1 / 6000
MOST_MOTIONS = 1000  # beyond it a trial with full matrices takes too long


@dataclass(frozen=True)
class Pace:
    """How a run goes: the length of its steps, and what they cost."""

    h: float  # s, median
    cost: float  # evaluations for each second of motion


class Snapshot:
    """All that a trial changes, to be put back."""

    def __init__(self, run: ForwardRun) -> None:
        buffers = run.buffers
        present = (*run.work, run.y, run.angles, buffers.control, buffers.progress, buffers.event_location)
        self.run, self.arrays = run, [(array, array.copy()) for array in present]
        self.memory, self.integrator = buffers.memory, run.integrator

    def restore(self) -> None:
        """The run as it was."""
        for array, kept in self.arrays:
            array[...] = kept
        self.run.buffers.memory, self.run.integrator = self.memory, self.integrator


class IntegratorChoice:
    """Which integrator a run goes on with; `refusals`: why an implicit one cannot be used here."""

    def __init__(self, run: ForwardRun, refusals: Mapping[str, str]) -> None:
        self.run: ForwardRun = weakref.proxy(run)  # whose memory goes when the run is over
        self.refusals = dict(refusals)
        self.automatic = run.options.integrator == "auto"
        self.next_look = FIRST_LOOK
        self.switches: list[dict[str, object]] = []
        self.lengths, self.orders = np.zeros(0), np.zeros(0)
        self.since = (0.0, 0)  # s, evaluations: where the present pace is measured from

    def until_look(self, done: int) -> int:
        """Steps from here on before the next look."""
        return max(self.next_look - done, 1)

    def append(self, steps: np.ndarray) -> None:
        """The steps of a chunk, of which the last count."""
        self.lengths = np.append(self.lengths, steps["h"])[-WINDOW:]
        self.orders = np.append(self.orders, steps["order"])[-WINDOW:]

    def look(self, status: Status) -> Status:
        """Between two chunks: try the other integrator where the sign is there; the status of its chunk if it stays."""
        run = self.run
        steps = int(run.buffers.control[0]["steps"])
        if status != Status.CHUNK_DONE or steps < self.next_look:
            return status
        self.next_look = max(int(AGAIN * steps), steps + WINDOW)
        if not self._suspicious():
            return status
        self.next_look = max(WAIT * steps, steps + WINDOW)
        present = self._pace_of_run()
        rivals = [EXPLICIT] if run.integrator.implicit else [name for name in IMPLICIT if not self._refusal(name)]
        if not rivals:
            why = "; ".join(f"'{name}': {self._refusal(name)}" for name in IMPLICIT)
            self._warn(f"stiff: {self._held_down(present)}, and no implicit integrator can be used: {why}")
            return status
        before = Snapshot(run)
        found = {name: pace for name in rivals if (pace := self._pace_of_trial(self._trial(name, before), before))}
        best = min(found, key=lambda name: found[name].cost, default="")
        if not best or PAYS * found[best].cost > present.cost:
            before.restore()
            return status
        if self.automatic:
            tried = self._trial(best, before)
            self._log(before, found[best], present)
            run.collect(tried)
            return tried
        before.restore()
        count = (run.options.until - run.buffers.t) / found[best].h
        self._warn(
            f"stiff: {self._held_down(present)}; {best} would take about {about(count)} steps from here on: use "
            "integrator 'auto', which changes by itself, or that one"
        )
        return status

    def as_facts(self) -> dict[str, Any]:
        """All that it knows, for a run that goes on later."""
        return {
            "name": self.run.integrator.name, "next_look": int(self.next_look), "switches": self.switches,
            "lengths": self.lengths.tolist(), "orders": self.orders.tolist(), "since": list(self.since),
        }  # fmt: skip

    def take_up(self, facts: Mapping[str, Any]) -> None:
        """What `as_facts` has kept; the run gets the integrator that it had."""
        run = self.run
        if facts["name"] != run.integrator.name:
            run.integrator = INTEGRATORS[facts["name"]]
            run.bind()
            run.buffers.memory = run.integrator.memory(len(run.y))
        self.next_look, self.switches[:] = facts["next_look"], facts["switches"]
        self.lengths, self.orders = np.array(facts["lengths"], float), np.array(facts["orders"], float)
        self.since = (float(facts["since"][0]), int(facts["since"][1]))

    # -- the sign ---------------------------------------------------------------------------------------------
    def _suspicious(self) -> bool:
        run = self.run
        left = run.options.until - run.buffers.t
        if len(self.lengths) < WINDOW or not run.integrator.adaptive:
            return False
        if run.integrator.implicit and not self.switches:
            return False  # asked for
        low = run.integrator.name != EXPLICIT or float(np.median(self.orders)) <= LOW_ORDER
        return low and left > WORTH * float(np.median(self.lengths))

    def _held_down(self, pace: Pace) -> str:
        left = (self.run.options.until - self.run.buffers.t) / pace.h
        return (
            f"at t = {self.run.buffers.t:.4g} s stability holds the steps of {self.run.integrator.name} down to "
            f"{pace.h:.2g} s, some {about(left)} of them are still to go"
        )

    def _pace_of_run(self) -> Pace:
        control = self.run.buffers.control[0]
        t, evaluations = float(control["t"]), int(control["evaluations"])
        cost = (evaluations - self.since[1]) / (t - self.since[0])
        if self.run.integrator.implicit:
            cost += self._factoring() / float(np.median(self.lengths))
        self.since = (t, evaluations)
        return Pace(float(np.median(self.lengths)), cost)

    # -- the trial --------------------------------------------------------------------------------------------
    def _refusal(self, name: str) -> str:
        motions = len(self.run.compiled.system.dofs)
        if motions > MOST_MOTIONS:
            return f"it works with full matrices, here of {motions:,} motions"
        return self.refusals.get(name, "")

    def _trial(self, name: str, before: Snapshot) -> Status:
        """Some steps of another integrator from the state before."""
        before.restore()
        run = self.run
        run.integrator = INTEGRATORS[name]
        run.bind()
        run.buffers.memory = run.integrator.memory(len(run.y))
        control = run.buffers.control[0]
        control["h"], control["fresh"], control["own"] = 0.0, 1, 0.0
        began, processor = time.perf_counter(), time.thread_time()
        status = run.chunk(TRIAL[name])
        run.certificate.loop_s += time.perf_counter() - began
        run.certificate.cpu_s += time.thread_time() - processor
        return status

    def _pace_of_trial(self, status: Status, before: Snapshot) -> Pace | None:
        """By the last third of its steps, when the first have found their length; None where it failed."""
        buffers = self.run.buffers
        count = int(buffers.progress[0]["history"])
        if status not in (Status.CHUNK_DONE, Status.FINISHED, Status.CHANGED, Status.STOPPED) or count < 3:
            return None
        earlier = next(kept for array, kept in before.arrays if array is buffers.control)[0]
        h = float(np.median(buffers.history["h"][2 * count // 3 : count]))
        evaluations = (int(buffers.control[0]["evaluations"]) - int(earlier["evaluations"])) / count
        return Pace(h, (evaluations + (self._factoring() if self.run.integrator.implicit else 0.0)) / h)

    def _factoring(self) -> float:
        motions = len(self.run.compiled.system.dofs)
        if self.run.integrator.solves_accelerations:
            return FACTORS * float(motions) ** 2
        return FACTORS_WITH_ROWS * float(motions + int(self.run.work.method[0]["active_count"])) ** 2

    # -- what is reported ---------------------------------------------------------------------------------------
    def _log(self, before: Snapshot, found: Pace, present: Pace) -> None:
        """Like the switch of a method: when, from what to what, why."""
        run = self.run
        t = float(next(kept for array, kept in before.arrays if array is run.buffers.control)[0]["t"])
        stiff = run.integrator.implicit
        why = "stability held the steps down" if stiff else "no longer stiff"
        self.switches.append(
            {"t": t, "from": before.integrator.name, "to": run.integrator.name,
             "why": f"{why}: {present.h:.2g} s, and {found.h:.2g} s from here on", "coordinates": []}
        )  # fmt: skip
        run.certificate.integrator = run.integrator.name
        self.lengths, self.orders = np.zeros(0), np.zeros(0)
        self.since = (run.buffers.t, int(run.buffers.control[0]["evaluations"]))

    def _warn(self, text: str) -> None:
        self.run.certificate.warnings.append(text)
        self.next_look = np.iinfo(np.int64).max


def too_many_steps(t: float, most: int, h: float, until: float) -> NumericalError:
    """A run that has taken all the steps that it may."""
    remedy = f"give a larger max_steps or rtol, or integrator '{IMPLICIT[0]}' if its forces are stiff"
    return NumericalError(
        f"at t = {t:.6g} s of {until:.6g} s the run has taken {most:,} steps, as many as max_steps allows, the last of "
        f"{h:.2g} s; {remedy}; results until then are kept",
        element="max_steps", t=t, remedy=remedy, entry=Entry.TOO_MANY_STEPS,
    )  # fmt: skip


def about(count: float) -> str:
    """A number of steps to two digits."""
    return f"{int(float(f'{count:.2g}')):,}"
