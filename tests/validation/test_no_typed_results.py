"""What `linkwork reproduce` prints of ours is computed: in the source there is no number or verdict to print instead,
and another mechanism gives other numbers and other verdicts.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pytest

import linkwork.reproduce
from linkwork.analyses.comparison import attempt
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.library import library_model
from linkwork.library.hmmwv import hmmwv
from linkwork.library.rotating import GOVERNOR_SPEED, governor
from linkwork.model import Model
from linkwork.reproduce import p1, p1_sweeps, p4, p5, p5_vehicle
from linkwork.reproduce.benchmarks import peers
from linkwork.reproduce.p1_sweeps import Case, Sweep
from linkwork.reproduce.parallelogram import costs, figure_items, motion
from linkwork.reproduce.parallelogram.contest import OURS, PRINTED, options
from linkwork.reproduce.parallelogram.figure_items import Shown, curve_item, method_item, step_item
from linkwork.reproduce.parallelogram.motion import FLAT, LEAVES, Ending, Finding, ending

SOURCES = sorted(Path(linkwork.reproduce.__file__).parent.rglob("*.py"))
PAPER_PLACE, OURS_PLACE, VERDICT_PLACE = 2, 3, 6  # arguments of Item
RIGHT_TO_THE_END = Ending("", 3.0, 1e-9)
FIRST, SECOND = (Ending(LEAVES, flat, 1e-3) for flat in FLAT[:2])
DIGITS = 6  # a number within a function with as many significant digits is a result


def items_in(tree: ast.AST) -> list[ast.Call]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Item"]


def argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    if len(call.args) > place:
        return call.args[place]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_no_item_holds_a_constant_of_ours(source: Path) -> None:
    tree = ast.parse(source.read_text())
    for call in items_in(tree):
        where = f"{source.name}:{call.lineno}"
        assert not isinstance(argument(call, OURS_PLACE, "ours"), ast.Constant), where
        verdict, paper = argument(call, VERDICT_PLACE, "verdict"), argument(call, PAPER_PLACE, "paper")
        nothing_to_compare = isinstance(paper, ast.Constant) and paper.value is None
        assert nothing_to_compare or not isinstance(verdict, ast.Constant), where
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    numbers = [n for f in functions for n in ast.walk(f) if isinstance(n, ast.Constant) and isinstance(n.value, float)]
    in_tables = {id(n) for f in functions for call in ast.walk(f) if isinstance(call, (ast.List, ast.Tuple))
                 for n in call.elts}  # fmt: skip
    for number in numbers:
        digits = len(repr(number.value).split("e")[0].replace(".", "").strip("0"))
        assert digits < DIGITS or id(number) in in_tables, f"{source.name}:{number.lineno}: {number.value}"


def test_another_governor_is_not_the_papers() -> None:
    """Run at another speed, no number and no verdict of the governor stays what it was."""
    true, other = (
        p4.governor_items(governor().linearize({"spindle": speed}, independent=["collar"]))
        for speed in (GOVERNOR_SPEED, 1.1 * GOVERNOR_SPEED)
    )
    for right, wrong in zip(true, other, strict=True):
        assert right.paper == wrong.paper
        if right.paper is not None:
            assert right.verdict.startswith("reproduced") and wrong.verdict.startswith("not reproduced")
            assert right.ours != wrong.ours


def test_the_cost_of_a_wrong_motion_is_not_counted() -> None:
    """The same runs, measured against the motion of a heavier coupler: all of them are wrong now."""
    run = attempt(library_model("four-bar").mechanism, options(p1.CONTEST, "hybrid-qr", OURS))[0]
    assert ending(run).right
    assert costs._cost_verdict("hybrid-qr", OURS, ending(run), 1.0, 1.0, 30) == "reproduced"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(motion, "PULL", 1.1 * motion.PULL)
        assert not ending(run).right
        assert costs._cost_verdict("hybrid-qr", OURS, ending(run), 1.0, 1.0, 30).startswith("not counted")
        assert motion.motion_verdict(motion.RIGHT, ending(run)).startswith("not reproduced")


class Foretold(Sweep):
    """A sweep whose runs end as they are told, in place of running them."""

    def __init__(self, fate) -> None:
        super().__init__(p1.FLEXIBLE, quick=False)
        self.fate = fate

    def end(self, case: Case) -> Ending:
        return self.fate(case)


@pytest.mark.parametrize(
    ("fate", "verdict"),
    [
        (lambda case: RIGHT_TO_THE_END, "not reproduced: ours is right"),
        (lambda case: SECOND, "reproduced"),
        (lambda case: SECOND if case.aside < 3e-9 else RIGHT_TO_THE_END, "reproduced in part: rounding"),
        (lambda case: SECOND if case.left >= 1e-8 else RIGHT_TO_THE_END, "reproduced, with violations up to 1e-08"),
        (lambda case: SECOND if case.aside > 1e-3 else RIGHT_TO_THE_END, "reproduced by most starts"),
        (lambda case: SECOND if case.aside > 8e-3 else RIGHT_TO_THE_END, "reproduced in part: where its steps end"),
        (lambda case: FIRST if case.left > 0.0 else RIGHT_TO_THE_END, "not reproduced: it fails as well, but at"),
    ],
)
def test_what_is_said_of_a_sweep_is_what_its_runs_do(fate, verdict) -> None:
    case = Case("lu", "printed", 5e-4, 1e-5)
    shown, item = p1_sweeps._as_the_paper("3.2", Finding("diverges", 1), case, Foretold(fate))
    assert item.verdict.startswith(verdict) and (len(verdict) > 10 or item.verdict == verdict)
    assert (fate(shown) is SECOND) == item.verdict.startswith("reproduced")


def test_lu_and_qr_are_counted_apart() -> None:
    def loose(case: Case) -> Ending:
        return SECOND if case.left > (0.0 if case.method == "lu" else 1e-7) else RIGHT_TO_THE_END

    found = p1_sweeps._lu_beside_qr(Foretold(loose))
    assert found.ours == "rounding: 0 and 0, 3e-09: 11 and 0, 3e-08: 11 and 0, 3e-07: 11 and 11"
    assert found.verdict.startswith("reproduced with violations of 3e-09 and 3e-08")
    assert p1_sweeps._lu_beside_qr(Foretold(lambda case: SECOND)).verdict == "not reproduced"


def test_figures_of_a_wrong_motion_are_not_reproduced() -> None:
    """The same runs, measured against the motion of a heavier coupler."""
    runs = {form: attempt(library_model("four-bar").mechanism, options(p1.CONTEST, "hybrid-qr", form))[0]
            for form in (OURS, PRINTED)}  # fmt: skip
    shown = Shown("lu", runs[PRINTED], runs[OURS], runs[OURS])

    def verdicts() -> list[str]:
        curves = [curve_item("Fig.", what, shown) for what in ("acceleration", "position", "energy")]
        items = [*curves, step_item("Fig. 13", shown, runs[OURS]), method_item("Fig. 22", "hybrid", runs[OURS])]
        return [item.verdict for item in items]

    assert all(verdict.startswith("reproduced") for verdict in verdicts()[-1:] + verdicts()[:3])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(motion, "PULL", 1.1 * motion.PULL)
        assert all(verdict.startswith("not reproduced: the motion is wrong") for verdict in verdicts())


def test_what_lu_does_in_a_figure_is_what_the_text_says_of_it() -> None:
    """It rises and gains energy; a curve that sinks, or loses energy, is elsewhere, and not as the paper's."""
    t = np.linspace(0.0, 1.0, 11)
    kept = np.sin(t)
    for figure, what, lu, right in (
        ("Fig. 12", "position", kept + t, True),
        ("Fig. 12", "position", kept - t, False),
        ("Fig. 14", "energy", kept + t, True),
        ("Fig. 14", "energy", kept - t, False),
        ("Fig. 18", "acceleration", kept - t, True),
        ("Fig. 18", "acceleration", kept, False),
    ):
        assert figure_items._as_said_of_lu(figure, what, lu, kept, 1.0)[1] == right


