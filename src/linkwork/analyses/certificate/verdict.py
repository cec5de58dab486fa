"""The verdict on a run: its status, and what is off."""

from __future__ import annotations

from linkwork.results.result import Certificate

EXCESS = 1e3  # an energy drift above this multiple of the tolerance is no rounding and no truncation error
LEAST_EXCESS = 1e-9  # nor is one above this


def energy_warnings(certificate: Certificate, tolerance: float) -> list[str]:
    """Why the result is not to be trusted, if so: an energy balance that does not close."""
    if certificate.energy_drift <= max(EXCESS * tolerance, LEAST_EXCESS):
        return []
    passed = ", ".join(f"{entry['t']:.4g}" for entry in certificate.singular[:4])
    where = f"; it passed singular positions at t = {passed} s and may have left its branch there" if passed else ""
    return [
        f"the energy balance is off by {certificate.energy_drift:.2g} of the energy exchanged, far beyond the "
        f"tolerance{where}; do not trust this result: try a smaller rtol or hmax, or another method"
    ]


def pass_verdict(certificate: Certificate, warnings: list[str]) -> None:
    """Enter the warnings; a run that finished with any of them is suspect."""
    certificate.warnings += warnings
    if warnings and certificate.status == "finished":
        certificate.status = "suspect"
