"""The constraint methods by name: a new one is one file and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linkwork.errors import OptionError, nearest
from linkwork.methods import articulated, parametrization
from linkwork.system.tables import System


@dataclass(frozen=True)
class Method:
    """One way to stay on the constraints."""

    name: str
    title: str
    solve: Any
    correct: Any
    open_trees: bool  # serves mechanisms without constraint rows
    closed: bool  # serves mechanisms with them


METHODS = {
    m.name: m
    for m in (
        Method("articulated", "articulated-body recursion", articulated.solve, articulated.correct, True, False),
        Method(
            "parametrization",
            "mass-weighted projection (P5)",
            parametrization.solve,
            parametrization.correct,
            False,
            True,
        ),
    )
}


def choose_method(name: str, system: System) -> tuple[Method, str]:
    """The method asked for, or for 'auto' the one that suits the mechanism; and why."""
    open_tree = bool(system.whole[0]["open_tree"])
    if name == "auto":
        if open_tree:
            return METHODS["articulated"], "no loops and no drivers: accelerations by recursion, nothing to project"
        return METHODS["parametrization"], f"{len(system.rows)} constraint equations: projected after every step"
    if name not in METHODS:
        raise OptionError(f"there is no method '{name}'; {nearest(name, [*METHODS, 'auto'])}", element=name)
    method = METHODS[name]
    if open_tree and not method.open_trees:
        raise OptionError(
            f"method '{name}' keeps a mechanism on its constraints, and this one has none; use method 'auto'",
            element=name,
        )
    if not open_tree and not method.closed:
        raise OptionError(
            f"method '{name}' serves open trees only, and this mechanism has {len(system.rows)} constraint equations; "
            "use method 'auto'",
            element=name,
        )
    return method, "as asked"