def test_another_turntable_is_not_exact(monkeypatch) -> None:
    true, turntable = p4.coriolis_items(), p4.mass_on_turntable
    heavier = Model.of(turntable().with_settings({"mass.mass": 1.02}).mechanism)
    monkeypatch.setattr(p4, "mass_on_turntable", lambda omega: heavier)
    assert [item.verdict.partition(";")[0] for item in true] == ["exact", "exact"]
    assert [item.verdict.split()[0] for item in p4.coriolis_items()] == ["wrong,", "wrong,"]


def test_a_vehicle_that_stops_reproduces_nothing() -> None:
    run = simulate(hmmwv(meet=p5_vehicle.MEET).mechanism, Options(until=3.2, rtol=1e-5, every=0.005))
    right = p5_vehicle.peak_item(run, "largest peak")
    assert right.verdict.startswith("reproduced in part")
    run.certificate.status = "failed"
    assert p5_vehicle.peak_item(run, "largest peak").verdict.startswith("not reproduced: status of the run 'failed'")


def test_the_cost_of_a_crank_that_drifts_is_not_counted() -> None:
    run = attempt(p5.slider_crank().mechanism, p5._options("parametrization"))[0]
    assert p5.is_right(run)
    run.angular_velocity[:] *= np.linspace(1.0, 1.1, len(run.t))[:, None, None]
    items = p5.cost_items(dict.fromkeys(p5.METHODS, run), rounds=1)
    assert [item.verdict for item in items if item.table == "CPU"] == [p5.WRONG] * 2


def test_times_of_other_programs_are_those_that_are_stored(tmp_path: Path, monkeypatch) -> None:
    rows = [("linkwork", "", 1e-9, "0.5 s"), ("Other 1.0", "", 1e-12, "9.0 s"), ("Other 1.0", "h=1e-2", 5e-9, "2.0 s"),
            ("Third 2.0", "", 1e-3, "1.0 s"), ("Third 2.0", "h=1e-3", 1e-4, "3.0 s")]  # fmt: skip
    monkeypatch.setattr(peers, "STORED", tmp_path / "stored.json")
    peers.STORED.write_text(json.dumps({"date": "2026-11-19", "problems": {"row": rows}}))
    assert peers.beside("row").endswith(
        "2026-11-19, linkwork = 1 (1e-09), errors in brackets. Other 1.0 with h=1e-2: 4 (5e-09); "
        "Third 2.0 with h=1e-3: 6 (1e-04)"
    )


def test_the_cranks_speed_is_measured() -> None:
    run = attempt(p5.slider_crank().mechanism, p5._options("parametrization"))[0]
    (right,) = p5.motion_items({"parametrization": run})
    run.angular_velocity[:] *= np.linspace(1.0, 1.1, len(run.t))[:, None, None]
    (wrong,) = p5.motion_items({"parametrization": run})
    assert right.verdict.startswith("reproduced") and wrong.verdict.startswith("not reproduced")
    assert right.ours != wrong.ours
