"""Reports and cards: what they say is what the analyses found; bad files get a sentence."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.errors import FileError, OptionError
from linkwork.results import metadata
from linkwork.results.reading import load_result
from linkwork.results.storage import save
from linkwork.view.report import pdf


@pytest.fixture(scope="module")
def run() -> lw.Run:
    return lw.library_model("slider-crank").simulate(0.2, progress=False)


@pytest.fixture(scope="module")
def file(run: lw.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.h5"
    run.save(path)
    return path


def test_report_says_what_was_found(run: lw.Run, tmp_path: Path) -> None:
    text = run.report(tmp_path / "report.html").read_text()
    told = re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)
    assert "1 (velocities - equations = -2)" in told  # P5 Table 2
    for words in (
        "How it was computed",
        "Degrees of freedom",
        "Motion",
        "Joint loads",
        "The model",
        run.certificate.why,
    ):
        assert words in told
    for name in ("crank", "rod", "slider", "main bearing", "guide"):
        assert f"<td>{name}</td>" in told
    peak = next(p for p in run.reaction("crank pin").peaks() if p.of == "fx")
    assert f"<td>{peak.value:.5g}</td>" in told
    assert "load can shift among" in told
    assert not re.search(r'(src|href)="(?!data:)', told)  # nothing is fetched


def test_report_of_a_command(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["run", "pendulum", "--until", "0.1", "--report", str(tmp_path / "r.html")])
    assert done.exit_code == 0, done.output
    assert "<h1>pendulum</h1>" in (tmp_path / "r.html").read_text()


def test_pdf_where_there_is_chromium(run: lw.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if any(map(shutil.which, pdf.BROWSERS)):
        assert run.report(tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    monkeypatch.setattr(pdf, "BROWSERS", ())
    with pytest.raises(OptionError, match=r"needs Chromium .* write an \.html report"):
        run.report(tmp_path / "other.pdf")


def test_what_cannot_be_reported(run: lw.Run, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"must end with \.html or \.pdf"):
        run.report(tmp_path / "report.doc")
    with pytest.raises(FileError, match="no folder"):
        run.report(tmp_path / "none" / "report.html")
    with pytest.raises(OptionError, match="no samples"):
        lw.Run(run.result.part(slice(0, 0))).report(tmp_path / "report.html")


def test_notebooks_show_models_and_runs(run: lw.Run) -> None:
    shown = run._repr_html_()
    assert "energy drift" in shown
    assert "data:image/png;base64," in shown
    model = lw.Model("a < b", gravity=(0, 0, -9.81))
    assert "a &lt; b" in model._repr_html_()
    bar = model.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    model.revolute("pin", model.ground, bar, at=(0, 0, 0), axis="y")
    assert "pin (revolute)" in model._repr_html_()
    assert repr(model) == "<Model 'a < b', body: 1, joint: 1>"
    assert repr(run).startswith(f"<Run of '{run.result.model}': finished at t = ")
    assert "no samples" not in lw.Run(run.result.part(slice(0, 0)))._repr_html_()


@pytest.mark.parametrize("command", [["view", "--no-open"], ["export"]])
def test_files_that_are_not_whole(
    file: Path, tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut short: one sentence and exit code 2; of another version: what can be read is read, and said."""
    name, *options = command
    out = ["--out", str(tmp_path / ("page.html" if name == "view" else "run.csv")), *options]
    cut = tmp_path / "cut.h5"
    cut.write_bytes(file.read_bytes()[:9000])
    done = CliRunner().invoke(app, [name, str(cut), *out])
    assert done.exit_code == 2
    assert "is cut short or damaged" in done.output
    other = tmp_path / "other.h5"
    monkeypatch.setattr(metadata, "FORMAT", "linkwork-run-9")
    save(load_result(file), other)
    done = CliRunner().invoke(app, [name, str(other), *out])
    assert done.exit_code == 0, done.output
    assert "what could be read was read" in " ".join(done.output.split()).replace("│ │ ", "")


def test_unknown_channel_is_answered_by_near_names(file: Path, tmp_path: Path) -> None:
    asked = ["export", str(file), "--out", str(tmp_path / "a.csv"), "--channel", "rod.positon.x"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 2
    assert "did you mean 'rod.position.x'" in done.output
