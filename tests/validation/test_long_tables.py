"""Tables of measured histories: SciPy's spline through the same points, in time that grows with their number."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from linkwork.errors import ModelError
from linkwork.expressions import Scope, parse, values
from linkwork.expressions.kernels.tables import periodic_coefficients, spline_coefficients, tabulated
from linkwork.model import Model


def points(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """At uneven distances, by a factor of up to 1000."""
    rng = np.random.default_rng(seed)
    return np.cumsum(10.0 ** rng.uniform(-3.0, 0.0, count)), rng.standard_normal(count)


@pytest.mark.parametrize("count", [4, 5, 17, 1000])
@pytest.mark.parametrize("ends", ["natural", "periodic"])
def test_coefficients_are_those_of_scipy(count: int, ends: str) -> None:
    x, y = points(count, count)
    if ends == "periodic":
        y[-1] = y[0]
    found = (spline_coefficients if ends == "natural" else periodic_coefficients)(x, y)
    expected = CubicSpline(x, y, bc_type=ends).c[::-1].T
    sizes = np.abs(expected).max(axis=0)
    np.testing.assert_allclose(found / sizes, expected / sizes, rtol=1e-9, atol=1e-12)


def test_few_points() -> None:
    """Two are a line; through three, (0, 0), (1, 1), (2, 0), the natural spline is (3 x - x^3) / 2 at first."""
    assert spline_coefficients(np.array([1.0, 3.0]), np.array([0.0, 4.0])).tolist() == [[0.0, 2.0, 0.0, 0.0]]
    first, _ = spline_coefficients(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.0]))
    assert first == pytest.approx([0.0, 1.5, 0.0, -0.5])


def seconds(count: int) -> float:
    """To build a table, of processor time."""
    x, y = points(count)
    began = time.process_time()
    tabulated(x, y, "spline", "hold")
    return time.process_time() - began


def test_a_hundred_thousand_points() -> None:
    x, y = points(100_000)
    table = tabulated(x, y, "spline", "hold")
    program = parse("table(h, t)", scope=Scope({"h": table}))
    expected = CubicSpline(x, y, bc_type="natural")
    for t in np.random.default_rng(1).uniform(x[0], x[-1], 20):
        assert values(program, t) == pytest.approx([float(expected(t, k)) for k in range(3)], rel=1e-8, abs=1e-8)
    assert seconds(100_000) < 0.5


HISTORY = "t [ms],angle [deg],note\n# measured\n"


def written(path: Path, count: int) -> np.ndarray:
    """A history in a file; its times, s."""
    t = np.linspace(0.0, 2.0, count)
    with path.open("w") as file:
        file.write(HISTORY)
        np.savetxt(file, np.column_stack([1e3 * t, np.degrees(0.3 * np.sin(3.0 * t)), t]), delimiter=",")
    return t


def follower(path: Path) -> Model:
    """A body on a pin that follows a history."""
    m = Model("follower", gravity=(0.0, 0.0, 0.0), plane="xz")
    m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0.0, 0.0))
    m.revolute("pin", m.ground, "arm", at=(0.0, 0.0, 0.0), axis="-y")
    m.table("history", csv=path, columns=("t", "angle"))
    m.driver("motor", joint="pin", motion="table(history, t)")
    return m


@pytest.mark.parametrize("count", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_driver_follows_a_long_file(count: int, tmp_path: Path) -> None:
    written(tmp_path / "history.csv", count)
    run = follower(tmp_path / "history.csv").simulate(1.0, progress=False)
    np.testing.assert_allclose(run["pin.angle"], 0.3 * np.sin(3.0 * run.t), atol=1e-8)
    assert run.certificate.status == "finished"


def test_a_parquet_file_is_the_same_table(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    t = written(tmp_path / "history.csv", 1000)
    columns = {"note": t, "angle [deg]": np.degrees(0.3 * np.sin(3.0 * t)), "t [ms]": 1e3 * t}
    parquet.write_table(pyarrow.table(columns), tmp_path / "history.parquet")
    (one,) = follower(tmp_path / "history.csv").mechanism.tables().values()
    (other,) = follower(tmp_path / "history.parquet").mechanism.tables().values()
    np.testing.assert_allclose(one.data, other.data, rtol=1e-10, atol=1e-12)
    m = Model("m", gravity=(0.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="no column 'angel'; did you mean 'angle'"):
        m.table("history", csv=tmp_path / "history.parquet", columns=("t", "angel"))
    (tmp_path / "broken.parquet").write_text("no parquet")
    with pytest.raises(ModelError, match=r"'broken\.parquet' is not a Parquet file"):
        m.table("history", csv=tmp_path / "broken.parquet")
    parquet.write_table(pyarrow.table({"t": ["a", "b"], "y": [0.0, 1.0]}), tmp_path / "texts.parquet")
    with pytest.raises(ModelError, match="column 't' holds no numbers"):
        m.table("history", csv=tmp_path / "texts.parquet")
