"""A model as a file that the runtime in C reads: runtime/instance.h has the same records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from linkwork.fmu.image import Image

MAGIC = b"linkwork model"
PARTS = (
    "system", "work", "y", "angles", "memory", "control", "progress", "times", "samples", "history", "path",
    "event_location", "state", "orientation", "stops", "found", "no_signals", "no_switches",
    "alike", "occurrences", "steps", "complex_state", "along", "given", "driven", "slopes", "slope_rates",
)  # fmt: skip
COLUMNS = ("v_dot", "lam", "kinetic", "potential", "signals", "work_integral")
COUNTS = (
    "image", "relocations", "calls", "kernels", "variables", "entries", "breaks", "crossings", "changes",
    "bodies", "names",
)  # fmt: skip
HEAD = np.dtype(
    [
        ("magic", "S16"), ("library", "S24"), ("token", "S40"), ("head_size", np.int64),
        *((name, np.int64) for name in (*(f"{name}_count" for name in COUNTS), *PARTS)),
        ("stages", np.int64, (7,)),
        *((f"{name}_column", np.int64) for name in COLUMNS),
        ("events", np.int64), ("projects", np.int64),
    ],
    align=True,
)  # fmt: skip
KERNEL_NAME = "S128"
CALL = np.dtype([("word", np.int64), ("kernel", np.int64)])
VARIABLE = np.dtype([*((name, np.int64) for name in ("kind", "index", "second", "row", "name")), ("start", np.float64)])
ENTRY = np.dtype([("place", np.int64), ("reciprocal", np.int64), ("base", np.float64), ("slope", np.float64)])
CROSSING = np.dtype([(name, np.int64) for name in ("first_op", "op_count", "thresholds")])
BODY = np.dtype([("body", np.int64), ("R", np.float64, (3, 3)), ("p", np.float64, (3,))])


class Kind(IntEnum):
    """What a variable is; its index and second index are stated in runtime/instance.h."""

    TIME = 0
    STATE = 1
    DERIVATIVE = 2
    COLUMN = 3
    ENERGY = 4
    BALANCE = 5
    POSITION = 6
    VELOCITY = 7
    SPIN = 8
    ORIENTATION = 9
    INPUT = 10
    DRIVER = 11
    PARAMETER = 12
    STEPS = 13
    EVALUATIONS = 14
    SWITCH = 15


@dataclass(frozen=True)
class Variable:
    """A variable of a model: where the runtime finds it, and what XML says of it."""

    name: str
    kind: Kind
    index: int = 0
    second: int = 0
    unit: str = ""
    start: float | None = None  # of inputs, parameters and states
    row: int = -1  # of a driver
    text: str = ""  # a description


@dataclass
class ModelFile:
    """All sections of the file."""

    library: str
    token: str
    image: Image
    parts: dict[str, int]
    stages: Sequence[str]
    columns: dict[str, int]
    variables: list[Variable]
    entries: np.ndarray
    breaks: np.ndarray
    crossings: np.ndarray
    changes: list[str]  # names, those of events last
    events: int  # how many
    projects: bool  # the method brings the state back onto the constraints
    bodies: np.ndarray
    _names: bytearray = field(default_factory=bytearray)

    def content(self) -> bytes:
        """The bytes of the file."""
        stages = [self.image.kernel(symbol) for symbol in self.stages]
        image = self.image
        sections: dict[str, np.ndarray] = {
            "image": np.frombuffer(image.finish(), np.uint8),
            "relocations": np.array(image.relocations, np.int64),
            "calls": np.array(image.calls, CALL),
            "kernels": np.array([symbol.encode() for symbol in image.kernels], KERNEL_NAME),
            "variables": np.array([self._variable(v) for v in self.variables], VARIABLE),
            "entries": self.entries,
            "breaks": self.breaks,
            "crossings": self.crossings,
            "changes": np.array([self._name(name) for name in self.changes], np.int64),
            "bodies": self.bodies,
        }
        sections["names"] = np.frombuffer(bytes(self._names) + bytes(-len(self._names) % 8), np.uint8)
        head = np.zeros(1, HEAD)
        head["magic"], head["library"], head["token"] = MAGIC, self.library.encode(), self.token.encode()
        head["head_size"], head["stages"] = HEAD.itemsize, stages
        for name in COUNTS:
            head[f"{name}_count"] = len(sections[name])
        for name in PARTS:
            head[name] = self.parts[name]
        for name in COLUMNS:
            head[f"{name}_column"] = self.columns[name]
        head["events"], head["projects"] = self.events, self.projects
        return head.tobytes() + b"".join(section.tobytes() for section in sections.values())

    def _variable(self, v: Variable) -> tuple[int, int, int, int, int, float]:
        return v.kind, v.index, v.second, v.row, self._name(v.name), v.start or 0.0

    def _name(self, name: str) -> int:
        at = len(self._names)
        self._names += name.encode() + b"\0"
        return at
