"""What cannot be an FMU is refused by a sentence; what Python and C both say of the file is the same."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.compiler.native.library import FOLDER, LIBRARY, RUNTIME
from linkwork.elements.declaration.changes import Action
from linkwork.elements.signals.measures import Measure
from linkwork.errors import LinkworkError
from linkwork.expressions.kernels.crossings import INSIDE
from linkwork.fmu.inputs import with_inputs
from linkwork.fmu.model_file import HEAD, Kind
from linkwork.fmu.units import exponents
from linkwork.integrators.registry import INTEGRATORS, register_integrator
from linkwork.library import library_model
from linkwork.numerics.status import Status
from native_library import needs_native_library


def pendulum() -> lw.Model:
    m = lw.Model("pendulum", gravity=(0, 0, -9.81), duration=1.0)
    bar = m.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    m.revolute("pin", m.ground, bar, at=(0, 0, 0), axis="y")
    return m


def refused(model: lw.Model, path: Path, **ports: object) -> str:
    with pytest.raises(LinkworkError) as failure:
        model.fmu(path / "m.fmu", **ports)
    assert not list(path.iterdir()), "a file was left"
    return failure.value.message


# -- models -----------------------------------------------------------------------------------------------------------
def with_python_force(m: lw.Model) -> None:
    m.python_force("wind", lambda t, x: (1.0, 0.0, 0.0), body="bar")


def test_what_an_fmu_cannot_do(tmp_path):
    m = pendulum()
    with_python_force(m)
    assert "python force 'wind': an FMU runs without Python; write the law as an expression" in refused(m, tmp_path)


# -- ports ------------------------------------------------------------------------------------------------------------
@needs_native_library
@pytest.mark.parametrize(
    ("ports", "words"),
    [
        ({"inputs": ["bar.force.q"]}, "there is no input 'bar.force.q'; did you mean 'bar.force."),
        ({"inputs": ["pin"]}, "input 'pin'"),
        ({"inputs": {"bar.force.x": "3 m"}}, "input 'bar.force.x' is '3 m'; it must be a force, e.g. '3 N'"),
        ({"inputs": {"bar.torque.y": "3 N"}}, "it must be a torque, e.g. '3 N m'"),
        ({"inputs": ["bar.force.x", "twice"]}, "there is no input 'twice'"),
        ({"outputs": ["bar.position.w"]}, "there is no output 'bar.position.w'; did you mean 'bar.position."),
        ({"parameters": ["bar.length"]}, "parameter 'bar.length' cannot be changed in an FMU"),
        ({"parameters": ["bar.weight"]}, "parameter 'bar.weight' is not a number of the model"),
        ({"parameters": ["pin.start"]}, "parameter 'pin.start'"),
        ({"version": "1.0"}, "there is no FMI version '1.0'; choose 2.0 or 3.0"),
        ({"until": -1.0}, "option 'until' is -1"),
    ],
)
def test_ports_that_there_are_not(ports, words, tmp_path):
    assert words in refused(pendulum(), tmp_path, **ports)


def test_inputs_have_starts_and_units():
    """Quantities as starts; of a field for angles and lengths the unit of its joint; expressions of time at t = 0."""
    m = pendulum()
    m.body("block", lw.box(mass=1.0, size=(0.1, 0.1, 0.1)), at=(2, 0, 0))
    m.prismatic("slide", m.ground, "block", at=(2, 0, 0), axis="x")
    m.joint_force("turn", "pin", "3*cos(t)")
    m.joint_force("push", "slide", 2.0)
    m.controller("servo", "slide", "0.2*t + 0.1", p=10.0)
    m.applied_force("wind", "block", force=(0.0, "2*x(block)", 0.0))
    m.measure("gain", 1.5, unit="N")
    names = {"turn": None, "push": "3 kN", "servo.target": "5 mm", "wind": None, "gain": 4.0, "bar.torque.y": "2 N m"}
    mechanism, inputs = with_inputs(m.mechanism, names)
    assert [(port.name, port.unit, port.start) for port in inputs] == [
        ("turn", "N m", 3.0), ("push", "N", 3000.0), ("servo.target", "m", 0.005), ("wind", "N", 0.0),
        ("gain", "N", 4.0), ("bar.torque.y", "N m", 2.0),
    ]  # fmt: skip
    values = {measure.name: measure.of for measure in mechanism.of(Measure)}
    assert [values[port.measure] for port in inputs] == [port.start for port in inputs]


@needs_native_library
def test_a_kernel_from_outside_is_refused(tmp_path):
    """An integrator that another package has registered is not in the native library."""
    from dataclasses import replace

    from linkwork.compiler.kernels import stage
    from linkwork.integrators import rk4

    foreign = replace(rk4.INTEGRATOR, name="foreign", step=stage(rk4.step.py_func))
    foreign.step.__module__ = "elsewhere"
    register_integrator(foreign)
    try:
        said = refused(pendulum(), tmp_path, integrator="foreign", step=0.01)
    finally:
        INTEGRATORS.remove("foreign")
    assert "elsewhere.step is not in the native library, of which an FMU is made" in said


def test_without_the_native_library(monkeypatch, tmp_path):
    monkeypatch.setattr("linkwork.fmu.refusals.backend", lambda: object())
    assert "an FMU is made of the native library, which is not in use here" in refused(pendulum(), tmp_path)


@needs_native_library
def test_a_library_of_another_runtime(monkeypatch, tmp_path):
    monkeypatch.setattr("linkwork.fmu.refusals.digest", lambda path: "other")
    said = refused(pendulum(), tmp_path)
    assert "the native library is not built of these sources (fmu/runtime/advance.c" in said
    assert "python -m linkwork.compiler.build builds the library" in said


@needs_native_library
def test_the_folder_must_exist(tmp_path):
    with pytest.raises(lw.FileError, match="there is no folder"):
        pendulum().fmu(tmp_path / "nowhere" / "m.fmu")
    with pytest.raises(lw.OptionError, match=r"must end with \.fmu"):
        pendulum().fmu(tmp_path / "m.zip")


# -- the command ------------------------------------------------------------------------------------------------------
@needs_native_library
def test_the_command_writes_an_fmu(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        app, ["export", "four-bar", "--format", "fmu", "--input", "coupler.force.z=2 N", "--channel", "energy"]
    )
    assert done.exit_code == 0, done.output
    assert (tmp_path / "four-bar.fmu").is_file()
    done = CliRunner().invoke(app, ["export", "four-bar", "--out", "m.fmu", "--fmi", "3.0", "--until", "1"])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["four-bar"], "no file to write; give --out or --format"),
        (["four-bar", "--out", "m.csv", "--format", "fmu"], "--out m.csv is not of --format fmu"),
        (["run.h5", "--out", "m.csv", "--input", "x"], "are for an FMU"),
        (["four-bars", "--format", "fmu"], "four-bars"),
    ],
)
def test_the_command_refuses(arguments, words):
    done = CliRunner().invoke(app, ["export", *arguments])
    assert done.exit_code == 2
    assert words in done.output


# -- Python and C -----------------------------------------------------------------------------------------------------
def enumerated(text: str, first: str) -> list[str]:
    """The names of the enum in C that begins with `first`."""
    body = next(b for b in re.findall(r"enum \{(.*?)\}", text, re.DOTALL) if b.split()[0].strip(",") == first)
    return [name.strip() for name in re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL).split(",") if name.strip()]


def test_c_has_the_same_numbers():
    text = (RUNTIME / "instance.h").read_text()
    assert enumerated(text, "OK") == [status.name for status in Status]
    assert enumerated(text, "TIME") == [kind.name for kind in Kind]
    assert enumerated(text, "LOG") == [action.name for action in Action]
    assert f"#define INSIDE {INSIDE:g}" in text.replace("1e-15", f"{1e-15:g}")


class Reader:
    """`lw_model_read` of the library, by ctypes."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(str(FOLDER / LIBRARY))
        self.library.lw_model_read.restype = ctypes.c_void_p

    def message(self, path: Path) -> str:
        room = ctypes.create_string_buffer(1000)
        model = self.library.lw_model_read(str(path).encode(), room, 1000)
        self.library.lw_model_free(ctypes.c_void_p(model))
        return room.value.decode()


