"""Expressions: their values and derivatives against independent ones, their grammar, break times and errors."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from linkwork.errors import ModelError
from linkwork.expressions import MAX_DEPTH, OP, ExpressionError, Program, parse, run_program, values

Reference = tuple[str, Callable[[Any], Any]]  # the text and the same function in plain Python


def f_of(text: str, t: float = 0.0, **constants: float) -> float:
    return values(parse(text, constants), t)[0]


def error_of(text: Any, constants: dict[str, Any] | None = None) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        parse(text, constants, element="driver 'crank'")
    return caught.value


# --- values and derivatives -------------------------------------------------------------------------------------------

CLOSED_FORMS: list[tuple[str, float, tuple[float, float, float]]] = [
    ("7.5", 2.0, (7.5, 0, 0)),
    ("t", 2.0, (2, 1, 0)),
    ("-t", 2.0, (-2, -1, 0)),
    ("3*t^2 - t/4 + 1", 2.0, (12.5, 11.75, 6)),
    ("1/t", 2.0, (0.5, -0.25, 0.25)),
    ("t/(1 + t)", 1.0, (0.5, 0.25, -0.25)),
    ("sin(3*t)", 0.4, (math.sin(1.2), 3 * math.cos(1.2), -9 * math.sin(1.2))),
    ("cos(3*t)", 0.4, (math.cos(1.2), -3 * math.sin(1.2), -9 * math.cos(1.2))),
    ("tan(t)", 0.4, (math.tan(0.4), 1 / math.cos(0.4) ** 2, 2 * math.tan(0.4) / math.cos(0.4) ** 2)),
    ("asin(t)", 0.6, (math.asin(0.6), 1.25, 0.6 / 0.8**3)),
    ("acos(t)", 0.6, (math.acos(0.6), -1.25, -0.6 / 0.8**3)),
    ("atan(2*t)", 0.5, (math.pi / 4, 1, -2)),
    ("sinh(2*t)", 0.3, (math.sinh(0.6), 2 * math.cosh(0.6), 4 * math.sinh(0.6))),
    ("cosh(2*t)", 0.3, (math.cosh(0.6), 2 * math.sinh(0.6), 4 * math.cosh(0.6))),
    ("tanh(t)", 0.3, (math.tanh(0.3), 1 - math.tanh(0.3) ** 2, -2 * math.tanh(0.3) * (1 - math.tanh(0.3) ** 2))),
    ("exp(-2*t)", 0.3, (math.exp(-0.6), -2 * math.exp(-0.6), 4 * math.exp(-0.6))),
    ("log(t)", 4.0, (math.log(4), 0.25, -0.0625)),
    ("sqrt(t)", 4.0, (2, 0.25, -1 / 32)),
    ("t^1.5", 4.0, (8, 3, 0.375)),
    ("t^-2", 2.0, (0.25, -0.25, 0.375)),
    ("2^t", 3.0, (8, 8 * math.log(2), 8 * math.log(2) ** 2)),
    ("t^t", 2.0, (4, 4 * (1 + math.log(2)), 4 * ((1 + math.log(2)) ** 2 + 0.5))),
    ("abs(t^3)", -2.0, (8, -12, 12)),
    ("sign(t)", -2.0, (-1, 0, 0)),
    ("atan2(sin(2*t), cos(2*t))", 0.7, (1.4, 2, 0)),
    ("atan2(t, 1)", -1.0, (-math.pi / 4, 0.5, 0.5)),
    ("min(t^2, t, 5)", 0.5, (0.25, 1, 2)),
    ("max(t^2, t, 0.1)", 0.5, (0.5, 1, 0)),
    ("max(t^2, t, 9)", 0.5, (9, 0, 0)),
    ("if(t < 1, t^2, t^3)", 0.5, (0.25, 1, 2)),
    ("if(t < 1, t^2, t^3)", 2.0, (8, 12, 12)),
]


@pytest.mark.parametrize(("text", "t", "expected"), CLOSED_FORMS)
def test_closed_forms(text: str, t: float, expected: tuple[float, float, float]) -> None:
    assert values(parse(text), t) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def _binary(symbol: str, f: Callable[[Any, Any], Any]) -> Callable[[tuple[Reference, Reference]], Reference]:
    return lambda p: (f"({p[0][0]}) {symbol} ({p[1][0]})", lambda t: f(p[0][1](t), p[1][1](t)))


def _unary(pattern: str, f: Callable[[Any], Any]) -> Callable[[Reference], Reference]:
    return lambda x: (pattern.format(x[0]), lambda t: f(x[1](t)))


LEAVES = st.one_of(
    st.just(("t", lambda t: t)),
    st.just(("pi", lambda t: math.pi)),
    st.floats(-3, 3, allow_subnormal=False).map(lambda c: (f"({c!r})", lambda t: c)),
)
# Analytic near the real axis, so that a contour integral knows the derivatives.
SMOOTH = [
    _unary("sin({})", cmath.sin),
    _unary("cos({})", cmath.cos),
    _unary("-({})", lambda x: -x),
    _unary("atan({})", cmath.atan),
    _unary("tanh(sin({}))", lambda x: cmath.tanh(cmath.sin(x))),
    _unary("exp(sin({}))", lambda x: cmath.exp(cmath.sin(x))),
    _unary("sinh(cos({}))", lambda x: cmath.sinh(cmath.cos(x))),
    _unary("sqrt(2 + sin({}))", lambda x: cmath.sqrt(2 + cmath.sin(x))),
    _unary("log(3 - cos({}))", lambda x: cmath.log(3 - cmath.cos(x))),
    _unary("asin(0.5*cos({}))", lambda x: cmath.asin(0.5 * cmath.cos(x))),
    _unary("({})^3", lambda x: x**3),
    _unary("1/(2 + cos({}))", lambda x: 1 / (2 + cmath.cos(x))),
]
SMOOTH_PAIRS = [
    _binary("+", lambda a, b: a + b),
    _binary("-", lambda a, b: a - b),
    _binary("*", lambda a, b: a * b),
    lambda p: (f"(2 + sin({p[0][0]}))^cos({p[1][0]})", lambda t: (2 + cmath.sin(p[0][1](t))) ** cmath.cos(p[1][1](t))),
    lambda p: (
        f"atan2(2 + sin({p[0][0]}), 2 + cos({p[1][0]}))",
        lambda t: cmath.atan((2 + cmath.sin(p[0][1](t))) / (2 + cmath.cos(p[1][1](t)))),
    ),
]


def _grown(children: st.SearchStrategy[Reference]) -> st.SearchStrategy[Reference]:
    pairs = st.tuples(children, children)
    return st.one_of(*(children.map(f) for f in SMOOTH), *(pairs.map(f) for f in SMOOTH_PAIRS))


def contour_jet(f: Callable[[Any], Any], t: float, radius: float) -> np.ndarray:
    """(f, f', f'') by Cauchy's integral over a circle about t: exact to rounding for an analytic function."""
    turns = np.exp(2j * np.pi * np.arange(16) / 16)
    on_circle = np.array([f(t + radius * z) for z in turns])
    return np.array([math.factorial(k) * np.mean(on_circle * turns**-k).real / radius**k for k in range(3)])


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.recursive(LEAVES, _grown, max_leaves=8), st.floats(-2, 2))
def test_random_smooth_expressions(tree: Reference, t: float) -> None:
    text, f = tree
    assume(len(text) <= 1000)
    try:
        expected, doubtful = contour_jet(f, t, 1e-3), contour_jet(f, t, 5e-4)
    except OverflowError:
        assume(False)
    scale = 1.0 + np.max(np.abs(expected))
    assume(np.all(np.abs(expected - doubtful) < 1e-7 * scale))  # no singularity near the circle
    assert values(parse(text), t)[0] == pytest.approx(complex(f(t)).real, rel=1e-9, abs=1e-10 * scale)
    np.testing.assert_allclose(values(parse(text), t), expected, rtol=0, atol=1e-6 * scale)


ROUGH = [
    _unary("abs({})", abs),
    _unary("sign({})", lambda x: float((x > 0) - (x < 0))),
    _unary("-({})", lambda x: -x),
]
ROUGH_PAIRS = [
    _binary("+", lambda a, b: a + b),
    _binary("*", lambda a, b: a * b),
    lambda p: (f"min({p[0][0]}, {p[1][0]})", lambda t: min(p[0][1](t), p[1][1](t))),
    lambda p: (f"max({p[0][0]}, {p[1][0]})", lambda t: max(p[0][1](t), p[1][1](t))),
    lambda p: (f"if({p[0][0]} < {p[1][0]}, 1, t)", lambda t: 1 if p[0][1](t) < p[1][1](t) else t),
    lambda p: (
        f"if(not {p[0][0]} >= 0 or {p[1][0]} > 0 and t != 0, {p[0][0]}, {p[1][0]})",
        lambda t: p[0][1](t) if not p[0][1](t) >= 0 or (p[1][1](t) > 0 and t != 0) else p[1][1](t),
    ),
]


def _grown_rough(children: st.SearchStrategy[Reference]) -> st.SearchStrategy[Reference]:
    pairs = st.tuples(children, children)
    return st.one_of(*(children.map(f) for f in ROUGH), *(pairs.map(f) for f in ROUGH_PAIRS))


# Quarters: sums and products are exact, so that no comparison hangs on a rounding.
WHOLE = st.one_of(st.just(("t", lambda t: t)), st.integers(-12, 12).map(lambda c: (f"({c / 4!r})", lambda t: c / 4)))


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.recursive(WHOLE, _grown_rough, max_leaves=6), st.integers(-8, 8).map(lambda n: n / 4))
def test_random_expressions_with_choices(tree: Reference, t: float) -> None:
    text, f = tree
    assume(len(text) <= 1000)
    assert values(parse(text), t)[0] == f(t)


@pytest.mark.parametrize("x", [-3.0, -1.0, 0.0, 2.0])
def test_integer_powers_are_exact_at_zero_and_below(x: float) -> None:
    assert values(parse("t^2"), x) == (x * x, 2 * x, 2)
    assert values(parse("t^3"), x) == (x**3, 3 * x * x, 6 * x)
    assert values(parse("t^1"), x) == (x, 1, 0)
    assert values(parse("t^0"), x) == (1, 0, 0)


def test_square_root_at_zero_has_an_infinite_slope() -> None:
    assert values(parse("t^0.5"), 0.0) == (0, math.inf, -math.inf)
    assert values(parse("sqrt(t)"), 0.0) == (0, math.inf, -math.inf)


def test_argument_at_rest_gives_no_spurious_nan() -> None:
    assert values(parse("sqrt(max(t - 1, 0))"), 0.5) == (0, 0, 0)
    assert values(parse("asin(min(t, 1))"), 3.0) == (math.pi / 2, 0, 0)


@pytest.mark.parametrize("text", ["sqrt(t)", "log(t)", "asin(t)", "acos(t)", "t^0.5", "t^(0*t + 0.3)", "t^(t/4)"])
def test_bad_domain_gives_nan(text: str) -> None:
    assert all(math.isnan(x) for x in values(parse(text), -2.0))


def test_nan_is_not_hidden_by_a_selection() -> None:
    for text in ("min(log(t), 9)", "min(-9, log(t))", "max(log(t), -9)", "max(9, log(t))", "sign(log(t))"):
        assert math.isnan(f_of(text, -1.0)), text


def test_branch_not_taken_does_not_leak() -> None:
    program = parse("if(t > 0, t*log(t), 0)")
    assert values(program, -1.0) == (0, 0, 0)
    assert values(program, 0.0) == (0, 0, 0)
    assert values(program, 1.0) == pytest.approx((0, 1, 1))
    assert values(parse("if(t == 0, 1, sin(t)/t)"), 0.0) == (1, 0, 0)
    assert values(parse("if(t > 0 and log(t) > 1, 5, 6)"), -1.0) == (6, 0, 0)


def test_step_follows_its_definition() -> None:
    program = parse("step(t, 1, 0.1, 3, 0.3)")
    assert values(program, 0.9) == (0.1, 0, 0)
    assert values(program, 3.0) == (0.3, 0, 0)
    assert values(program, 7.0) == (0.3, 0, 0)
    s = 0.25
    expected = (0.1 + 0.2 * s * s * (3 - 2 * s), 0.2 * 6 * s * (1 - s) / 2, 0.2 * (6 - 12 * s) / 4)
    assert values(program, 1.5) == pytest.approx(expected, rel=1e-13)


@settings(deadline=None)
@given(st.floats(-10, 10), st.floats(-10, 10))
def test_step_starts_and_ends_exactly(x0: float, x1: float) -> None:
    program = parse(f"step(t, 0.1, {x0!r}, 0.7, {x1!r})")
    assert values(program, 0.0) == (x0, 0, 0)
    assert values(program, 0.7) == values(program, 1.0) == (x1, 0, 0)


def test_step_between_functions_of_time() -> None:
    def mixed(t: Any) -> Any:
        s = (t * t - 1) / 3
        return (1 - s * s * (3 - 2 * s)) * cmath.sin(t) + s * s * (3 - 2 * s) * t**3

    jet = values(parse("step(t^2, 1, sin(t), 4, t^3)"), 1.4)
    np.testing.assert_allclose(jet, contour_jet(mixed, 1.4, 1e-2), rtol=1e-10)


def test_kernel_runs_a_program_inside_a_table_on_real_and_complex_stacks() -> None:
    programs = [parse("2 + cos(t)"), parse("if(t < 1, t^2, atan2(t, 3))"), parse("step(t, 0, 1, 2, min(t, 4))")]
    table = np.concatenate([p.ops for p in programs])
    first = 0
    for p in programs:
        real = run_program(table, first, len(p.ops), 0.7, np.full((p.depth, 3), np.nan))
        stack = np.full((p.depth, 3), np.nan + 1j)
        mixed = run_program(table, first, len(p.ops), 0.7, stack)
        assert real == values(p, 0.7) == mixed
        assert all(isinstance(x, complex) for x in mixed)
        first += len(p.ops)


@settings(deadline=None, max_examples=50)
@given(st.recursive(LEAVES, _grown, max_leaves=8))
def test_stack_depth_is_enough_and_not_exceeded(tree: Reference) -> None:
    assume(len(tree[0]) <= 1000)
    program = parse(tree[0])
    guarded = np.full((program.depth + 1, 3), 123.0)
    run_program(program.ops.copy(), 0, len(program.ops), 0.3, guarded)
    assert np.all(guarded[-1] == 123.0)
    assert np.all(guarded[:-1] != 123.0)


# --- grammar ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2*3", 7),
        ("(1 + 2)*3", 9),
        ("10 - 4 - 3", 3),
        ("24/4/3", 2),
        ("24/4*3", 18),
        ("2^3^2", 512),
        ("2**3**2", 512),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^-1", 0.5),
        ("2^-2^2", 2**-4),
        ("2*-3", -6),
        ("--3", 3),
        ("-+3", -3),
        ("5--3", 8),
        ("1e-3", 0.001),
        (".5 + 1. + 2E2", 201.5),
        ("if(1 < 2, 3, 4)", 3),
        ("if(1 + 1 <= 2*1, 3, 4)", 3),
        ("if(not 1 < 2 or 3 > 4, 3, 4)", 4),
        ("if(1 > 2 and 1 > 2 or 1 < 2, 3, 4)", 3),
        ("if(1 < 2 or 1 < 2 and 1 > 2, 3, 4)", 3),
        ("if(not (1 < 2 and 2 >= 2), 3, 4)", 4),
        ("if(1 == 1, 3, 4) + if(1 != 1, 10, 20)", 23),
        ("  sqrt ( 16 )\n", 4),
        ("pi", math.pi),
        ("min(3, 1, 2) + max(3, 1, 2)", 4),
    ],
)
def test_precedence_and_reading(text: str, expected: float) -> None:
    assert f_of(text) == expected
    # The same with the numbers (but for exponents) hidden behind time: now the kernel, not the parser, does the sums.
    hidden = re.sub(r"(?<![\w.^])(?<!\^-)([0-9.]+(?:[eE][-+]?[0-9]+)?)", r"(\1 + (t - 7))", text)
    assert f_of(hidden, 7.0) == expected


def test_a_minus_sign_binds_looser_than_a_power_of_time() -> None:
    assert values(parse("-t^2"), 3.0) == (-9, -6, -2)


def test_constants_by_dotted_name() -> None:
    constants = {"crank.length": 0.5, "n_1": 3.0, "sin": 4.0}
    assert f_of("crank.length*n_1^2", **constants) == 4.5
    assert f_of("sin + sin(0)", **constants) == 4.0


def test_number_instead_of_text() -> None:
    anything: list[Any] = [3, 3.0, np.float64(3.0), np.int32(3)]
    for given_number in anything:
        program = parse(given_number)
        assert values(program, 1.0) == (3, 0, 0)
        assert program.is_constant and program.text == "3.0"


def test_program_is_frozen_and_aligned() -> None:
    program = parse("2*t")
    assert isinstance(program, Program)
    assert program.ops.dtype == OP and OP.isalignedstruct and OP.itemsize == 16
    with pytest.raises(ValueError, match="read-only"):
        program.ops["value"] = 1.0
    with pytest.raises(AttributeError):
        program.depth = 5  # type: ignore[misc]


def test_constants_are_folded() -> None:
    program = parse("2*pi/3*sin(length)^2 + min(1, 2) - sqrt(4)", {"length": 2.0})
    assert program.is_constant and len(program.ops) == 1
    assert not parse("sin(t)").is_constant
    assert parse("t - t").is_constant
    assert parse("if(1 < 2, 3, 4)").is_constant
    assert math.isnan(f_of("log(-1)")) and f_of("1/0") == math.inf  # undefined: left to the kernel


# --- break times ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sin(t)", ()),
        ("if(t < 1, 0, 1)", (1.0,)),
        ("if(1.5 >= t, 0, 1)", (1.5,)),
        ("if(t != 0, 0, 1)", (0.0,)),
        ("if(2*t - 3 < 1, 0, 1)", (2.0,)),
        ("if(-(t - 0.5)/2 > pi/pi, 0, 1)", (-1.5,)),
        ("if(t < 2*t - 4, 0, 1)", (4.0,)),
        ("if(t > 1 and not t >= sqrt(9), 0, 1)", (1.0, 3.0)),
        ("if(t < later, 0, 1)", (2.5,)),
        ("if(t < 3, if(t < 1, 0, 1), 2) + if(t < 1, 0, 1)", (1.0, 3.0)),
        ("if(t < t + 1, 0, 1)", ()),
        ("if(sin(t) < 0, 0, 1)", ()),
        ("step(t, 0.1, 0, 0.3, 1)", (0.1, 0.3)),
        ("step(2*t + 1, 2, 0, 4, 1)", (0.5, 1.5)),
        ("sin(step(t, 1, 0, 2, if(t < 4, 0, 1)))", (1.0, 2.0, 4.0)),
        ("abs(t - 2) + sign(4*t - 2)", (0.5, 2.0)),
        ("max(0, t - 1, 5 - t)", (1.0, 3.0, 5.0)),
    ],
)
def test_break_times(text: str, expected: tuple[float, ...]) -> None:
    assert parse(text, {"later": 2.5}).break_times == expected


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(-8, 8), st.integers(-8, 8)), min_size=2, max_size=4))
def test_between_break_times_a_maximum_of_lines_is_straight(lines: list[tuple[int, int]]) -> None:
    program = parse("max(" + ", ".join(f"{a}*t + {b}" for a, b in lines) + ")")
    edges = [-20.0, *program.break_times, 20.0]
    for left, right in pairwise(edges):
        inside = [left + (right - left) * s for s in (0.1, 0.5, 0.9)]
        slopes = {values(program, t)[1] for t in inside}
        assert len(slopes) == 1


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "position", "sentence"),
    [
        ("sin(tt)", 4, "unknown name 'tt'; did you mean 't'?"),
        ("2*crank.lenght", 2, "unknown name 'crank.lenght'; did you mean 'crank.length'?"),
        ("e", 0, "unknown name 'e'; there are 'crank.length', 'pi', 't'"),
        ("1 + sine(t)", 4, "unknown function 'sine'; did you mean 'sin' or 'sinh'"),
        ("__import__('os')", 0, "unknown function '__import__'; "),
        ("'os'", 0, "unknown name 'os'; there are 'crank.length', 'pi', 't'"),
        ("t.__class__", 0, "unknown name 't.__class__'; "),
        ("[t for t in 1]", 0, "the character '[' has no meaning in an expression"),
        ("t @ 2", 2, "the character '@' has no meaning in an expression"),
        ("sin(t, 2)", 0, "sin() takes 1 argument, not 2"),
        ("2*sin()", 2, "sin() takes 1 argument, not 0"),
        ("atan2(t)", 0, "atan2() takes 2 arguments, not 1"),
        ("max(t)", 0, "max() takes 2 or more arguments, not 1"),
        ("if(t < 1, 2)", 0, "if() takes 3 arguments, not 2"),
        ("step(t, 0, 1)", 0, "step() takes 5 arguments, not 3"),
        ("sin", 0, "the function 'sin' needs its arguments in parentheses"),
        ("t(2)", 0, "'t' is not a function; write 't*(...)' to multiply"),
        ("2 t", 2, "'t' stands where an operator or the end is needed"),
        ("1.2.3", 3, "'.3' stands where an operator or the end is needed"),
        ("(t))", 3, "')' stands where an operator or the end is needed"),
        ("t, 2", 1, "',' stands where an operator or the end is needed"),
        ("(t", 2, "the expression ends where ')' is needed"),
        ("sin(t", 5, "the expression ends where ')' is needed"),
        ("t +", 3, "the expression ends where a number, a name or '(' is needed"),
        ("2 * / t", 4, "'/' stands where a number, a name or '(' is needed"),
        ("2 and", 5, "the expression ends where a number, a name or '(' is needed"),
        ("max(t,)", 6, "')' stands where a number, a name or '(' is needed"),
        ("t < 1", 0, "a condition stands where a number is needed; write 'if(condition, 1, 0)'"),
        ("2*(t < 1)", 2, "a condition stands where a number is needed; write 'if(condition, 1, 0)'"),
        ("-(t < 1)", 1, "a condition stands where a number is needed; write 'if(condition, 1, 0)'"),
        ("sin(t < 1)", 4, "a condition stands where a number is needed; write 'if(condition, 1, 0)'"),
        ("if(t, 1, 2)", 3, "a number stands where a condition such as 't < 1' is needed"),
        ("if(not t, 1, 2)", 7, "a number stands where a condition such as 't < 1' is needed"),
        ("if(t < 1 and 2, 1, 2)", 13, "a number stands where a condition such as 't < 1' is needed"),
        ("if(0 < t < 1, 1, 2)", 9, "comparisons do not chain; write 'a < b and b < c'"),
        ("step(t, t, 0, 2, 1)", 8, "the second argument of step() must be a constant"),
        ("step(t, 0, 0, t, 1)", 14, "the fourth argument of step() must be a constant"),
        ("step(t, 2, 0, 1, 1)", 14, "step() begins at 2 and ends at 1; it must end later"),
        ("2*1e999", 2, "the number 1e999 is too large; the largest is about 1.8e308"),
        ("if(t=1, 1, 2)", 4, "the character '=' has no meaning in an expression"),
    ],
)
def test_errors_show_the_place(text: str, position: int, sentence: str) -> None:
    error = error_of(text, {"crank.length": 1.0})
    first, shown, caret = error.message.split("\n")
    assert first.startswith(f"driver 'crank': {sentence}")
    assert shown == "    " + text
    assert caret == " " * (4 + position) + "^"
    assert error.position == position


def test_error_is_a_model_error_for_people_and_machines() -> None:
    error = error_of("sin(tt)")
    assert isinstance(error, ModelError) and error.exit_code == 2
    assert str(error) == "driver 'crank': unknown name 'tt'; did you mean 't'?\n    sin(tt)\n        ^"
    assert error.as_dict() == {
        "code": "bad-expression",
        "message": str(error),
        "element": "driver 'crank'",
        "t": None,
        "remedy": "did you mean 't'?",
        "entry": "Expression that cannot be read",
    }


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_empty_text(text: str) -> None:
    expected = "driver 'crank': the expression is empty; write a number or a formula such as 'sin(2*t)'"
    assert error_of(text).message == expected


def test_text_on_several_lines_is_shown_on_one() -> None:
    assert error_of("1 +\n x").message.split("\n")[1:] == ["    1 +  x", "         ^"]


def test_too_long_a_text() -> None:
    error = error_of("t" + " + t" * 250)
    assert error.message.startswith("driver 'crank': the expression has 1001 characters; at most 1000 are allowed\n")
    assert values(parse("t" + " + t" * 249), 1.0) == (250, 250, 0)


def test_long_text_is_shown_around_the_caret() -> None:
    text = "t + " * 100 + "oops" + " + t" * 100
    _, shown, caret = error_of(text).message.split("\n")
    assert len(shown) < 120 and shown.startswith("    ...") and shown.endswith("...")
    assert shown[caret.index("^") :].startswith("oops")


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("sin(", ")"), ("-", ""), ("2^", ""), ("1+(", ")")])
def test_nesting_limit(opening: str, closing: str) -> None:
    allowed = MAX_DEPTH - 1
    assert parse(opening * allowed + "t" + closing * allowed).depth <= MAX_DEPTH
    error = error_of(opening * 120 + "t" + closing * 120)
    assert "nested more than 32 levels deep" in error.message
    assert MAX_DEPTH * len(opening) <= error.position <= (MAX_DEPTH + 1) * len(opening)


def test_stack_limit() -> None:
    def nested(levels: int) -> str:
        return "if(t < 1, 0, " * levels + "t" + ")" * levels  # the condition and 0 wait for what is inside

    assert parse(nested(15)).depth == 31
    assert values(parse(nested(15)), 3.0) == (3, 1, 0)
    error = error_of(nested(20))
    assert "the expression needs 33 places on the stack, which has 32; split it up" in error.message
    assert error.position == len("if(t < 1, 0, ") * 4  # the innermost 15 fit; seen from inside, the 16th does not


def test_bad_constants_and_reserved_names() -> None:
    assert "the constant 'a' is nan; it must be a finite number" in error_of("2*a", {"a": math.nan}).message
    assert "the constant 'a' is '3'; it must be a finite number" in error_of("2*a", {"a": "3"}).message
    assert "the name 't' is reserved; rename the parameter 't'" in error_of("2*t", {"t": 1.0}).message
    assert values(parse("2*a", {"a": 1, "t": 1.0}), 0.0) == (2, 0, 0)  # an unused one does no harm


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (math.inf, "the value is inf; it must be finite"),
        (True, "the expression is a bool; it must be a number or text such as 'sin(2*t)'"),
        (None, "the expression is a NoneType; it must be a number or text such as 'sin(2*t)'"),
        ([1], "the expression is a list; it must be a number or text such as 'sin(2*t)'"),
    ],
)
def test_neither_text_nor_number(bad: Any, sentence: str) -> None:
    assert error_of(bad).message == f"driver 'crank': {sentence}"
