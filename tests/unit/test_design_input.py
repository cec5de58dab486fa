"""What optimize and fit refuse, each in one sentence that names the remedy."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.design.goals import condition, goals
from linkwork.design.measured import measured
from linkwork.design.variables import variable
from linkwork.errors import LinkworkError

MODES = {"analysis": "modes", "progress": False}


def refused(match: str):
    return pytest.raises(LinkworkError, match=match)


@pytest.mark.parametrize(("vary", "match"), [
    ({}, "nothing is to be found"),
    ({"dampin": (1, 2)}, "no parameter 'dampin'; did you mean 'damping'"),
    ({"tyyre.stiffness": (1, 2)}, "no element 'tyyre'; did you mean"),
    ({"damping": (5000, 100)}, "bounds 5000 and 100 cross; give the lower one first"),
    ({"damping": (2000, 5000)}, "start 1500 N s/m is outside its bounds, 2000 to 5000"),
    ({"damping": (100, 6000, 5000)}, "start 6000 N s/m is outside"),
    ({"damping": "much"}, "'damping' = 'much' cannot be read; write"),
    ({"damping": (1, 2, 3, 4)}, "cannot be read"),
    ({"damping": (float("nan"), 2)}, "cannot be read"),
])  # fmt: skip
def test_variables(vary, match) -> None:
    with refused(match):
        lw.optimize("quarter-car", vary, "-damping(1)", **MODES)


@pytest.mark.parametrize(("minimize", "subject_to", "more", "match"), [
    ("", (), {}, "minimize is ''; give an output"),
    ([], (), {}, "minimize is"),
    ("frequncy(1)", (), {}, "no function 'frequncy'; did you mean 'frequency'"),
    ("frequency(9)", (), {}, "there is no mode 9; count from 1 to 2"),
    ("-damping(1)", ["frequency(1)"], {}, "'frequency\\(1\\)' is not a condition"),
    ("-damping(1)", ["1 < frequency(1) < 2"], {}, "is not a condition"),
    ("-damping(1)", (), {"method": "newton"}, "no method 'newton'"),
    ("-damping(1)", (), {"method": "least-squares"}, "takes a list of outputs"),
    ("-damping(1)", ["frequency(1) > 1"], {"method": "l-bfgs-b"}, "takes no condition"),
    ("-damping(1)", (), {"starts": 0}, "starts is 0"),
    ("-damping(1)", (), {"analysis": "mode"}, "no analysis 'mode'; did you mean 'modes'"),
    ("-damping(1)", (), {"untl": 1.0}, "no option 'untl' of modes"),
])  # fmt: skip
def test_goals(minimize, subject_to, more, match) -> None:
    with refused(match):
        lw.optimize("quarter-car", {"damping": (100, 5000)}, minimize, subject_to, **{**MODES, **more})


def test_several_starts_need_bounds() -> None:
    with refused("several starts need bounds, and 'damping' has none"):
        lw.optimize("quarter-car", {"damping": 1500.0}, "-damping(1)", starts=3, **MODES)


T = np.linspace(0.0, 1.0, 11)


@pytest.mark.parametrize(("data", "more", "match"), [
    ({"time s": T, "pin.angle": T}, {}, "no time column 't' \\(s\\), only 'time s', 'pin.angle'"),
    ({"t": T}, {}, "no column beside the time"),
    ({"t": T[::-1], "pin.angle": T}, {}, "increase from row to row"),
    ({"t": T, "pin.angle": np.where(T == 0.5, np.nan, T)}, {}, "'pin.angle' is not a number in 1 row, first in row 6"),
    ({"t": T, "pin.angle": T[:5]}, {}, "has \\(5,\\) numbers, not 11"),
    ({"t": T, "pin.angl": T}, {}, "no channel 'pin.angl' of the data; did you mean 'pin.angle'"),
    ({"t": T, "pin.angle [parsnip]": T}, {}, "the unit of 'pin.angle \\[parsnip\\]'"),
    ({"t": T, "pin.angle": T}, {"until": 0.5}, "data go on to 1 s, beyond the run, which ends at 0.5 s"),
    ({"t": T, "pin.angle": T}, {"noise": {"pin.rate": 1.0}}, "noise: the data have no channel 'pin.rate'"),
    ({"t": T, "pin.angle": T}, {"noise": {"pin.angle": 0.0}}, "noise of 'pin.angle' is 0"),
    ({"t": T, "pin.angle": T}, {"channels": {"sensor": "pin.angle"}}, "no column 'sensor'"),
    ({"t": T, "pin.angle": T}, {"confidence": 95}, "confidence is 95"),
    ({"t": T, "pin.angle": T}, {"analysis": "modes"}, "no fit of 'modes'"),
    ("nowhere.csv", {}, "'nowhere.csv' cannot be read as CSV"),
])  # fmt: skip
def test_data(data, more, match) -> None:
    with refused(match):
        lw.fit("pendulum", data, {"length": (0.5, 2.0)}, progress=False, **more)


def test_a_text_among_the_numbers_of_a_column_is_named_and_a_column_of_texts_is_left_out(tmp_path) -> None:
    data = tmp_path / "swing.csv"
    data.write_text("t,pin.angle,who\n0,1,a\n0.1,abc,b\n0.2,1.1,c\n")
    with refused("'swing.csv': column 'pin.angle' has 'abc' in row 2"):
        lw.fit("pendulum", str(data), {"length": (0.5, 2.0)}, progress=False)
    data.write_text("t,pin.angle,who\n0,1,a\n0.1,1.2,b\n0.2,1.1,c\n")
    assert list(measured(data).channels) == ["pin.angle"]


def test_forms_of_variables() -> None:
    own = (0.1, "m")
    assert variable("a", (0.05, 0.2), own).start == 0.1
    assert variable("a", "50 .. 200 mm", own).start == pytest.approx(100.0)
    assert variable("a", "0.05 .. 0.12 .. 0.2", own).start == 0.12
    assert variable("a", "50 .. 200 mm", own).setting(60.0) == "60.0 mm"
    free = variable("a", 0.3, own)
    assert (free.low, free.start, free.high) == (-np.inf, 0.3, np.inf)
    assert variable("a", (0.0, 1.0), None).start == 0.5


def test_conditions() -> None:
    one = condition("max(x) <= 2*y")
    assert (one.left, one.sense, one.right) == ("max(x)", "<=", "2 * y")
    assert one.met(1.0, 2.0) and not one.met(2.1, 2.0) and one.excess(2.5, 2.0) == 0.5
    both = goals(["a", "b"], "a >= 0")
    assert both.objective(np.array([3.0, 4.0, 3.0, 0.0])) == 25.0
    assert both.slope(np.array([3.0, 4.0, 3.0, 0.0]), np.eye(4, 2)).tolist() == [6.0, 8.0]


def test_units_of_headings(tmp_path) -> None:
    path = tmp_path / "bench.csv"
    path.write_text("time [ms],pin.angle [deg],remark\n0,0,a\n500,90,b\n1000,180,c\n")
    data = measured(path)
    assert data.t.tolist() == pytest.approx([0.0, 0.5, 1.0])
    assert data.channels["pin.angle"] == pytest.approx([0.0, np.pi / 2, np.pi])
    assert list(data.channels) == ["pin.angle"]


def test_trials_are_a_table(tmp_path) -> None:
    pandas = pytest.importorskip("pandas")
    best = lw.optimize("quarter-car", {"damping": (100, 5000)}, "(damping(1) - 0.3)**2", starts=2, seed=4,
                       out=tmp_path / "search", **MODES)  # fmt: skip
    assert best.value < 1e-12 and len(best.ended) == 2
    frame = pandas.read_parquet(tmp_path / "search")
    assert len(frame) == len(best.x) and frame["damping"].tolist() == best.x[:, 0].tolist()
    again = lw.optimize("quarter-car", {"damping": (100, 5000)}, "(damping(1) - 0.3)**2", starts=2, seed=4, **MODES)
    assert np.array_equal(again.x, best.x)
    best.to_csv(tmp_path / "trials.csv")
    assert best.to_dataframe().attrs["units"]["damping"] == "N s/m"
    assert "damping, N s/m" in repr(best) and "<table>" in best._repr_html_()
    with refused("has the trials of an earlier search; give a new folder"):
        lw.optimize("quarter-car", {"damping": (100, 5000)}, "(damping(1) - 0.3)**2", starts=2, seed=4,
                    out=tmp_path / "search", **MODES)  # fmt: skip
    model = lw.library_model("quarter-car", best.settings)
    assert model.linearize().modes()[0].damping == pytest.approx(0.3, abs=1e-6)


def test_commands(tmp_path) -> None:
    (tmp_path / "soft.toml").write_text(
        'model = "quarter-car"\nanalysis = "modes"\nminimize = "-damping(1)"\nsubject_to = ["damping(2) <= 0.3"]\n'
        '[vary]\ndamping = "100 .. 5000"\n'
    )
    run = [sys.executable, "-m", "linkwork"]
    given = ["optimize", "soft.toml", "--json", "--plot", "search.png"]
    done = subprocess.run([*run, *given], cwd=tmp_path, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    assert answer["met"] and answer["outputs"]["damping(2)"] == pytest.approx(0.3, rel=1e-4)
    assert (tmp_path / "search.png").stat().st_size > 10_000
    t = np.linspace(0.0, 1.0, 41)
    pendulum = lw.library_model("pendulum", {"length": 1.25}).simulate(1.0, every=0.025, rtol=1e-9, progress=False)
    rows = "\n".join(
        f"{a!r},{b!r}" for a, b in zip(t.tolist(), np.degrees(pendulum["pin.angle"]).tolist(), strict=True)
    )
    (tmp_path / "swing.csv").write_text(f"t [s],sensor [deg]\n{rows}\n")
    (tmp_path / "bench.toml").write_text(
        'model = "pendulum"\ndata = "swing.csv"\n[unknown]\nlength = "0.5 .. 2 m"\n[channels]\nsensor = "pin.angle"\n'
    )
    done = subprocess.run([*run, "fit", "bench.toml", "--json", "--plot", "fit.png"], cwd=tmp_path, capture_output=True,
                          text=True)  # fmt: skip
    assert json.loads(done.stdout)["values"]["length"] == pytest.approx(1.25, rel=1e-5)
    assert (tmp_path / "fit.png").stat().st_size > 10_000
