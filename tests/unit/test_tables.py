"""A run in the tables of others: read back by the libraries that own the formats."""

from __future__ import annotations

import csv
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
        assert set(file.v_dot_unit.values) == {"rad/s2"}
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
    with pytest.raises(OptionError, match=r"needs xarray, .* install it: "):
        run.to_xarray()


def test_every_number_of_a_run_has_a_name_and_a_unit() -> None:
    """Coordinates, velocities, accelerations, multipliers, measures: by name, with units; multipliers as loads."""
    run = lw.library_model("four-bar").simulate(0.3, rtol=1e-9, progress=False)
    units = {name: run.result.unit(name) for name in ("A.angle", "A.rate", "A.rate.dot", "C.lam.point along z",
                                                      "C.lam.axis about y")}  # fmt: skip
    assert list(units.values()) == ["rad", "rad/s", "rad/s2", "N", "N m"]
    force = run.reaction("C", method="multipliers").force
    lam = np.column_stack([run[f"C.lam.point along {axis}"] for axis in "xy"])  # of the joint: its axis is z
    sizes = np.linalg.norm(force[:, [0, 2]], axis=1)
    np.testing.assert_allclose(np.linalg.norm(lam, axis=1), sizes, rtol=1e-6, atol=1e-6 * sizes.max())
    wheel = lw.library_model("hooke-shaft").simulate(0.1, progress=False)
    assert wheel.result.unit("motor.lam.input bearing.angle") == "N m"
    np.testing.assert_allclose(
        np.abs(wheel["motor.lam.input bearing.angle"]), np.abs(wheel.driving_force("input bearing").values), atol=1e-9
    )
    quick = lw.library_model("quick-return").simulate(0.1, progress=False)
    measured = quick.result.names["measures"]
    assert {quick.result.unit(name) for name in measured} <= {"m", "m/s", "rad", "rad/s", "N", ""}
    table = run.to_xarray()
    assert list(table.lam_unit.values) == ["N", "N", "N", "N m", "N m"]
    assert list(quick.to_xarray().measure_unit.values) == [quick.result.unit(name) for name in measured]
    for result in (run.result, wheel.result, quick.result):
        for name in result.channels():
            assert result.channel(name).shape == result.t.shape
            assert isinstance(result.unit(name), str)
