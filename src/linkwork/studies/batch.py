"""A batch: one mechanism, many starts and parameters, the same options for each; how each ended is kept.

Simulations are independent: here on the cores of this machine, a share of them a thread; in gpu.py one simulation a GPU
thread.  The loop over them is compiled (integrators/loop/share.py), and inside it is that of a single run: break times,
events, locks and blows happen as there, and each simulation ends as it would alone, to the bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, first_integrator, refuse_pairing
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.start.assembly import Start
from linkwork.compiler.kernels import bind_loop
from linkwork.compiler.references import Reference
from linkwork.elements.forces.python_force import PythonForce
from linkwork.errors import OptionError, nearest
from linkwork.formulations.workspace import Work
from linkwork.integrators import stages
from linkwork.integrators.contract import Integrator
from linkwork.integrators.loop.share import REDUCED, run_share
from linkwork.methods.contract import Method
from linkwork.methods.registry import choose_method
from linkwork.numerics.status import Status
from linkwork.results.result import Certificate
from linkwork.studies.share import Share, Words
from linkwork.system.tables import System


@dataclass(frozen=True)
class Sampling:
    """What is kept of each simulation on its way: columns of its samples at given times."""

    times: np.ndarray  # s, rising
    columns: np.ndarray  # places in a row of samples (integrators/loop/rows.py)
    kept: np.ndarray | None = None  # numbers of the times at which values are kept, rising; None: all
    reduces: bool = True  # whether columns are reduced to their extremes and means

    def __post_init__(self) -> None:
        if len(self.times) == 0 or self.times[0] < 0.0 or (np.diff(self.times) <= 0.0).any():
            raise OptionError("times of samples are none, before 0 or not rising; give rising times", element="times")

    @property
    def kept_times(self) -> np.ndarray:
        """Numbers of the times at which values are kept."""
        return np.arange(len(self.times)) if self.kept is None else np.asarray(self.kept, np.int64)


@dataclass(frozen=True)
class Samples:
    """Samples of the simulations of a batch.  Of one that ended early the rest is not a number, and it is reduced as
    far as it came: over the times until then, with the line between two samples.
    """

    largest: np.ndarray  # [simulation, column]; so are all that columns are reduced to, empty unless they are
    least: np.ndarray
    first: np.ndarray
    last: np.ndarray
    integral: np.ndarray  # over the time, s
    squares: np.ndarray  # the integral of the square
    length: np.ndarray  # [simulation] s, from the first sample to the last
    values: np.ndarray  # [simulation, kept time, column], empty unless they are kept

    @property
    def mean(self) -> np.ndarray:
        """[simulation, column] over the time; of one sample its value."""
        return self._over_time(self.integral, self.last)

    @property
    def rms(self) -> np.ndarray:
        """[simulation, column] root of the mean square over the time."""
        found: np.ndarray = np.sqrt(self._over_time(self.squares, self.last**2))
        return found

    def _over_time(self, integral: np.ndarray, alone: np.ndarray) -> np.ndarray:
        length = self.length[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            found: np.ndarray = np.where(length > 0.0, integral / length, alone)
        return found

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All of them."""
        return (
            self.largest, self.least, self.first, self.last, self.integral, self.squares, self.length, self.values
        )  # fmt: skip


@dataclass(frozen=True)
class Batch:
    """What to simulate.  `tables` replaces tables of the System, with one set of rows a simulation.

    Examples:
        >>> bodies = np.tile(start.compiled.system.bodies, (1000, 1))
        >>> bodies["mass"][:, 3] = np.linspace(1.0, 2.0, 1000)  # kg
        >>> batch = Batch(start, np.tile(start.y, (1000, 1)), Options(until=0.5), {"bodies": bodies})
        >>> sampled = replace(batch, sampling=Sampling(np.linspace(0.0, 0.5, 51), np.arange(len(start.y))))
    """

    start: Start  # the mechanism in one formulation, with the counted angles at the start
    states: np.ndarray  # [simulation, y] at t = 0; brought onto the constraints before the first step
    options: Options  # of each run; the formulation is that of `start`, nothing is sampled
    tables: Mapping[str, np.ndarray] = field(default_factory=dict)
    sampling: Sampling | None = None

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
        refuse_pairing(self.start, self.method, self.scheme)

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

    def ready_run(self) -> ForwardRun:
        """A run at its start."""
        times = np.zeros(0) if self.sampling is None else self.sampling.times
        return ForwardRun(self.start, self.method, self.scheme, self.options, Certificate(), (), times)


