"""A batch: one mechanism, many starts and parameters, the same number of fixed steps for each; the end is kept.

Simulations are independent: here on the cores of this machine, one workspace a thread, in gpu.py one simulation a GPU
thread.  The kernels are those of a single run.  What a run does between chunks is left out: it stops at known break
times and at events (a batch with such is refused), and it chooses other active rows where those at hand serve badly
(here the rank-revealing factorization goes on instead: as right, but slower).
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from numba import typeof, types

from linkwork.analyses.start.assembly import Start
from linkwork.compiler.kernels import bind, bind_loop, kernel
from linkwork.errors import OptionError, nearest
from linkwork.formulations.equations import Equations, evaluate
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.chunks import end_of_step
from linkwork.integrators.registry import INTEGRATORS, Integrator, integrator
from linkwork.methods.registry import Method, choose_method
from linkwork.numerics.status import OK
from linkwork.system.tables import System

FIXED = [name for name, how in INTEGRATORS.items() if not how.adaptive]


@dataclass(frozen=True)
class Batch:
    """What to simulate.  `tables` replaces tables of the System, with one set of rows a simulation.

    Examples:
        >>> bodies = np.tile(start.compiled.system.bodies, (1000, 1))
        >>> bodies["mass"][:, 3] = np.linspace(1.0, 2.0, 1000)  # kg
        >>> batch = Batch(start, np.tile(start.y, (1000, 1)), step=1e-3, count=500, tables={"bodies": bodies})
    """

    start: Start  # the mechanism in one formulation, with the counted angles at the start
    states: np.ndarray  # [simulation, y] at t = 0; brought onto the constraints before the first step
    step: float  # s
    count: int  # steps
    integrator: str = "rk4"
    tables: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.how.adaptive:
            known = nearest(self.integrator, FIXED)
            raise OptionError(f"integrator '{self.integrator}' chooses its own steps; in a batch {known}")
        if not (np.isfinite(self.step) and self.step > 0.0):
            raise OptionError(f"step is {self.step:g} s; it must be a finite number > 0", element="step")
        if self.count < 1:
            raise OptionError(f"count is {self.count}; at least one step must be taken", element="count")
        if self.states.ndim != 2 or self.states.shape[1] != len(self.start.y) or not np.isfinite(self.states).all():
            raise OptionError(
                f"states has the shape {self.states.shape}; give finite numbers [simulation, {len(self.start.y)}]",
                element="states",
            )
        breaks = [t for t in self.start.compiled.layout.break_times if 0.0 < t < self.until]
        if breaks:
            raise OptionError(
                f"something jumps at t = {breaks[0]:g} s (an expression, a lock, a blow), which fixed steps would pass "
                "over; simulate such a mechanism run by run, or only up to there"
            )
        if self.start.compiled.layout.events:
            event = next(iter(self.start.compiled.layout.events))
            raise OptionError(
                f"event '{event}' would have to stop a simulation of the batch; simulate such a mechanism run by run",
                element=event,
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

    @property
    def system(self) -> System:
        """The tables of all simulations, but for those in `tables`."""
        return self.start.compiled.system

    @property
    def until(self) -> float:
        """End of every simulation, s."""
        return self.step * self.count

    @property
    def how(self) -> Integrator:
        """The integrator."""
        return integrator(self.integrator)

    @property
    def method(self) -> Method:
        """The method that suits the mechanism."""
        return choose_method("auto", self.system)[0]

    def control(self) -> np.ndarray:
        """The control record at the start of a simulation."""
        control = np.zeros(1, CONTROL)
        control["h"], control["t_stop"], control["fresh"] = self.step, self.until, 1
        return control


@dataclass(frozen=True)
class Ends:
    """How the simulations of a batch ended: `status` 0 is well, otherwise see numerics/status.py."""

    states: np.ndarray  # [simulation, y]
    status: np.ndarray  # [simulation]


def advance(evaluate, factor, solve, correct, step, system, y, angles, work, memory, control, count):
    """`count` steps of one simulation; a kernel on the CPU and on a GPU."""
    for _ in range(count):
        status = step(evaluate, factor, solve, correct, system, y, angles, work, memory, control)
        if status != OK:
            return status
        end_of_step(angles, work, control)
    return OK


_advance_here = kernel(advance)


def run_on_threads(batch: Batch, threads: int = 1) -> Ends:
    """Every simulation on this machine's cores; the same bits whatever the number of threads."""
    if threads < 1:
        raise OptionError(f"threads is {threads}; at least one is needed", element="threads")
    lanes = [_Lane(batch) for _ in range(threads)]
    lanes[0].bind()
    shares = np.array_split(np.arange(len(batch.states)), threads)
    ends = Ends(batch.states.astype(float, order="C"), np.zeros(len(batch.states), np.int64))
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda lane, share: lane.run(share, ends), lanes, shares):
            pass
    return ends


class _Lane:
    """What one thread needs: tables, a workspace and an integrator's memory of its own."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.tables = {name: getattr(batch.system, name).copy() for name in batch.tables}
        self.equations = Equations(replace(batch.start.compiled, system=batch.system.changed(**self.tables)))
        self.memory = np.zeros(batch.how.memory_size(len(batch.start.y)))
        self.counts, self.settings = self.equations.work.counts.copy(), self.equations.work.settings.copy()

    def bind(self) -> None:
        """Compile each stage alone, then the loop; what the cache holds is only loaded."""
        status, real, vector = types.int64, types.float64, types.float64[::1]
        system, work = typeof(self.equations.system_ref), typeof(self.equations.work_ref)
        control, method = typeof(self.batch.control()), self.batch.method
        E = bind(evaluate, types.void, system, real, vector, vector, work, types.int64)
        F = bind(method.factor, status, system, work)
        S = bind(method.solve, status, F, system, work, types.int64)
        C = bind(method.correct, status, E, F, S, system, real, vector, vector, work)
        T = bind(self.batch.how.step, status, E, F, S, C, system, vector, vector, work, vector, control)
        bind_loop(
            _advance_here, status, E, F, S, C, T, system, vector, vector, work, vector, control, types.int64
        )  # fmt: skip

    def run(self, share: np.ndarray, ends: Ends) -> None:
        """The simulations of `share`, one after the other, each from a workspace as new."""
        batch, method, how = self.batch, self.batch.method, self.batch.how
        system, work = self.equations.system_ref, self.equations.work_ref
        for k in share:
            for name, rows in batch.tables.items():
                self.tables[name][:] = rows[k]
            self.equations.work.counts[:], self.equations.work.settings[:] = self.counts, self.settings
            angles = batch.start.angles.copy()
            ends.status[k] = _advance_here(
                evaluate, method.factor, method.solve, method.correct, how.step, system, ends.states[k], angles, work,
                self.memory, batch.control(), batch.count,
            )  # fmt: skip
