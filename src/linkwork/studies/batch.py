"""A batch: one mechanism, many starts and parameters, the same options for each; how each ended is kept.

Simulations are independent: here on the cores of this machine, one run a thread, used again and again; in gpu.py one
simulation a GPU thread.  The loop is that of a single run (integrators/loop/advance.py): break times, events, locks and
blows happen as there, and each simulation ends as it would alone, to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from linkwork.analyses.simulate.checkpoint import arrays_of
from linkwork.analyses.simulate.dynamics import Options, first_integrator, refuse_pairing
from linkwork.analyses.simulate.events import watch_from_start
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.start.assembly import Start
from linkwork.elements.forces.python_force import PythonForce
from linkwork.errors import OptionError, nearest
from linkwork.integrators.contract import Integrator
from linkwork.methods.contract import Method
from linkwork.methods.registry import choose_method
from linkwork.numerics.status import Status
from linkwork.results.result import Certificate
from linkwork.system.break_times import break_times
from linkwork.system.tables import System

STEPS = 4096  # of a chunk


@dataclass(frozen=True)
class Batch:
    """What to simulate.  `tables` replaces tables of the System, with one set of rows a simulation.

    Examples:
        >>> bodies = np.tile(start.compiled.system.bodies, (1000, 1))
        >>> bodies["mass"][:, 3] = np.linspace(1.0, 2.0, 1000)  # kg
        >>> batch = Batch(start, np.tile(start.y, (1000, 1)), Options(until=0.5), {"bodies": bodies})
    """

    start: Start  # the mechanism in one formulation, with the counted angles at the start
    states: np.ndarray  # [simulation, y] at t = 0; brought onto the constraints before the first step
    options: Options  # of each run; the formulation is that of `start`, nothing is sampled
    tables: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.states.ndim != 2 or self.states.shape[1] != len(self.start.y) or not np.isfinite(self.states).all():
            raise OptionError(
                f"states has the shape {self.states.shape}; give finite numbers [simulation, {len(self.start.y)}]",
                element="states",
            )
        for name in self.start.compiled.layout.blocks:
            raise OptionError(f"fmu block '{name}': a batch has no FMUs; simulate run by run", element=name)
        for force in self.start.compiled.mechanism.of(PythonForce):
            raise OptionError(
                f"python force '{force.name}': Python would hold up the other threads; simulate run by run, or write "
                "the law as an expression",
                element=force.name,
            )
        for name, rows in self.tables.items():
            if name not in System._fields:
                raise OptionError(f"there is no table '{name}'; {nearest(name, System._fields)}", element=name)
            table = getattr(self.system, name)
            if rows.dtype != table.dtype or rows.shape != (len(self.states), *table.shape):
                raise OptionError(
                    f"table '{name}' has the shape {rows.shape}; give one set of rows a simulation, "
                    f"{(len(self.states), *table.shape)}, of the same kind",
                    element=name,
                )
        refuse_pairing(self.start.compiled.mechanism, self.method, self.scheme)

    @property
    def system(self) -> System:
        """The tables of all simulations, but for those in `tables`."""
        return self.start.compiled.system

    @property
    def scheme(self) -> Integrator:
        """The integrator; 'auto' is the explicit one, throughout."""
        return first_integrator(self.options.integrator)

    @property
    def method(self) -> Method:
        """The method."""
        return choose_method(self.options.method, self.system)[0]

    def ready_run(self, tables: Mapping[str, np.ndarray]) -> ForwardRun:
        """A run at its start, with these tables in place of those of the System."""
        compiled = replace(self.start.compiled, system=self.system.changed(**tables))
        start = replace(self.start, compiled=compiled)
        return ForwardRun(start, self.method, self.scheme, self.options, Certificate(), (), np.zeros(0))


@dataclass(frozen=True)
class Ends:
    """How the simulations of a batch ended."""

    states: np.ndarray  # [simulation, y]
    t: np.ndarray  # [simulation] s: `until`, unless an event or a failure ended it before
    status: np.ndarray  # [simulation] a Status of numerics/status.py: FINISHED, STOPPED by an event, or a failure
    #                     (CHUNK_DONE: after max_steps)
    steps: np.ndarray  # [simulation] accepted

    @property
    def failed(self) -> np.ndarray:
        """[simulation] whether it came to no regular end."""
        return ~np.isin(self.status, (Status.FINISHED, Status.STOPPED))


def ends_of(batch: Batch) -> Ends:
    """Room for them."""
    count = len(batch.states)
    states = batch.states.astype(float, order="C")
    return Ends(states, np.zeros(count), np.zeros(count, np.int64), np.zeros(count, np.int64))


def run_on_threads(batch: Batch, threads: int = 1) -> Ends:
    """Every simulation on this machine's cores; the same bits whatever the number of threads."""
    if threads < 1:
        raise OptionError(f"threads is {threads}; at least one is needed", element="threads")
    lanes = [_Lane(batch) for _ in range(threads)]
    shares = np.array_split(np.arange(len(batch.states)), threads)
    ends = ends_of(batch)
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda lane, share: lane.run(share, ends), lanes, shares):
            pass
    return ends


class _Lane:
    """What one thread needs: tables, and a run that it brings back to its start for each simulation."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.tables = {name: getattr(batch.system, name).copy() for name in batch.tables}
        self.run_ahead = batch.ready_run(self.tables)
        self.run_ahead.bind()
        self.as_new = [(array, array.copy()) for _, array in arrays_of(self.run_ahead)]

    def run(self, share: np.ndarray, ends: Ends) -> None:
        """The simulations of `share`, one after the other, each from a run as new."""
        for k in share:
            for array, start in self.as_new:
                array[...] = start
            for name, rows in self.batch.tables.items():
                self.tables[name][:] = rows[k]
            ends.status[k] = self._one(ends.states[k])
            control = self.run_ahead.buffers.control[0]
            ends.t[k], ends.steps[k] = control["t"], control["steps"]

    def _one(self, y: np.ndarray) -> Status:
        """From y to the end, into y."""
        run, until = self.run_ahead, self.batch.options.until
        run.y[:] = y
        if "ops" in self.tables:
            run.breaks = break_times(run.compiled, until)
        watch_from_start(run.equations, run.y, run.angles, self.batch.options.rtol if run.integrator.adaptive else None)
        run.begin(0.0, until)
        status, most, control = Status.CHUNK_DONE, self.batch.options.max_steps or math.inf, run.buffers.control[0]
        while status in (Status.CHUNK_DONE, Status.CHANGED) and control["steps"] < most:
            status = run.chunk(int(min(STEPS, most - control["steps"])))
        y[:] = run.y
        return status
