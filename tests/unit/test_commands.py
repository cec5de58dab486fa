"""The commands: their tables, their JSON keys, and what a second process compiles."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from linkwork import commands
from linkwork.cli import app
from linkwork.commands import application
from linkwork.integrators.registry import INTEGRATORS
from linkwork.view.export.formats import FORMATS

RUN_KEYS = {
    "format", "version", "model", "warnings", "error", "status", "t_end", "dof", "formulation", "method", "integrator",
    "why", "steps", "rejected", "evaluations", "factorizations", "wall_s", "compile_s", "energy_drift", "max_violation",
    "switches", "singular", "t", "channels", "units",
}  # fmt: skip


def invoke(*arguments: str):
    answer = CliRunner().invoke(app, list(arguments))
    assert answer.exit_code == 0, answer.output
    return answer.stdout


def test_run_answers_machines():
    told = json.loads(invoke("run", "four-bar", "--until", "0.1", "--channel", "coupler.position.z", "--json"))
    assert set(told) >= RUN_KEYS
    assert told["dof"] == 1
    assert told["status"] == "finished"
    assert told["units"] == {"coupler.position.z": "m"}
    assert len(told["channels"]["coupler.position.z"]) == len(told["t"])
    assert told["channels"]["coupler.position.z"][0] == pytest.approx(np.sin(np.radians(10.0)))


def test_run_hands_options_to_the_method():
    """Baumgarte's constants: too large ones make the equations stiff, and the drift grows."""
    worst = []
    for constant in ("1000", "10"):
        chosen = ("--option", f"alpha={constant}", "--option", f"beta={constant}")
        answer = invoke("run", "four-bar", "--method", "baumgarte", "--until", "0.1", *chosen, "--json")
        worst.append(json.loads(answer)["max_violation"]["position"])
    assert worst[0] > 1e3 * worst[1]


def test_run_prints_a_table_and_writes_plot_and_file(tmp_path):
    plot, out = tmp_path / "p.png", tmp_path / "r.h5"
    text = invoke("run", "pendulum", "--until", "0.2", "--plot", str(plot), "--out", str(out))
    for word in ("degrees of freedom", "energy drift", "worst violation", "articulated", "finished"):
        assert word in text
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert out.read_bytes().startswith(b"\x89HDF")


def test_check_reproduces_the_papers_account_of_the_slider_crank():
    """P5 Table 2: 28 coordinates, 30 equations, 3 redundant, 1 degree of freedom."""
    told = json.loads(invoke("check", "slider-crank", "--json"))
    assert told["papers"] == {"coordinates": 28, "equations": 30, "redundant": 3}
    assert (told["dof"], told["gruebler"], told["equations"], told["rank"]) == (1, -2, 20, 17)
    assert (told["bodies"], told["joints"], told["loops"]) == (3, 4, 1)
    assert len(told["redundant"]) == 3
    for entry in told["redundant"]:
        assert entry["element"] in ("main bearing", "crank pin", "wrist pin", "guide")
        assert entry["shared_with"]


def test_a_plane_four_bar_has_no_redundant_equations():
    plane = json.loads(invoke("check", "n-four-bar", "--set", "n=1", "--json"))
    assert (plane["dof"], plane["redundant"], plane["gruebler"]) == (1, [], 1)


def test_models_and_schema():
    told = json.loads(invoke("models", "--json"))
    assert {"pendulum", "four-bar", "andrews"} <= {m["name"] for m in told["models"]}
    schema = json.loads(invoke("schema"))
    assert {"body", "joint", "gravity"} <= set(schema["properties"])


def test_every_command_has_an_example():
    for command in ("run", "check", "view", "export", "models", "schema"):
        assert "Example: linkwork " + command in invoke(command, "--help")


def test_a_new_command_is_one_new_file():
    """Every module of the folders of commands/ adds a command of its own name."""
    folder = Path(commands.__file__).parent
    files = {path.stem for path in folder.glob("*/*.py")} - {"__init__"}
    assert {command.callback.__name__ for command in application.app.registered_commands} == files


def test_help_names_every_integrator_and_format():
    text = invoke("run", "--help").replace("│", " ")
    assert all(name in " ".join(text.split()) for name in INTEGRATORS)
    assert all(suffix in invoke("export", "--help") for suffix in FORMATS)


def test_a_second_process_compiles_nothing():
    code = (
        "import linkwork as lw; from linkwork.compiler.meter import METER;"
        "lw.library_model('four-bar').simulate(0.01, progress=False);"
        "lw.library_model('pendulum').simulate(0.01, progress=False); print(METER.count)"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
