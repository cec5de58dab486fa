"""Every error points to an entry of "Why did my run fail"; each entry has its picture."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.analyses.simulate.failures import ENTRIES
from linkwork.cli import app
from linkwork.errors import (
    AssemblyError,
    DeadCentreError,
    Entry,
    FileError,
    KernelError,
    ModelError,
    NumericalError,
    OptionError,
    SuspectError,
    entry_of,
)
from linkwork.failure_entries import WORDS
from linkwork.numerics.status import Status

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/why-failed.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "src/linkwork").rglob("*.py"))
REFUSALS = {"ModelError": ModelError, "OptionError": OptionError, "FileError": FileError, "KernelError": KernelError}
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
    files = ("failures", "failing_mechanisms", "refused_models", "refused_requests")
    drawn = "".join((ROOT / f"docs/{name}.py").read_text() for name in files)
    assert sorted(re.findall(r"@shows\(Entry\.(\w+)\)", drawn)) == sorted(Entry.__members__)


def test_every_error_of_a_computation_names_its_entry():
    """By class (a dead centre), or where it is made."""
    kinds = {kind.__name__: kind for kind in (AssemblyError, DeadCentreError, NumericalError, SuspectError)}
    without, made = [], 0
    for path in SOURCES:
        for call in calls(path):
            name = call.func.id
            if name in kinds:
                made += 1
                if kinds[name].entry is None and "entry" not in {keyword.arg for keyword in call.keywords}:
                    without.append(f"{path.name}:{call.lineno}")
    assert made > 20 and without == []


def sentence(node: ast.expr) -> str | None:
    """The words of a message, with something in the place of its values."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if not isinstance(node, ast.JoinedStr):
        return None
    values = {"nearest": "did you mean 'crank'?", "hint": "did you mean 'crank'?", "install_hint": "install it: pip"}
    parts = [
        str(part.value) if isinstance(part, ast.Constant)
        else next((text for word, text in values.items() if word in ast.unparse(part)), "'crank'")
        for part in node.values
    ]  # fmt: skip
    return "".join(parts)


def test_every_refusal_finds_its_entry_and_every_entry_explains_an_error():
    """By its words, else by its class; the page quotes words by which each of the entries is found."""
    made = [
        (REFUSALS[call.func.id], words)
        for path in SOURCES for call in calls(path)
        if call.func.id in REFUSALS and call.args and (words := sentence(call.args[0]))
    ]  # fmt: skip
    found = {kind.explained_by(words) for kind, words in made}
    assert len(made) > 250 and None not in found
    outside = "".join(path.read_text(encoding="utf-8") for path in SOURCES if path.name != "failure_entries.py")
    used = {Entry[name] for name in re.findall(r"\bEntry\.([A-Z_]+)\b", outside)}
    every = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    in_elements = {entry for entry, words in WORDS.items() if any(word in every for word in words)}
    assert found | used | in_elements == set(Entry)
    for entry, words in WORDS.items():
        section = PAGE.split(f"### {entry.value}\n")[1].split("\n#")[0]
        assert any(word.strip() in section for word in words), entry


@pytest.mark.parametrize(
    ("given", "entry"),
    [
        (["run", "pendlum"], Entry.UNKNOWN_NAME),
        (["run", "pendulum", "--set", "mass=3 m"], Entry.UNIT),
        (["run", "pendulum", "--set", "bar.mass=-1"], Entry.VALUE),
        (["run", "pendulum", "--step", "0.1"], Entry.OPTION),
        (["run", "pendulum", "--every", "1e-12"], Entry.TOO_MUCH),
        (["run", "pendulum", "--plot", "nowhere/a.png"], Entry.WRITE),
        (["run", "none.toml"], Entry.FILE),
        (["kinematics", "pendulum", "--until", "1"], Entry.NOT_DRIVEN),
        (["kinematics", "four-bar", "--sweep", "A=0:9:5", "--plot", "a.docx"], Entry.WRITE),
        (["modes", "windscreen-wiper"], Entry.NOTHING_MOVES),
        (["equilibrium", "bouncing-ball", "--set", "stiffness=1e-9"], Entry.NO_EQUILIBRIUM),
        (["study", "pendulum", "--output", "max(pin.angle)"], Entry.NO_PLAN),
        (
            ["study", "pendulum", "--vary", "options.max_steps=3,4", "--output", "max(pin.angle)"],
            Entry.ALL_FAILED,
        ),
        (["export", "pendulum", "--format", "fmu", "--input", "bar"], Entry.INPUT),
    ],
)
def test_what_is_refused_on_the_command_line_names_the_entry_that_fits(given, entry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(app, given)
    assert answer.exit_code in (2, 3)
    assert answer.stderr.rstrip().endswith(entry.reference), answer.stderr


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


def test_the_reason_of_a_suspect_run_is_shown_once_on_the_command_line():
    given = ["run", "double-pendulum", "--until", "3", "--integrator", "rk4", "--step", "0.1"]
    answer = CliRunner().invoke(app, given)
    shown = " ".join(answer.output.replace("\u2502", " ").split())
    for reason in ("the step is too long for the motion", "See 'Step too long'", "the energy balance is off"):
        assert shown.count(reason) == 1


def test_an_error_kept_by_an_earlier_version_has_no_entry():
    assert entry_of({"code": "suspect", "message": "off"}) is None
    assert entry_of(SuspectError("off", entry=Entry.ENERGY).as_dict()) is Entry.ENERGY
