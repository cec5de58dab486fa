"""Result files with flipped bits and garbled bytes: what is read is what was written, or the file is refused.

HDF5 is C: a process of its own reads them, so that one that never comes back, or that dies, is seen.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from mutations import garbled, patience

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import FileError
from linkwork.mechanism import Mechanism
from linkwork.results.reading import load_result
from linkwork.results.result import SAMPLED, Result
from linkwork.results.storage import Writer, save

SEED = 20261116
SOON = 2.0  # s, to read or refuse a file
PATIENCE = 120  # s, for all files of a process; so many more for each
EACH = 1.0
PENDULUM = Mechanism(
    name="pendulum",
    gravity=(0, 0, -9.81),
    body=[{"name": "bar", "shape": {"kind": "rod", "mass": 1.0, "length": 1.0}, "at": (0.5, 0, 0)}],
    joint=[{"name": "pin", "kind": "revolute", "between": ("ground", "bar"), "at": (0, 0, 0), "axis": "y"}],
)


def flipped(content: bytes, rng: random.Random) -> bytes:
    spoilt = bytearray(content)
    spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
    return bytes(spoilt)


def same(a: Result, b: Result) -> bool:
    arrays = all(np.array_equal(getattr(a, n), getattr(b, n), equal_nan=n != "steps") for n in (*SAMPLED, "steps"))
    texts = ("model", "model_text", "options", "names", "certificate")
    return arrays and all(getattr(a, n) == getattr(b, n) for n in texts)


def shorter(a: Result, b: Result) -> bool:
    """The beginning of a run, which says that it is no more."""
    count = len(a.t)
    arrays = all(np.array_equal(getattr(a, n), getattr(b, n)[:count]) for n in SAMPLED)
    return arrays and a.certificate.status == "stopped" and a.model_text == b.model_text


def try_files(original: Path, first: int, count: int, way: str) -> None:
    """Reads broken copies of a file, one after the other, and prints how each was answered."""
    content, whole = original.read_bytes(), load_result(original)
    copy = original.with_name("spoilt.h5")
    for number in range(first, first + count):
        rng = random.Random(SEED + number)
        copy.write_bytes(flipped(content, rng) if way == "flipped" else garbled(content, rng))
        print(json.dumps([number, "began"]), flush=True)
        answer = answered(copy, whole)
        print(json.dumps([number, answer]), flush=True)


def answered(copy: Path, whole: Result) -> str:
    """What became of reading it, and whether in time: so long of computing, ten times of waiting on a busy machine."""
    began = time.process_time(), time.perf_counter()
    try:
        found = load_result(copy)
        answer = "same" if same(found, whole) else "shorter" if shorter(found, whole) else "changed"
    except FileError as refusal:
        answer = "refused" if "\n" not in refusal.message else "several lines"
    except Exception as failure:
        answer = f"{type(failure).__name__}: {failure}"
    taken = max(time.process_time() - began[0], 0.1 * (time.perf_counter() - began[1]))
    return answer if taken < SOON else f"late: {answer} after {taken:.1f} s"


def answers(original: Path, first: int, count: int, way: str) -> dict[int, str]:
    command = [sys.executable, __file__, str(original), str(first), str(count), way]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE + EACH * count)
        lines = ended.stdout
    except subprocess.TimeoutExpired as late:
        lines = (late.stdout or b"").decode()
    return dict(json.loads(line) for line in lines.splitlines())


def check(original: Path, first: int, count: int, way: str) -> None:
    """What is read is what was written, or its beginning, with a word (of a file that is cut, or of a killed run)."""
    found = answers(original, first, count, way)
    fine = ("same", "refused", "shorter")
    wrong = {number: answer for number, answer in found.items() if answer not in fine}
    tally = {answer: list(found.values()).count(answer) for answer in fine}
    print(f"{way}: tried {len(found)}, {tally}, wrong {len(wrong)}")
    assert not wrong
    assert tally["shorter"] == 0 or way == "garbled" or original.parent.name.startswith("killed")
    assert len(found) == count


@pytest.fixture(scope="module", params=["closed", "killed"])
def original(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = simulate(PENDULUM, Options(until=0.2, every=5e-3))
    run.certificate.switches.append({"t": 0.5, "from": "a", "to": "b", "why": "rank", "coordinates": ["pin.angle"]})
    path = tmp_path_factory.mktemp(request.param) / "run.h5"
    if request.param == "closed":
        save(run, path)
        return path
    writer = Writer(path.with_name("open.h5"))
    writer.begin(run.part(slice(0, 0)))
    writer.append(run)
    path.write_bytes(writer.path.read_bytes())  # of a file that is still open, as a killed process leaves it
    writer.close()
    return path


@pytest.mark.parametrize("way", ["flipped", "garbled"])
def test_a_few_files(original: Path, way: str) -> None:
    check(original, 0, 120 if original.parent.name.startswith("closed") else 30, way)


def test_no_flipped_bit_passes_in_a_cut_file(original: Path, tmp_path: Path) -> None:
    whole, content = load_result(original), original.read_bytes()
    for number in range(
        60 if original.parent.name.startswith("closed") else 12
    ):  # what a killed run left takes a second
        rng = random.Random(SEED + number)
        (tmp_path / "cut.h5").write_bytes(flipped(content[: rng.randrange(len(content) // 3, len(content))], rng))
        try:
            found = load_result(tmp_path / "cut.h5")
        except FileError:
            continue
        assert shorter(found, whole)
        assert np.isin(found.steps["t"], whole.steps["t"]).all()


def test_a_damaged_heap_is_refused_before_hdf5_sees_it(original: Path, tmp_path: Path) -> None:
    """Free space of no length made HDF5 go round in it forever."""
    content = original.read_bytes()
    heaps = [m.start() for m in re.finditer(rb"GCOL\x01\0\0\0", content)]
    assert heaps
    for place in heaps:
        spoilt = bytearray(content)
        spoilt[place + 16 : place + 32] = bytes(16)
        (tmp_path / "heap.h5").write_bytes(spoilt)
        with patience(), pytest.raises(FileError, match="a heap of texts"):
            load_result(tmp_path / "heap.h5")


def test_what_is_no_file_at_all(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h5")
    for path in (tmp_path / "pipe.h5", Path("/dev/zero"), tmp_path / ("x" * 300), Path("a\0b"), tmp_path):
        with patience(), pytest.raises(FileError):
            load_result(path)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["flipped", "garbled"])
def test_many_files(original: Path, way: str) -> None:
    check(original, 1_000_000, 5000 if original.parent.name.startswith("closed") else 1000, way)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    try_files(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
