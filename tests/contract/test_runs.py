"""Contracts of a run: Ctrl-C keeps what was computed, threads and processes give the same, a chunk never shows."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from linkwork.analyses.certificate import trajectory
from linkwork.analyses.simulate import chunk_buffers
from linkwork.analyses.simulate.dynamics import Options, sample_times, simulate
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.sources import PACKAGE, below
from linkwork.integrators.registry import integrator
from linkwork.library import library_model
from linkwork.methods.registry import choose_method
from linkwork.results.result import HELD, Certificate, Result
from locked_rods import locked_rods

FOUR_BAR = library_model("four-bar").mechanism


class StopsAfter:
    """A recorder at whose n-th chunk the user presses Ctrl-C."""

    def __init__(self, chunks: int) -> None:
        self.left = chunks
        self.finished: Certificate | None = None

    def begin(self, empty: Result) -> None:
        assert len(empty.t) == 0

    def append(self, part: Result) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

    def finish(self, certificate: Certificate) -> None:
        self.finished = certificate


def test_ctrl_c_stops_cleanly_and_keeps_what_was_computed():
    recorder = StopsAfter(2)
    options = Options(until=3.0, hmax=1e-3)
    stopped, whole = simulate(FOUR_BAR, options, [recorder]), simulate(FOUR_BAR, options)
    assert stopped.certificate.status == "stopped"
    assert recorder.finished is stopped.certificate
    assert "stopped by the user" in stopped.certificate.warnings[0]
    assert 0 < len(stopped.t) < len(whole.t)
    np.testing.assert_array_equal(stopped.q, whole.q[: len(stopped.t)])


@pytest.mark.parametrize("method", ["auto", "hybrid-qr"])
def test_threads_give_the_same_bits(method):
    options = Options(until=1.0, method=method, hmax=0.01)
    alone = simulate(FOUR_BAR, options)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: simulate(FOUR_BAR, options), range(4)))
    for run in together:
        np.testing.assert_array_equal(run.q, alone.q)
        np.testing.assert_array_equal(run.lam, alone.lam)


def test_the_size_of_a_chunk_does_not_show_in_the_result(monkeypatch):
    whole = simulate(FOUR_BAR, Options(until=1.0, hmax=0.01))
    monkeypatch.setattr(chunk_buffers, "CHUNK_ROWS", 7)
    monkeypatch.setattr(trajectory, "STEPS", 7)
    in_pieces = simulate(FOUR_BAR, Options(until=1.0, hmax=0.01))
    np.testing.assert_array_equal(in_pieces.q, whole.q)
    np.testing.assert_array_equal(in_pieces.t, whole.t)
    np.testing.assert_array_equal(in_pieces.orientation, whole.orientation)


def test_samples_are_in_memory_once():
    """Twice as many need as much more memory as they are themselves: what is needed beside them does not grow."""
    mechanism = library_model("n-four-bar", {"n": 60}).mechanism
    simulate(mechanism, Options(until=0.01))
    sizes, peaks = [], []
    for count in (2000, 4000):
        tracemalloc.start()
        try:
            run = simulate(mechanism, Options(until=0.5, every=0.5 / count))
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        sizes.append(sum(getattr(run, name).nbytes for name in HELD))
    assert peaks[1] - peaks[0] < 1.1 * (sizes[1] - sizes[0])


def test_an_edit_of_declarations_or_finite_elements_compiles_no_kernel_of_the_loop():
    """What the stages of a run import, and so what their cache hangs on: no mechanism, nothing of flexible/."""
    rooms = ("numerics", "expressions", "formulations", "methods", "integrators")
    stages = [path for room in rooms for path in (PACKAGE / room).rglob("*.py") if "\n@" in path.read_text()]
    assert len(stages) > 40
    for path in stages:
        beneath = below(".".join(("linkwork", *path.relative_to(PACKAGE).with_suffix("").parts)))
        assert not [name for name in beneath if name == "linkwork.mechanism" or name.startswith("linkwork.flexible")]


def test_the_order_of_bodies_does_not_hang_on_the_process():
    """Python draws the order of sets anew in each process; with another order of bodies sums round otherwise."""
    asked = "import linkwork as lw; from linkwork.system.compile import compile_mechanism; "
    asked += "print(compile_mechanism(lw.library_model('hmmwv').mechanism, 'absolute').layout.bodies)"
    told = {
        subprocess.run([sys.executable, "-c", asked], env=os.environ | {"PYTHONHASHSEED": seed}, check=True,
                       capture_output=True).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(told) == 1


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_run_with_locks_and_events_leaves_the_system_as_it_was(formulation):
    start = assemble(locked_rods().mechanism, formulation)
    options = Options(until=0.7)
    method, certificate = choose_method("auto", start.compiled.system)[0], Certificate()
    run = ForwardRun(start, method, integrator("adams"), options, certificate, [], sample_times(0.7, None))
    before = [table.tobytes() for table in start.compiled.system]
    run.bind()
    assert run.go() is None
    happened = {(event["name"], event["action"]) for event in certificate.events}
    locks = {("clutch", "lock"), ("clutch", "release"), ("winch", "lock"), ("low", "lock")}
    assert happened == {*locks, ("blow", "impulse")}
    assert [table.tobytes() for table in start.compiled.system] == before
    for table in start.compiled.system:
        assert not table.flags.writeable
