"""What stops a run, or makes it suspect, points to an entry of "Why did my run fail"; each entry has its picture."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.analyses.simulate.failures import ENTRIES
from linkwork.cli import app
from linkwork.errors import AssemblyError, DeadCentreError, Entry, NumericalError, SuspectError, entry_of
from linkwork.numerics.status import Status

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/why-failed.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "src/linkwork").rglob("*.py"))
STOPS_A_RUN = ("analyses/start", "analyses/simulate", "analyses/certificate", "elements", "commands/motion")
LARGEST = 60_000  # bytes of a picture


def calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]


def test_every_entry_has_a_heading_with_its_picture_below_and_every_heading_an_entry():
    found = re.findall(r"^### (.+)\n\n!\[.+\]\(images/why/([\w-]+)\.png\)", PAGE, re.MULTILINE)
    assert [heading for heading, _ in found] == re.findall(r"^### (.+)$", PAGE, re.MULTILINE)
    assert sorted(heading for heading, _ in found) == sorted(entry.value for entry in Entry)
    for heading, name in found:
        assert name == heading.lower().replace(" ", "-")  # the anchor
        picture = (ROOT / f"docs/images/why/{name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG") and len(picture) <= LARGEST
    kept = {path.stem for path in (ROOT / "docs/images/why").iterdir()}
    assert kept == {name for _, name in found}


def test_every_picture_has_a_function_that_draws_it():
    drawn = "".join((ROOT / f"docs/{name}.py").read_text() for name in ("failures", "failing_mechanisms"))
    assert sorted(re.findall(r"@shows\(Entry\.(\w+)\)", drawn)) == sorted(Entry.__members__)


def test_every_error_that_stops_a_run_names_its_entry():
    """By class (a dead centre), or where it is made; none of the entries is without an error."""
    kinds = {kind.__name__: kind for kind in (AssemblyError, DeadCentreError, NumericalError, SuspectError)}
    without, made = [], 0
    for path in SOURCES:
        if not any(f"linkwork/{folder}" in path.as_posix() for folder in STOPS_A_RUN):
            continue
        for call in calls(path):
            name = call.func.id
            if name in kinds:
                made += 1
                if kinds[name].entry is None and "entry" not in {keyword.arg for keyword in call.keywords}:
                    without.append(f"{path.name}:{call.lineno}")
    assert made > 10 and without == []
    outside = "".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "errors.py")
    used = set(re.findall(r"\bEntry\.([A-Z_]+)\b", outside)) | {"DEAD_CENTRE"}
    assert used == set(Entry.__members__)


def test_every_status_of_a_loop_that_failed_has_an_entry():
    source = (ROOT / "src/linkwork/analyses/simulate/failures.py").read_text(encoding="utf-8")
    assert {status.name for status in ENTRIES} == set(re.findall(r"^        Status\.(\w+): f?\"", source, re.MULTILINE))
    assert all(isinstance(status, Status) for status in ENTRIES)


def pushed_slider() -> lw.Model:
    """A slider-crank whose slider is pushed outwards beyond full stretch."""
    model = lw.library_model("slider-crank", {"crank": 0.1, "rod_length": 0.31, "angle": 60.0, "speed": 0.0})
    model.driver("push", "guide", "0.2 * t")
    return model


def test_an_error_names_its_entry_in_python_on_the_command_line_and_in_json(tmp_path):
    reference = "See 'Dead centre' in \"Why did my run fail\"."
    model = pushed_slider()
    with pytest.raises(DeadCentreError) as caught:
        model.simulate(0.5, progress=False)
    assert caught.value.__notes__ == [reference] and reference not in str(caught.value)
    assert caught.value.as_dict()["entry"] == "Dead centre"
    model.save(tmp_path / "pushed.toml")
    answer = CliRunner().invoke(app, ["run", str(tmp_path / "pushed.toml"), "--until", "0.5"])
    assert answer.exit_code == 3
    assert answer.stderr.rstrip().endswith("results until then are kept\n" + reference)


def test_a_suspect_run_names_its_entry_in_its_warning():
    model = lw.library_model("double-pendulum")
    with pytest.warns(lw.RunWarning, match="See 'Energy balance' in") as heard:
        run = model.simulate(3.0, integrator="rk4", step=0.1, progress=False)
    assert run.certificate.status == "suspect"
    assert entry_of(run.certificate.error) is Entry.UNRESOLVED
    assert [str(warning.message) for warning in heard] == run.certificate.warnings
    assert [text.split("See '")[1].split("'")[0] for text in run.certificate.warnings] == [
        "Step too long", "Energy balance",
    ]  # fmt: skip


def test_an_error_kept_by_an_earlier_version_has_no_entry():
    assert entry_of({"code": "suspect", "message": "off"}) is None
    assert entry_of(SuspectError("off", entry=Entry.ENERGY).as_dict()) is Entry.ENERGY
