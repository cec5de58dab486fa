"""A run in the tables of others: read back by the libraries that own the formats."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import FileError, OptionError

xarray = pytest.importorskip("xarray")
pytest.importorskip("pandas")
pytest.importorskip("h5netcdf")


@pytest.fixture(scope="module")
def run() -> lw.Run:
    return lw.library_model("double-pendulum").simulate(1.0, progress=False)


def test_xarray_opens_the_file_as_it_is(run: lw.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.h5")
    with xarray.open_dataset(tmp_path / "run.h5", engine="h5netcdf") as file:
        xarray.testing.assert_identical(file.load(), run.to_xarray())
        assert file["position"].attrs["units"] == "m"
        assert list(file.q_name.values) == run.result.names["q"]
        assert set(file.q_unit.values) == {"rad"}
        body = run.result.names["bodies"][1]
        np.testing.assert_array_equal(file["position"].sel(body=body, axis="z"), run[f"{body}.position.z"])
        assert {"format", "model_text", "options", "versions"} <= set(file.attrs)
    with xarray.open_dataset(tmp_path / "run.h5", engine="h5netcdf", group="steps") as steps:
        np.testing.assert_array_equal(steps["h"], run.result.steps["h"])


def test_dataframe(run: lw.Run) -> None:
    frame = run.to_dataframe()
    assert list(frame.columns) == list(dict.fromkeys(run.result.recorded()))
    np.testing.assert_array_equal(frame.index, run.t)
    assert frame.attrs["units"]["energy"] == "J"
    np.testing.assert_array_equal(run.to_dataframe("energy")["energy"], run.energy)


def test_csv_keeps_every_digit(run: lw.Run, tmp_path: Path) -> None:
    run.export(tmp_path / "run.csv", "energy", "energy.kinetic")
    head, *rows = list(csv.reader((tmp_path / "run.csv").open()))
    assert head == ["t [s]", "energy [J]", "energy.kinetic [J]"]
    np.testing.assert_array_equal([float(row[0]) for row in rows], run.t)
    np.testing.assert_array_equal([float(row[1]) for row in rows], run.energy)


def test_mat(run: lw.Run, tmp_path: Path) -> None:
    io = pytest.importorskip("scipy.io")
    run.export(tmp_path / "run.mat")
    back = io.loadmat(tmp_path / "run.mat", simplify_cells=True)
    np.testing.assert_array_equal(back["position"], run.result.position)
    assert list(back["body"]) == run.result.names["bodies"]
    k = list(back["channel_name"]).index("energy")
    np.testing.assert_array_equal(back["channel"][:, k], run.energy)
    assert back["channel_unit"][k] == "J"
    assert back["model"] == run.result.model


def test_netcdf(run: lw.Run, tmp_path: Path) -> None:
    run.export(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc") as back:
        xarray.testing.assert_identical(back.load(), run.to_xarray())
    run.export(tmp_path / "one.nc", "energy")
    with xarray.open_dataset(tmp_path / "one.nc") as back:
        np.testing.assert_array_equal(back["energy"], run.energy)


def test_what_cannot_be_exported(run: lw.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"no channel 'energi'; did you mean 'energy'"):
        run.export(tmp_path / "run.csv", "energi")
    assert not (tmp_path / "run.csv").exists()
    with pytest.raises(OptionError, match=r"must end with \.csv"):
        run.export(tmp_path / "run.xls")
    with pytest.raises(FileError, match="no folder"):
        run.export(tmp_path / "none" / "run.csv")
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(OptionError, match=r"needs xarray, .* pip install 'linkwork\[export\]'"):
        run.to_xarray()


def test_import_is_cheap() -> None:
    code = (
        "import sys, linkwork.api\n"
        "print([name for name in ('xarray', 'pandas', 'scipy.io', 'matplotlib', 'h5py') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
