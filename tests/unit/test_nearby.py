"""Mechanisms beside a given one: what is not checked again is what would have been made of the settings."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.files.nearby import Nearby
from linkwork.files.settings import changed, number_at
from linkwork.files.writing import given_fields
from linkwork.library import LIBRARY
from linkwork.mechanism import Mechanism
from linkwork.system.compile import compile_mechanism
from linkwork.system.tables import System

SOME = 8  # numbers of a model


def numbers(mechanism: Mechanism) -> list[str]:
    """The names of all that can be moved."""
    elements, found = {one.name: one for one in mechanism.elements()}, []
    for element in elements.values():
        for path in _paths(given_fields(element)):
            try:
                number_at(mechanism, elements, f"{element.name}.{path}")
                found.append(f"{element.name}.{path}")
            except LinkworkError:
                pass
    return [*found, "gravity.2"]


def _paths(given: object) -> list[str]:
    if isinstance(given, dict):
        return [f"{key}.{rest}".rstrip(".") for key, value in given.items() for rest in _paths(value)]
    if isinstance(given, (list, tuple)):
        return [f"{k}.{rest}".rstrip(".") for k, value in enumerate(given) for rest in _paths(value)]
    return [""]


@pytest.mark.parametrize("model", sorted(LIBRARY))
def test_the_same_as_when_checked(model: str) -> None:
    """One by one, and all that can be moved together."""
    mechanism, rng = lw.library_model(model).mechanism, np.random.default_rng(len(model))
    names = [str(name) for name in rng.permutation(numbers(mechanism))[:SOME]]
    nearby = Nearby(mechanism, names)
    together: dict[str, float] = {}
    for name in names:
        moved = {name: nearby.values[name] * 1.0003}
        try:
            expected = changed(mechanism, moved)
        except LinkworkError:
            continue
        assert nearby(moved).model_dump() == expected.model_dump(), name
        together |= moved
    try:
        expected = changed(mechanism, together)
        theirs = compile_mechanism(expected, "absolute").system
    except LinkworkError:
        return
    assert nearby(together).model_dump() == expected.model_dump()
    ours = compile_mechanism(nearby(together), "absolute").system
    for table in System._fields:
        assert getattr(ours, table).tobytes() == getattr(theirs, table).tobytes(), table


def test_what_is_far_or_on_an_edge_is_checked() -> None:
    model = lw.Model("bar", gravity=(0, 0, -9.81))
    model.body("bar", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(1, 0, 0))
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y")
    model.torsional_spring_damper("spring", "pin", stiffness=2.0, damping=0.1)
    nearby = Nearby(model.mechanism, ["bar.mass", "bar.inertia.2", "spring.damping"])
    assert nearby({"bar.inertia.2": 0.3001}).body[0].inertia == (0.1, 0.2, 0.3001)  # on the edge of what a body has
    with pytest.raises(LinkworkError, match="mass is -1 kg"):
        nearby({"bar.mass": -1.0})
    with pytest.raises(LinkworkError, match="there is no element 'rod'"):
        Nearby(model.mechanism, ["rod.mass"])
