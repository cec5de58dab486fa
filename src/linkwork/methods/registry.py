"""The constraint methods by name: a new one is one file and one line here, or `register_method` from outside."""

from __future__ import annotations

from linkwork.catalogue import Catalogue
from linkwork.errors import OptionError, nearest
from linkwork.methods import articulated, baumgarte, parametrization, proximal, synthesis
from linkwork.methods.contract import Method
from linkwork.methods.partitioning import gram_schmidt, hybrid, lu, projection, qr, svd
from linkwork.system.tables import System

METHODS = Catalogue("method", "linkwork.methods", Method, (
    articulated.METHOD,
    parametrization.METHOD,
    synthesis.METHOD,
    baumgarte.METHOD,
    proximal.METHOD,
    lu.METHOD,
    qr.METHOD,
    svd.METHOD,
    gram_schmidt.METHOD,
    projection.METHOD,
    hybrid.HYBRID_QR,
    hybrid.HYBRID_PROJECTION,
))  # fmt: skip


def register_method(method: Method) -> Method:
    """Make a method from outside the package known by its name: to runs, comparisons and commands."""
    return METHODS.register(method)


def choose_method(name: str, system: System) -> tuple[Method, str]:
    """The method requested, or for 'auto' the one that suits the mechanism; and why."""
    open_tree = bool(system.whole[0]["open_tree"])
    if name == "auto":
        if open_tree:
            return METHODS["articulated"], "no loops and no drivers: accelerations by recursion, nothing to project"
        return METHODS["parametrization"], f"{_equations(len(system.rows))}: projected after every step"
    if name not in METHODS:
        raise OptionError(f"there is no method '{name}'; {nearest(name, [*METHODS, 'auto'])}", element=name)
    method = METHODS[name]
    if open_tree and not method.open_tree:
        raise OptionError(
            f"method '{name}' keeps a mechanism on its constraints, and this one has none; use method 'auto'",
            element=name,
        )
    if method.open_tree and not open_tree:
        raise OptionError(
            f"method '{name}' serves open trees only, and this mechanism has {_equations(len(system.rows))}; "
            "use method 'auto'",
            element=name,
        )
    if not method.decides_rank and system.whole[0]["misfit"] > 0.0:
        raise OptionError(
            f"method '{name}' leaves out no equation, and a loop that closes only nearly has some too many; use method "
            "'auto'",
            element=name,
        )
    return method, "as requested"


def _equations(count: int) -> str:
    return "1 constraint equation" if count == 1 else f"{count} constraint equations"
