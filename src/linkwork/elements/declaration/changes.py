"""What an element lets happen at an instant: a driver begins or is released, an impulse, the end of the run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Action(IntEnum):
    """What happens.  At one instant what is released comes first, and impulses come last."""

    LOG = 0  # it is written down
    STOP = 1  # the run ends
    RELEASE = 2  # a driver is released
    LOCK = 3  # a driver begins to act
    IMPULSE = 4  # momentum at once

    @property
    def word(self) -> str:
        """As users write it."""
        return self.name.lower()


Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Change:
    """One of them, by the names of the things that it concerns."""

    name: str  # of the element
    action: Action
    t: float | None = None  # s, when; None: when its event occurs
    once: bool = False  # of an event: the first time alone
    driver: str | None = None
    body: str | None = None  # that the impulse acts on
    at: Vector = (0.0, 0.0, 0.0)  # m, body frame
    impulse: Vector = (0.0, 0.0, 0.0)  # N s, world axes
    moment: Vector = (0.0, 0.0, 0.0)  # N m s, world axes
