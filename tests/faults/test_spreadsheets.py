"""Names that a spreadsheet would take for formulas are text in every CSV file; numbers stay numbers."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwork as lw
from linkwork.analyses.loads.cases.load_cases import write_histories
from linkwork.output_files import FORMULA, cell

EVIL = ("=cmd|' /C calc'!A0", "+1+2", "-1+cmd", "@SUM(A1)")


def read(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def harmless(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return not text.startswith(FORMULA)
    return True


@given(st.text(min_size=1))
def test_no_text_is_a_formula(text: str) -> None:
    assert harmless(str(cell(text)))
    assert str(cell(text)).endswith(text)


@given(st.floats() | st.integers())
def test_numbers_stay_numbers(number: float) -> None:
    assert cell(number) is number
    assert cell(repr(number)) == repr(number)
    assert math.isnan(number) or float(str(cell(repr(number)))) == float(number)


@pytest.fixture(scope="module")
def run() -> lw.Run:
    m = lw.Model("evil", gravity=(0, 0, -9.81))
    for k, name in enumerate(EVIL):
        m.body(name, lw.rod(mass=1.0, length=1.0), at=(0.5, k, 0))
        m.revolute(f"{name[0]}pin", m.ground, name, at=(0, k, 0), axis="y")
    return m.simulate(0.1, progress=False)


def test_tables_of_a_run(run: lw.Run, tmp_path: Path) -> None:
    run.export(tmp_path / "run.csv")
    write_histories(run.loads(["=pin"]), tmp_path / "loads.csv")
    for name in ("run.csv", "loads.csv"):
        rows = read(tmp_path / name)
        assert all(harmless(text) for row in rows for text in row)
        assert any(text.startswith("'=") for row in rows for text in row)
    numbers = [float(text) for row in read(tmp_path / "run.csv")[1:] for text in row]
    assert min(numbers) < 0.0


def test_table_of_a_study(tmp_path: Path) -> None:
    m = lw.Model("study", gravity=(0, 0, -9.81))
    m.body("=bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    m.revolute("pin", m.ground, "=bar", at=(0, 0, 0), axis="y")
    m.study({"=bar.mass": [1.0, 2.0]}, outputs=["=bar.position.z"], until=0.05).to_csv(tmp_path / "study.csv")
    rows = read(tmp_path / "study.csv")
    assert all(harmless(text) for row in rows for text in row)
    assert rows[0][1] == "'=bar.mass [kg]"
