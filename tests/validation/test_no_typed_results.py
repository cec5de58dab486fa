"""What `linkwork reproduce` prints of ours is computed: in the source there is no number or verdict to print instead,
and another mechanism gives other numbers and other verdicts.
"""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import linkwork.reproduce
from linkwork.analyses.comparison import attempt
from linkwork.library import library_model
from linkwork.library.rotating import GOVERNOR_SPEED, governor
from linkwork.reproduce import p1, p4, p5
from linkwork.reproduce.parallelogram import costs, motion
from linkwork.reproduce.parallelogram.contest import OURS, options
from linkwork.reproduce.parallelogram.motion import ending

SOURCES = sorted(Path(linkwork.reproduce.__file__).parent.rglob("*.py"))
OURS_PLACE, VERDICT_PLACE = 3, 6  # arguments of Item
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
        verdict = argument(call, VERDICT_PLACE, "verdict")
        assert not (isinstance(verdict, ast.Constant) and "reproduced" in str(verdict.value)), where
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


def test_the_cranks_speed_is_measured() -> None:
    run = attempt(p5.slider_crank().mechanism, p5._options("parametrization"))[0]
    (right,) = p5.motion_items({"parametrization": run})
    run.angular_velocity *= np.linspace(1.0, 1.1, len(run.t))[:, None, None]
    (wrong,) = p5.motion_items({"parametrization": run})
    assert right.verdict.startswith("reproduced") and wrong.verdict.startswith("not reproduced")
    assert right.ours != wrong.ours
