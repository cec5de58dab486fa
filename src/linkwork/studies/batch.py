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

from linkwork.analyses.start.assembly import Start
from linkwork.errors import OptionError, nearest
from linkwork.formulations.equations import Equations
from linkwork.formulations.workspace import REMEMBERED
from linkwork.integrators.contract import Integrator
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.fixed_steps import Stages, bind_fixed_steps, fixed_steps_on_cpu
from linkwork.integrators.registry import INTEGRATORS, integrator
from linkwork.methods.contract import Method
from linkwork.methods.registry import choose_method
from linkwork.system.break_times import break_times
from linkwork.system.tables import System


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
        if self.scheme.adaptive:
            fixed = nearest(self.integrator, [name for name, scheme in INTEGRATORS.items() if not scheme.adaptive])
            raise OptionError(f"integrator '{self.integrator}' chooses its own steps; in a batch {fixed}")
        if not (np.isfinite(self.step) and self.step > 0.0):
            raise OptionError(f"step is {self.step:g} s; it must be a finite number > 0", element="step")
        if self.count < 1:
            raise OptionError(f"count is {self.count}; at least one step must be taken", element="count")
        if self.states.ndim != 2 or self.states.shape[1] != len(self.start.y) or not np.isfinite(self.states).all():
            raise OptionError(
                f"states has the shape {self.states.shape}; give finite numbers [simulation, {len(self.start.y)}]",
                element="states",
            )
        breaks = [
            *break_times(self.start.compiled, self.until)["t"],
            *self.start.compiled.layout.regular_times(self.until),
        ]
        if breaks:
            raise OptionError(
                f"something jumps at t = {min(breaks):g} s (an expression, a lock, a blow, an FMU), which fixed steps "
                "would pass over; simulate such a mechanism run by run, or only up to there"
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
    def scheme(self) -> Integrator:
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
    """How the simulations of a batch ended: `status` is a Status of numerics/status.py, 0 if all is well."""

    states: np.ndarray  # [simulation, y]
    status: np.ndarray  # [simulation]


def run_on_threads(batch: Batch, threads: int = 1) -> Ends:
    """Every simulation on this machine's cores; the same bits whatever the number of threads."""
    if threads < 1:
        raise OptionError(f"threads is {threads}; at least one is needed", element="threads")
    lanes = [_Lane(batch) for _ in range(threads)]
    method = batch.method
    stages = bind_fixed_steps(method.factor, method.solve, method.correct, batch.scheme.step)
    shares = np.array_split(np.arange(len(batch.states)), threads)
    ends = Ends(batch.states.astype(float, order="C"), np.zeros(len(batch.states), np.int64))
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda lane, share: lane.run(stages, share, ends), lanes, shares):
            pass
    return ends


class _Lane:
    """What one thread needs: tables, a workspace and an integrator's memory of its own."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.tables = {name: getattr(batch.system, name).copy() for name in batch.tables}
        self.equations = Equations(replace(batch.start.compiled, system=batch.system.changed(**self.tables)))
        self.memory = batch.scheme.memory(len(batch.start.y))
        self.as_new = {name: getattr(self.equations.work, name).copy() for name in REMEMBERED}

    def run(self, stages: Stages, share: np.ndarray, ends: Ends) -> None:
        """The simulations of `share`, one after the other, each from a workspace as new."""
        batch, work = self.batch, self.equations.work
        for k in share:
            for name, rows in batch.tables.items():
                self.tables[name][:] = rows[k]
            for name, record in self.as_new.items():
                getattr(work, name)[:] = record
            ends.status[k] = fixed_steps_on_cpu(
                *stages, self.equations.system_ref, ends.states[k], batch.start.angles.copy(),
                self.equations.work_ref, self.memory, batch.control(), batch.count,
            )  # fmt: skip
