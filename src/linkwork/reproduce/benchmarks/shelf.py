"""The shelf: which problems stand on it, in which order.

Wall times are those of the whole analysis from Python on the machine that runs it, the second time where it is brief.
"""

from __future__ import annotations

from pathlib import Path

from linkwork.reproduce.benchmarks import (
    andrews,
    bicycle,
    bricard,
    car_axis,
    crank,
    flyball_governor,
    heavy_top,
    pendulums,
    slider_crank,
)
from linkwork.reproduce.benchmarks.findings import Finding
from linkwork.reproduce.benchmarks.flexible import (
    critical_shaft,
    dynamic_buckling,
    flexible_four_bar,
    lateral_buckling,
    princeton_beam,
    rotating_beams,
)
from linkwork.reproduce.benchmarks.page import write_page
from linkwork.reproduce.items import Item

PROBLEMS = (
    bicycle, pendulums, andrews, bricard, flyball_governor, slider_crank, car_axis, crank, heavy_top, rotating_beams,
    princeton_beam, lateral_buckling, dynamic_buckling, critical_shaft, flexible_four_bar,
)  # fmt: skip


def reproduce(folder: Path, quick: bool = False) -> list[Item]:
    """All problems, and the page benchmarks.html in the folder; `quick` takes shorter runs and coarser beams."""
    folder.mkdir(parents=True, exist_ok=True)
    found = [finding for problem in PROBLEMS for finding in problem.findings(quick)]
    write_page(found, folder / "benchmarks.html")
    return [as_item(finding) for finding in found]


def as_item(finding: Finding) -> Item:
    """A finding as a line of a reproduction; the whole of sources, settings and notes are on the page."""
    word, whose = "agrees" if finding.agrees else "does not agree", finding.source.partition(",")[0]
    verdict = f"{word}: off by {finding.error:.1e} from {whose}, {finding.seconds:.3f} s"
    return Item(finding.problem, finding.quantity, finding.reference, finding.ours, verdict=verdict)
