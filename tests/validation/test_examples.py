"""The examples, as a user runs them, against what is known without linkwork."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def made(name: str) -> dict[str, object]:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def compare(found: dict[str, tuple[np.ndarray, np.ndarray]], allowed: dict[str, float]) -> None:
    assert set(found) == set(allowed)
    for what, (ours, exact) in found.items():
        scale = float(np.abs(exact).max()) or 1.0
        assert np.abs(ours - exact).max() <= allowed[what] * scale, (what, np.abs(ours - exact).max() / scale)


def test_toggle_press():
    example = made("toggle_press")
    run = example["model"].kinematics(until=200.0, every=2.0)
    compare(example["known"](run), {"ram force": 1e-6})


def test_robot_arm():
    example = made("robot_arm")
    run = example["model"].simulate(20.0, rtol=1e-8, progress=False)
    compare(example["known"](run), {"shoulder": 1e-6, "torque": 1e-6, "forearm stays level": 1e-9})
    assert example["model"].mechanism.stop  # the limits of the shoulder


def test_valve_train():
    """A spline through points every 2.5 deg: its second derivative is met to some 1e-3."""
    example = made("valve_train")
    run = example["model"].kinematics(until=0.12, every=1e-4)
    compare(example["known"](run), {"cam force": 3e-3})


def test_rotating_blade():
    example = made("rotating_blade")
    np.testing.assert_allclose(example["first_flap"](), example["KNOWN"], rtol=1e-3)


def test_pulley():
    example = made("pulley")
    run = example["model"].simulate(rtol=1e-9, progress=False)
    compare(
        example["known"](run),
        {
            "acceleration": 1e-9,
            "fallen": 1e-8,
            "rate of the pulley": 1e-8,
            "pull on the left": 1e-9,
            "pull on the right": 1e-9,
        },
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_examples_run_as_scripts(name, tmp_path):
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "known" in done.stdout or "Wright" in done.stdout
