"""Result: the samples of a run with their names, what was chosen and why, and how well it went.

It holds no live system, but the tables by which the motion of the bodies is computed when it is first read; the Python
functions of a model, which no file keeps, last as long as the process.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain, groupby
from typing import Any, Protocol, TypedDict, runtime_checkable

import numpy as np
from pydantic import ValidationError

from linkwork.elements.forces.python_force import PythonForce
from linkwork.errors import FileError, OptionError, nearest
from linkwork.mechanism import Mechanism
from linkwork.results.body_motion import BODY_MOTION, Motion, Moved
from linkwork.results.channel_list import COMPONENTS, together
from linkwork.results.channels import DERIVED, Channel, joint_channels, recorded_channel, recorded_channels
from linkwork.tables import Shown, Table, facts

INTERRUPTED = "stopped by the user"  # the warning of a run that Ctrl-C ended begins with this
MOST_ENTRIES = 6  # of a list, shown of a certificate
BY_EVENT = "stopped the run at t ="  # that of a run that an event of its model ended has this


@dataclass(repr=False)
class Certificate(Shown):
    """How the run went: choices, effort, and the two measures of trust - energy balance and constraint violation."""

    status: str = "finished"  # finished | suspect (do not trust it) | stopped | failed
    t_end: float = 0.0  # s, reached
    dof: int = 0  # degrees of freedom at the start: velocities less independent constraint equations
    formulation: str = ""  # joint or absolute
    method: str = ""  # how it stayed on the constraints
    integrator: str = ""  # that it began with
    why: str = ""  # these were chosen
    steps: int = 0  # accepted
    rejected: int = 0  # steps tried again, shorter
    evaluations: int = 0  # of the equations of motion
    factorizations: int = 0  # of the constraint rows
    wall_s: float = 0.0  # s, of everything but compilation
    loop_s: float = 0.0  # s, of the compiled time loop alone
    cpu_s: float = 0.0  # s, of the processor in it: other programs on the machine count little
    compile_s: float = 0.0  # s, of compiling kernels
    energy_drift: float = 0.0  # largest residual of the energy balance / energy scale
    max_violation: dict[str, float] = field(
        default_factory=lambda: {"position": 0.0, "velocity": 0.0}
    )  # of the constraints: m or rad, m/s or rad/s
    switches: list[dict[str, Any]] = field(default_factory=list)  # decisions: t, from, to, why
    bases: dict[str, dict[str, float]] = field(default_factory=dict)  # share of "steps" and of "time" in each basis
    events: list[dict[str, Any]] = field(default_factory=list)  # of the model: t, name, action, energy gained
    singular: list[dict[str, Any]] = field(default_factory=list)  # positions passed: t, rank, of, joints that are loose
    misfits: list[dict[str, Any]] = field(default_factory=list)  # loops that close only nearly: joints, m, rad
    verified: str = ""  # by what the errors were estimated; "": they were not
    errors: dict[str, float] = field(default_factory=dict)  # estimated global error of each channel, SI units
    warnings: list[str] = field(default_factory=list)  # also Python warnings
    error: dict[str, Any] | None = None  # why it is suspect or failed: code, message, element, t, remedy, entry

    def tables(self) -> list[Table]:
        """Every field that has something to report."""
        rows = [(one.name, _field_text(getattr(self, one.name))) for one in fields(self)]
        return [facts("certificate", [(name, text) for name, text in rows if text])]

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the run (and not an event of the model)."""
        return any(text.startswith(INTERRUPTED) for text in self.warnings)


class Names(TypedDict):
    """What stands along the axes of the samples, and the SI units where they differ along an axis."""

    bodies: list[str]
    joints: list[str]
    q: list[str]
    q_units: list[str]
    v: list[str]
    v_units: list[str]
    rows: list[str]  # "element: equation"
    row_units: list[str]  # of the multipliers
    measures: list[str]
    measure_units: list[str]