@needs_native_library
def test_c_refuses_files_that_do_not_fit(tmp_path, rng):
    """Nothing there, another program's file, another library's, one that is cut off, a kernel that is missing."""
    good = pendulum().export_c(tmp_path / "m.linkwork").read_bytes()
    read, path = Reader().message, tmp_path / "bad.linkwork"
    assert read(tmp_path / "m.linkwork") == ""
    assert "cannot read the model" in read(path)
    path.write_bytes(bytes(rng.integers(0, 256, 5000, np.uint8)))
    assert "is no compiled model of linkwork" in read(path)
    path.write_bytes(good[:7])
    assert "is no compiled model of linkwork" in read(path)
    head = np.frombuffer(good[: HEAD.itemsize], HEAD).copy()
    other = head.copy()
    other["library"] = b"0.0.1 abc"
    path.write_bytes(other.tobytes() + good[HEAD.itemsize :])
    assert "was written for library 0.0.1 abc, and this is" in read(path)
    for cut in rng.integers(HEAD.itemsize, len(good), 20):
        path.write_bytes(good[:cut])
        assert "is cut off or damaged; export the model anew" in read(path)
    path.write_bytes(
        good.replace(b"lw_stage_formulations_equations_evaluate\0", b"lw_stage_formulations_equations_evaluatf\0")
    )
    assert "kernel lw_stage_formulations_equations_evaluatf is not in this library" in read(path)


# -- units ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("unit", "wanted"),
    [
        ("", {}), ("1", {}), ("m", {"m": 1}), ("rad/s2", {"s": -2, "rad": 1}), ("N m", {"kg": 1, "m": 2, "s": -2}),
        ("N m s/rad", {"kg": 1, "m": 2, "s": -1, "rad": -1}), ("kg m2", {"kg": 1, "m": 2}), ("furlong", None),
    ],
)  # fmt: skip
def test_units_as_exponents(unit, wanted):
    assert exponents(unit) == wanted


@needs_native_library
def test_every_library_model_can_be_written(tmp_path):
    for name in ("four-bar", "hmmwv"):
        assert library_model(name).fmu(tmp_path / f"{name}.fmu").stat().st_size < 2.5e6


def test_a_verb_of_models_is_not_looked_for_elsewhere():
    assert callable(lw.Model.fmu_block)
    with pytest.raises(AttributeError, match=r"it is a verb of a model: model\.fmu_block\(\.\.\.\)"):
        lw.fmu_block("motor.fmu")
    with pytest.raises(AttributeError, match=r"has no attribute 'no_such_thing'$"):
        lw.no_such_thing  # noqa: B018
