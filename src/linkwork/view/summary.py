"""Facts in words and numbers, name by name: how a run went, what a check found.  For terminal, reports, notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linkwork.tables import accuracy

if TYPE_CHECKING:
    from linkwork.results.result import Certificate, Result


def run_facts(result: Result) -> list[tuple[str, str]]:
    """What was chosen and why, the effort, and the two measures of trust."""
    c = result.certificate
    return [
        ("status", f"{c.status} at t = {c.t_end:g} s"),
        ("degrees of freedom", f"{c.dof}"),
        ("formulation, method", f"{c.formulation}, {c.method}"),
        ("why", c.why),
        ("integrator", f"{c.integrator}, {accuracy(result.options.get('rtol', 0.0), result.options.get('step'))}"),
        ("steps", f"{c.steps} ({c.rejected} rejected), {c.evaluations} evaluations, {c.factorizations} factorizations"),
        *((("basis", bases_text(c.bases)),) if c.bases else ()),
        ("energy drift", f"{c.energy_drift:.2e} of the energy exchanged"),
        ("worst violation", violation_text(c)),
        *((("estimated error", error_text(result)),) if c.errors else ()),
        *(("loop misfit", misfit_text(entry)) for entry in c.misfits),
    ]


def bases_text(bases: Mapping[str, Mapping[str, float]]) -> str:
    """How much of a run each basis of its method served."""
    return ", ".join(
        f"{name} {of['steps']:.1%} of the steps, {of['time']:.1%} of the time" for name, of in bases.items()
    )


def error_text(result: Result) -> str:
    """The largest of the estimated errors, unit by unit of what was asked for most: positions and angles."""
    largest: dict[str, tuple[float, str]] = {}
    for name, error in result.certificate.errors.items():
        unit = result.unit(name)
        largest[unit] = max(largest.get(unit, (0.0, name)), (error, name))
    listed = ", ".join(f"{largest[u][0]:.1e} {u} ({largest[u][1]})" for u in ("m", "rad", "m/s", "N") if u in largest)
    return f"{listed}, by {result.certificate.verified}"


def misfit_text(misfit: Mapping[str, Any]) -> str:
    """A loop that closes only nearly."""
    return f"{misfit['length']:.1e} m, {misfit['angle']:.1e} rad (loop of {', '.join(misfit['joints'])})"


def violation_text(c: Certificate) -> str:
    """The largest violation of the constraints."""
    return f"position {c.max_violation['position']:.1e}, velocity {c.max_violation['velocity']:.1e}"


def rank_text(singular: Mapping[str, Any]) -> str:
    """How many of the constraint equations are independent at a singular position, and which joints are loose there."""
    full = f" of {singular['of']}" if "of" in singular else ""
    loose = ", ".join(f"'{name}'" for name in singular.get("joints", ()))
    return f"rank {singular.get('rank', '?')}{full}" + (f", loose: {loose}" if loose else "")
