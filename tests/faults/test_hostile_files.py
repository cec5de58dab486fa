"""Files made to hang a program or to fill its memory: one sentence, exit code 2, within 2 s and 500 MB."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from mutations import patience
from typer.testing import CliRunner

from linkwork.cli import app
from linkwork.commands.tables import print_facts
from linkwork.errors import LinkworkError
from linkwork.files.model_files import read_mechanism

MODEL = """
name = "test"
gravity = [0, 0, -9.81]
[[body]]
name = "bar"
shape = {kind = "rod", mass = %s, length = %s}
at = [0.5, 0, 0]
[[joint]]
name = "pin"
kind = "revolute"
between = ["ground", "%s"]
at = [0, 0, 0]
axis = "y"
"""
DRIVER = '[[driver]]\nname = "d"\njoint = "pin"\nmotion = "'
EMPTY = "gravity = [0, 0, 0]\n"
MEMORY = 500 * 2**20  # bytes beyond what the libraries take


def model(mass: str = "1.0", length: str = "1.0", to: str = "bar") -> str:
    return MODEL % (mass, length, to)


def aliases() -> str:
    """Nine times nine times nine ... values."""
    lines = [f"{c}: &{c} [{', '.join([f'*{p}'] * 9)}]" for p, c in zip("abcdefgh", "bcdefghi", strict=True)]
    return "\n".join(["a: &a [x, x, x, x, x, x, x, x, x]", *lines, "gravity: *i"])


def doubling(folder: Path) -> None:
    for k in range(40):
        inner = f'include = [{{file = "{k + 1}.toml", prefix = "a"}}, {{file = "{k + 1}.toml", prefix = "b"}}]\n'
        (folder / f"{k}.toml").write_text((inner if k < 39 else "") + "gravity = [0, 0, 0]\n")
    (folder / "model.toml").write_text('include = ["0.toml"]\ngravity = [0, 0, 0]\n')


def chain(folder: Path) -> None:
    for k in range(1500):
        (folder / f"{k}.toml").write_text(f'include = ["{k + 1}.toml"]\ngravity = [0, 0, 0]\n')
    (folder / "model.toml").write_text('include = ["0.toml"]\ngravity = [0, 0, 0]\n')


def loop_of_links(folder: Path) -> None:
    (folder / "a.toml").symlink_to("b.toml")
    (folder / "b.toml").symlink_to("a.toml")
    (folder / "model.toml").write_text('include = ["a.toml"]\ngravity = [0, 0, 0]\n')


def link_outside(folder: Path) -> None:
    (folder / "a.toml").symlink_to("/etc/hostname")
    (folder / "model.toml").write_text('include = ["a.toml"]\ngravity = [0, 0, 0]\n')


def endless(folder: Path) -> None:
    (folder / "model.toml").symlink_to("/dev/zero")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "model.toml")


def large(folder: Path) -> None:
    (folder / "model.toml").write_text("# " + "x" * 20_000_000)


def entities(root: str) -> str:
    """A document of a few hundred bytes that means gigabytes."""
    nested = "".join(f'<!ENTITY {c} "{f"&{p};" * 10}">' for p, c in zip("abcdefgh", "bcdefghi", strict=True))
    return f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{nested}]><{root}>&i;</{root}>'


def long_chain_of_links() -> str:
    joint = '<joint name="j{0}" type="revolute"><parent link="l{0}"/><child link="l{1}"/></joint>'
    joints = "".join(joint.format(k, k + 1) for k in range(2999))
    return '<robot name="x">' + "".join(f'<link name="l{k}"/>' for k in range(3000)) + joints + "</robot>"


TEXTS: dict[str, tuple[str, str, str]] = {
    "power tower": ("toml", model('"1 kg**(9**9**9)"'), "there is no unit"),
    "power tower in parentheses": ("toml", model('"1 kg*(((9)**99)**99)**99"'), "there is no unit"),
    "a power of a power": ("toml", model('"1 kg9^9"'), "there is no unit"),
    "powers within parentheses": ("toml", model('"1 kg*((((min)**99)**99)**99)**99"'), "there is no unit"),
    "endless unit": ("toml", model(f'"1 {"k" * 200_000}"'), "characters; at most"),
    "open parentheses": ("toml", model(f'"1 kg{"(" * 900}"'), "there is no unit"),
    "1e308 m": ("toml", model(length="1e308"), "length is 1e+308; it must be a number up to 1e+50"),
    "1e308 in a parameter": ("toml", "gravity=[0,0,0]\n[parameters]\na=1e308", "parameter 'a' is 1e+308"),
    "a number of 5000 digits": ("json", '{"gravity": [0, 0, ' + "9" * 5000 + "]}", "not valid JSON"),
    "aliases of aliases": ("yaml", aliases(), "values, aliases counted each time"),
    "a list in itself": ("yaml", "gravity: [0, 0, 0]\nbody: &b [*b]\n", "nested more than"),
    "a list twice in itself": ("yaml", "gravity: &b [*b, *b]\n", "values, aliases counted"),
    "a table in itself": ("yaml", "gravity: [0, 0, 0]\nparameters: &p {a: *p}\n", "nested more than"),
    "400 levels of YAML": ("yaml", f"gravity: {'[' * 400}{']' * 400}", "nested more than"),
    "40,000 levels of YAML": ("yaml", f"gravity: {'[' * 40_000}", "nested more than"),
    "400 levels of JSON": ("json", f'{{"gravity": {"[" * 400}{"]" * 400}}}', "nested more than"),
    "100,000 levels of JSON": ("json", f'{{"gravity": {"[" * 100_000}', "nested more than"),
    "400 levels of TOML": ("toml", f"gravity = {'[' * 400}{']' * 400}", "nested more than"),
    "40,000 levels of TOML": ("toml", f"gravity = {'[' * 40_000}", "nested more than"),
    "50,000 dots": ("toml", f"gravity = [0, 0, 0]\n{'.'.join(['a'] * 50_000)} = 1", "nested more than"),
    "50,000 dotted keys": ("toml", EMPTY + "".join(f"a{k}.b = 1\n" for k in range(50_000)), "unknown key"),
    "50,000 parameters in a row": (
        "toml",
        "gravity = [0, 0, 0]\n[parameters]\n" + "".join(f'a{k} = "a{k + 1}"\n' for k in range(50_000)),
        "wait for each other",
    ),
    "a name with NUL": ("toml", model().replace('"bar"', '"ba\\u0000r"'), "cannot be seen"),
    "a name of 2 MB": ("toml", model().replace('"bar"', f'"{"b" * 2_000_000}"'), "at most 200"),
    "a reference of 2 MB": ("toml", model(to="b" * 2_000_000), "there is no body"),
    "a deep expression": ("toml", model() + DRIVER + "(" * 400 + 't"', "nested"),
    "a long expression": ("toml", model() + DRIVER + "t+" * 50_000 + 't"', "at most 1000"),
    "a date that is none": ("yaml", "gravity: 2001-99-99", "not valid YAML"),
    "a list as a key": ("yaml", "gravity: [0, 0, 0]\n? [1, 2]\n: 3\n", "not valid YAML"),
    "a tag of nothing": ("yaml", 'gravity: !!timestamp ""\n', "not valid YAML"),
    "entities of MJCF": ("xml", entities("mujoco"), "not valid XML"),
    "entities of URDF": ("urdf", entities("robot"), "not valid XML"),
    "an include of MJCF": ("xml", '<mujoco><include file="/etc/passwd"/></mujoco>', "outside the model's folder"),
    "an include above": ("xml", '<mujoco><include file="../../x.xml"/></mujoco>', "outside the model's folder"),
    "a mesh above": ("xml", '<mujoco><asset><mesh file="../x.stl"/></asset></mujoco>', "outside the model's folder"),
    "a folder of meshes": ("xml", '<mujoco><compiler meshdir="/"/></mujoco>', "outside the model's folder"),
    "a million copies": ("xml", '<mujoco><replicate count="99999999"/></mujoco>', "at most 10000"),
    "3000 links": ("urdf", long_chain_of_links(), "no mass"),
}  # fmt: skip
FOLDERS: dict[str, tuple[Callable[[Path], None], str]] = {
    "doubling includes": (doubling, "more than 1000 files"),
    "a chain of includes": (chain, "more than 50 deep"),
    "a loop of links": (loop_of_links, "circle"),
    "a link outside": (link_outside, "outside the model's folder"),
    "a device": (endless, "not a file that can be read as a whole"),
    "a pipe": (pipe, "not a file that can be read as a whole"),
    "20 MB": (large, "more than 16 MB"),
}


def written(name: str, folder: Path) -> tuple[Path, str]:
    """The file of a case, and words of the answer."""
    if name in FOLDERS:
        make, words = FOLDERS[name]
        make(folder)
        return folder / "model.toml", words
    suffix, text, words = TEXTS[name]
    path = folder / f"model.{suffix}"
    path.write_text(text)
    return path, words


@pytest.mark.parametrize("name", [*TEXTS, *FOLDERS])
def test_one_sentence_soon(name: str, tmp_path: Path) -> None:
    path, words = written(name, tmp_path)
    for module, suffix in (("mujoco", ".xml"), ("yourdfpy", ".urdf")):
        if path.suffix == suffix:
            pytest.importorskip(module)
    began = time.process_time()
    with patience(20.0), pytest.raises(LinkworkError) as caught:
        read_mechanism(path)
    assert time.process_time() - began < 2.0
    assert caught.value.exit_code == 2
    assert words in caught.value.message
    assert len(caught.value.message) < 2000


@pytest.mark.parametrize("name", ["power tower", "aliases of aliases", "doubling includes", "a device"])
def test_the_command_exits_with_2_within_its_memory(name: str, tmp_path: Path) -> None:
    path, words = written(name, tmp_path)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))

    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    command = [sys.executable, "-m", "linkwork", "check", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, preexec_fn=limited)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.startswith("error: ")
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    assert max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, before) * 1024 < MEMORY or before * 1024 > MEMORY


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("run pendulum --every 1e-12", "samples until 5 s, and at most 10000000 are kept"),
        ("kinematics slider-crank --until 1 --every 1e-12", "at most 10000000 are kept"),
        ("kinematics four-bar --sweep A.angle=0.1:1.2:1000000000000", "values are too many"),
        ("study slider-crank --vary crank=0.05:0.15:1000000000000 --output t", "values are too many"),
        ("modes governor --sweep spindle=0:1e12:1e9", "values are too many"),
        ("run pendulum --hmax 1e-300", "which no run can finish"),
        ("run four-bar --integrator rk4 --step 1e-300", "which no run can finish"),
        ("run pendulum --set length=1e308", "a number up to 1e+50"),
        ("check pendulum --set length=[[[[[[", "the list cannot be read"),
    ],
)
def test_options_that_ask_for_too_much(arguments: str, words: str) -> None:
    began = time.process_time()
    answer = CliRunner().invoke(app, arguments.split())
    assert answer.exit_code == 2, answer.output
    assert words in " ".join(answer.output.split())
    assert time.process_time() - began < 2.0


def test_names_from_files_do_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts("\x1b[2Ja", [("[/]", "[bold]b\x1b]0;c\x07 :smile:")])
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "\x07" not in shown
    assert "[/]" in shown and "[bold]b" in shown and ":smile:" in shown


MESHES = ("/etc/passwd", "../outside.stl", "meshes/../../outside.stl", "link.stl", "nothing.stl", "C:\\outside.stl")


@pytest.mark.parametrize("file", MESHES)
def test_meshes_of_pictures_stay_in_the_folder_of_the_model(tmp_path: Path, file: str) -> None:
    """They are read when the model is drawn: one outside is left out with a warning, whatever leads there."""
    (tmp_path / "outside.stl").write_text("solid outside\nendsolid")
    folder = tmp_path / "model"
    (folder / "meshes").mkdir(parents=True)
    (folder / "link.stl").symlink_to(tmp_path / "outside.stl")
    (folder / "meshes" / "part.stl").write_text("solid part\nendsolid")
    model = folder / "model.json"
    for name, drawn in ((file, False), ("meshes/part.stl", True), (str(folder / "meshes" / "part.stl"), True)):
        body = {"name": "a", "mass": 1, "inertia": [1, 1, 1], "pictures": [{"kind": "mesh", "file": name}]}
        model.write_text(json.dumps({"gravity": [0, 0, 0], "body": [body]}))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pictures = read_mechanism(model).body[0].pictures
        assert [picture.file for picture in pictures] == ([str(folder / "meshes" / "part.stl")] if drawn else [])
        assert drawn or "what it shows is not drawn" in str(caught[0].message)