@dataclass
class Result:
    """Samples of a run.  SI units; one row per sample time."""

    model: str
    source: Mechanism | str  # the model; of a result that was read, as JSON
    options: dict[str, Any]
    names: Names
    t: np.ndarray  # s
    q: np.ndarray
    v: np.ndarray
    v_dot: np.ndarray
    lam: np.ndarray  # multipliers of the rows
    energy: np.ndarray  # [sample, 3] kinetic, potential, work of forces without potential; J
    motion: Motion  # of the bodies, computed when it is first read
    states: np.ndarray  # [sample, state] auxiliary: the work of forces without potential, then those of controllers
    measures: np.ndarray  # [sample, measure] numbers with names
    strength: np.ndarray  # logarithm of the volume that the constraint rows span, each of unit size; -inf: singular
    rank: np.ndarray  # independent constraint rows
    steps: np.ndarray  # history: t, h, order, rank of every accepted step
    certificate: Certificate
    functions: dict[str, Callable[..., Any] | None] = field(default_factory=dict)  # of Python forces; no file has them

    @property
    def position(self) -> np.ndarray:
        """[sample, body, 3] m, origin of the body frame."""
        return self.motion.all().position

    @property
    def orientation(self) -> np.ndarray:
        """[sample, body, 4] Euler parameters, scalar first."""
        return self.motion.all().orientation

    @property
    def velocity(self) -> np.ndarray:
        """[sample, body, 3] m/s, of that origin, world axes."""
        return self.motion.all().velocity

    @property
    def angular_velocity(self) -> np.ndarray:
        """[sample, body, 3] rad/s, world axes."""
        return self.motion.all().angular_velocity

    def moved(self, body: str) -> Moved:
        """How one body moves, [sample, component]."""
        return self.motion.of(self.names["bodies"].index(body))

    def part(self, rows: slice) -> Result:
        """Some of the samples."""
        return replace(self, motion=self.motion.part(rows), **{name: getattr(self, name)[rows] for name in HELD})

    @cached_property
    def model_text(self) -> str:
        """The model as JSON."""
        return self.source if isinstance(self.source, str) else self.source.model_dump_json(exclude_none=True)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The model; one that was read has its Python functions only while the process lasts."""
        if isinstance(self.source, Mechanism):
            return self.source
        try:
            mechanism = Mechanism.model_validate_json(self.source)
        except ValidationError as failure:
            problem = failure.errors()[0]["msg"]
            raise FileError(f"the model in the result of '{self.model}' cannot be read: {problem}") from None
        forces = [f.model_copy(update={"function": self.functions.get(f.name)}) for f in mechanism.of(PythonForce)]
        return mechanism.model_copy(update={"python_force": tuple(forces)}) if forces else mechanism

    def __getstate__(self) -> dict[str, Any]:
        """To other processes the model goes as text."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return own | {"source": self.model_text}

    @cached_property
    def _looked_up(self) -> dict[str, Channel]:
        return {}

    @cached_property
    def _recorded(self) -> dict[str, Channel]:
        return _by_name(recorded_channels(self))

    @cached_property
    def _known(self) -> dict[str, Channel]:
        derived = chain(joint_channels(self), *(make(self) for make in DERIVED))
        return self._recorded | _by_name(c for c in derived if c.name not in self._recorded)

    @property
    def known(self) -> Collection[str]:
        """The same as `channels`, to look a name up."""
        return self._known.keys()

    def channels(self) -> list[str]:
        """Names of all that `channel` gives: what the run holds, coordinates and rates of the other joints, loads."""
        return list(self._known)

    def recorded(self) -> list[str]:
        """Names of all that the run holds."""
        return list(self._recorded)

    def is_recorded(self, name: str) -> bool:
        """Whether the run holds this channel."""
        return recorded_channel(self, name) is not None

    def channel(self, name: str) -> np.ndarray:
        """One time history by name, in SI units."""
        return self._find(name).read(self)

    def channel_of(self, other: Result, name: str) -> np.ndarray:
        """The channel of another run of a mechanism that has the same names."""
        known = recorded_channel(self, name)
        return other.channel(name) if known is None else known.read(other)

    def unit(self, name: str) -> str:
        """SI unit of a channel; "" without dimension."""
        return self._find(name).unit

    def _find(self, name: str) -> Channel:
        found = self._looked_up.get(name) or recorded_channel(self, name) or self._known.get(name)
        if found is None:
            own = [known for known in self.channels() if known.startswith(f"{name}.")]
            hint = f"there are {shortened_list(own)}" if own else nearest(name, self.channels())
            raise OptionError(f"there is no channel '{name}'; {hint}", element=name)
        self._looked_up[name] = found
        return found


def _field_text(value: object) -> str:
    """A field of a certificate; "" where it is empty."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_field_text(one)}" for key, one in value.items())
    if isinstance(value, list):
        more = f"; and {len(value) - MOST_ENTRIES} more" if len(value) > MOST_ENTRIES else ""
        return "; ".join(_field_text(one) for one in value[:MOST_ENTRIES]) + more
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def shortened_list(names: Sequence[str]) -> str:
    """The names of channels, components of one vector together."""
    groups = groupby(names, lambda name: name.rpartition(".")[0] if name.rpartition(".")[2] in COMPONENTS else name)
    return ", ".join(together(list(group)) for _, group in groups)


def _by_name(channels: Iterable[Channel]) -> dict[str, Channel]:
    """Channels by name; of two with one name the first."""
    found: dict[str, Channel] = {}
    for channel in channels:
        found.setdefault(channel.name, channel)
    return found


HELD = tuple(f.name for f in fields(Result) if f.type == "np.ndarray" and f.name != "steps")
SAMPLED = (*HELD[: HELD.index("states")], *BODY_MOTION, *HELD[HELD.index("states") :])  # in this order in files


class Recorder(Protocol):
    """What follows a run while it goes on: a file, a progress bar."""

    def begin(self, empty: Result) -> None:
        """The run is about to start: a result without samples."""

    def append(self, part: Result) -> None:
        """A chunk is done: its samples and steps, the certificate as it stands."""

    def finish(self, certificate: Certificate) -> None:
        """The run has ended, well or not."""


@runtime_checkable
class Informed(Protocol):
    """A recorder that wants to know what goes on besides."""

    def checking(self, what: str, done: int, count: int) -> None:
        """A run is being checked: so many of these are done."""


def energy_drift(energy: np.ndarray, residual: float | None = None) -> float:
    """Largest residual of the energy balance, relative to the energy exchanged in the run, theory (11.2).

    T + U - W must keep its first value, W being the work of forces without potential, drivers included.  `residual`: J,
    where it is known.
    """
    if not len(energy):
        return 0.0
    scale = max(float(energy[:, 0].max()), float(np.ptp(energy[:, 1])), float(np.ptp(energy[:, 2])))
    worst = energy_residual(energy) if residual is None else residual
    return worst / scale if scale > 0.0 else worst


def energy_residual(energy: np.ndarray) -> float:
    """By how much T + U - W leaves its first value, J."""
    balance = energy[:, 0] + energy[:, 1] - energy[:, 2]
    return float(np.abs(balance - balance[:1]).max(initial=0.0))
