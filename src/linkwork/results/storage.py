"""Runs on disk: HDF5 files, written while the run goes on, that still open when its process was killed.

The file is in SWMR mode (one writer, many readers), which is what keeps it whole at any moment.  That mode allows no
new datasets or attributes, so that all are made before the first step, and what changes in the course of a run is data:

    /               attributes: format, model, model_text, options, names, versions
    /t, /q, ...     samples, one row per sample time; times and names are the scales of the axes, as xarray needs them;
                    units as attributes, or beside the names (q_unit, v_unit, ...) where they differ along an axis
    /steps          t, h, order, rank of every accepted step
    /log            text as bytes: the certificate as JSON, in two slots written in turn, so that one of them is whole;
                    switches, events, singular, warnings as JSON lines that only grow; header_bytes, header_sum
    /log/blocks     how many samples were written to all datasets at a time, and the checksum of these, in turn
    /log/checkpoint two slots likewise: the whole state of the run, to go on from (results/disk/checkpoints.py)

A slot of the certificate has checksums (CRC-32) of the header and of the rows of each dataset so far, and one of itself
(results/disk/checksums.py): what was written after the newest slot does not count, and no bit flips unseen.

Samples lie in the file in the order of time, a few of them in all datasets before the next few: what is left of a file
that was cut short is a run that ends sooner.  results/reading.py reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import FileError
from linkwork.lazy_import import lazy_module
from linkwork.output_files import output_file, writing
from linkwork.results.disk.checkpoints import packed
from linkwork.results.disk.checksums import RunningSums, header_sum, rows_sum, sealed
from linkwork.results.metadata import AXES, as_json, attributes, axis_names, axis_units, header
from linkwork.results.result import SAMPLED, Certificate, Result

if TYPE_CHECKING:
    import h5py
else:
    h5py = lazy_module("h5py")  # takes 0.1 s to import

HEADER_BYTES, HEADER_SUM = "header_bytes", "header_sum"
SUFFIXES = (".h5", ".hdf5", ".nc")  # HDF5, which NetCDF 4 is
RUNNING = "running"  # status on disk until the run has ended
LOGS = ("switches", "events", "singular", "warnings")  # lists of the certificate, kept as JSON lines

_SAMPLES = 16  # in a chunk of a dataset, and written at once to all: a cut file loses at most these
_ROWS = 1024  # in a chunk of anything else
_TEXT_BYTES = 4096
_STATE_BYTES = 16384


class Writer:
    """Recorder that writes a run to a file, chunk by chunk; a context manager that closes it."""

    def __init__(self, path: str | Path, *, replaces: bool = False) -> None:
        """`replaces`: the file takes the place of one that is there only when its first checkpoint is kept."""
        self.path = output_file(path, "a run as HDF5", SUFFIXES)
        self._place = self.path.with_name(f"{self.path.name}.part") if replaces else self.path
        self._file: h5py.File | None = None
        self._logged = dict.fromkeys(LOGS, 0)
        self._sequence = self._kept = 0
        self._header = 0
        self._sums = RunningSums()

    def __enter__(self) -> Writer:
        """Nothing to do until `begin`."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close, whatever happened."""
        self.close()

    def begin(self, empty: Result) -> None:
        """Make the file with all its datasets, still without rows, and enter SWMR mode."""
        with writing(self.path):
            # no cache of chunks: they lie in the file in the order of writing
            self._file = file = h5py.File(self._place, "w", libver="latest", rdcc_nbytes=0)
            _write_header(file, empty)
            _make_samples(file, empty)
            _make_steps(file.create_group("steps"), empty.steps)
            _make_log(file.create_group("log"))
            self._header = header_sum(file)
            _record_header_length(file, self._header)
            file.swmr_mode = True
            self._record(file, empty.certificate, RUNNING)

    def append(self, part: Result) -> None:
        """Add the samples and steps of a chunk, and the certificate as it stands."""
        file = self._opened()
        with writing(self.path):
            order = (*(name for name in SAMPLED if name != "t"), "t")  # reading.py checks blocks in this order
            _extend_together([(file[name], getattr(part, name)) for name in order], file["log/blocks"])
            for name in part.steps.dtype.names or ():
                _extend(file["steps"][name], part.steps[name])
                self._sums.add(f"steps/{name}", part.steps[name])
            for name in SAMPLED:
                self._sums.add(name, getattr(part, name))
            self._record(file, part.certificate, RUNNING)

    def keep(self, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """A checkpoint, into the older of its two slots."""
        file = self._opened()
        with writing(self.path):
            known = {**facts, "sequence": self._sequence, "sums": self._sums.as_dict()}
            self._kept += 1
            _write_slot(file["log/checkpoint"], self._kept % 2, packed(known, arrays))
            file.flush()
            self._take_place()

    def finish(self, certificate: Certificate) -> None:
        """The last certificate; from now on the file says that the run has ended."""
        file = self._opened()
        with writing(self.path):
            self._record(file, certificate, certificate.status)
            self._take_place()

    def _take_place(self) -> None:
        """The file under its own name, at once."""
        if self._place != self.path:
            self._place.replace(self.path)
            self._place = self.path

    def close(self) -> None:
        """Close the file; once is enough."""
        if self._file is not None:
            with writing(self.path):
                self._file.close()
            self._file = None

    def _record(self, file: h5py.File, certificate: Certificate, status: str) -> None:
        """What is new in the logs, then the certificate without them; everything to disk."""
        for name in LOGS:
            new = getattr(certificate, name)[self._logged[name] :]
            if new:
                text = _bytes("".join(as_json(entry) + "\n" for entry in new))
                _extend(file["log"][name], text)
                self._sums.add(f"log/{name}", text)
                self._logged[name] += len(new)
        self._sequence += 1
        kept = {key: value for key, value in asdict(certificate).items() if key not in LOGS}
        kept |= {"status": status, "sequence": self._sequence, "header": self._header, "sums": self._sums.as_dict()}
        _write_slot(file["log/certificate"], self._sequence % 2, sealed(as_json(kept).encode()))
        file.flush()

    def _opened(self) -> h5py.File:
        if self._file is None:
            raise FileError(f"'{self.path}' is not open for writing; call begin first", element=str(self.path))
        return self._file


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


def _record_header_length(file: h5py.File, checksum: int) -> None:
    """How many bytes describe the samples, without all of which a file cannot be read; and their checksum, for a file
    that is cut before its certificate.
    """
    file["log"].attrs[HEADER_SUM] = checksum
    file["log"].attrs[HEADER_BYTES] = 0
    file.flush()
    file["log"].attrs.modify(HEADER_BYTES, file.id.get_filesize())


def _make_samples(file: h5py.File, empty: Result) -> None:
    """Datasets of the samples, each axis with its scale: the times, or the names along it."""
    scales = _name_scales(file, empty)
    times = _growing_dataset(file, "t", empty.t, _SAMPLES)
    times.make_scale("t")
    for name in SAMPLED:
        if name != "t":
            data = _growing_dataset(file, name, getattr(empty, name), _SAMPLES)
            for axis, scale in enumerate((times, *(scales[axis] for axis in AXES[name]))):
                data.dims[axis].attach_scale(scale)


def _name_scales(file: h5py.File, empty: Result) -> dict[str, h5py.Dataset]:
    scales = {}
    for axis, names in axis_names(empty).items():
        scales[axis] = file.create_dataset(axis, data=np.array(names, dtype=object), dtype=h5py.string_dtype())
        scales[axis].make_scale(axis)
    for name, (axis, units) in axis_units(empty).items():
        along = file.create_dataset(name, data=np.array(units, dtype=object), dtype=h5py.string_dtype())
        along.dims[0].attach_scale(scales[axis])
    return scales


def _make_steps(group: h5py.Group, steps: np.ndarray) -> None:
    """One dataset per field, along the step times."""
    names = list(steps.dtype.names or ())
    group.attrs["fields"] = as_json(names)
    for name in names:
        _growing_dataset(group, name, steps[name])
    group["t"].make_scale("t")
    for name in names:
        if name != "t":
            group[name].dims[0].attach_scale(group["t"])


def _make_log(group: h5py.Group) -> None:
    """Bytes that grow; each is the scale of its own axis, because every axis must have one."""
    for name in LOGS:
        _growing_dataset(group, name, np.empty(0, np.uint8)).make_scale(name)
    _growing_dataset(group, "blocks", np.empty(0, np.uint32)).make_scale("blocks")
    group.create_dataset("slot", data=np.arange(2, dtype=np.int32)).make_scale("slot")
    for name, size, chunk in (("certificate", _TEXT_BYTES, _TEXT_BYTES), ("checkpoint", 0, _STATE_BYTES)):
        along = "byte" if name == "certificate" else f"{name}_byte"
        group.create_dataset(along, (size,), np.uint8, maxshape=(None,), chunks=(chunk,)).make_scale(along)
        slots = group.create_dataset(
            name, (2, size), np.uint8, maxshape=(2, None), chunks=(1, chunk), fillvalue=ord(" ")
        )
        slots.dims[0].attach_scale(group["slot"])
        slots.dims[1].attach_scale(group[along])


def _growing_dataset(group: h5py.Group, name: str, like: np.ndarray, rows: int = _ROWS) -> h5py.Dataset:
    """A dataset without rows that can get any number of rows like these; rows never written read as NaN."""
    widths = like.shape[1:]
    data = group.create_dataset(
        name, (0, *widths), like.dtype, maxshape=(None, *(w or None for w in widths)),
        chunks=(rows, *(max(1, w) for w in widths)), fillvalue=np.nan if like.dtype.kind == "f" else 0,
    )  # fmt: skip
    for attribute, text in attributes(name).items():
        data.attrs[attribute] = text
    return data


def _extend(data: h5py.Dataset, rows: np.ndarray) -> None:
    if len(rows):
        before = data.shape[0]
        data.resize(before + len(rows), axis=0)
        data[before:] = rows


def _extend_together(columns: list[tuple[h5py.Dataset, np.ndarray]], blocks: h5py.Dataset) -> None:
    """New rows of datasets of equal length, a few rows of all of them at a time; the last one shows how far it got.

    `blocks` gets the number of these few and their checksum.  By HDF5's own calls, since those of h5py for an array
    take ten times as long as the writing.
    """
    before, count, known = columns[0][0].shape[0], len(columns[0][1]), blocks.shape[0]
    for data, _ in columns:
        data.resize(before + count, axis=0)
    blocks.resize(known + 2 * -(-count // _SAMPLES), axis=0)
    filled = [(data.id, data.id.get_space(), np.ascontiguousarray(rows)) for data, rows in columns if rows.size]
    block, place = np.zeros(2, np.uint32), blocks.id.get_space()
    for first in range(0, count, _SAMPLES):
        checksum = 0
        for dataset, space, rows in filled:
            some = rows[first : first + _SAMPLES]
            space.select_hyperslab((before + first, *(0 for _ in some.shape[1:])), some.shape)
            dataset.write(h5py.h5s.create_simple(some.shape), space, some)
            checksum = rows_sum(some, checksum)
        block[:] = min(_SAMPLES, count - first), checksum
        place.select_hyperslab((known + 2 * (first // _SAMPLES),), (2,))
        blocks.id.write(h5py.h5s.create_simple((2,)), place, block)


def _write_slot(slots: h5py.Dataset, slot: int, content: bytes) -> None:
    """Bytes that replace those before the last; the slots grow when they are many."""
    if len(content) > slots.shape[1]:
        chunk = slots.chunks[1]
        width = -(-len(content) // chunk) * chunk
        slots.dims[1][0].resize(width, axis=0)
        slots.resize(width, axis=1)
    padded = np.full(slots.shape[1], ord(" "), np.uint8)
    padded[: len(content)] = np.frombuffer(content, np.uint8)
    slots[slot] = padded


def _bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)
