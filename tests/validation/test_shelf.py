"""The shelf of benchmarks: every number agrees with its reference, and none is printed without being computed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from linkwork.model import Model
from linkwork.reproduce.benchmarks import bicycle, pendulums, shelf
from linkwork.reproduce.benchmarks.findings import Finding
from linkwork.reproduce.benchmarks.flexible import flexible_four_bar
from linkwork.reproduce.benchmarks.flexible.elastic_rod import Rod
from linkwork.reproduce.benchmarks.page import page


def name_of(problem) -> str:
    return problem.__name__.rpartition(".")[2]


SLOW = ("lateral_buckling", "dynamic_buckling")  # long chains of beam elements, many times over
PROBLEMS = [
    pytest.param(problem, id=name_of(problem), marks=[pytest.mark.slow] if name_of(problem) in SLOW else [])
    for problem in shelf.PROBLEMS
]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_number_agrees_with_its_reference(problem) -> None:
    found = problem.findings(quick=True)
    assert found
    for finding in found:
        assert finding.agrees, finding
        assert finding.seconds > 0.0 and finding.source


def test_page_and_items_are_of_the_findings(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shelf, "PROBLEMS", (pendulums,))
    items = shelf.reproduce(tmp_path, quick=True)
    text = (tmp_path / "benchmarks.html").read_text()
    for item in items:
        assert item.table in text and f"{item.ours:.12g}" in text and f"{item.paper:.12g}" in text
        assert item.verdict.startswith("agrees: off by")


def test_another_bicycle_does_not_agree(monkeypatch) -> None:
    """What is printed is computed: a rider heavier by 1 kg changes every line."""
    heavier = Model.of(bicycle.bicycle().with_settings({"rear frame.mass": 86.0}).mechanism)
    monkeypatch.setattr(bicycle, "bicycle", lambda: heavier)
    found = bicycle.findings()
    wrong = [finding for finding in found if not finding.agrees]
    assert len(wrong) >= len(found) - 1  # the entry of C1 that is zero stays so
    assert "does not agree" in shelf.as_item(wrong[0]).verdict
    assert "(off)" in page(wrong)


def test_the_flexible_four_bar_moves_through_equilibria() -> None:
    """At 0.6 rad/s: the reference at rest serves for the run as well."""
    moving = flexible_four_bar.in_motion(2)
    for degrees, resting in flexible_four_bar.at_rest(2).items():
        assert moving[degrees] == pytest.approx(resting, rel=1e-5, abs=2e-8)


def test_a_number_that_is_none_never_agrees() -> None:
    assert not Finding("problem", "x, m", math.nan, 1.0, "nobody", 1.0).agrees


def test_the_exact_rod_bends_as_the_elastica() -> None:
    """Weak bending alone, no shear or stretch: the tip of the elastica for P L^2 / EI = 1 (Bisshopp & Drucker 1945)."""
    rod = Rod(1.0, 1e9, (1e9, 1e9), 1e3, (1e3, 1.0))
    tip, moment = rod.bent(np.array([0.0, 0.0, 1.0]))
    assert tip[[0, 2]] == pytest.approx([1.0 - 0.05643, 0.30172], abs=2e-5)
    assert moment == pytest.approx([0.0, -tip[0], 0.0], abs=1e-6)
