"""The documentation tells the truth: its Python blocks run and print what they say, its commands work.

A page is read from above: ```python blocks share one namespace, and each `print(...)  # text` must print that text;
```toml blocks with a title become files; the lines `$ linkwork ...` of ```console blocks are run, and what is
shown below them must be printed, whatever its numbers.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from linkwork.analyses.simulate.dynamics import Options
from linkwork.cli import app
from linkwork.commands.application import app as commands
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.joints.registry import JOINTS
from linkwork.expressions.language.functions import FUNCTIONS
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import LIBRARY
from linkwork.methods.registry import METHODS
from linkwork.results.result import Certificate
from native_library import unfit

ROOT = Path(__file__).parents[2]
HOW_TO = [f"docs/howto/{path.name}" for path in sorted((ROOT / "docs/howto").glob("*.md"))]
PAGES = ["README.md", "README.ko.md", "docs/tutorial.md", "docs/tutorial.ko.md", "docs/coming-from.md", *HOW_TO]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
TOLD = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)


def blocks(page: str) -> list[tuple[str, str | None, str]]:
    found = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    return [(kind, title or None, text) for kind, title, text in found]


def run_python(text: str, names: dict) -> None:
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard):
        exec(compile(text, "<block>", "exec"), names)
    told = TOLD.findall(text)
    assert heard.getvalue().splitlines()[: len(told)] == told


def words(line: str) -> str:
    """A printed line without frames, spaces and digits."""
    return re.sub(r"[\d.]+(e[+-]?\d+)?", "#", re.sub(r"[|+│┃\s-]+|[─━┏┓┗┛┌┐└┘├┤┬┴┼╇╃╄┡┩╞╡]", "", line))


def run_commands(text: str) -> None:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        program, *arguments = shlex.split(command)
        assert program == "linkwork"
        answer = CliRunner().invoke(app, arguments)
        assert answer.exit_code == 0, f"{command}\n{answer.output}"
        printed = {words(line) for line in answer.stdout.splitlines()}
        missing = [line for line in shown if words(line) and words(line) not in printed]
        assert not missing, answer.stdout


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_says_is_what_happens(page, tmp_path, monkeypatch):
    if page.endswith("fmu.md") and unfit():
        pytest.skip(unfit())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda *_: True)
    names: dict = {}
    ran = 0
    for kind, title, text in blocks(page):
        if title is not None:
            Path(title).write_text(text)
        elif kind == "python":
            run_python(text, names)
            ran += 1
        elif kind == "console":
            run_commands(text)
            ran += 1
    assert ran


def test_the_reference_has_everything_that_there_is(reference):
    """Tables made from the code: every element, key, function, option, field, joint, method, integrator, command."""
    assert set(reference.FUNCTION_MEANINGS) == {*FUNCTIONS, "table", "noise"}
    made = {mark: make() for mark, make in reference.MARKS.items()}
    for mark, names in {
        "elements": DECLARATIONS, "functions": FUNCTIONS, "coordinates": JOINTS,
        "options": Options.__dataclass_fields__, "certificate": Certificate.__dataclass_fields__, "methods": METHODS,
        "integrators": INTEGRATORS,
        "commands": [command.callback.__name__ for command in commands.registered_commands],
    }.items():  # fmt: skip
        missing = [name for name in names if name not in made[mark]]
        assert not missing, (mark, missing)
    for mark in ("options", "certificate"):  # each field has a meaning
        assert not [line for line in made[mark].splitlines() if line.endswith("|  |")]
    pages = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
    assert all(f"<!-- {mark} -->" in pages for mark in reference.MARKS)
    assert "0.1\\*sin(2\\*pi\\*t)" in reference.plain("0.1*sin(2*pi*t)")


@pytest.fixture(scope="module")
def reference():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_entry_of_the_reference_has_an_example(reference):
    entries, examples = reference.entries(), reference.examples()
    assert len(entries) > 150
    assert sorted(set(entries) ^ set(examples)) == []
    in_python_only = {"python_force", "fmu_block"}
    assert set(DECLARATIONS) - set(reference.elements_in_files()) <= in_python_only


@pytest.mark.parametrize("file", ["answers.py", "model.py", "more.py", "run.py"])
@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")
def test_examples_of_the_reference_do_what_they_say(file, tmp_path, monkeypatch):
    if file == "model.py" and unfit():
        pytest.skip(unfit())
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for part in re.split(r"^# -- ", (ROOT / "docs/api/examples" / file).read_text(), flags=re.MULTILINE):
        run_python(part if not names else f"# {part}", names)


def test_every_command_has_an_example_and_a_line_on_its_page():
    told = (ROOT / "docs/howto/commands.md").read_text()
    for command in commands.registered_commands:
        name = command.name or command.callback.__name__
        assert f"linkwork {name}" in (command.epilog or ""), name
        assert f"`{name}`" in told, name
        help_text = CliRunner().invoke(app, [name, "--help"])
        assert help_text.exit_code == 0
        assert "Example" in help_text.stdout


def test_every_page_of_the_menu_is_there_and_every_page_is_in_the_menu():
    menu = set(re.findall(r"[\w/.-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    pages = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    assert menu == pages


def test_places_in_the_code_that_the_pages_name_exist():
    """`methods/partitioning/qr.py` on a page is a file of the package (or of tests/, docs/, benchmarks/, examples/)."""
    for page in (ROOT / "docs").rglob("*.md"):
        for name in re.findall(r"(?<![\w/.-])((?:\w+/)+\w+\.py)\b", page.read_text()):
            assert any((base / name).is_file() for base in (ROOT, ROOT / "src/linkwork")), f"{page.name}: {name}"


def cited_equations(text):
    """Numbers, as 9.2, of `theory (6.7), (6.8)` and `theory (9.2) to (9.4)`, all those between included."""
    for many in re.findall(r"[Tt]heory((?:,?\s+(?:(?:and|to)\s+)?\(\d+\.\d+\))+)", text):
        yield from re.findall(r"\d+\.\d+", many)
        for page, first, last in re.findall(r"(\d+)\.(\d+)\)\s+to\s+\(\1\.(\d+)\)", many):
            yield from (f"{page}.{k}" for k in range(int(first), int(last)))


def test_equations_are_numbered_once_and_the_code_cites_them_all_and_no_others():
    pages = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs/theory").glob("*.md"))
    formulas = re.findall(r"^```math\n(.*?)^```$", pages, re.MULTILINE | re.DOTALL)
    numbered = re.findall(r"\\qquad \((\d+\.\d+)\)$", "".join(formulas), re.MULTILINE)
    assert len(numbered) == len(set(numbered))
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert {number for text in texts for number in cited_equations(text)} == set(numbered)


def test_every_library_model_hangs_in_the_gallery_with_its_title_and_picture():
    card = re.compile(
        r"^!\[(\S+)\]\((\S+)\)\n\n\*\*`(\S+)`\*\* (.+?)\.$.*?^known independently: .+?$", re.MULTILINE | re.DOTALL
    )
    cards = card.findall((ROOT / "docs/gallery.md").read_text())
    assert [name for _, _, name, _ in cards] == list(LIBRARY)
    for drawn, picture, name, title in cards:
        assert drawn == name and title.startswith(LIBRARY[name].title), name
        assert (ROOT / "docs" / picture).read_bytes().startswith(b"\x89PNG")
