"""Expressions, conditions, quantities and parameters as nobody should write them: a program, or a sentence, soon."""

from __future__ import annotations

import random

import numpy as np
import pytest
from mutations import Tally

from linkwork.expressions.kernels.program import values
from linkwork.expressions.language.parser import parse, parse_condition
from linkwork.expressions.language.scope import NOTHING, WORDS
from linkwork.expressions.quantities import is_quantity, names_in, number_from_text, with_names, with_values
from linkwork.files.parameters import ParameterError, flattened, resolved

SEED = 20261116
WHOLE = [
    "pi/3*sin(pi*t/5)", "if(t < 1 and t > 0.5, 2, -t^2)", "step(t, 0, 1, 2, 3)", "min(t, 2*t - 1, sqrt(t + 1))",
    "atan2(t, 1 - t)", "abs(sin(100*t)) > 0.5 or not t < 3", "1e-3*exp(-t)*cos(2*t)^2", "25.4 mm", "1500 rpm",
    "9.81 m/s^2", "3 kN/mm", "2*rho*L",
]  # fmt: skip
BITS = [
    "t", "pi", "L", "a.b", "(", ")", ",", "+", "-", "*", "/", "^", "**", "<", "<=", "==", "!=", ">", "and ",
    " or ", "not ", "if(", "min(", "table(", "dist(", "'x y'", '"', "'", "1", "0", "1e308", "1e-308", "9^9",
    "1e", ".", "..", "mm", " kg", "°", "%", "µm", "m2", "²", "\0", "\n", "é", "\U0001f600", "((((((((",
    "))))))))", "[", "{", "lambda", "__import__", "x" * 50, " " * 50, "inf", "nan", "sqrt(-1)", "log(0)", "1/0",
    "m**9", "m**(9**9)", "kg^99", "coordinate(", ".5", "5.", "e5", "=", ":", ";", "\\", *sorted(WORDS),
]  # fmt: skip


def made(rng: random.Random) -> str:
    """Bits strung together, or a whole expression with bits put in and taken out."""
    if rng.random() < 0.5:
        return "".join(rng.choice(BITS) for _ in range(rng.randint(1, 12)))
    text = rng.choice(WHOLE)
    for _ in range(rng.randint(0, 2)):
        place = rng.randint(0, len(text))
        text = text[:place] + rng.choice(BITS) + text[place + rng.choice((0, 0, 1, 3)) :]
    return text


def read(text: str, rng: random.Random) -> None:
    """By each reader of texts; what is a number is one."""
    known = {"L": 2.0, "a.b": 1e300, "rho": -0.0}
    names_in(text), is_quantity(text)
    with_names(with_values(text, known), {"x": "x y"})
    try:
        resolved(flattened({"p": text, "q": "2*p", "r": {"s": text}}), {}, known)
    except ParameterError as refusal:
        assert str(refusal)
    try:
        assert np.isfinite(number_from_text(text, ("m", "rad"), known)) or is_quantity(text)
    except ValueError as refusal:  # of the kind that goes on from the name of a field
        assert str(refusal)
    if rng.random() < 0.3:
        parse_condition(text, "event 'e'", NOTHING)
    program = parse(text, known)
    assert len(program.ops) < 5000
    with np.errstate(all="ignore"):
        values(program, 0.3)


def try_texts(first: int, count: int) -> Tally:
    tally = Tally()
    for number in range(first, first + count):
        rng = random.Random(SEED + number)
        text = made(rng)
        tally.take(f"{number} {text!r}", lambda text=text, rng=rng: read(text, rng))
    return tally


UNITS = ["3 m/s^2", "2 kg m2/s2", "1 m*(m/s)**2", "4 N*m/rad", "5 m^0.5", "1 kg*m**-3", "9 °", "3 m^(1/2)", "1 µm"]


@pytest.mark.parametrize("text", UNITS)
def test_units_that_are_some(text: str) -> None:
    assert is_quantity(text)
    assert np.isfinite(number_from_text(text, None, {}))


def test_a_few_texts() -> None:
    try_texts(0, 2000).check()


@pytest.mark.slow
def test_many_texts() -> None:
    try_texts(1_000_000, 200_000).check()
