"""A unit inside an expression is refused with one sentence, and with the expression that is meant."""

from __future__ import annotations

import re

import pytest

import linkwork as lw
from linkwork.expressions import parse, values
from linkwork.expressions.language.units import FACTORS
from linkwork.expressions.quantities import number_from_text

FORMS = (  # as written, and with the unit's value in SI units
    ("3*t {}", "3*t*{}"), ("3 {}*t", "3*{}*t"), ("3{} * t", "3*{}*t"), ("3 {} + 0*t", "3*{} + 0*t"),
    ("0*t - 3 {}", "0*t - 3*{}"), ("sin(3 {})*t", "sin(3*{})*t"), ("if(t < 9 {}, 1, 2)", "if(t < 9*{}, 1, 2)"),
    ("2*(t + 1) {}", "2*(t + 1)*{}"), ("1e3 t*3 {}", "1e3*t*3*{}"), ("3*t*{}", "3*t*{}"), ("t/{}", "t/{}"),
)  # fmt: skip


def driven(motion: str) -> lw.Model:
    model = lw.Model("bar", gravity=(0, 0, -9.81), duration=0.1)
    model.link("bar", (0, 0, 0), (0.5, 0, 0), mass=2.0)
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y")
    model.driver("motor", "pin", motion=motion)
    return model


@pytest.mark.parametrize("unit", FACTORS)
def test_a_unit_in_an_expression_of_time_is_refused_with_what_is_meant(unit):
    value = number_from_text(f"1 {unit}", None, {})
    for written, meant in FORMS:
        if len(unit) == 1 and re.search(r"[*/]{}", written):  # rather a parameter that is missing
            continue
        with pytest.raises(lw.ModelError, match="an expression takes no units") as refused:
            driven(written.format(unit)).simulate(0.1, progress=False)
        (found,) = re.findall(r"write '(.*?)'", str(refused.value))
        expected = values(parse(meant.format(f"({value!r})")), 0.3)[0]
        assert values(parse(found), 0.3)[0] == pytest.approx(expected, rel=1e-12), (written, found)


@pytest.mark.parametrize("motion", ["3 t", "3t", "2.5 t"])
def test_a_number_beside_the_time_is_meant_as_a_product(motion):
    with pytest.raises(lw.ModelError, match=re.escape(f"write '{motion[:-1].strip()}*t'")):
        driven(motion).simulate(0.1, progress=False)


def test_a_parameter_with_the_name_of_a_unit_is_the_parameter():
    assert values(parse("3*deg", {"deg": 2.0}), 0.0)[0] == 6.0
    with pytest.raises(lw.ModelError, match="stands where an operator"):
        parse("3*t deg", {"deg": 2.0})
