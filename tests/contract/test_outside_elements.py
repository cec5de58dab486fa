"""Elements from outside the package: registered in a public way, they are taken by everything without an edit."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from typing import ClassVar

import jsonschema
import numpy as np
import pytest
import test_equations
from pydantic import Field

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options
from linkwork.elements.declaration.base import Element, Number
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.joints.equations import POINT_X
from linkwork.elements.joints.motions import BALL, ROTATE, SLIDE
from linkwork.elements.joints.registry import JOINTS
from linkwork.files.schema import schema
from linkwork.mechanism.mechanism import Mechanism, admit
from linkwork.model.motion import RunOptions
from linkwork.view.scene.run_scene import scene_of

KIND = "slotted-pin"


@pytest.fixture(scope="module", autouse=True)
def outside_joint() -> Iterator[None]:
    """Registered for this module only: other tests take the kinds that they know."""
    sys.modules.pop("outside_joint", None)
    importlib.import_module("outside_joint")
    yield
    JOINTS.pop(KIND)


def crank_and_slot(*, backward: bool = False, driven: bool = True, stiffness: float = 0.0) -> lw.Model:
    """A crank whose pin slides in the slot of a lever; both turn about fixed pins 0.3 m apart.

    With the crank's angle a, from x to -z, the lever points at the crank pin: tan b = 0.1 sin a / (0.3 + 0.1 cos a).
    """
    m = lw.Model("crank and slot", gravity=(0, 0, -9.81))
    crank = m.body("crank", lw.rod(mass=1.0, length=0.1), at=(0.35, 0, 0))
    lever = m.body("lever", lw.rod(mass=2.0, length=0.6), at=(0.3, 0, 0))
    m.revolute("A", m.ground, crank, at=(0.3, 0, 0), axis="y")
    m.revolute("B", m.ground, lever, at=(0, 0, 0), axis="y")
    m.frame("slot", lever, at=(0.1, 0, 0), orientation={"angle": -np.pi / 2, "axis": "x"})
    m.frame("pin", crank, at=(0.05, 0, 0), orientation={"angle": -np.pi / 2, "axis": "x"})
    ends, frames = ((crank, lever), ("pin", "slot")) if backward else ((lever, crank), ("slot", "pin"))
    m.joint(KIND, "S", *ends, frames=frames)
    if driven:
        m.driver("motor", "A", "6*t")
    if stiffness:
        m.torsional_spring_damper("k", "B", stiffness=stiffness)
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_it_moves_as_geometry_has_it(formulation: str) -> None:
    run = crank_and_slot().simulate(1.0, formulation=formulation, rtol=1e-9, progress=False)
    a = 6.0 * run.t
    b = np.arctan2(0.1 * np.sin(a), 0.3 + 0.1 * np.cos(a))
    assert run.certificate.status == "finished"
    np.testing.assert_allclose(np.unwrap(run["B.angle"]), b, atol=1e-8)
    np.testing.assert_allclose(run["S.slot"], np.hypot(0.3 + 0.1 * np.cos(a), 0.1 * np.sin(a)) - 0.4, atol=1e-8)
    np.testing.assert_allclose(run["S.turn"], a - b, atol=1e-8)
    assert (run.result.unit("S.slot"), run.result.unit("S.turn_rate")) == ("m", "rad/s")


@pytest.mark.parametrize("cut", [True, False], ids=["cut", "in the tree"])
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_both_formulations_move_alike(backward: bool, cut: bool) -> None:
    """Also where the joint hangs in the tree from B to A: then it turns first and slides after."""
    runs = []
    for formulation in ("joint", "absolute"):
        m = lw.Model("chain", gravity=(0, 0, -9.81))
        m.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
        m.body("end", lw.rod(mass=1.0, length=1.0), at=(1.5, 0, 0))
        m.revolute("A", m.ground, "bar", at=(0, 0, 0), axis="y")
        a, b = ("end", "bar") if backward else ("bar", "end")
        m.joint(KIND, "S", a, b, at=(1, 0, 0), axis="y", start=(0.05, 0.1), rate=(0.3, 0.5), cut=cut)
        m.spring_damper("k", "bar", "end", points=((0.5, 0, 0), (1.5, 0, 0)), stiffness=200.0, damping=1.0)
        m.friction("f", "S", coordinate="turn", viscous=0.1)
        runs.append(m.simulate(0.8, formulation=formulation, rtol=1e-10, progress=False))
    for run in runs:
        assert run.certificate.status == "finished" and run.certificate.energy_drift < 1e-8
        assert (run["S.slot"][0], run["S.turn"][0]) == pytest.approx((0.05, 0.1), abs=1e-9)
        assert (run["S.slot_speed"][0], run["S.turn_rate"][0]) == pytest.approx((0.3, 0.5), abs=1e-9)
    for name in ("S.slot", "S.turn", "S.slot_speed", "end.position.x"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-7)


@pytest.mark.parametrize("driven", [False, True])
def test_it_keeps_the_contract_of_joints(driven: bool, rng: np.random.Generator) -> None:
    test_equations.test_phi_v_is_the_derivative_of_phi(KIND, driven, rng)
    test_equations.test_forces_are_the_slope_of_the_potential_energy(KIND, rng)
    test_equations.test_mass_matrix_gives_the_kinetic_energy(KIND, rng)
    test_equations.test_absolute_and_joint_coordinates_give_the_same_accelerations(KIND, driven, rng)


def test_every_analysis_takes_it() -> None:
    m = crank_and_slot()
    account = m.check()
    assert (account.dof, account.loops) == (0, 1)
    moved = m.kinematics(until=1.0, every=0.1)
    np.testing.assert_allclose(moved["S.turn"][-1], 6.0 - moved["B.angle"][-1], atol=1e-9)
    run = m.simulate(0.5, rtol=1e-8, progress=False)
    force = run.loads(["S"])["S"].force[:, ::2]  # along x and z: across the plane of this loop it is not unique
    along_slot = force[:, 0] * np.cos(run["B.angle"]) - force[:, 1] * np.sin(run["B.angle"])
    assert np.abs(along_slot).max() < 1e-6 * np.abs(force).max()
    free = crank_and_slot(driven=False, stiffness=20.0)
    balance = free.equilibrium()
    assert balance.stable and balance.units["A.angle"] == "rad"
    modes = free.linearize().modes()
    assert len([mode for mode in modes if mode.omega > 0.1]) == 1
    swept = free.kinematics(sweep={"S.turn": (0.1, 0.4, 5)})
    np.testing.assert_allclose(swept["S.turn"], np.linspace(0.1, 0.4, 5), atol=1e-9)


def test_it_is_kept_in_files_and_drawn(tmp_path) -> None:
    m = crank_and_slot()
    for suffix in (".toml", ".yaml", ".json"):
        m.save(tmp_path / f"model{suffix}")
        assert lw.Model.read(tmp_path / f"model{suffix}").mechanism == m.mechanism
    run = m.simulate(0.2, progress=False)
    run.save(tmp_path / "run.h5")
    again = lw.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(again["S.slot"], run["S.slot"])
    scene = scene_of(again.result)
    drawn = next(joint for joint in scene.joints if joint.name == "S")
    assert drawn.kind == KIND and drawn.parts_a and drawn.parts_b
    assert "crank and slot" in again.view(tmp_path / "run.html", open=False).read_text(encoding="utf-8")


def test_schema_and_messages_know_it() -> None:
    known = schema()["$defs"]["Joint"]["properties"]["kind"]["enum"]
    assert known == [*(kind for kind in JOINTS if kind != KIND), KIND]
    with pytest.raises(lw.ModelError, match="did you mean 'slotted-pin'"):
        lw.Model("m", gravity=(0, 0, 0)).joint("slotted-pn", "j", "a", "b", at=(0, 0, 0), axis="z")
    m = lw.Model("m", gravity=(0, 0, 0))
    with pytest.raises(lw.ModelError, match=r"start has 1 value.*2 \(slot, turn\)"):
        m.joint(KIND, "j", "a", "b", at=(0, 0, 0), axis="z", start=1.0)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"name": "revolute"}, "belongs to a joint of linkwork"),
        ({"motions": ((ROTATE, 2), (SLIDE, 0))}, "slides along different axes of F first"),
        ({"coordinates": ("one",)}, "2 different names"),
        ({"rows": (POINT_X,)}, "it has 1 rows; with 2 degrees of freedom it needs 4"),
        ({"motions": ((SLIDE, 0), (BALL, 0)), "coordinates": tuple("xabcd"), "velocities": tuple("xabc"),
          "rows": (POINT_X, POINT_X)}, "from B to A"),
    ],
)  # fmt: skip
def test_a_kind_that_contradicts_itself_is_refused(answers: dict, words: str) -> None:
    with pytest.raises(lw.ModelError, match=words):
        lw.register_joint(type("Odd", (type(JOINTS[KIND]),), {"name": "odd", **answers}))
    assert "odd" not in JOINTS


def test_a_plugin_is_found_by_its_entry_point(tmp_path) -> None:
    """In a fresh process: a package that names the module in its metadata, and a model file that needs it."""
    info = tmp_path / "slots-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slots\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[linkwork.elements]\nslotted-pin = outside_joint\n")
    crank_and_slot().save(tmp_path / "model.toml")
    code = (
        "import sys, linkwork as lw\n"
        f"m = lw.Model.read({str(tmp_path / 'model.toml')!r})\n"
        "assert 'outside_joint' in sys.modules\n"
        "print(m.mechanism.joint[2].type.coordinates)"
    )
    tests = str(importlib.import_module("outside_joint").__file__).rpartition("/")[0]
    path = [str(tmp_path), tests, *sys.path]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{code}"], capture_output=True, text=True
    )
    assert done.stdout.strip() == "('slot', 'turn')", done.stderr


# -- declarations -----------------------------------------------------------------------------------------------------
@pytest.fixture
def sticker() -> Iterator[type[Element]]:
    """An element that only labels a body."""

    @lw.register_element
    class Sticker(Element):
        """A label on a body."""

        plural: ClassVar[str] = "labels on bodies"

        body: str = Field(description="name of the body")
        size: Number = Field(default=0.1, description="m, > 0")

        def refers(self) -> tuple[tuple[str, str], ...]:
            """What it names."""
            return (("moving body", self.body),)

    yield Sticker
    DECLARATIONS.pop("sticker")
    Mechanism.model_fields.pop("sticker")
    admit()


def test_an_element_from_outside_is_taken_by_files_schema_model_and_settings(sticker, tmp_path) -> None:
    m = crank_and_slot()
    m.add("sticker", "look", body="crank", size="20 mm")
    m.add(sticker, "here", body="lever")
    assert [each.size for each in m.mechanism.of(sticker)] == [0.02, 0.1]
    m.save(tmp_path / "model.toml")
    assert "[[sticker]]" in (tmp_path / "model.toml").read_text()
    again = lw.Model.read(tmp_path / "model.toml", {"here.size": "5 cm"})
    assert [each.size for each in again.mechanism.of(sticker)] == [0.02, 0.05]
    made = schema()
    assert made["properties"]["sticker"]["description"] == "labels on bodies"
    assert made["$defs"]["Sticker"]["properties"]["size"]["unit"] == "m"
    jsonschema.validate({"gravity": [0, 0, 0], "sticker": [{"name": "s", "body": "b"}]}, made)
    assert "sticker: 2" in repr(m)
    run = m.simulate(0.05, progress=False)
    assert Mechanism.model_validate_json(run.result.model_text) == m.mechanism
    m.add("sticker", "lost", body="cranc")
    with pytest.raises(lw.ModelError, match="sticker 'lost': there is no body 'cranc'; did you mean 'crank'"):
        m.check()
    with pytest.raises(lw.ModelError, match="'x': there is no element 'stickr'; did you mean 'sticker'"):
        m.add("stickr", "x")


# -- verbs ------------------------------------------------------------------------------------------------------------
def test_every_element_has_a_verb_with_its_fields_and_defaults() -> None:
    """A verb may name bodies one by one, and has None where the declaration's default is long or another text."""
    verbs = {name: verb for name, verb in inspect.getmembers(lw.Model, callable) if hasattr(verb, "adds")}
    for key, kind in DECLARATIONS.items():
        parameters = inspect.signature(verbs[key]).parameters
        assert verbs[key].adds is kind
        for name, field in kind.model_fields.items():
            if name in ("between", "hold") or key in ("gear", "road"):
                continue
            default = parameters[name].default
            assert (
                default is None or default is inspect.Parameter.empty or field.is_required() or default == field.default
            )
        for parameter in parameters.values():
            assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
            assert parameter.annotation not in (inspect.Parameter.empty, "Any") or parameter.name == "self"


def test_options_of_a_run_are_those_of_the_analysis() -> None:
    assert {*RunOptions.__annotations__, "until"} == set(Options.__dataclass_fields__)
