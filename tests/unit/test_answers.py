"""What a verb returns shows itself as the command line does: in a terminal, in Python and in a notebook."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.tables import Shown

LONGEST = 45  # lines of what Python shows


def shown(*words: str) -> str:
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.stderr
    return "\n".join(line.rstrip() for line in found.stdout.splitlines())


PAIRS = {
    "check": (lambda m: m.check(), ("check", "governor")),
    "equilibrium": (lambda m: m.equilibrium({"spindle": 11.0}), ("equilibrium", "governor", "--speed", "spindle=11")),
    "modes": (lambda m: m.linearize({"spindle": 11.0}).modes(), ("modes", "governor", "--speed", "spindle=11")),
    "sweep": (lambda m: m.sweep("spindle", [1.0, 2.0, 3.0]), ("modes", "governor", "--sweep", "spindle=1:3:3")),
    "trim": (
        lambda m: m.trim({"collar": 0.12}, ["slider.force.y"]),
        ("trim", "governor", "--pose", "collar=0.12", "--adjust", "slider.force.y"),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_repr_is_the_table_of_the_command_line(name):
    make, words = PAIRS[name]
    found = make(lw.library_model("governor"))
    assert repr(found).strip() == shown(*words).strip()
    assert len(repr(found).splitlines()) < LONGEST
    assert "<table>" in found._repr_html_()


def test_loads_studies_comparisons_and_the_rest():
    model = lw.library_model("pendulum")
    run = model.simulate(0.2, progress=False)
    found: list[Shown] = [
        run.loads(), run.reaction("pin"), run.load_case("bar", 0.1), run.spectrum("pin.angle"), model.linearize(),
        model.study({"bar.mass": [1.0, 2.0]}, ["max(pin.rate)"], until=0.1, jobs=1, progress=False),
        model.frequency_response("bar.torque.y", ["pin.angle"], [1.0, 2.0, 3.0]),
        model.compare(0.1, methods=["articulated"]),
    ]  # fmt: skip
    for one in found:
        assert isinstance(one, Shown)
        text = repr(one)
        assert "array(" not in text and "object at" not in text and len(text.splitlines()) < LONGEST, text
        assert "<table>" in one._repr_html_()


def test_names_from_files_do_not_break_out_of_a_notebook():
    m = lw.Model("<script>", gravity=(0, 0, 0))
    m.link("<b>", (0, 0, 0), (1, 0, 0), mass=1.0)
    m.revolute("pin", m.ground, "<b>", at=(0, 0, 0), axis="z")
    assert "<script>" not in m.check()._repr_html_()


def test_units_are_those_that_were_asked_for():
    text = shown("modes", "governor", "--sweep", "spindle=10:60:3 rpm")
    assert "spindle, rpm" in text and "frequencies Im s, Hz" in text and "60 " in text
    text = shown("response", "quarter-car", "--input", "profile", "--output", "car.position.z", "--frequency", "1:5 Hz")
    assert "frequency, Hz" in text and "rad/s" not in text
    assert "11.5192 rad/s" in shown("equilibrium", "governor", "--speed", "spindle=110 rpm")


def test_the_lines_of_models_can_be_pasted():
    line = next(line for line in shown("models", "hooke-shaft").splitlines() if "linkwork run" in line)
    words = line.strip("│ ").split()
    assert words[:2] == ["linkwork", "run"] and "--set" in words
    text = shown(*words[1:], "--until", "0.1")
    assert "finished at t = 0.1 s" in text
    assert "angle deg, phase deg, speed rad/s" in shown("models", "hooke-shaft")
    assert "0.610" in shown("modes", "pendulum", "--set", "length=100 cm")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("run.h5", "it is the result of a run"),
        ("part.step", "a body takes its mass from a mesh"),
        ("part.iges", "export its parts as STEP or STL"),
        ("part.stl", "a body takes its mass from a mesh"),
        ("model.tom", "did you mean '.toml'"),
        ("Four-Bar", "did you mean 'four-bar'"),
    ],
)
def test_what_is_no_model_is_called_what_it_is(name, sentence):
    found = CliRunner().invoke(app, ["run", name])
    assert found.exit_code == 2 and sentence in found.stderr


def test_help_has_no_types_of_python():
    for command in ("run", "modes", "study", "export", "loads"):
        text = shown(command, "-h")
        assert "<" not in text.replace("<=", ""), command


def test_an_expression_without_a_value_names_its_element(tmp_path):
    m = lw.Model.of(lw.library_model("pendulum").mechanism)
    m.joint_force("push", "pin", "sqrt(0.1 - t)")
    with pytest.raises(lw.NumericalError, match="joint force 'push' has no value there"):
        m.simulate(0.5, progress=False)
    (tmp_path / "wrong.py").write_text("import linkwork as lw\n\nx = 1 / 0\n")
    found = CliRunner().invoke(app, ["run", str(tmp_path / "wrong.py")])
    assert "'wrong.py', line 3: stopped with ZeroDivisionError" in found.stderr


def test_a_response_without_a_peak_has_no_empty_table_and_no_negative_zero():
    found = lw.library_model("quarter-car").frequency_response("profile", "car.position.z", [0.5, 60.0, 300.0])
    assert all(one.rows for one in found.tables()) and "-0.0 deg" not in repr(found)
