"""Every kind of element x every analysis, by the registry: each works, or refuses in one sentence.

A kind without an example here fails the first test: whoever adds one says how it is used, once, and every analysis is
tried with it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.joints.registry import JOINTS
from linkwork.errors import LinkworkError
from linkwork.mechanism import Mechanism

BODIES = [
    {"name": name, "mass": 1.0, "inertia": (0.1, 0.1, 0.1), "at": at}
    for name, at in (("arm", (0.5, 0.0, 1.0)), ("bob", (1.2, 0.0, 1.0)), ("slide", (0.0, 1.0, 1.0)))
]
TURNS = [
    {"name": "J", "kind": "revolute", "between": ("ground", "arm"), "at": (0.0, 0.0, 1.0), "axis": "y"},
    {"name": "K", "kind": "revolute", "between": ("arm", "bob"), "at": (1.0, 0.0, 1.0), "axis": "y"},
    {"name": "P", "kind": "prismatic", "between": ("ground", "slide"), "at": (0.0, 1.0, 1.0), "axis": "z"},
]
HOLD = {"name": "hold", "between": ("ground", "slide"), "points": [(0, 1, 2), (0, 1, 1)], "stiffness": 100.0}
TIE = {"name": "tie", "between": ("ground", "bob"), "points": [(1.2, 0, 2), (1.2, 0, 1)], "stiffness": 100.0}
BAR = {"kind": "beam", "length": 0.5, "width": 0.02, "height": 0.03, "material": "steel", "elements": 3, "modes": 2}
EXAMPLES: dict[str, dict[str, Any]] = {
    "body": {"at": (1.5, 0.0, 1.0), "flexible": {**BAR, "supports": {"1": "clamped"}}},
    "frame": {"body": "arm", "at": (0.1, 0.0, 0.0)},
    "joint": {"kind": "spherical", "between": ("bob", "more"), "at": (1.4, 0.0, 1.0)},
    "driver": {"joint": "J", "motion": "0.2 * t"},
    "spring_damper": {"between": ("ground", "bob"), "points": [(0, 0, 2), (1.2, 0, 1)], "stiffness": 50.0,
                      "damping": 1.0},
    "torsional_spring_damper": {"joint": "J", "stiffness": 5.0, "damping": 0.1},
    "applied_force": {"body": "bob", "force": (0.0, 0.0, "sin(t)")},
    "joint_force": {"joint": "J", "force": "1 - 0.1 * v"},
    "motor": {"joint": "J", "curve": "torque"},
    "controller": {"joint": "J", "target": "0.1 * t", "p": 10.0, "d": 1.0, "i": 1.0},
    "friction": {"joint": "J", "coulomb": 0.1, "viscous": 0.1},
    "stop": {"joint": "J", "lower": -0.2, "upper": 0.2, "stiffness": 1e3, "damping": 0.1},
    "bushing": {"between": ("ground", "bob"), "at": (1.2, 0, 1), "stiffness": [100.0] * 6, "damping": [1.0] * 6},
    "beam": {"modulus": 1e9, "shear_modulus": 4e8, "area": 1e-4, "Iy": 1e-9, "Iz": 1e-9, "J": 2e-9,
             "between": ("ground", "bob"), "points": [(2.0, 0, 1), (1.2, 0, 1)]},
    "contact": {"body": "bob", "shape": "sphere", "radius": 0.1, "stiffness": 1e4, "friction": 0.3},
    "road": {},
    "tyre": {"body": "bob", "radius": 0.4, "axis": "y", "stiffness": 1e4, "friction": 0.8,
             "lateral_stiffness": 1e4, "longitudinal_stiffness": 1e4},
    "python_force": {"joint": "J", "inputs": ("vz(bob)",), "function": lambda t, inputs: -0.1 * inputs[0]},
    "distance": {"between": ("bob", "slide"), "points": [(1.2, 0, 1), (0, 1, 0.4)]},
    "constraint": {"kind": "perpendicular-axes", "between": ("arm", "slide"), "axis": "y", "second_axis": "z"},
    "coupler": {"joints": ("J", "K"), "factors": (1.0, -2.0)},
    "gear": {"joints": ("J", "K"), "ratio": 2.0},
    "rack_and_pinion": {"pinion": "J", "rack": "P", "radius": 0.1},
    "rolling_disc": {"body": "more", "radius": 0.3, "axis": "y"},
    "table": {"x": (0.0, 10.0, 100.0), "y": (2.0, 1.0, 0.0)},
    "measure": {"of": "x(bob) + kinetic_energy"},
    "event": {"when": "z(bob) < 0.9", "action": "log"},
    "impulse": {"body": "bob", "t": 0.05, "impulse": (0.0, 0.0, 0.5)},
}  # fmt: skip


def mechanism_with(kind: str) -> Mechanism:
    """The arm, the bob and the slide, and one element of a kind."""
    parts: dict[str, Any] = {
        "gravity": (0.0, 0.0, -9.81), "body": list(BODIES), "joint": list(TURNS), "spring_damper": [HOLD]
    }  # fmt: skip
    if kind in ("joint", "rolling_disc"):
        height = 0.3 if kind == "rolling_disc" else 1.0
        parts["body"] = [*BODIES, {"name": "more", "mass": 1.0, "inertia": (0.1, 0.1, 0.1), "at": (1.6, 0, height)}]
    if kind == "body":
        root = {"name": "root", "kind": "fixed", "between": ("bob", "new"), "at": (1.5, 0, 1.0)}
        parts["joint"] = [*TURNS, root]
    if kind == "motor":
        parts["table"] = [{"name": "torque", **EXAMPLES["table"]}]
    return Mechanism.model_validate({**parts, kind: [*parts.get(kind, []), {"name": "new", **EXAMPLES[kind]}]})


RUNS: dict[str, lw.Run] = {}  # one a mechanism, for all that look at a run


def run_of(model: lw.Model) -> lw.Run:
    key = model.mechanism.model_dump_json(exclude_none=True)
    if key not in RUNS:
        RUNS[key] = model.simulate(0.1, every=0.05, progress=False)
    return RUNS[key]


def _kinematics(model: lw.Model, folder: Path) -> None:
    driven = {driver.joint for driver in model.mechanism.driver}
    for name in {"J", "K", "P"} - driven:
        model.driver(f"drive {name}", joint=name, motion="0.1 * t")
    model.kinematics(until=0.1, every=0.05)


def _loads(model: lw.Model, folder: Path) -> None:
    run_of(model).loads()


def _load_case(model: lw.Model, folder: Path) -> None:
    run = run_of(model)
    for body in model.mechanism.body:
        run.load_case(body.name, 0.05)


def _page(model: lw.Model, folder: Path) -> None:
    run_of(model).view(folder / "page.html", open=False)


def _save_and_load(model: lw.Model, folder: Path) -> None:
    run = run_of(model)
    run.save(folder / "run.h5")
    again = lw.load(folder / "run.h5")
    assert np.array_equal(again.result.q, run.result.q) and again.result.channels() == run.result.channels()
    model.save(folder / "model.toml")
    assert lw.Model.read(folder / "model.toml").mechanism == model.mechanism


ANALYSES: dict[str, Callable[[lw.Model, Path], None]] = {
    "simulate": lambda model, _: _trust(run_of(model)),
    "absolute": lambda model, _: _trust(model.simulate(0.1, every=0.05, formulation="absolute", progress=False)),
    "check": lambda model, _: _any(model.check()),
    "kinematics": _kinematics,
    "loads": _loads,
    "load case": _load_case,
    "equilibrium": lambda model, _: _any(model.equilibrium()),
    "linearize": lambda model, _: _any(model.linearize().modes()),
    "save and load": _save_and_load,
    "page": _page,
}
MUST_WORK = ("simulate", "absolute", "check", "loads", "load case", "page", "equilibrium", "linearize")


def _trust(run: lw.Run) -> None:
    assert run.certificate.status == "finished", run.certificate.warnings


def _any(found: object) -> None:
    assert found is not None


def test_every_kind_has_an_example() -> None:
    """An FMU needs a file and FMPy: tests/validation/test_fmu_block.py."""
    assert set(EXAMPLES) == set(DECLARATIONS) - {"fmu_block"}


@pytest.mark.parametrize("analysis", ANALYSES)
@pytest.mark.parametrize("kind", EXAMPLES)
def test_an_element_in_an_analysis(kind: str, analysis: str, tmp_path: Path) -> None:
    model = lw.Model.of(mechanism_with(kind))
    try:
        ANALYSES[analysis](model, tmp_path)
    except LinkworkError as refusal:
        assert analysis not in MUST_WORK, refusal
        assert refusal.message and "\n" not in refusal.message and refusal.exit_code in (2, 3)


@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_in_an_analysis(kind: str, tmp_path: Path) -> None:
    more: dict[str, Any] = {"axis": (0.0, 1.0, 0.3)} if JOINTS[kind].needs_axis else {}
    more |= {"second_axis": (1.0, 0.0, 0.0)} if kind == "universal" else {"pitch": 0.1} if kind == "screw" else {}
    at = {} if kind == "free" else {"at": (1.0, 0.0, 1.0)}
    pair = ("ground", "bob") if kind == "free" else ("arm", "bob")
    joints = [TURNS[0], {"name": "K", "kind": kind, "between": pair, **at, **more}, TURNS[2]]
    mechanism = Mechanism.model_validate(
        {"gravity": (0.0, 0.0, -9.81), "body": BODIES, "joint": joints, "spring_damper": [HOLD, TIE]}
    )
    for analysis in ANALYSES:
        try:
            ANALYSES[analysis](lw.Model.of(mechanism), tmp_path)
        except LinkworkError as refusal:
            assert analysis not in MUST_WORK, refusal
