"""The table of a study: a row a run; in memory, or in a folder of Parquet files that grows while the study runs.

    wear.study/_study.json         what the study is: model, what is varied, outputs, units, options
    wear.study/part-000000000.parquet ...   a chunk of rows each, written whole or not at all

A study that was stopped or killed goes on with the runs that are missing.  pandas and pyarrow open the folder:
`pandas.read_parquet("wear.study")`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.errors import FileError, OptionError
from linkwork.lazy_import import lazy_module
from linkwork.output_files import writing
from linkwork.studies.one_run import Row

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet as parquet
else:
    pyarrow, parquet = lazy_module("pyarrow"), lazy_module("pyarrow.parquet")

HEADER = "_study.json"
FORMAT = 1
PLAIN = ("run", "status", "message", "energy_drift")
TOGETHER = ("vary", "outputs", "analysis", "options", "plan", "model_digest")  # what a folder's study must share


class Columns(NamedTuple):
    """The rows of a table by columns, in the order of the runs."""

    run: np.ndarray
    status: np.ndarray  # texts
    message: np.ndarray  # texts
    energy_drift: np.ndarray
    outputs: dict[str, np.ndarray]


class Memory:
    """A table that lives as long as its study."""

    def __init__(self, outputs: Sequence[str]) -> None:
        self.outputs, self.rows = list(outputs), dict[int, Row]()

    @property
    def done(self) -> set[int]:
        """The runs that it has."""
        return set(self.rows)

    def append(self, rows: Iterable[Row], settings: Mapping[str, Sequence[Any]]) -> None:
        """A chunk of rows."""
        self.rows |= {row.run: row for row in rows}

    def columns(self) -> Columns:
        """All of it."""
        rows = [self.rows[run] for run in sorted(self.rows)]
        values = np.array([row.outputs for row in rows]).reshape(len(rows), len(self.outputs))
        return Columns(
            np.array([row.run for row in rows], np.int64), np.array([row.status for row in rows], object),
            np.array([row.message for row in rows], object), np.array([row.energy_drift for row in rows], float),
            dict(zip(self.outputs, values.T, strict=True)),
        )  # fmt: skip


class Folder:
    """A table on disk."""

    def __init__(self, path: str | Path, header: Mapping[str, Any]) -> None:
        self.path, self.outputs = Path(path), list(header["outputs"])
        _need_pyarrow(self.path)
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / HEADER).exists():
            _refuse_another(self.path, header, read_header(self.path))
        elif any(self.path.iterdir()):
            raise FileError(f"'{self.path}' is a folder with other files; give a new one for the study's table")
        else:
            with writing(self.path):
                temporary = self.path / ".header"
                temporary.write_text(json.dumps(header, indent=1), encoding="utf-8")
                os.replace(temporary, self.path / HEADER)
        self.done = {
            run for part in self._parts() for run in parquet.read_table(part, columns=["run"])["run"].to_pylist()
        }

    def _parts(self) -> list[Path]:
        return sorted(self.path.glob("part-*.parquet"))

    def append(self, rows: Iterable[Row], settings: Mapping[str, Sequence[Any]]) -> None:
        """A chunk of rows, with the values that were varied: a file of its own, there whole or not at all."""
        rows = list(rows)
        columns: dict[str, Any] = {"run": [row.run for row in rows], **settings}
        columns |= {text: [row.outputs[k] for row in rows] for k, text in enumerate(self.outputs)}
        columns |= {"status": [row.status for row in rows], "message": [row.message for row in rows],
                    "energy_drift": [row.energy_drift for row in rows]}  # fmt: skip
        with writing(self.path):
            temporary = self.path / f".{os.getpid()}.part"
            parquet.write_table(pyarrow.table(columns), temporary)
            os.replace(temporary, self.path / f"part-{rows[0].run:09d}.parquet")
        self.done |= {row.run for row in rows}

    def columns(self) -> Columns:
        """All of it."""
        return read_columns(self.path, self.outputs)


def read_columns(path: Path, outputs: Sequence[str]) -> Columns:
    """The rows of a folder."""
    wanted = [*PLAIN, *outputs]
    parts = [parquet.read_table(part, columns=wanted) for part in sorted(path.glob("part-*.parquet"))]
    if not parts:
        empty = np.zeros(0)
        return Columns(empty.astype(np.int64), empty, empty, empty, dict.fromkeys(outputs, empty))
    whole = pyarrow.concat_tables(parts).sort_by("run")
    found = {name: whole[name].to_numpy() for name in wanted}
    run, status, message, drift = (found[name] for name in PLAIN)
    return Columns(run, status, message, drift, {text: found[text] for text in outputs})


def read_header(path: Path) -> dict[str, Any]:
    """What study a folder holds."""
    try:
        header: dict[str, Any] = json.loads((path / HEADER).read_text(encoding="utf-8"))
        if header["format"] != FORMAT:
            raise FileError(f"'{path}' has the format {header['format']}; this linkwork reads {FORMAT}")
        return header
    except FileNotFoundError:
        raise FileError(f"'{path}' is not a folder of a study: it has no {HEADER}; check the path") from None
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise FileError(f"'{path / HEADER}' cannot be read ({failure}); the study has to be run anew") from None


def _refuse_another(path: Path, wanted: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """A folder may go on with its own study only."""
    plain = json.loads(json.dumps(dict(wanted)))
    for name in TOGETHER:
        if plain[name] != found.get(name):
            what = {"plan": "runs, sampling, seed or correlations", "model_digest": "model"}.get(name, name)
            raise OptionError(
                f"'{path}' holds another study: its {what} differ{'s' if what == 'model' else ''}; give another "
                "folder, or remove this one",
                element=str(path),
            )


def _need_pyarrow(path: Path) -> None:
    try:
        _ = parquet.write_table
    except ImportError:
        raise OptionError(
            f"the table '{path}' needs pyarrow, which is not installed: pip install 'linkwork[study]'",
            element=str(path),
        ) from None
