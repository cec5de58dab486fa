"""Reading runs from disk (results/storage.py): whole ones, those of a writer at work or killed, and cut ones.

The newest whole slot of the certificate says how many rows of each dataset count, with their checksums.

Of a file that was cut short (a copy that broke off, a full disk) a copy with zeros to its full length is opened; HDF5
says where each chunk of a dataset lies, and the samples before the first row that is not there are read.

A file that its writer has not closed is read in SWMR mode while it changes.  If it does not change, its writer may have
been killed, and in SWMR mode HDF5 would wait for it, twice as long each time, forever: then a copy that is marked as
closed (disk/hdf5_repair.py) is read.  If the writer was only pausing amid something, that fails and is tried again; at
last the file is read as far as it goes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import FileError
from linkwork.lazy_import import lazy_module
from linkwork.results.body_motion import BODY_MOTION, KnownMotion, Moved
from linkwork.results.disk.checksums import header_sum, rows_sum, unsealed
from linkwork.results.disk.hdf5_repair import check_heaps, closed_copy, file_state
from linkwork.results.metadata import FAMILY, FORMAT
from linkwork.results.result import SAMPLED, Certificate, Result, energy_drift
from linkwork.results.storage import HEADER_BYTES, HEADER_SUM, LOGS, RUNNING

if TYPE_CHECKING:
    import h5py
else:
    h5py = lazy_module("h5py")  # takes 0.1 s to import

COPIES, PAUSE = 10, 0.02  # of a file whose writer may be at work; s between them
EXTENDING = 0.2  # s, at most, that a writer takes to extend its file
CUT = "the file is cut short"
UNFINISHED = "the run did not finish (it was killed, or is still running)"
Sums = dict[str, tuple[int, int]] | None  # rows and checksum by dataset; None: the file has none


class ChecksumError(ValueError):
    """Something in a file is not as it was written."""


BROKEN = (
    EOFError,
    KeyError,
    IndexError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)  # of reading a damaged file


def load_result(path: str | Path) -> Result:
    """The result in a file; of a run that was killed or is still running, and of a file cut short, what there is."""
    path = Path(path)
    for k in range(COPIES + 1):
        last = k == COPIES
        with opened(path, 0.0 if k else EXTENDING) as (file, size, unclosed):
            found = _format(file, path)
            try:
                if last and unclosed and size is None:
                    result = _read(file, path.stat().st_size, UNFINISHED, unclosed)
                else:
                    result = _read(file, size, CUT, unclosed)
                break
            except BROKEN as error:
                if unclosed and not last:
                    time.sleep(PAUSE)
                    continue
                if found == FORMAT:
                    raise _damaged(path, error) from error
                raise FileError(
                    f"'{path}' has the format '{found}', which this linkwork cannot read; it reads '{FORMAT}'",
                    element=str(path),
                ) from error
    if found != FORMAT:
        result.certificate.warnings.append(
            f"the file has the format '{found}', not '{FORMAT}'; what could be read was read"
        )
    return result


@contextmanager
def opened(path: Path, wait: float = EXTENDING) -> Iterator[tuple[h5py.File, int | None, bool]]:
    """The file, or a copy marked as closed; how many bytes of it there are, if some are missing; and whether its writer
    has left it open.  `wait`: s, for the rest of a file that its writer may just be extending.

    HDF5 itself may wait forever, or give zeros, where a file is cut short: its length is checked before.
    """
    until = time.monotonic() + wait
    unclosed, missing = file_state(path)
    while missing and unclosed and time.monotonic() < until:
        time.sleep(0.01)
        unclosed, missing = file_state(path)
    size = path.stat().st_size if missing else None
    with ExitStack() as stack:
        try:
            check_heaps(path)
            before = path.stat()
            there = stack.enter_context(closed_copy(path, missing)) if missing or unclosed else path
            after = path.stat()
            changes = (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size)
            live = unclosed and changes and not missing
            file = stack.enter_context(h5py.File(path if live else there, "r", swmr=live))
            whole = size is None or size >= int(file["log"].attrs[HEADER_BYTES])
        except BROKEN as error:
            raise _damaged(path, error) from error
        if not whole:  # checked first: HDF5 may not come back from a heap that is not whole
            raise _damaged(path, EOFError("it ends before its first sample"))
        yield file, size, unclosed


def _format(file: h5py.File, path: Path) -> str:
    """What the file says it is; anything but a run is refused."""
    try:
        found = file.attrs.get("format")
    except BROKEN as error:
        raise _damaged(path, error) from error
    if not isinstance(found, str) or not found.startswith(FAMILY):
        kind = f"has the format '{found}'" if found is not None else "is an HDF5 file of another kind"
        raise FileError(f"'{path}' {kind}, not a linkwork run ('{FORMAT}')", element=str(path))
    return found


def _read(file: h5py.File, size: int | None, why: str, unclosed: bool) -> Result:
    """The result; of a file of which only `size` bytes are there (and why), the samples that lie in these."""
    newest, *older = _certificates(file["log/certificate"], size, unclosed)
    checksum = newest.get("header", file["log"].attrs.get(HEADER_SUM))  # format 1 has none
    if checksum is not None and checksum != header_sum(file):
        raise ChecksumError("what describes the run is not as it was written")
    sums = newest.get("sums", {} if "blocks" in file["log"] else None)  # format 1 has none
    ages = [sums, *(one["sums"] for one in older if size is not None and "sums" in one)]
    arrays = _whole_rows({name: file[name] for name in SAMPLED}, size)
    if size is not None and sums is not None:
        arrays = _whole_blocks(arrays, _whole_rows({"blocks": file["log/blocks"]}, size)["blocks"])
    else:
        arrays = _checked(arrays, sums, "", size)
    written = int(np.cumprod(np.isfinite(arrays["t"])).sum())
    arrays = {name: rows[:written] for name, rows in arrays.items()}
    result = Result(
        model=str(file.attrs["model"]),
        source=str(file.attrs["model_text"]),
        options=json.loads(file.attrs["options"]),
        names=json.loads(file.attrs["names"]),
        steps=_read_steps(file["steps"], size, ages),
        certificate=_read_certificate(file["log"], newest, size, ages),
        functions={},
        motion=KnownMotion(Moved(*(arrays.pop(name) for name in BODY_MOTION))),
        **arrays,
    )
    if size is not None:
        _mark_unfinished(result, why)
        for log in (result.certificate.switches, result.certificate.events, result.certificate.singular):
            log[:] = [entry for entry in log if entry["t"] <= result.certificate.t_end]
    elif result.certificate.status == RUNNING:
        _mark_unfinished(result, UNFINISHED)
    return result


def _whole_rows(datasets: dict[str, h5py.Dataset], size: int | None) -> dict[str, np.ndarray]:
    """The rows that all of them have: a writer may have been killed between two."""
    count = min(data.shape[0] if size is None else _rows_within(data, size) for data in datasets.values())
    return {name: data[:count] for name, data in datasets.items()}


def _rows_within(data: h5py.Dataset, size: int) -> int:
    """Rows before the first that, or whose place, does not lie within the first `size` bytes of the file."""
    if not data.size:
        return int(data.shape[0])
    there = {}  # first row of a chunk -> how many of its rows are there
    row_bytes = data.dtype.itemsize * int(np.prod(data.shape[1:]))
    with suppress(*BROKEN):  # where the list of chunks itself breaks off
        data.id.chunk_iter(lambda chunk: there.update({chunk.chunk_offset[0]: (size - chunk.byte_offset) // row_bytes}))
    rows = 0
    while there.get(rows, 0) >= data.chunks[0]:
        rows += data.chunks[0]
    return int(min(rows + max(0, there.get(rows, 0)), data.shape[0]))


def _checked(columns: dict[str, np.ndarray], sums: Sums, prefix: str, size: int | None) -> dict[str, np.ndarray]:
    """The rows that the newest certificate knows, if they are as they were written; those after it do not count.

    Of a cut file that has not all of them, none; of one without checksums (format 1), what there is.
    """
    if sums is None:
        return columns
    known = {name: sums.get(prefix + name, (0, 0)) for name in columns}
    if size is not None and any(len(rows) < known[name][0] for name, rows in columns.items()):
        return {name: rows[:0] for name, rows in columns.items()}
    for name, rows in columns.items():
        count, checksum = known[name]
        if len(rows) < count or rows_sum(rows[:count]) != checksum:
            raise ChecksumError(f"'{prefix}{name}' is not as it was written")
    return {name: rows[: known[name][0]] for name, rows in columns.items()}


def _whole_blocks(arrays: dict[str, np.ndarray], blocks: np.ndarray) -> dict[str, np.ndarray]:
    """The samples until the first few that are not there, or not as they were written."""
    written = [arrays[name] for name in (*(name for name in SAMPLED if name != "t"), "t") if arrays[name][:1].size]
    whole, there = 0, len(arrays["t"])
    for count, checksum in blocks[: len(blocks) // 2 * 2].reshape(-1, 2).tolist():
        found = 0
        for rows in written:
            found = rows_sum(rows[whole : whole + count], found)
        if not count or whole + count > there or found != checksum:
            break
        whole += count
    return {name: rows[:whole] for name, rows in arrays.items()}


def _known(
    columns: dict[str, np.ndarray], ages: Sequence[Sums], prefix: str, size: int | None
) -> dict[str, np.ndarray]:
    """The rows of the newest certificate; of a cut file that has not all of them, those of the one before."""
    found = columns
    for sums in ages:
        found = _checked(columns, sums, prefix, size)
        if any(len(rows) for rows in found.values()):
            break
    return found


def _read_steps(group: h5py.Group, size: int | None, ages: Sequence[Sums]) -> np.ndarray:
    found = _whole_rows({name: group[name] for name in json.loads(group.attrs["fields"])}, size)
    columns = _known(found, ages, "steps/", size)
    steps = np.empty(len(columns["t"]), np.dtype([(name, rows.dtype) for name, rows in columns.items()], align=True))
    for name, rows in columns.items():
        steps[name] = rows
    return steps


def _certificates(slots: h5py.Dataset, size: int | None, unclosed: bool) -> list[dict[str, Any]]:
    """The certificates without their logs, newest first; only a writer that was killed leaves a slot not whole."""
    written = [slot for slot in _slots(slots, size) if slot.strip()]
    plain = all(slot.startswith(b"{") for slot in written)  # of format 1, without checksums
    texts = [slot if plain else unsealed(slot) for slot in written]
    whole = [parsed for parsed in (_parsed(text) for text in texts if text is not None) if parsed]
    if size is None and not plain and (not whole or (len(whole) < len(written) and not unclosed)):
        raise ChecksumError("its certificate is not as it was written")
    return sorted(whole, key=lambda slot: -int(slot["sequence"])) or [{"status": RUNNING}]


def _read_certificate(log: h5py.Group, newest: dict[str, Any], size: int | None, ages: Sequence[Sums]) -> Certificate:
    """The certificate with its logs."""
    known = {f.name for f in fields(Certificate)}
    certificate = Certificate(**{key: value for key, value in newest.items() if key in known})
    for name in LOGS:
        text = _known(_whole_rows({name: log[name]}, size), ages, "log/", size)[name]
        setattr(certificate, name, _read_lines(text.tobytes()))
    return certificate


def _slots(data: h5py.Dataset, size: int | None) -> list[bytes]:
    """Both slots; of a cut file none, if the place of one is not there."""
    try:
        return [slot.tobytes() for slot in data[:]]
    except BROKEN:
        if size is None:
            raise
        return []


def _read_lines(text: bytes) -> list[Any]:
    """Entries of a log; the last line may not be whole."""
    return [entry for entry in map(_parsed, text.split(b"\n")) if entry is not None]


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _mark_unfinished(result: Result, why: str) -> None:
    """The certificate of a run of which the end is missing, with the measures that are only taken at its end."""
    certificate = result.certificate
    reached = float(result.t[-1]) if len(result.t) else 0.0
    certificate.status = "stopped"
    certificate.t_end = reached
    certificate.energy_drift = energy_drift(result.energy)
    left = f"{len(result.t)} samples until t = {reached:.6g} s" if len(result.t) else "no samples, only the model"
    certificate.warnings.append(f"{why}; it has {left}")


def _damaged(path: Path, error: BaseException) -> FileError:
    """One sentence, with HDF5's own words in brief."""
    words = (str(error.args[0]) if error.args else "").strip() or type(error).__name__
    return FileError(f"'{path}' is cut short or damaged ({words.splitlines()[0]}); simulate again", element=str(path))
