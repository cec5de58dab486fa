"""The example notebooks are valid, executed and honest; the page moves inside a notebook, in real Chromium."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import nbformat
import pytest

import linkwork as lw
from chromium import browser, complaints, opened

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))
MOST_BYTES = 1_000_000


def code(path: Path) -> list:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_valid_executed_and_small(path):
    nbformat.validate(nbformat.read(path, as_version=4))
    cells = code(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert {output.output_type for output in outputs} == {"execute_result", "stream"}
    assert {output.name for output in outputs if output.output_type == "stream"} == {"stdout"}
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert "image/png" in kinds
    assert "text/html" in kinds
    assert path.stat().st_size < MOST_BYTES


def test_there_are_two_and_one_of_them_moves():
    assert len(NOTEBOOKS) == 2
    assert any("<iframe" in path.read_text() for path in NOTEBOOKS)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_what_a_notebook_stores_is_what_it_prints(path):
    names: dict = {}
    for cell in code(path):
        heard = io.StringIO()
        with contextlib.redirect_stdout(heard):
            exec("\n".join(line for line in cell.source.splitlines() if not line.startswith("%")), names)
        assert heard.getvalue() == "".join(output.text for output in cell.outputs if output.output_type == "stream")


def test_the_page_of_a_run_moves_inside_a_notebook(tmp_path):
    run = lw.library_model("pendulum").simulate(0.5, progress=False)
    shown = run.page(height=400)._repr_html_()
    assert "height:400px" in shown
    assert len(shown) < MOST_BYTES / 2
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><title>notebook</title><body>{shown}</body>")
    with browser() as driver:
        inner = "frames[0].linkwork"
        opened(driver, notebook, f"{inner} && {inner}.ready")
        driver.execute_script(f"{inner}.setTime(0.25)")
        assert driver.execute_script(f"return {inner}.state.time") == pytest.approx(0.25)
        assert complaints(driver) == []


def test_a_page_that_cannot_be_is_refused():
    run = lw.library_model("pendulum").simulate(0.1, progress=False)
    with pytest.raises(lw.OptionError, match="at least 200"):
        run.page(height=10)
    with pytest.raises(lw.OptionError, match="choose auto or dark or light"):
        run.page(theme="pink")
