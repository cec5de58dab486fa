"""The constraint methods by name: a new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from linkwork.errors import OptionError, nearest
from linkwork.methods import (
    articulated,
    baumgarte,
    correction,
    normal_step,
    options,
    parametrization,
    proximal,
    reasons,
)
from linkwork.methods.partitioning import decisions, gram_schmidt, hybrid, lu, partitioned, projection, qr, svd
from linkwork.system.tables import System

NONE = -1


@dataclass(frozen=True)
class Method:
    """One way to stay on the constraints."""

    name: str
    title: str
    factor: Any
    solve: Any
    correct: Any
    accept: Any = decisions.accept_nothing
    basis: int = NONE  # of methods that partition: the one they start with
    other: int = NONE  # of hybrids: the one they switch to
    dense: bool = False  # needs room for dense matrices
    projects: bool = True  # brings the state back onto the constraints
    mass_weighted: bool = True  # what it does to the state is the least in the metric of M, at each position anew
    open_tree: bool = False  # serves mechanisms without constraint rows, and only those
    options: Mapping[str, tuple[int, float]] = field(default_factory=dict)


def _partitioned(
    name: str,
    title: str,
    factor: Any,
    basis: int,
    choices: Mapping[str, tuple[int, float]] = options.PARTITION,
    other: int = NONE,
) -> Method:
    return Method(
        name, title, factor, partitioned.solve, correction.correct, decisions.accept, basis, other,
        dense=True, mass_weighted=basis in (reasons.SVD, reasons.GRAM_SCHMIDT), options=choices,
    )  # fmt: skip


METHODS = {
    m.name: m
    for m in (
        Method(
            "articulated", "articulated-body recursion",
            articulated.factor, articulated.solve, articulated.correct, open_tree=True,
        ),
        Method(
            "parametrization", "mass-weighted projection (P5)",
            normal_step.factorize, parametrization.solve, correction.correct,
        ),
        Method(
            "baumgarte", "Baumgarte stabilization",
            normal_step.factorize, baumgarte.solve, baumgarte.correct, projects=False, options=options.BAUMGARTE,
        ),
        Method(
            "proximal", "regularized multipliers with refinement",
            proximal.factorize, proximal.solve, correction.correct, dense=True, options=options.PROXIMAL,
        ),
        _partitioned("lu", "generalized coordinate partitioning (P1)", lu.factor, reasons.LU),
        _partitioned("qr", "kept tangent basis by QR (P1)", qr.factor, reasons.QR, options.KEPT),
        _partitioned("svd", "tangent basis by singular values", svd.factor, reasons.SVD),
        _partitioned("gram-schmidt", "tangent basis by Gram-Schmidt", gram_schmidt.factor, reasons.GRAM_SCHMIDT),
        _partitioned("projection", "projection matrices (P3)", projection.factor, reasons.PROJECTION, options.KEPT),
        _partitioned(
            "hybrid-qr", "LU, and QR where LU is in trouble (P1)",
            hybrid.factor, reasons.LU, options.HYBRID, reasons.QR,
        ),
        _partitioned(
            "hybrid-projection", "LU, and projection where LU is in trouble (P3)",
            hybrid.factor, reasons.LU, options.HYBRID, reasons.PROJECTION,
        ),
    )
}  # fmt: skip


SOLVES, ACCEPT = (partitioned.solve, articulated.solve), decisions.accept  # of many methods and of all open trees


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
    if open_tree and not method.open_tree:
        raise OptionError(
            f"method '{name}' keeps a mechanism on its constraints, and this one has none; use method 'auto'",
            element=name,
        )
    if method.open_tree and not open_tree:
        raise OptionError(
            f"method '{name}' serves open trees only, and this mechanism has {len(system.rows)} constraint equations; "
            "use method 'auto'",
            element=name,
        )
    return method, "as asked"


def settings_of(method: Method, chosen: Mapping[str, float], hmax: float) -> dict[int, float]:
    """Places and values of a method's options, what the user chose before the defaults."""
    for name, value in chosen.items():
        if name not in method.options:
            known = nearest(name, method.options)
            raise OptionError(f"method '{method.name}' has no option '{name}'; {known}", element=name)
        if not isinstance(value, (int, float)) or not value >= 0.0:
            raise OptionError(
                f"option '{name}' of method '{method.name}' is {value}; it must be a number >= 0", element=name
            )
    values = {place: float(chosen.get(name, default)) for name, (place, default) in method.options.items()}
    for place in (options.ALPHA, options.BETA):
        if place in values and values[place] == 0.0:
            values[place] = 0.2 / hmax
    values[options.OTHER] = float(method.other)
    return values
