"""What a declaration may ask and add while a mechanism is compiled; elements see nothing else of system/.

`Force.records`, `Element.constrain` and `Element.drive` receive a `Context`.  Names become numbers here: bodies and
frames (`places`), joint coordinates, expressions (`programs`, `signals`), auxiliary states (`states`), constraint rows
(`rows`), records of families (`tables`).  SI units, radians; world points mean the bodies where the model puts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from linkwork.elements.constraints.rows import ANGLE, POSITION

if TYPE_CHECKING:
    from linkwork.elements.declaration.base import Element
    from linkwork.elements.family import Family
    from linkwork.elements.forces.callbacks import Callback

GROUND = "ground"
Point = Sequence[float] | np.ndarray  # m
Pair = tuple[int, int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # the fields PAIR of a record (frame_pairs.py)


class Attachment(NamedTuple):
    """A point at which an element is attached to a body; of a flexible body it must be a node."""

    body: str
    at: Point  # m
    frame: str = GROUND  # the body in whose frame the point is given, with the bodies where the model puts them


class PairNumber(NamedTuple):
    """A number between a frame F on body A and a frame M on body B (elements/signals/frame_pairs.py)."""

    kind: int  # POINT, PARALLEL, ANGLE, DISTANCE
    i: int  # axis of F
    j: int  # axis of M
    pair: Pair
    joint: str = ""  # of a joint coordinate: the joint
    coordinate: str = ""  # and which of its coordinates

    @property
    def turns(self) -> bool:
        """An angle; otherwise a length or a cosine."""
        return self.kind == ANGLE

    @property
    def unit(self) -> str:
        """Unit of an effort along it."""
        return "N m" if self.turns else "N"

    @property
    def full_name(self) -> str:
        """'joint.coordinate', or nothing if it is not a joint coordinate."""
        return f"{self.joint}.{self.coordinate}" if self.joint else ""


class NewRow(NamedTuple):
    """One constraint row (elements/constraints/rows.py), with the equation that it is, for messages."""

    equation: str
    kind: int
    i: int = 0  # axis of F
    j: int = 0  # axis of M
    program: tuple[int, int] = (0, 0)  # of f(t); none: not driven
    angle: int = -1  # the counted angle
    mode: int = POSITION
    acting: int = POSITION  # of a driver: its mode while it acts
    holds: bool = False  # of a driver: it keeps the value that it finds
    state: int = -1  # the auxiliary state that is its velocity
    unit: str | None = None  # of its multiplier; default: that of its kind


class PlacesLike(Protocol):
    """Bodies, frames and joint coordinates."""

    def axes(self, body: str) -> np.ndarray:
        """Orientation of the body frame in the world, as modelled."""

    def in_world(self, body: str, at: Point) -> np.ndarray:
        """A point of the body frame in the world, as modelled."""

    def on_body(self, body: str, at: Point, *, rigid: bool = False) -> tuple[int, np.ndarray, np.ndarray]:
        """What carries a point of the body frame: its index, the point in its link frame, and body axes there.

        `rigid`: the body frame itself, also of a flexible body.
        """

    def frame_pair(
        self, between: tuple[str, str], frames: tuple[str, str] | None, points: Sequence[Point] | None,
        axes: np.ndarray | Sequence[np.ndarray],
    ) -> Pair:  # fmt: skip
        """Two named frames, or frames with these axes (one set, or one each) at points of the world."""

    def body_pair(self, body: str) -> Pair:
        """The frame of the world and that of a body."""

    def joint_pair(self, joint: str) -> Pair:
        """The frames of a joint."""

    def distance(self, between: tuple[str, str], points: Sequence[Point]) -> PairNumber:
        """The distance of two points of the world."""

    def coordinate(self, joint: str, coordinate: str | None, who: str) -> PairNumber:
        """A joint coordinate; `who` is named where there is no such coordinate."""

    def start_of(self, number: PairNumber) -> float:
        """A joint coordinate as modelled: its start value, or what the poses give (angles between -pi and pi)."""

    def rate_of(self, number: PairNumber) -> float:
        """The rate at the start that the model gives a joint coordinate, rad/s or m/s."""


class ProgramsLike(Protocol):
    """Expressions of time as opcodes, and data beside them."""

    def of_time(self, text: str | float, who: str) -> tuple[int, int]:
        """An expression of t alone: its first op, and how many."""

    def data(self, owner: str, numbers: Callable[[int], Iterable[float]]) -> int:
        """Place of an element's numbers among the ops, put there once; `numbers(place)` gives them."""