@dataclass(frozen=True)
class Ends:
    """How the simulations of a batch ended."""

    states: np.ndarray  # [simulation, y]
    t: np.ndarray  # [simulation] s: `until`, unless an event or a failure ended it before
    status: np.ndarray  # [simulation] a Status of numerics/status.py: FINISHED, STOPPED by an event, or a failure
    #                     (CHUNK_DONE: after max_steps)
    steps: np.ndarray  # [simulation] accepted
    samples: Samples | None = None  # as far as they are asked for

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All of them."""
        return self.states, self.t, self.status, self.steps, *(self.samples.arrays if self.samples is not None else ())

    @property
    def failed(self) -> np.ndarray:
        """[simulation] whether it came to no regular end."""
        return ~np.isin(self.status, (Status.FINISHED, Status.STOPPED))


def run_on_threads(batch: Batch, threads: int = 1) -> Ends:
    """Every simulation on this machine's cores; the same bits whatever the number of threads."""
    if threads < 1:
        raise OptionError(f"threads is {threads}; at least one is needed", element="threads")
    share = Share(batch)
    share.run.bind()
    share.given  # noqa: B018  # once, for all threads
    bind_loop(run_share, stages.RUN_SHARE)
    found, status = share.places_for_ends()
    sampled = share.places_for_samples()
    parts = np.linspace(0, len(batch.states), threads + 1).astype(int)
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda first, last: _run(share, found, status, sampled, first, last), parts[:-1], parts[1:]):
            pass
    return ends_of(share, found, status, sampled)


def _run(
    share: Share, found: np.ndarray, status: np.ndarray, sampled: Sequence[np.ndarray], first: int, last: int
) -> None:
    """The simulations `first` to `last` - 1, in a room of this thread's own."""
    block = share.room.begun.copy()
    own, words = share.room.views(block), Words(block, share.room.begun, share.given, found, status)
    if "ops" not in share.batch.tables:
        run_share(*share.stages, *by_reference(share.arguments(own, words, None, sampled)), first, last)
        return
    for k in range(first, last):  # each with stops of its own
        run_share(*share.stages, *by_reference(share.arguments(own, words, k, sampled)), k, k + 1)


def by_reference(arguments: Iterable[Any]) -> list[Any]:
    """Structures as kernels take them."""
    return [Reference(one) if isinstance(one, (System, Work)) else one for one in arguments]


def ends_of(share: Share, found: np.ndarray, status: np.ndarray, sampled: Sequence[np.ndarray]) -> Ends:
    """How the simulations ended."""
    states, control = share.ends(found)
    return Ends(states, control["t"], status, control["steps"], samples_of(share.batch, control["t"], *sampled[2:]))


def samples_of(batch: Batch, t: np.ndarray, reduced: np.ndarray, kept: np.ndarray) -> Samples | None:
    """Samples of simulations that have ended at t, out of what the loop has kept of them, [number, simulation]."""
    if batch.sampling is None:
        return None
    sampling, count = batch.sampling, len(t)
    taken = np.searchsorted(sampling.times, t, side="right")
    length = np.where(taken > 0, sampling.times[np.maximum(taken, 1) - 1] - sampling.times[0], 0.0)
    width = len(sampling.columns) if sampling.reduces else 0
    rows = np.ascontiguousarray(reduced.reshape(width, REDUCED, count).transpose(1, 2, 0))
    largest, least, first, last, integral, squares = rows
    values = kept.reshape(len(sampling.kept_times), len(sampling.columns), count).transpose(2, 0, 1)
    return Samples(largest, least, first, last, integral, squares, length, values)
