"""Ctrl-C at any time: one word, exit code 130, no traceback; what was computed is kept."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.analyses.simulate.post_check import PostCheck
from linkwork.results.reading import load_result
from linkwork.results.result import INTERRUPTED

SEED = 20261116
BEGUN = "import sys; sys.argv[0] = 'linkwork'; print('begun', flush=True); from linkwork.__main__ import main; main()"


def heed_ctrl_c() -> None:
    """Ctrl-C as in a terminal: tests that run in the background may have inherited that it is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupted(arguments: list[str], after: float, folder: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command that gets Ctrl-C so many seconds after its first line."""
    command = [sys.executable, "-c", BEGUN, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, preexec_fn=heed_ctrl_c
    ) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def check_command(number: int, folder: Path, environment: str = "") -> None:
    rng = random.Random(SEED + number)
    arguments = ["run", "double-pendulum", "--until", "3e5", "--rtol", "1e-10", "--every", "100", "--out", "run.h5"]
    code, out, err = interrupted(arguments, rng.uniform(0.0, 2.5), folder)
    assert code == 130, (number, code, out, err)
    assert "Traceback" not in err, (number, err)
    lines = [line for line in err.splitlines() if line.strip()]
    assert lines[-1] == "stopped", (number, err)
    if (folder / "run.h5").exists() and out:
        assert INTERRUPTED in " ".join(re.sub("[│\n]", " ", out).split())
        assert load_result(folder / "run.h5").certificate.status == "stopped"


@pytest.mark.parametrize("number", range(4))
def test_ctrl_c_of_a_run(number: int, tmp_path: Path) -> None:
    check_command(number, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(100, 160))
def test_ctrl_c_of_many_runs(number: int, tmp_path: Path) -> None:
    check_command(number, tmp_path)


@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("after", [0.5, 2.0, 4.0, 8.0])
def test_ctrl_c_while_kernels_compile(after: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKWORK_BACKEND", "jit")
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "cache"))
    code, _, err = interrupted(["run", "pendulum", "--until", "1"], after, tmp_path)
    assert code == 130
    assert "Traceback" not in err
    assert err.splitlines()[-1] == "stopped"
    monkeypatch.delenv("LINKWORK_CACHE")


def stop(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_ctrl_c_while_a_run_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostCheck, "check", stop)
    run = lw.library_model("four-bar").simulate(0.2, out=tmp_path / "run.h5", progress=False)
    assert run.certificate.status == "stopped"
    assert run.certificate.interrupted
    assert run.t[-1] == 0.2
    kept = load_result(tmp_path / "run.h5")
    assert kept.certificate == run.certificate
    assert len(kept.t) == len(run.t)


def test_ctrl_c_while_a_plot_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from linkwork.cli import app

    monkeypatch.setattr(lw.Run, "plot", stop)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["run", "four-bar", "--until", "0.1", "--out", "run.h5", "--plot", "plot.png"])
    assert done.exit_code == 130
    assert "finished at t = 0.1 s" in done.output
    assert "run.h5" in done.output
    assert "stopped" in done.output
    assert load_result(tmp_path / "run.h5").certificate.status == "finished"


def test_a_defect_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from linkwork.cli import app

    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of our own")

    monkeypatch.setattr(lw.Model, "simulate", fails)
    done = CliRunner().invoke(app, ["run", "four-bar", "--until", "0.1"])
    assert done.exit_code == 1
    assert "linkwork itself has failed (ZeroDivisionError: of our own, in test_interrupts.py, line" in done.output
    assert "Traceback" not in done.output
    monkeypatch.setenv("LINKWORK_TRACEBACK", "1")
    assert isinstance(CliRunner().invoke(app, ["run", "four-bar"]).exception, ZeroDivisionError)
