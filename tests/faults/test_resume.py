"""A run that was killed or stopped goes on, and ends as if nothing had happened, to the bit."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulate import checkpoint, forward_run
from linkwork.analyses.simulate.checkpoint import SCRATCH
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.methods.registry import METHODS
from linkwork.results.disk.checkpoints import packed, unpacked
from linkwork.results.disk.resumable import load_resumable
from linkwork.results.reading import load_result
from linkwork.results.result import SAMPLED, Result
from linkwork.results.storage import Writer

SEED = 20261116
CLOCKS = ("wall_s", "loop_s", "cpu_s", "compile_s")
FEW = 5  # steps of a chunk


class Killed(BaseException):
    """The process is no more; the file stays as it is."""


class Doomed(Writer):
    """A writer whose process dies after so many checkpoints."""

    left = 0

    def keep(self, *what: Any) -> None:
        super().keep(*what)
        self.left -= 1
        if self.left == 0:
            raise Killed


def assert_same(a: Result, b: Result) -> None:
    for name in SAMPLED:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    for name in a.steps.dtype.names or ():
        np.testing.assert_array_equal(a.steps[name], b.steps[name], err_msg=name)
    assert (a.model_text, a.names, json.dumps(a.options)) == (b.model_text, b.names, json.dumps(b.options))
    ours, theirs = ({k: v for k, v in asdict(r.certificate).items() if k not in CLOCKS} for r in (a, b))
    assert json.dumps(ours) == json.dumps(theirs)


def events() -> Mechanism:
    """A lock that catches a pendulum, an impulse, an event that lets it go, known break times."""
    m = lw.Model("events", gravity=(0, 0, -9.81))
    bar = m.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    m.revolute("pin", m.ground, bar, at=(0, 0, 0), axis="y")
    m.driver("lock", "pin", hold=True, since=0.5)
    m.event("loose", "t > 0.8", "release", driver="lock")
    m.impulse("blow", "bar", 1.1, impulse=(0, 0, 1.0), at=(0.5, 0, 0))
    m.event("passes", "x(bar) < 0", "log")
    return m.mechanism


def cases() -> list[tuple[str, dict[str, Any]]]:
    """Every method with one integrator, every integrator with one method, models with events, contacts, elasticity."""
    found: list[tuple[str, dict[str, Any]]] = []
    for method in METHODS.values():
        if not method.open_tree:
            found.append(("four-bar", {"method": method.name, "until": 0.6}))
    for integrator in INTEGRATORS.values():
        step = None if integrator.adaptive else 2e-3
        found.append(("slider-crank", {"integrator": integrator.name, "step": step, "until": 0.3, "every": 0.1}))
        found.append(("events", {"integrator": integrator.name, "step": step, "until": 1.5}))
    found.append(("slider-crank", {"formulation": "absolute", "until": 0.3}))
    found += [
        ("bouncing-ball", {"until": 1.5}),
        ("four-bar-flexible", {"until": 0.02}),
        ("double-pendulum", {"until": 1}),
    ]
    return found


def mechanism_of(name: str) -> Mechanism:
    return events() if name == "events" else library_model(name).mechanism


@pytest.fixture
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps, and a checkpoint after each chunk."""
    whole = forward_run.ForwardRun.chunk
    monkeypatch.setattr(forward_run.ForwardRun, "chunk", lambda run, limit: whole(run, FEW))
    monkeypatch.setattr(checkpoint, "SHARE", np.inf)


def finished(mechanism: Mechanism, options: Options, recorders: list[Writer]) -> Result:
    try:
        return simulate(mechanism, options, recorders)
    except lw.NumericalError as failure:
        assert isinstance(failure.partial, Result)
        return failure.partial


@pytest.mark.parametrize(("name", "options"), cases(), ids=str)
def test_killed_anywhere(name: str, options: dict[str, Any], tmp_path: Path, short_chunks: None) -> None:
    chosen, path, mechanism = Options(**options), tmp_path / "run.h5", mechanism_of(name)
    with Doomed(path) as counting:
        whole = finished(mechanism, chosen, [counting])
    assert_same(load_result(path), whole)
    with Doomed(path) as doomed, pytest.raises(Killed):
        doomed.left = random.Random(f"{SEED} {name} {options}").randint(1, -counting.left)
        finished(mechanism, chosen, [doomed])
    assert_same(lw.resume(path, progress=False).result, whole)
    assert_same(load_result(path), whole)


def test_what_is_not_kept_is_not_needed(tmp_path: Path, short_chunks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = Options(until=0.5, method="hybrid-qr")
    whole = simulate(library_model("four-bar").mechanism, chosen)
    chunk = forward_run.ForwardRun.chunk

    def poisoned(run: Any, limit: int) -> Any:
        for name in SCRATCH:
            array = getattr(run.work, name)
            if array.dtype.kind in "fi":
                array[...] = np.nan if array.dtype.kind == "f" else -7777
        return chunk(run, limit)

    monkeypatch.setattr(forward_run.ForwardRun, "chunk", poisoned)
    assert_same(simulate(library_model("four-bar").mechanism, chosen), whole)


def test_a_checkpoint_that_is_not_whole_is_none() -> None:
    content = packed({"a": 1.5}, {"x": np.arange(9.0), "none": np.zeros(0)})
    found = unpacked(content + b"   ")
    assert found is not None
    assert found[1].facts == {"a": 1.5}
    assert found[1].arrays["x"] == np.arange(9.0).tobytes()
    rng = random.Random(SEED)
    for _ in range(300):
        spoilt = bytearray(content)
        spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
        assert unpacked(bytes(spoilt)) is None
        assert unpacked(content[: rng.randrange(len(content))]) is None


# -- processes that are killed ----------------------------------------------------------------------------------------
MODEL, UNTIL = "double-pendulum", "600"


def start(path: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "linkwork", "run", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=path.parent)


def killed_again_and_again(path: Path, kills: int, seed: int) -> None:
    """Started once, killed at random times, resumed each time, to the end."""
    rng = random.Random(seed)
    command = anew = (MODEL, "--until", UNTIL, "--every", "0.1", "--rtol", "1e-10", "--out", path.name)
    done, ended = 0, False
    while not ended:
        with start(path, *command) as process:
            try:
                _, errors = process.communicate(timeout=rng.uniform(0.9, 2.5) if done < kills else 300)
                ended = process.returncode == 0
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL if rng.random() < 0.8 else signal.SIGINT)
                _, errors = process.communicate()
                done += 1
        assert "Traceback" not in errors
        try:
            load_resumable(path)
            command = ("--resume", path.name)
        except lw.FileError as nothing:  # killed before there was anything to go on from, or at its end
            assert re.search("no file|no whole checkpoint|has ended|not an HDF5|cut short", nothing.message)
            command = anew


def uninterrupted() -> Result:
    options = Options(until=float(UNTIL), every=0.1, rtol=1e-10)
    return simulate(library_model(MODEL).mechanism, options)


def test_three_kills(tmp_path: Path) -> None:
    killed_again_and_again(tmp_path / "run.h5", 3, SEED)
    assert_same(load_result(tmp_path / "run.h5"), uninterrupted())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_thirty_kills(seed: int, tmp_path: Path) -> None:
    killed_again_and_again(tmp_path / "run.h5", 3, SEED + 1 + seed)
    assert_same(load_result(tmp_path / "run.h5"), uninterrupted())
