"""Runs on disk: HDF5 files, written while the run goes on, that still open when its process was killed.

The file is in SWMR mode (one writer, many readers), which is what keeps it whole at any moment.  That mode allows no
new datasets or attributes, so that all are made before the first step, and what changes in the course of a run is data:

    /               attributes: format, model, model_text, options, names, versions
    /t, /q, ...     samples, one row a sample time; times and names are the scales of the axes, as xarray wants them;
                    units as attributes, or beside the names (q_unit, v_unit) where they differ along an axis
    /steps          t, h, order, rank of every accepted step
    /log            text as bytes: the certificate as JSON, in two slots written in turn, so that one of them is whole;
                    switches, events, singular, warnings as JSON lines that only grow
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork import __version__
from linkwork.errors import FileError
from linkwork.results.result import SAMPLED, Certificate, Result, energy_drift

if TYPE_CHECKING:
    import h5py  # at run time inside the functions: it takes 0.1 s to import

FAMILY = "linkwork-run-"
FORMAT = FAMILY + "1"
RUNNING = "running"  # status on disk until the run has ended
LOGS = ("switches", "events", "singular", "warnings")  # lists of the certificate, kept as JSON lines

AXES: dict[str, tuple[str, ...]] = {  # of the samples, after the time
    "t": (), "q": ("q_name",), "v": ("v_name",), "v_dot": ("v_name",), "lam": ("row",), "energy": ("energy_part",),
    "position": ("body", "axis"), "orientation": ("body", "parameter"),
    "velocity": ("body", "axis"), "angular_velocity": ("body", "axis"),
    "states": ("state",), "measures": ("measure",), "strength": (), "rank": (),
}  # fmt: skip
UNITS = {"t": "s", "h": "s", "energy": "J", "position": "m", "velocity": "m/s", "angular_velocity": "rad/s"}
LONG_NAMES = {
    "t": "time", "q": "coordinates", "v": "velocities", "v_dot": "accelerations", "lam": "multipliers of the rows",
    "energy": "energies and work", "position": "origin of the body frame, world axes",
    "orientation": "Euler parameters of the body frame, scalar first", "velocity": "velocity of that origin",
    "angular_velocity": "angular velocity, world axes",
    "strength": "logarithm of the volume that the constraint rows span", "rank": "independent constraint rows",
    "h": "step size", "order": "order of the integrator",
}  # fmt: skip

_BROKEN = (KeyError, IndexError, OSError, RuntimeError, TypeError, ValueError)  # what reading a damaged file raises
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SUPERBLOCK = struct.Struct("<8s4B3Q")  # signature; version, two sizes, flags; base, extension and end addresses
_UNCLOSED = 0b101  # flags: open for writing, in SWMR mode
_CHUNK_BYTES = 65536
_TEXT_BYTES = 4096


class Writer:
    """Recorder that writes a run to a file, chunk by chunk; a context manager that closes it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise FileError(
                f"cannot write '{path}': there is no folder '{self.path.parent}'; make it first", element=str(path)
            )
        self._file: h5py.File | None = None
        self._logged = dict.fromkeys(LOGS, 0)
        self._sequence = 0

    def __enter__(self) -> Writer:
        """Nothing to do until `begin`."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close, whatever happened."""
        self.close()

    def begin(self, empty: Result) -> None:
        """Make the file with all its datasets, still without rows, and enter SWMR mode."""
        import h5py

        with self._writing():
            self._file = file = h5py.File(self.path, "w", libver="latest")
            _write_header(file, empty)
            _make_samples(file, empty)
            _make_steps(file.create_group("steps"), empty.steps)
            _make_log(file.create_group("log"))
            file.swmr_mode = True
            self._record(file, empty.certificate, RUNNING)

    def append(self, part: Result) -> None:
        """Add the samples and steps of a chunk, and the certificate as it stands."""
        file = self._opened()
        with self._writing():
            for name in (*(n for n in SAMPLED if n != "t"), "t"):
                _extend(file[name], getattr(part, name))
            for name in part.steps.dtype.names or ():
                _extend(file["steps"][name], part.steps[name])
            self._record(file, part.certificate, RUNNING)

    def finish(self, certificate: Certificate) -> None:
        """The last certificate; from now on the file says that the run has ended."""
        file = self._opened()
        with self._writing():
            self._record(file, certificate, certificate.status)

    def close(self) -> None:
        """Close the file; once is enough."""
        if self._file is not None:
            with self._writing():
                self._file.close()
            self._file = None

    def _record(self, file: h5py.File, certificate: Certificate, status: str) -> None:
        """What is new in the logs, then the certificate without them; everything to disk."""
        for name in LOGS:
            new = getattr(certificate, name)[self._logged[name] :]
            if new:
                _extend(file["log"][name], _bytes("".join(_json(entry) + "\n" for entry in new)))
                self._logged[name] += len(new)
        self._sequence += 1
        kept = {key: value for key, value in asdict(certificate).items() if key not in LOGS}
        _write_slot(file["log/certificate"], self._sequence % 2, kept | {"status": status, "sequence": self._sequence})
        file.flush()

    def _opened(self) -> h5py.File:
        if self._file is None:
            raise FileError(f"'{self.path}' is not open for writing; call begin first", element=str(self.path))
        return self._file

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A full disk or a missing right, as one sentence."""
        try:
            yield
        except OSError as error:
            told = str(error).strip().splitlines()[0]
            raise FileError(f"cannot write '{self.path}': {told}", element=str(self.path)) from error


def save(result: Result, path: str | Path) -> None:
    """Write a whole result to an HDF5 file."""
    with Writer(path) as writer:
        writer.begin(result.part(slice(0, 0)))
        writer.append(result)
        writer.finish(result.certificate)


# -- making a file ----------------------------------------------------------------------------------------------------
def _write_header(file: h5py.File, empty: Result) -> None:
    for name, text in header(empty).items():
        file.attrs[name] = text


def header(result: Result) -> dict[str, str]:
    """What a file says of itself; what is not text is JSON."""
    versions = {"linkwork": __version__} | {package: _version(package) for package in ("numpy", "numba", "h5py")}
    return {
        "format": FORMAT, "model": result.model, "model_text": result.model_text, "options": _json(result.options),
        "names": _json(result.names), "versions": _json(versions),
    }  # fmt: skip


def _make_samples(file: h5py.File, empty: Result) -> None:
    """Datasets of the samples, each axis with its scale: the times, or the names along it."""
    scales = _name_scales(file, empty)
    times = _growing(file, "t", empty.t)
    times.make_scale("t")
    for name in SAMPLED:
        if name != "t":
            data = _growing(file, name, getattr(empty, name))
            for axis, scale in enumerate((times, *(scales[axis] for axis in AXES[name]))):
                data.dims[axis].attach_scale(scale)


def _name_scales(file: h5py.File, empty: Result) -> dict[str, h5py.Dataset]:
    import h5py

    scales = {}
    for axis, names in axis_names(empty).items():
        scales[axis] = file.create_dataset(axis, data=np.array(names, dtype=object), dtype=h5py.string_dtype())
        scales[axis].make_scale(axis)
    for name, (axis, units) in axis_units(empty).items():
        along = file.create_dataset(name, data=np.array(units, dtype=object), dtype=h5py.string_dtype())
        along.dims[0].attach_scale(scales[axis])
    return scales


def axis_names(result: Result) -> dict[str, list[str]]:
    """What stands along each axis of the samples but the time."""
    return {
        "q_name": result.names["q"], "v_name": result.names["v"], "row": result.names["rows"],
        "body": result.names["bodies"], "axis": ["x", "y", "z"], "parameter": ["e0", "e1", "e2", "e3"],
        "energy_part": ["kinetic", "potential", "work"], "measure": result.names["measures"],
        "state": ["work", *(f"state {k}" for k in range(1, result.states.shape[1]))],
    }  # fmt: skip


def axis_units(result: Result) -> dict[str, tuple[str, list[str]]]:
    """Units along the axes on which they differ: name -> axis, SI units ("" for a number without)."""
    return {
        "q_unit": ("q_name", [result.unit(name) for name in result.names["q"]]),
        "v_unit": ("v_name", [result.unit(name) for name in result.names["v"]]),
    }


def _make_steps(group: h5py.Group, steps: np.ndarray) -> None:
    """One dataset a field, along the step times."""
    names = list(steps.dtype.names or ())
    group.attrs["fields"] = _json(names)
    for name in names:
        _growing(group, name, steps[name])
    group["t"].make_scale("t")
    for name in names:
        if name != "t":
            group[name].dims[0].attach_scale(group["t"])


def _make_log(group: h5py.Group) -> None:
    """Bytes that grow; each is the scale of its own axis, because every axis must have one."""
    for name in LOGS:
        _growing(group, name, np.empty(0, np.uint8)).make_scale(name)
    for name, size in (("slot", 2), ("byte", _TEXT_BYTES)):
        group.create_dataset(name, data=np.arange(size), maxshape=(None,)).make_scale(name)
    slots = group.create_dataset(
        "certificate", (2, _TEXT_BYTES), np.uint8, maxshape=(2, None), chunks=(1, _TEXT_BYTES), fillvalue=ord(" ")
    )
    slots.dims[0].attach_scale(group["slot"])
    slots.dims[1].attach_scale(group["byte"])


def _growing(group: h5py.Group, name: str, like: np.ndarray) -> h5py.Dataset:
    """A dataset without rows that can get any number of rows like these; rows never written read as NaN."""
    widths = like.shape[1:]
    rows = max(16, min(1024, _CHUNK_BYTES // max(1, like.itemsize * int(np.prod(widths)))))
    data = group.create_dataset(
        name, (0, *widths), like.dtype, maxshape=(None, *(w or None for w in widths)),
        chunks=(rows, *(max(1, w) for w in widths)), fillvalue=np.nan if like.dtype.kind == "f" else 0,
    )  # fmt: skip
    for attribute, said in (("units", UNITS), ("long_name", LONG_NAMES)):
        if name in said:
            data.attrs[attribute] = said[name]
    return data


def _extend(data: h5py.Dataset, rows: np.ndarray) -> None:
    if len(rows):
        before = data.shape[0]
        data.resize(before + len(rows), axis=0)
        data[before:] = rows


def _write_slot(slots: h5py.Dataset, slot: int, content: dict[str, Any]) -> None:
    """A text that replaces the one before the last; the slots grow when it is long."""
    text = _bytes(_json(content))
    if len(text) > slots.shape[1]:
        width = -(-len(text) // _TEXT_BYTES) * _TEXT_BYTES
        byte = slots.parent["byte"]
        byte.resize(width, axis=0)
        byte[:] = np.arange(width)
        slots.resize(width, axis=1)
    padded = np.full(slots.shape[1], ord(" "), np.uint8)
    padded[: len(text)] = text
    slots[slot] = padded


def _json(content: Any) -> str:
    return json.dumps(content, default=_plain)


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's; anything else as text."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else str(value)


def _bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


# -- reading a file ---------------------------------------------------------------------------------------------------
def load_result(path: str | Path) -> Result:
    """The result in a file; of a run that was killed, or still goes on, what it had written until now."""
    path = Path(path)
    with _reading(path) as file:
        found = _format(file, path)
        try:
            result = _read(file)
        except _BROKEN as error:
            if found == FORMAT:
                raise _damaged(path, error) from error
            told = f"'{path}' has the format '{found}', which this linkwork cannot read; it reads '{FORMAT}'"
            raise FileError(told, element=str(path)) from error
    if found != FORMAT:
        result.certificate.warnings.append(
            f"the file has the format '{found}', not '{FORMAT}'; what could be read was read"
        )
    return result


@contextmanager
def _reading(path: Path) -> Iterator[h5py.File]:
    """The file, opened as a closed one, or as one whose writer is at work or was killed.

    HDF5 itself may wait forever, or give zeros, where such a file is cut short: its length is looked at before.
    """
    import h5py

    for _ in range(20):
        unclosed, missing = _superblock(path)
        if not missing:
            break
        time.sleep(0.01)  # a writer may just be extending the file
    else:
        raise _damaged(path, EOFError(f"{missing} bytes are missing at its end"))
    try:
        file = h5py.File(path, "r", swmr=unclosed)
    except OSError as error:
        raise _damaged(path, error) from error
    with file:
        yield file


def _superblock(path: Path) -> tuple[bool, int]:
    """From the first bytes of a file: is it open for writing, or was when its writer died; bytes missing at its end."""
    if not path.exists():
        raise FileError(f"there is no file '{path}'", element=str(path))
    try:
        with path.open("rb") as stream:
            head = stream.read(_SUPERBLOCK.size)
        size = path.stat().st_size
    except OSError as error:
        raise FileError(f"'{path}' cannot be read: {error.strerror}", element=str(path)) from error
    if head[: len(_SIGNATURE)] != _SIGNATURE:
        raise FileError(f"'{path}' is not an HDF5 file; give one that linkwork has written", element=str(path))
    if len(head) < _SUPERBLOCK.size:
        return False, _SUPERBLOCK.size - len(head)
    _, layout, offset_size, _, flags, _, _, end = _SUPERBLOCK.unpack(head)
    if layout != 3 or offset_size != 8:  # not a file of ours
        return False, 0
    return bool(flags & _UNCLOSED), max(0, end - size)


def _format(file: h5py.File, path: Path) -> str:
    """What the file says it is; anything but a run is refused."""
    try:
        found = file.attrs.get("format")
    except _BROKEN as error:
        raise _damaged(path, error) from error
    if not isinstance(found, str) or not found.startswith(FAMILY):
        kind = f"has the format '{found}'" if found is not None else "is an HDF5 file of another kind"
        raise FileError(f"'{path}' {kind}, not a linkwork run ('{FORMAT}')", element=str(path))
    return found


def _read(file: h5py.File) -> Result:
    arrays = _whole_rows({name: file[name] for name in SAMPLED})
    written = int(np.cumprod(np.isfinite(arrays["t"])).sum())
    arrays = {name: rows[:written] for name, rows in arrays.items()}
    result = Result(
        model=str(file.attrs["model"]),
        model_text=str(file.attrs["model_text"]),
        options=json.loads(file.attrs["options"]),
        names=json.loads(file.attrs["names"]),
        steps=_read_steps(file["steps"]),
        certificate=_read_certificate(file["log"]),
        **arrays,
    )
    if result.certificate.status == RUNNING:
        _mark_unfinished(result)
    return result


def _whole_rows(datasets: dict[str, h5py.Dataset]) -> dict[str, np.ndarray]:
    """The rows that all of them have: a writer may have been killed between two."""
    count = min(data.shape[0] for data in datasets.values())
    return {name: data[:count] for name, data in datasets.items()}


def _read_steps(group: h5py.Group) -> np.ndarray:
    columns = _whole_rows({name: group[name] for name in json.loads(group.attrs["fields"])})
    steps = np.empty(len(columns["t"]), np.dtype([(name, rows.dtype) for name, rows in columns.items()], align=True))
    for name, rows in columns.items():
        steps[name] = rows
    return steps


def _read_certificate(log: h5py.Group) -> Certificate:
    """The newest slot that is whole, with the logs."""
    slots = [parsed for parsed in (_parsed(slot.tobytes()) for slot in log["certificate"][:]) if parsed]
    newest: dict[str, Any] = max(slots, key=lambda slot: slot["sequence"], default={"status": RUNNING})
    known = {f.name for f in fields(Certificate)}
    certificate = Certificate(**{key: value for key, value in newest.items() if key in known})
    for name in LOGS:
        setattr(certificate, name, _read_lines(log[name][:].tobytes()))
    return certificate


def _read_lines(text: bytes) -> list[Any]:
    """Entries of a log; the last line may not be whole."""
    return [entry for entry in map(_parsed, text.split(b"\n")) if entry is not None]


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _mark_unfinished(result: Result) -> None:
    """The certificate of a run that did not end, with the measures that are only taken at its end."""
    certificate = result.certificate
    reached = float(result.t[-1]) if len(result.t) else 0.0
    certificate.status = "stopped"
    certificate.t_end = max(certificate.t_end, reached)
    certificate.energy_drift = energy_drift(result.energy)
    certificate.warnings.append(
        f"the run did not end (it was killed, or still goes on); "
        f"the file has {len(result.t)} samples until t = {reached:.6g} s"
    )


def _damaged(path: Path, error: BaseException) -> FileError:
    """One sentence, with HDF5's own words in brief."""
    words = (str(error.args[0]) if error.args else "").strip() or type(error).__name__
    return FileError(f"'{path}' is cut short or damaged ({words.splitlines()[0]}); simulate again", element=str(path))
