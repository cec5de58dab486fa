"""Engines of a study: the same bits from each of the CPU's, and what a killed worker costs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import types
from multiprocessing.spawn import get_preparation_data
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import OptionError
from linkwork.library import library_model
from linkwork.studies.batch import run_on_threads
from linkwork.studies.engines import dask_workers, gpu, processes, threads
from linkwork.studies.engines.choice import Case
from linkwork.studies.engines.main_module import script_left_out
from linkwork.studies.engines.threads import entries_of
from linkwork.studies.one_run import Job
from linkwork.studies.outputs import Output
from linkwork.studies.plan import Plan
from linkwork.studies.vary import variation
from studied import FOUR_BAR, four_bar

VARY = {"coupler.mass": "1 kg +/- 0.1", "strut.stiffness": "normal(200, 10)", "strut.damping": "uniform(0.01, 0.1)"}
OUTPUTS = ["max(energy.kinetic)", "end(B.angle)", "max(coupler.position.x)", 'time_when("A.rate > 1")']


def columns(study: lw.Study) -> list[str]:
    """All of a table, to the bit."""
    return [
        repr(values.tolist()) for values in (*study.outputs.values(), study.status, study.message, study.energy_drift)
    ]


def test_every_engine_gives_the_same_bits(tmp_path):
    tables = []
    for engine in ("here", "threads", "processes"):
        asked = {"runs": 24, "seed": 5, "engine": engine, "jobs": 2, "progress": False}
        tables.append(columns(four_bar().study(VARY, OUTPUTS, 0.3, **asked)))
    assert tables[1] == tables[0]
    assert tables[2] == tables[0]


@pytest.mark.parametrize(
    ("name", "vary", "until"),
    [
        ("pendulum", {"gravity.2": "uniform(-12, -7)"}, 1.0),
        ("double-pendulum", {"gravity.2": "uniform(-12, -7)"}, 1.0),
        ("four-bar", {"gravity.2": "uniform(-12, -7)"}, 1.5),  # through its singular position
        ("bricard", {"gravity.2": "uniform(-12, -7)"}, 0.5),
        ("gyroscope", {"gravity.2": "uniform(-12, -7)"}, 0.2),
        ("quarter-car", {"car.mass": "uniform(300, 500)", "suspension.damping": "uniform(1000, 2000)"}, 0.3),
    ],
)
def test_repeated_runs_are_those_of_whole_ones(name, vary, until):
    """Of library models, to the bit: what is not plain is made as a whole."""
    model = library_model(name)
    output = ["end(energy)", "max(energy.kinetic)"]
    tables = [
        columns(model.study(vary, output, until, runs=12, engine=engine, jobs=2, progress=False))
        for engine in ("here", "threads")
    ]
    assert tables[0] == tables[1]


@pytest.mark.parametrize("vary", [VARY, {"gravity.2": "normal(-9.81, 1)", "gravity.0": "normal(0, 1)"}])
def test_runs_in_the_plane_are_those_of_whole_ones(vary, monkeypatch):
    """Its tables follow masses and gravity, to the bit; and in space the same comes out, but for rounding."""
    own, made = threads.ManyAlike.make, []
    monkeypatch.setattr(threads.ManyAlike, "make", lambda *given: made.append(own(*given)) or made[-1])
    asked = {"runs": 16, "seed": 3, "jobs": 2, "progress": False}
    outputs = ["max(energy.kinetic)", "end(B.angle)", "min(energy)"]
    repeated, whole, in_space = (
        four_bar().study(vary, outputs, 0.3, engine=engine, **asked, **more)
        for engine, more in (("threads", {}), ("here", {}), ("threads", {"planar": False}))
    )
    assert len(made) >= 32 and None not in made
    assert columns(repeated) == columns(whole)
    for name in outputs:
        np.testing.assert_allclose(repeated[name], in_space[name], rtol=1e-8)
    assert columns(repeated) != columns(in_space)


def test_stiff_and_eventful_runs_are_left_to_whole_ones():
    """A spring so stiff that single runs change their integrator, and one that is not."""
    model = four_bar(damping=500.0)
    vary = {"strut.damping": [0.1, 50.0, 5e5], "strut.stiffness": [200.0, 3e5, 1e7]}
    tables = [
        columns(model.study(vary, ["end(B.angle)"], 0.2, engine=engine, jobs=2, progress=False))
        for engine in ("here", "threads")
    ]
    assert tables[0] == tables[1]


def case_of(model: lw.Model, vary, outputs, **options) -> Case:
    plan = Plan({name: variation(name, given) for name, given in vary.items()})
    job = Job(
        lambda settings: model.with_settings(settings).mechanism, "simulate", options, tuple(map(Output, outputs))
    )
    base, given = job.parts(plan.settings(0))
    return Case(job, plan, base, given, len(plan), 0.01, True)


@pytest.mark.parametrize(
    ("vary", "outputs", "why"),
    [
        ({"crank.at.2": [0.05, 0.06]}, ["energy"], "'crank.at.2' changes more than entries of tables"),
        ({"options.rtol": [1e-5, 1e-6]}, ["energy"], "'options.rtol' is not a number of the model"),
        ({"coupler.mass": [1.0, 2.0]}, ["max(C.force)"], "'C.force' is not among what the samples hold"),
        ({"coupler.mass": [1.0, -2.0]}, ["energy"], "the model cannot be built with 'coupler.mass' = -2"),
    ],
)
def test_why_runs_are_made_as_a_whole(vary, outputs, why):
    found = entries_of(case_of(four_bar(), vary, outputs, until=0.1))
    assert isinstance(found, str)
    assert why in found


def test_a_run_of_each_chunk_is_compared_with_a_whole_one(monkeypatch):
    """An entry that is not all there is to a number would be seen."""
    own = threads.ManyAlike.make

    def off(self, number, settings):
        row = own(self, number, settings)
        return row if row is None else row._replace(outputs=(row.outputs[0] * (1 + 1e-15),))

    monkeypatch.setattr(threads.ManyAlike, "make", off)
    with pytest.raises(lw.LinkworkError, match="on threads differs from the same run by itself"):
        four_bar().study({"coupler.mass": "1:2:20"}, ["max(energy.kinetic)"], 0.1, engine="threads", progress=False)


def test_auto_says_what_it_takes(capsys, tmp_path):
    four_bar().study({"coupler.mass": "1:2:20"}, ["energy"], 0.1, jobs=2, progress=True)
    assert "on 2 threads (the structure stays: the numbers are table entries)" in capsys.readouterr().err
    (tmp_path / "f.toml").write_text(FOUR_BAR)
    lw.study(tmp_path / "f.toml", {"coupler": "0.25:0.251:10"}, ["energy"], 0.05, engine="gpu", progress=True)
    told = capsys.readouterr().err
    assert "not on the GPU (" in told
    assert "one after the other (too short for processes)" in told
    model = four_bar()
    model.python_force("wind", lambda t, x: (0.0, 0.0, 0.0), body="coupler")
    with pytest.raises(OptionError, match="models travel as data, never as code"):
        model.study({"coupler.mass": [1.0, 2.0]}, ["energy"], 0.05, engine="processes", progress=False)


OF_BATCHES = [
    "end(B.angle)", "max(coupler.position.x) - start(coupler.position.x)", "rms(A.rate)", "mean(energy.kinetic)",
    "at(coupler.position.z, 0.0731)", "peak(A.rate)", "integral(A.rate)",
    "degrees(span(B.angle)) / 2", "min(A.rate.dot)", "B.angle",
]  # fmt: skip
BY_RUN = ["end(energy)", 'time_when("A.rate > 1")', "max(abs(coupler.velocity))", "max(coupler.orientation.e0)"]


LOADS = ['max(abs(reaction("B").force))', 'rms(reaction("B").force.x)', "mean(B.angle)"]


@pytest.mark.parametrize(
    ("outputs", "options", "off"),
    [
        (OF_BATCHES, {}, 1e-10),
        (["end(coupler.position.x)", "end(A.rate)"], {}, 1e-10),
        (BY_RUN, {}, 1e-10),
        (LOADS, {"rtol": 1e-10}, 1e-8),  # of a joint that is cut for it: other coordinates, other steps
    ],
)
def test_samples_of_a_batch_are_rows_of_a_study(monkeypatch, capsys, outputs, options, off):
    """The engine `gpu` with the same batch on threads in place of the GPU: what whole runs have, to rounding."""
    vary = {"coupler.mass": "1 kg +/- 0.1", "strut.stiffness": "normal(200, 10)"}
    asked = {"runs": 12, "progress": True, **options}
    whole = four_bar().study(vary, outputs, 0.2, engine="here", **asked)
    monkeypatch.setattr(gpu, "why_not", lambda: "")
    monkeypatch.setattr(gpu, "run_on_gpu", run_on_threads)
    found = four_bar().study(vary, outputs, 0.2, engine="gpu", **asked)
    assert "on the GPU, as requested" in capsys.readouterr().err
    assert (found.message[3:] == gpu.UNCHECKED).all()
    for output in outputs:
        np.testing.assert_allclose(found[output], whole[output], rtol=off, atol=1e-12)


# -- processes and Dask -----------------------------------------------------------------------------------------------
def test_a_killed_process_costs_its_chunk(monkeypatch):
    """One of two is killed in the middle; the table is whole."""
    asked = {"runs": 200, "jobs": 2, "progress": False}
    whole = four_bar().study(VARY, ["end(B.angle)"], 0.1, engine="threads", **asked)
    own, killed, taken = processes.ProcessPoolExecutor, [], []

    class Pool(own):
        def submit(self, *given):
            taken.append(1)
            if len(taken) == 6 and self._processes:  # after the first chunks are done
                killed.append(next(iter(self._processes)))
                os.kill(killed[0], signal.SIGKILL)
            return super().submit(*given)

    monkeypatch.setattr(processes, "ProcessPoolExecutor", Pool)
    found = four_bar().study(VARY, ["end(B.angle)"], 0.1, engine="processes", **asked)
    assert killed
    assert columns(found) == columns(whole)


ORPHANS = """
import sys
sys.path.insert(0, sys.argv[1])
from studied import four_bar
four_bar().study({"coupler.mass": "uniform(1, 2)"}, ["max(C.force)"], 1.0, runs=100_000, engine="processes", jobs=2)
"""  # without a word about __main__, as scripts are


def test_the_script_that_began_a_study_stays_out_of_its_processes(monkeypatch):
    script = types.ModuleType("__main__")
    script.__file__ = "/somewhere/script.py"
    monkeypatch.setitem(sys.modules, "__main__", script)
    assert get_preparation_data("worker")["init_main_from_path"] == script.__file__
    with script_left_out():
        assert not [key for key in get_preparation_data("worker") if key.startswith("init_main")]
    assert get_preparation_data("worker")["init_main_from_path"] == script.__file__


def test_workers_end_with_a_study_that_is_killed(tmp_path):
    (tmp_path / "script.py").write_text(ORPHANS)
    study = subprocess.Popen([sys.executable, str(tmp_path / "script.py"), str(Path(__file__).parents[1])])

    def workers() -> list[str]:
        with contextlib.suppress(FileNotFoundError):
            return Path(f"/proc/{study.pid}/task/{study.pid}/children").read_text().split()
        return []

    end = time.monotonic() + 60.0
    while len(workers()) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    found = workers()
    assert len(found) >= 2
    time.sleep(1.0)  # until they have begun
    study.kill()
    study.wait()
    while any(map(goes_on, found)) and time.monotonic() < end:
        time.sleep(0.2)
    assert not any(map(goes_on, found))


def goes_on(pid: str) -> bool:
    """Whether a process is there and no zombie."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_dask_gives_the_same_bits_and_loses_one_chunk_with_one_of_three_workers(monkeypatch):
    distributed = pytest.importorskip("distributed")
    asked = {"runs": 200, "progress": False}
    whole = four_bar().study(VARY, OUTPUTS, 0.3, engine="threads", **asked)
    cluster = distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )
    own, taken = dask_workers._rows, []

    def rows(*given):
        taken.append(1)
        if len(taken) == 3:  # in the middle of the study
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        return own(*given)

    monkeypatch.setattr(dask_workers, "_rows", rows)
    try:
        found = four_bar().study(VARY, OUTPUTS, 0.3, scheduler=cluster.scheduler_address, **asked)
    finally:
        cluster.close()
    assert len(taken) > 6
    assert columns(found) == columns(whole)


def test_a_scheduler_that_cannot_be_reached_is_named(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_workers, "PATIENCE", 1.0)
    with pytest.raises(
        OptionError, match=r"the scheduler at 'tcp://127.0.0.1:9' cannot be reached within .* s .*run on this machine"
    ):
        four_bar().study({"coupler.mass": "1:2:20"}, ["energy"], 0.05, scheduler="tcp://127.0.0.1:9", progress=False)


PEAKS = """
import tracemalloc
from studied import four_bar

def peak(runs):
    tracemalloc.start()
    four_bar().study({"coupler.mass": f"1:2:{runs}"}, ["energy"], 0.01, engine="threads", jobs=1, progress=False)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found

peak(8)  # what is loaded once
print(peak(40), peak(2000))
"""


def test_memory_stays_flat():
    """Fifty times the runs take no more than their rows; in a process where nothing else goes on."""
    ran = subprocess.run(
        [sys.executable, "-c", PEAKS], cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True
    )
    few, many = map(int, ran.stdout.split())
    assert many < few + 1960 * 1000
