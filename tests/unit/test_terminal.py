"""linkwork on a real terminal: the bar, Ctrl-C, the Tab key."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

pty = pytest.importorskip("pty")  # not on Windows
LINKWORK = [sys.executable, "-c", "import sys; sys.argv[0] = 'linkwork'; from linkwork.cli import main; main()"]
LONG = ("run", "double-pendulum", "--until", "1e5", "--every", "0.1")
COLOURS = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
BAR = r"([\d.e+]+) of 100000 s, step ([\d.e-]+) s left (\d+:\d\d)"
PATIENCE = 60.0  # s


def heed_ctrl_c() -> None:
    """As at a prompt: what a shell starts in the background inherits that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def seen_on_a_terminal(*arguments: str, until: str) -> tuple[str, int]:
    """Run on a pseudo-terminal until a text is seen, then press Ctrl-C; all that was shown, and the exit code."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm"}
    process = subprocess.Popen([*LINKWORK, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
                               start_new_session=True, preexec_fn=heed_ctrl_c)  # fmt: skip
    os.close(theirs)
    shown, end, pressed = "", time.monotonic() + PATIENCE, False
    while time.monotonic() < end:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other side has closed
                break
            shown = COLOURS.sub("", shown + part.decode(errors="replace"))
        if not pressed and re.search(until, shown):
            process.send_signal(signal.SIGINT)
            pressed = True
    os.close(ours)
    try:
        return shown, process.wait(timeout=10.0)
    finally:
        process.kill()


def test_the_bar_tells_simulated_time_step_size_and_time_left_and_ctrl_c_keeps_the_run(tmp_path: Path) -> None:
    out = tmp_path / "run.h5"
    shown, code = seen_on_a_terminal(*LONG, "--out", str(out), until=BAR)
    found = re.search(BAR, shown)
    assert found is not None, shown[-2000:]
    assert float(found[1]) > 0.0
    assert 1e-6 < float(found[2]) < 1.0
    assert "Traceback" not in shown
    assert "stopped by the user at t = " in shown
    assert code == 130
    run = lw.load(out)
    assert run.certificate.status == "stopped"
    assert run.certificate.interrupted
    assert 0.0 < run.t[-1] < 1e5
    assert run.certificate.t_end - run.t[-1] < 0.1  # every sample until then is kept
    assert np.isfinite(run["energy"]).all()


def test_ctrl_c_in_a_pipe_answers_machines_too(tmp_path: Path) -> None:
    out = tmp_path / "run.h5"
    process = subprocess.Popen([*LINKWORK, *LONG, "--out", str(out), "--json"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True,
                               preexec_fn=heed_ctrl_c)  # fmt: skip
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        time.sleep(0.2)
        if out.exists() and out.stat().st_size > 300_000:  # some samples are there
            break
    process.send_signal(signal.SIGINT)
    told, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    answer = json.loads(told)
    assert answer["status"] == "stopped"
    assert 0.0 <= answer["t_end"] - lw.load(out).t[-1] < 0.1  # every sample until then is kept
    assert said.strip().splitlines()[-1] == "stopped"


def completed(line: str, folder: Path) -> list[str]:
    """What bash offers after this line and Tab."""
    words = {"_LINKWORK_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    done = subprocess.run(LINKWORK, env={**os.environ, **words}, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_tab_key(tmp_path: Path) -> None:
    """Commands, options, library models and model files; the script that makes bash ask for them."""
    (tmp_path / "engine.toml").touch()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.urdf").touch()
    assert completed("linkwork ex", tmp_path) == ["export"]
    assert "--formulation" in completed("linkwork run --f", tmp_path)
    assert completed("linkwork run four", tmp_path) == ["four-bar", "four-bar-flexible"]
    assert completed("linkwork check e", tmp_path) == ["excavator", "engine.toml"]
    assert completed("linkwork check ro", tmp_path) == ["rotating-cantilever", "robots/"]
    assert completed("linkwork check robots/", tmp_path) == ["robots/arm.urdf"]
    assert completed("linkwork check n", tmp_path) == ["n-four-bar"]
    script = subprocess.run([*LINKWORK, "--show-completion", "bash"], capture_output=True, text=True).stdout
    assert "_LINKWORK_COMPLETE=complete_bash" in script
