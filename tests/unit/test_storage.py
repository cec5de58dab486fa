"""Runs on disk: what is written is read, also while the run goes on, of a killed process, and of wrong files a word."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import FileError
from linkwork.mechanism import Mechanism
from linkwork.results import metadata
from linkwork.results.disk import hdf5_repair
from linkwork.results.metadata import AXES, FORMAT
from linkwork.results.reading import load_result
from linkwork.results.result import SAMPLED, Certificate, Result, energy_drift
from linkwork.results.storage import Writer, save

PENDULUM = Mechanism(
    name="pendulum",
    gravity=(0, 0, -9.81),
    body=[{"name": "bar", "shape": {"kind": "rod", "mass": 1.0, "length": 1.0}, "at": (0.5, 0, 0)}],
    joint=[{"name": "pin", "kind": "revolute", "between": ("ground", "bar"), "at": (0, 0, 0), "axis": "y"}],
)

WRITE_UNTIL_KILLED = """
import sys
from dataclasses import replace
from linkwork.results.reading import load_result
from linkwork.results.storage import Writer

whole = load_result(sys.argv[1])
writer = Writer(sys.argv[2])
writer.begin(whole.part(slice(0, 0)))
for k in range(len(whole.t) // 10):
    whole.certificate.switches.append({"t": float(k), "why": "a test"})
    writer.append(replace(whole.part(slice(10 * k, 10 * k + 10)), steps=whole.steps[2 * k : 2 * k + 2]))
    print(k, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def run() -> Result:
    result = simulate(PENDULUM, Options(until=1.0, rtol=1e-8))
    result.certificate.warnings.append("of the kind that says 'look here'")
    result.certificate.switches.append({"t": 0.5, "from": "a", "to": "b", "why": "rank", "coordinates": ["pin.angle"]})
    result.certificate.singular.append({"t": 0.25, "rank": 4})
    return result


def assert_same(a: Result, b: Result) -> None:
    for name in (*SAMPLED, "steps"):
        got, expected = getattr(a, name), getattr(b, name)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected, err_msg=name)
    for name in ("model", "model_text", "options", "names", "certificate"):
        assert getattr(a, name) == getattr(b, name)


def refused(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        load_result(path)
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message
    return caught.value.message


def test_saved_is_loaded(run: Result, tmp_path: Path) -> None:
    save(run, tmp_path / "run.h5")
    assert_same(load_result(tmp_path / "run.h5"), run)
    again = load_result(tmp_path / "run.h5")
    save(again, tmp_path / "run.h5")  # onto itself
    assert_same(load_result(tmp_path / "run.h5"), run)


def test_written_while_it_goes_on(tmp_path: Path) -> None:
    with Writer(tmp_path / "live.h5") as writer:
        result = simulate(PENDULUM, Options(until=1.0, rtol=1e-8), [writer])
    save(result, tmp_path / "saved.h5")
    live = load_result(tmp_path / "live.h5")
    assert_same(live, result)
    assert_same(live, load_result(tmp_path / "saved.h5"))
    assert live.certificate.status == "finished"


def test_file_of_a_failed_run_says_so(run: Result, tmp_path: Path) -> None:
    failed = replace(
        run.certificate, status="failed", error={"code": "numerical-failure", "message": "it broke", "t": 0.5}
    )
    with Writer(tmp_path / "run.h5") as writer:
        writer.begin(run.part(slice(0, 0)))
        writer.append(run.part(slice(0, 100)))
        writer.finish(failed)
    loaded = load_result(tmp_path / "run.h5")
    assert loaded.certificate == failed
    assert len(loaded.t) == 100


def test_no_constraints_no_samples_long_texts(run: Result, tmp_path: Path) -> None:
    """Axes of length zero, a model of 200 kB, a certificate longer than its first room."""
    certificate = replace(run.certificate, why="because " * 2000)
    odd = replace(run.part(slice(0, 0)), steps=run.steps[:0], source="x" * 200_000, certificate=certificate)
    assert odd.lam.shape == (0, 0)
    save(odd, tmp_path / "odd.h5")
    assert_same(load_result(tmp_path / "odd.h5"), odd)


def test_killed_writer(run: Result, tmp_path: Path) -> None:
    save(run, tmp_path / "whole.h5")
    path = tmp_path / "killed.h5"
    command = [sys.executable, "-c", WRITE_UNTIL_KILLED, str(tmp_path / "whole.h5"), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while process.stdout.readline().strip() != "5":
            assert process.poll() is None
        alive = load_result(path)
        process.kill()  # SIGKILL: the file is never closed
    with pytest.raises(OSError, match=r"already open|consistency|lock"):
        h5py.File(path, "r")

    killed = load_result(path)
    count = len(killed.t)
    assert 60 <= len(alive.t) <= count <= len(run.t)
    for name in SAMPLED:
        np.testing.assert_array_equal(getattr(killed, name), getattr(run, name)[:count], err_msg=name)
    np.testing.assert_array_equal(killed.steps, run.steps[: len(killed.steps)])
    assert len(killed.steps) >= 12
    certificate = killed.certificate
    assert certificate.status == "stopped"
    assert "did not finish" in certificate.warnings[-1]
    assert f"{count} samples until t = {run.t[count - 1]:.6g} s" in certificate.warnings[-1]
    assert certificate.energy_drift == energy_drift(run.energy[:count])
    assert [entry["t"] for entry in certificate.switches[1:7]] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def mark_unclosed(path: Path) -> None:
    """As a writer leaves a file that was killed."""
    content = bytearray(path.read_bytes())
    content[hdf5_repair._FLAGS] |= hdf5_repair._UNCLOSED
    size = hdf5_repair._SUPERBLOCK.size
    content[size : size + 4] = hdf5_repair._checksum(bytes(content[:size])).to_bytes(4, "little")
    path.write_bytes(content)


def test_torn_last_certificate(run: Result, tmp_path: Path) -> None:
    """Killed in the middle of writing one slot: the other one counts."""
    with Writer(tmp_path / "run.h5") as writer:
        writer.begin(run.part(slice(0, 0)))
        writer.append(run)
    before = load_result(tmp_path / "run.h5").certificate
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        file["log/certificate"][0, 100:] = 0
    assert "certificate is not as it was written" in refused(tmp_path / "run.h5")  # of a file that was closed
    mark_unclosed(tmp_path / "run.h5")
    after = load_result(tmp_path / "run.h5").certificate
    assert before.status == after.status == "stopped"
    assert after.method == run.certificate.method


def test_axes_have_names(run: Result, tmp_path: Path) -> None:
    """Every axis of every dataset has a dimension scale, as netCDF readers want it."""
    assert set(AXES) == set(SAMPLED)
    save(run, tmp_path / "run.h5")
    bare = []
    with h5py.File(tmp_path / "run.h5", "r") as file:

        def look(name: str, item: object) -> None:
            if isinstance(item, h5py.Dataset) and not item.is_scale:
                bare.extend(f"{name} {k}" for k, axis in enumerate(item.dims) if len(axis) != 1)

        file.visititems(look)
        assert [axis[0].name for axis in file["position"].dims] == ["/t", "/body", "/axis"]
        assert list(file["body"].asstr()) == ["bar"]
        assert file["t"].attrs["units"] == "s"
        assert file.attrs["format"] == FORMAT
    assert not bare


def test_missing_and_foreign_files(tmp_path: Path) -> None:
    assert "there is no file" in refused(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("t, x\n0, 1\n")
    assert "not an HDF5 file" in refused(tmp_path / "text.h5")
    (tmp_path / "empty.h5").touch()
    assert "not an HDF5 file" in refused(tmp_path / "empty.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1.0
    assert "not a linkwork run" in refused(tmp_path / "other.h5")
    assert "cannot be read" in refused(tmp_path)


class Written:
    """A run, and the file of it: closed, and its content at one time."""

    def __init__(self, run: Result, path: Path, content: bytes) -> None:
        self.run, self.path, self.content = run, path, content


@pytest.fixture(scope="module", params=["closed", "killed"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """501 samples, the file as a finished run leaves it, and as a process that was killed after its last sample."""
    long = simulate(PENDULUM, Options(until=1.0, every=2e-3))
    long.certificate.singular.extend({"t": t, "rank": 4} for t in (0.1, 0.9))
    path = tmp_path_factory.mktemp("cut") / "run.h5"
    if request.param == "closed":
        save(long, path)
        return Written(long, path, path.read_bytes())
    writer = Writer(path)
    writer.begin(long.part(slice(0, 0)))
    for first in range(0, len(long.t), 23):  # not a multiple of what is written at once
        writer.append(replace(long.part(slice(first, first + 23)), steps=long.steps[first:][:23]))
    content = path.read_bytes()  # of a file that is still open
    writer.close()
    return Written(long, path, content)


def samples_within(path: Path, size: int) -> int:
    """Samples of which all numbers lie in the first bytes of a file, by what HDF5 says of the whole file."""

    def within(data: h5py.Dataset) -> int:
        row_bytes = data.dtype.itemsize * int(np.prod(data.shape[1:]))
        at = [data.id.get_chunk_info_by_coord((k, *(0 for _ in data.shape[1:]))) for k in range(0, len(data), 16)]
        ends = np.array([at[k // 16].byte_offset + (k % 16 + 1) * row_bytes for k in range(len(data))])
        return int(np.cumprod(ends <= size).sum())

    with h5py.File(path, "r") as file:
        return min(within(file[name]) for name in SAMPLED if file[name].size)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0.0, 1.0, exclude_max=True))
@example(share=0.0)
@example(share=0.2)
def test_of_a_file_cut_anywhere_what_is_there_is_read(written: Written, tmp_path: Path, share: float) -> None:
    """Whole samples, equal to those that were written, and it is said; a word where not even the model is left."""
    long = written.run
    kept = written.content[: int(share * len(written.content))]
    (tmp_path / "cut.h5").write_bytes(kept)
    with h5py.File(written.path, "r") as file:
        described = int(file["log"].attrs["header_bytes"])
    assert described < 50_000
    if len(kept) < described:
        assert re.search("is cut short or damaged|is not an HDF5 file", refused(tmp_path / "cut.h5"))
        return
    cut = load_result(tmp_path / "cut.h5")
    count = len(cut.t)
    whole = samples_within(written.path, len(kept))
    # Blocks of 16 are read whole: of the last one up to 15 samples may be there, and HDF5 notes the place of the one
    # before it behind both.
    assert whole - 31 <= count <= whole
    for name in SAMPLED:
        np.testing.assert_array_equal(getattr(cut, name), getattr(long, name)[:count], err_msg=name)
    np.testing.assert_array_equal(cut.steps, long.steps[: len(cut.steps)])
    assert (cut.model_text, cut.names, cut.options) == (long.model_text, long.names, long.options)
    certificate = cut.certificate
    assert certificate.status == "stopped"
    told = f"{count} samples until t = {long.t[count - 1]:.6g} s" if count else "no samples, only the model"
    assert certificate.warnings[-1] == f"the file is cut short; it has {told}"
    assert certificate.t_end == (long.t[count - 1] if count else 0.0)
    assert all(entry["t"] <= certificate.t_end for entry in certificate.singular)


def test_other_version(run: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "FORMAT", "linkwork-run-7")
    save(run, tmp_path / "run.h5")
    loaded = load_result(tmp_path / "run.h5")
    np.testing.assert_array_equal(loaded.q, run.q)
    assert "linkwork-run-7" in loaded.certificate.warnings[-1]
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        del file["q"]
    assert "linkwork-run-7" in refused(tmp_path / "run.h5")


def test_a_place_that_cannot_be_written(run: Result, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no folder"):
        Writer(tmp_path / "none" / "run.h5")
    (tmp_path / "folder.h5").mkdir()
    with pytest.raises(FileError, match="cannot write"):
        save(run, tmp_path / "folder.h5")
    with pytest.raises(FileError, match="call begin first"):
        Writer(tmp_path / "run.h5").finish(Certificate())
