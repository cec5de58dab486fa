"""The integrators by name: a new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linkwork.errors import OptionError, nearest
from linkwork.integrators import ab3, adams, dop853, rk4
from linkwork.integrators.implicit import generalized_alpha


@dataclass(frozen=True)
class Integrator:
    """One way to advance the state."""

    name: str
    title: str
    step: Any
    interpolate: Any
    memory_size: Callable[[int], int]
    adaptive: bool  # chooses its own step size; otherwise `step` must be given
    order: int
    mass_weighted: bool = False  # keeps its order only with methods that correct the state in the metric of M


INTEGRATORS = {
    i.name: i
    for i in (
        Integrator(
            "adams",
            "Adams PECE, order 1 to 12, variable step",
            adams.step,
            adams.interpolate,
            adams.memory_size,
            True,
            12,
        ),
        Integrator(
            "dop853",
            "Dormand-Prince 8(5,3), variable step",
            dop853.step,
            dop853.interpolate,
            dop853.memory_size,
            True,
            8,
        ),
        Integrator(
            "generalized-alpha",
            "generalized-alpha, implicit of order 2 for stiff mechanisms, variable step",
            generalized_alpha.step,
            generalized_alpha.interpolate,
            generalized_alpha.memory_size,
            True,
            2,
            mass_weighted=True,
        ),
        Integrator("rk4", "classical Runge-Kutta, fixed step", rk4.step, rk4.interpolate, rk4.memory_size, False, 4),
        Integrator(
            "ab3", "Adams-Bashforth of third order, fixed step", ab3.step, ab3.interpolate, ab3.memory_size, False, 3
        ),
    )
}


def integrator(name: str) -> Integrator:
    """The integrator of that name."""
    if name not in INTEGRATORS:
        raise OptionError(f"there is no integrator '{name}'; {nearest(name, INTEGRATORS)}", element=name)
    return INTEGRATORS[name]
