"""The verdict on a run: its status, and what is off; one function for every integrator and method.

A constraint or driver that is not met ends a run as it goes (open_constraints.py).  A run that came to its end is
`finished` only if its energy balance closes, its outputs are numbers, it left no branch, and its steps show the motion
(resolution.py); else it is `suspect`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linkwork.errors import Entry, SuspectError
from linkwork.results.result import Certificate, Result, energy_drift, energy_residual

EXCESS = 1e3  # an energy drift above this multiple of the tolerance is no rounding and no truncation error
LEAST_EXCESS = 1e-9  # nor is one above this
OF_MISFIT = 100.0  # where a loop closes only nearly: what its misfit does to the energy
FIXED_STEP_DRIFT = 0.05  # the most that a fixed step may lose: its accuracy is the user's choice, not its nonsense
STILL = 1e-6  # of the energy that lifts all bodies by the mechanism's size: with less exchanged, nothing moves
NAMED = 3  # outputs that a warning lists


def judge(
    result: Result, energy_scale: float, tolerance: float | None, reasons: Sequence[SuspectError], misfit: float = 0.0
) -> None:
    """Decide the status of a run that has ended, and enter why; `tolerance`: rtol, or None of a fixed step.

    `energy_scale` (J) tells a drift from rounding about a rest; `reasons` are those of its branches and steps;
    `misfit` is that of a loop (rad, or of the mechanism's size): equations that are off by it do work that is off by as
    much.
    """
    certificate = result.certificate
    with np.errstate(over="ignore", invalid="ignore"):
        residual = energy_residual(result.energy)
        moves = not residual <= (tolerance or STILL) * energy_scale
        certificate.energy_drift = energy_drift(result.energy)
        if not moves:  # rounding about a rest exchanges rounding
            certificate.energy_drift = min(certificate.energy_drift, residual / energy_scale)
    found = [*reasons, *doubts(certificate, Entry.NOT_FINITE, not_finite(result))]
    if moves:
        found += doubts(certificate, Entry.ENERGY, energy_warnings(certificate, tolerance, misfit))
    certificate.warnings += [reason.with_reference for reason in found]
    if found and certificate.status == "finished":
        certificate.status, certificate.error = "suspect", found[0].as_dict()


def doubts(certificate: Certificate, entry: Entry, warnings: Sequence[str]) -> list[SuspectError]:
    """Reasons not to trust a run, all explained by one entry of the documentation."""
    return [SuspectError(text, t=certificate.t_end, entry=entry) for text in warnings]


def energy_warnings(certificate: Certificate, tolerance: float | None, misfit: float) -> list[str]:
    """Why the result is not to be trusted, if so: an energy balance that does not close."""
    allowed = max(EXCESS * (tolerance or 0.0), LEAST_EXCESS, OF_MISFIT * misfit)
    limit = FIXED_STEP_DRIFT if tolerance is None else min(allowed, FIXED_STEP_DRIFT)
    if certificate.energy_drift <= limit:  # not so for a drift that is no number
        return []
    passed = ", ".join(f"{entry['t']:.4g}" for entry in certificate.singular[:4])
    where = f"; it passed singular positions at t = {passed} s and may have left its branch there" if passed else ""
    beyond = "" if tolerance is None else ", far beyond the tolerance"
    smaller = "step" if tolerance is None else "rtol or hmax"
    return [
        f"the energy balance is off by {certificate.energy_drift:.2g} of the energy exchanged{beyond}{where}; do not "
        f"trust this result: try a smaller {smaller}, or another method"
    ]


def not_finite(result: Result) -> list[str]:
    """Outputs that are not numbers at some time."""
    found = list(_not_finite(result))
    if not found:
        return []
    listed = ", ".join(f"'{name}' from t = {t:.6g} s on" for name, t in found[:NAMED])
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return [f"outputs are not finite: {listed}{more}; do not trust them: correct what they are computed from"]


def _not_finite(result: Result) -> Iterator[tuple[str, float]]:
    """Names of coordinates, velocities, multipliers and measures, each with the first time (s) it is no number."""
    names = result.names
    v_dot = [f"acceleration of {name}" for name in names["v"]]
    energies = ["kinetic energy", "potential energy", "work"]
    sets = (
        (names["q"], result.q), (names["v"], result.v), (v_dot, result.v_dot), (names["rows"], result.lam),
        (energies, result.energy), (names["measures"], result.measures),
    )  # fmt: skip
    for labels, values in sets:
        finite = np.isfinite(values)
        for k in np.flatnonzero(~finite.all(axis=0)):
            yield labels[k], float(result.t[int(np.argmin(finite[:, k]))])
