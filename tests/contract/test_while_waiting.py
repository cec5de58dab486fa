"""What a user sees and pays while a call goes on: what is being checked, and no threads for small matrices."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest
from rich.console import Console
from rich.progress import Progress, TextColumn

from linkwork.analyses.certificate.singular import singular_positions
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.library import library_model
from linkwork.results.result import Certificate, Result
from linkwork.view import progress


class Listener:
    """A recorder that notes what it is told."""

    def __init__(self) -> None:
        self.checked: list[tuple[str, int, int]] = []
        self.ended_after = -1

    def begin(self, empty: Result) -> None:
        """Nothing to do."""

    def append(self, part: Result) -> None:
        """Nothing to do."""

    def checking(self, what: str, done: int, count: int) -> None:
        """Note it."""
        self.checked.append((what, done, count))

    def finish(self, certificate: Certificate) -> None:
        """Nothing is checked after this."""
        self.ended_after = len(self.checked)


def test_positions_are_counted_while_they_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many at a time where they are quick; here one by one, as those of thousands of rows are."""
    monkeypatch.setattr(singular_positions, "ROWS_AT_ONCE", 1)
    listener = Listener()
    run = simulate(library_model("n-four-bar", {"n": 3}).mechanism, Options(until=3.0), [listener])
    assert len(run.certificate.singular) == 3
    what, done, count = zip(*listener.checked, strict=True)
    assert set(what) == {"singular positions"}
    assert list(done) == list(range(count[0]))
    assert set(count) == {len(done)}
    assert listener.ended_after == len(done)


def test_the_terminal_says_so() -> None:
    shown = io.StringIO()
    detail = TextColumn("{task.fields[detail]}")
    with Progress(detail, console=Console(file=shown, force_terminal=True, width=200)) as bar:
        watch = progress._Watch(bar, "four-bar", 3.0)
        bar.update(watch.line, visible=True)
        watch.checking("singular positions", 37, 204)
    assert "checking singular positions 37/204" in shown.getvalue()


HELPERS = """
import time
import linkwork as lw
from linkwork.library import library_model

def helped(call):  # seconds of processor time of all threads but this one
    whole, own = time.process_time(), time.thread_time()
    call()
    return time.process_time() - whole - (time.thread_time() - own)

for name, settings in (("four-bar", {}), ("n-four-bar", {"n": 10}), ("n-four-bar", {"n": 40}), ("hmmwv", {})):
    model = library_model(name, settings)
    calls = {"simulate": lambda: model.simulate(0.5, progress=False), "check": model.check}
    if name == "n-four-bar":
        calls["equilibrium"] = model.equilibrium
    if name == "hmmwv":
        calls["modes"] = lambda: model.linearize().modes()
    for what, call in calls.items():
        call()
        time.sleep(0.1)  # threads of a BLAS that has just been loaded spin before they sleep
        print(name, settings.get("n", ""), what, min(helped(call) for _ in range(3)))

rotor = lw.Model("rotor", gravity=(0, -9.81, 0))
rotor.body("shaft", mass=1.0, inertia=(1, 1, 1))
rotor.body("disc", mass=2.0, inertia=(1, 1, 1))
rotor.revolute("spin", rotor.ground, "shaft", at=(0, 0, 0), axis="z")
rotor.spherical("ball", rotor.ground, "disc", at=(0, 0, 0))
rotor.bushing("springs", "shaft", "disc", at=(0, 0, 0), stiffness=(0, 0, 0, 200, 300, 100), damping=(0, 0, 0, 9, 9, 9))
print("rotor floquet", min(helped(lambda: rotor.floquet({"spin": 11.0})) for _ in range(2)))
"""


def test_no_thread_helps_with_small_matrices() -> None:
    """Four threads of BLAS would take longer than one, and their cores from others."""
    environment = os.environ | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "4")
    found = subprocess.run([sys.executable, "-c", HELPERS], env=environment, check=True, capture_output=True, text=True)
    spent = {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in found.stdout.splitlines()}
    assert len(spent) == 12
    assert {name: seconds for name, seconds in spent.items() if seconds > 1e-3} == {}