class StatesLike(Protocol):
    """Auxiliary states and counted angles."""

    def new(self, start: float = 0.0, rate: int | None = None) -> int:
        """One more state; `rate`: the signal that is its rate, unless a kernel writes it."""

    def work(self, key: str) -> int:
        """The state that adds up a work (J) on which nothing depends; one for each key."""

    def angle(self, start: float = 0.0, number: PairNumber | None = None) -> int:
        """One more counted angle: on which turn it starts (rad), and the number that it is."""


class SignalsLike(Protocol):
    """Numbers that the state determines, each at its place in work.signals."""

    efforts: dict[str, tuple[int, ...]]  # signals that elements keep for those who request their force

    def expression(self, text: str | float, who: str, own: dict[str, int] | None = None) -> int:
        """An expression of the state; `own`: signals by names that only this element may use."""

    def needed_now(self, place: int, who: str) -> int:
        """The same signal; refused if it is known only after the forces."""

    def value(self, number: PairNumber) -> int:
        """A number between two bodies."""

    def rate(self, number: PairNumber) -> int:
        """Its rate."""

    def state(self, state: int) -> int:
        """An auxiliary state."""

    def cosine(self, a: str, axis_a: str, b: str, axis_b: str, who: str) -> int:
        """Of the angle between axes 'x', 'y' or 'z' of two bodies or frames."""

    def slots(self, count: int) -> int:
        """Places that a kernel of the phase FORCES fills by itself: the first of them."""


class RowsLike(Protocol):
    """Constraint rows."""

    def add(self, element: str, pair: Pair, rows: Sequence[NewRow]) -> int:
        """Rows between two bodies; the place of the first."""

    def add_sum(
        self, element: str, row: NewRow, terms: Sequence[tuple[PairNumber, float]], starts: Sequence[float] = ()
    ) -> int:
        """One row: sum of factor * number = f(t); `starts`: where angles start, rad.  Its place."""

    def drive(self, driver: str, row: int) -> None:
        """This row is that of a driver."""

    def place(self, element: str, equation: str) -> int:
        """The row of an equation of an element; -1: there is none."""


class TablesLike(Protocol):
    """Records of the families."""

    def add(self, family: Family, owner: str, record: tuple[Any, ...]) -> None:
        """A record of a family beside the element's own; but for its field `outputs`."""

    def output(self, owner: str, output: str, *, now: bool = True) -> int:
        """The signal of a number that the kernel of an element writes.

        `now`: known before the forces, which may use it; only where the forces follow from the state alone.
        """

    def wrench(self, owner: str) -> tuple[int, ...]:
        """Six signals: force (N) and torque (N m) of an element on its body B, about its point there; world axes."""


class Context(Protocol):
    """A mechanism that is being compiled."""

    @property
    def plane_normal(self) -> np.ndarray | None:
        """Of a planar mechanism; None: it moves in space."""

    @property
    def assembling(self) -> bool:
        """Whether rows also hold what the model fixes at the start."""

    @property
    def places(self) -> PlacesLike:
        """Bodies, frames and joint coordinates."""

    @property
    def programs(self) -> ProgramsLike:
        """Expressions of time, and data."""

    @property
    def states(self) -> StatesLike:
        """Auxiliary states and counted angles."""

    @property
    def signals(self) -> SignalsLike:
        """Numbers that the state determines."""

    @property
    def rows(self) -> RowsLike:
        """Constraint rows."""

    @property
    def tables(self) -> TablesLike:
        """Records of the families."""

    @property
    def callbacks(self) -> list[Callback]:
        """Python functions that records hold the addresses of."""

    def element(self, name: str) -> Element:
        """The declaration of this name."""

    def refers_to(self, kind: str, name: str) -> bool:
        """Whether any element names this one (`Element.refers`)."""

    def enter(self, name: str) -> None:
        """Put the records of a force into the tables now, unless they are there; a cycle is an error."""
