"""The parallelogram four-bar of P1 and P3: the mechanism, the three methods of a paper, and the settings of its tables.

Cranks 1 m, coupler and ground 2 m, one section, released at rest at 10 degrees (lengths reconstructed, see
library/four-bar.toml).  It is flat, and its constraints lose rank, at 0.179, 0.986, 1.344, 2.152 and 2.509 s; with the
flexible coupler (library/flexible.py) up to 6 ms later.  Its chord keeps its length, so that it is a parallelogram too.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from linkwork.analyses.comparison import attempt
from linkwork.analyses.simulate.dynamics import Options
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result

START = 10.0  # deg
UNTIL = 3.0  # s
NEIGHBOURS = tuple(k * 1e-9 for k in range(8))  # deg from the start: runs that differ by rounding alone
BESIDE = tuple(k * 2.5e-4 for k in range(41))  # deg from the start: runs whose steps end elsewhere
EVERY = 0.005  # s between samples of the figures
PRINTED, CORRECTED, OURS = "printed", "corrected", "our"  # as printed; P3 with its I_R and P_T updated; our own form

Runs = Mapping[tuple[str, str], Result]  # by method and form


@dataclass(frozen=True)
class Contest:
    """The three methods of a paper on this mechanism, and its Table 2; with the flexible coupler its Table 3."""

    paper: str
    formulation: str
    methods: tuple[str, str, str]  # LU, the kept basis, the hybrid
    seconds: tuple[float, float, float]  # CPU, R10000
    figures: str  # in which the paper shows these runs
    flexible: bool = False

    @property
    def forms(self) -> tuple[str, ...]:
        """In which its methods run: P3's print has a slip, which is shown beside its correction."""
        return (PRINTED, CORRECTED, OURS) if self.paper == "P3" else (PRINTED, OURS)

    @property
    def table(self) -> str:
        """Its table."""
        return "Table 3" if self.flexible else "Table 2"

    @property
    def settings(self) -> tuple[float, float]:
        """Largest step (s) and tolerance of the table."""
        return (5e-4, 1e-5) if self.flexible else (0.01, 1e-4)

    def mechanism(self, angle: float = START) -> Mechanism:
        """The four-bar, released at a crank angle (deg)."""
        return _released("four-bar-flexible" if self.flexible else "four-bar", angle)


@functools.cache
def _released(name: str, angle: float) -> Mechanism:
    return library_model(name, {"angle": angle}).mechanism


def options(contest: Contest, method: str, form: str, constraint_tolerance: float = 0.0) -> Options:
    """The settings of the table; violations below the constraint tolerance (m or rad) are left standing."""
    hmax, tolerance = contest.settings
    return Options(
        until=UNTIL, formulation=contest.formulation, method=method, rtol=tolerance, hmax=hmax, every=EVERY,
        method_options=method_options(method, form, constraint_tolerance),
    )  # fmt: skip


def method_options(method: str, form: str, constraint_tolerance: float = 0.0) -> dict[str, float]:
    """Options of a method in one of the forms."""
    chosen = {"constraint_tolerance": constraint_tolerance} if constraint_tolerance else {}
    if form != OURS:
        chosen["literal"] = 1.0
    if form == CORRECTED and "projection" in method:
        chosen["corrected"] = 1.0
    return chosen


def table_runs(contest: Contest) -> Runs:
    """The three methods in all forms at the settings of the table."""
    mechanism = contest.mechanism()
    return {
        (method, form): attempt(mechanism, options(contest, method, form))[0]
        for form in contest.forms
        for method in contest.methods
        if form != CORRECTED or "projection" in method
    }
