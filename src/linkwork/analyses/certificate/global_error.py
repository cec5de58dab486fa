"""The global error of a run, channel by channel, by a second run that is far more accurate.

A tolerance bounds the error of a step; what becomes of it until the end is up to the mechanism.  Energy does not show
an error of phase.  The difference to a run at a hundredth of the tolerance, or of half the fixed step, at the same
sample times, is the error of the first but for that of the second, theory (11.6).
"""

from __future__ import annotations

import numpy as np

from linkwork.errors import Entry, SuspectError
from linkwork.results.result import Result

TIGHTER = 100.0  # times: the tolerance of the second run
LEAST_RTOL = 1e-13  # of any run
FAR = 0.1  # of the span of a coordinate or body position: an error beyond it is no accuracy at all
SMALL = 1e-6  # of the largest span of its unit: a channel that moves less shows nothing


def enter_errors(result: Result, second: Result | None, by: str) -> None:
    """Enter the estimated errors into the certificate; a run that is far off is suspect, as one that has no second."""
    certificate = result.certificate
    certificate.verified = by
    if second is None or len(second.t) < len(result.t):
        _suspect(result, f"not verified: {by} did not come to the same end; do not trust this result")
        return
    for name in result.recorded():
        difference = np.abs(result.channel(name) - second.channel(name)[: len(result.t)])
        certificate.errors[name] = float(np.max(difference, initial=0.0))
    worst, share = _farthest(result)
    if worst and share > FAR:
        amount = f"{certificate.errors[worst]:.2g} {result.unit(worst)}".strip()
        _suspect(
            result,
            f"'{worst}' is off by {amount}, {share:.0%} of its span, from {by}: the motion amplifies every error, or "
            "the run has not converged; do not trust its phase: use a smaller rtol or step, or a shorter run",
        )


def _farthest(result: Result) -> tuple[str, float]:
    """The body position with the largest error, of its own span; spans that are rounding beside others do not count."""
    spans = {name: float(np.ptp(result.channel(name))) for name in result.certificate.errors if ".position." in name}
    largest = max(spans.values(), default=0.0)
    shares = {name: result.certificate.errors[name] / span for name, span in spans.items() if span > SMALL * largest}
    worst = max(shares, key=lambda name: shares[name], default="")
    return worst, shares.get(worst, 0.0)


def _suspect(result: Result, warning: str) -> None:
    certificate = result.certificate
    reason = SuspectError(warning, t=certificate.t_end, entry=Entry.NOT_VERIFIED)
    certificate.warnings.append(reason.with_reference)
    if certificate.status == "finished":
        certificate.status, certificate.error = "suspect", reason.as_dict()
