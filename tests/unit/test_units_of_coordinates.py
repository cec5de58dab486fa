"""A unit of an angle where a coordinate slides, or of a length where it turns, is refused wherever it is given."""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork.elements.declaration.of_coordinate import OfCoordinate, is_angular
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.joints.registry import JOINTS
from linkwork.expressions.quantities import units_in

BASE = {"limit": {"target": 0.0, "p": 1.0}, "damping": {"lower": -1.0, "stiffness": 1.0}, "smoothing": {"coulomb": 1.0},
        "target_rate": {"target": 0.0, "p": 1.0}, "target": {"p": 1.0}, "p": {"target": 0.0}, "i": {"target": 0.0},
        "d": {"target": 0.0}, "lower": {"stiffness": 1.0}, "upper": {"stiffness": 1.0}}  # fmt: skip
FIELDS = [
    (key, field, units_in(known.description))
    for key, kind in DECLARATIONS.items() if issubclass(kind, OfCoordinate) and key != "joint"
    for field, known in kind.model_fields.items()
    if len({is_angular(unit) for unit in units_in(known.description)}) == 2
]  # fmt: skip
PLACES = {"universal": {"second_axis": "z"}, "constant-velocity": {"second_axis": "-x"}, "screw": {"pitch": 0.01}}


def jointed(kind: str) -> lw.Model:
    model = lw.Model("m", gravity=(0, 0, 0))
    model.body("bar", lw.box(mass=1.0, size=(0.1, 0.1, 0.1)))
    axis = "y" if kind == "universal" else "x"
    axes = {} if not JOINTS[kind].needs_axis else {"axis": axis} | PLACES.get(kind, {})
    place = {"at": (0, 0, 0)} if JOINTS[kind].needs_place else {}
    model.joint(kind, "J", model.ground, "bar", **place, **axes)
    return model


@pytest.mark.parametrize("kind", [name for name, one in JOINTS.items() if one.measured])
@pytest.mark.parametrize(("element", "field", "units"), FIELDS)
def test_every_field_of_every_coordinate_takes_the_unit_of_what_it_does(kind, element, field, units):
    for coordinate in JOINTS[kind].measured:
        turns = JOINTS[kind].turns(coordinate)
        for unit in units:
            model = jointed(kind)
            model.add(element, "E", joint="J", coordinate=coordinate, **{field: f"0.5 {unit}"}, **BASE.get(field, {}))
            if is_angular(unit) == turns:
                assert model.mechanism
                continue
            with pytest.raises(
                lw.ModelError, match=rf"E': {field} is '0.5 .*', but 'J.*' {'turns' if turns else 'slides'}"
            ):
                _ = model.mechanism


def test_starts_drivers_of_bodies_and_settings():
    model = jointed("revolute")
    model.replace("J", start="10 mm")
    with pytest.raises(lw.ModelError, match=r"joint 'J': start is '10 mm', but 'J.angle' turns; it must be an angle"):
        _ = model.mechanism
    with pytest.raises(lw.LinkworkError, match=r"rate is '3 m/s', but 'J.angle' turns"):
        jointed("revolute").with_settings({"J.rate": "3 m/s"})
    pushed = jointed("free")
    pushed.add("driver", "push", body="bar", coordinate="x", motion="30 deg")
    with pytest.raises(lw.ModelError, match=r"motion is '30 deg', but 'bar.x' slides; it must be a length"):
        _ = pushed.mechanism
    ball = jointed("spherical")
    ball.replace("J", rate=("1 rad/s", "2 rpm", 0))
    assert ball.mechanism.joint[0].rate[1] == pytest.approx(0.20944, rel=1e-5)


def test_how_a_number_was_given_makes_no_other_model(tmp_path):
    given, plain = jointed("revolute"), jointed("revolute")
    given.replace("J", start="0.5 rad")
    plain.replace("J", start=0.5)
    assert given.mechanism == plain.mechanism
    given.save(tmp_path / "m.toml")
    assert lw.Model.read(tmp_path / "m.toml").mechanism == plain.mechanism
    text = (tmp_path / "m.toml").read_text().replace("start = 0.5", 'start = "5 mm"')
    (tmp_path / "m.toml").write_text(text)
    with pytest.raises(lw.ModelError, match=r"m.toml, line \d+, key 'start': joint 'J': start is '5 mm', but"):
        lw.Model.read(tmp_path / "m.toml")
