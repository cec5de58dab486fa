"""The grammar of expressions: a Pratt parser that writes the program as it reads; nothing is ever evaluated as Python.

From loosest to tightest: or, and, not, comparisons, + -, * /, unary minus, ^ (from the right; ** is the same).
Conditions and numbers are two kinds: a condition goes into `if` and the logical words, nowhere else.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from linkwork.errors import nearest
from linkwork.expressions import fragments
from linkwork.expressions.error import ExpressionError
from linkwork.expressions.fragments import Fragment
from linkwork.expressions.program import MAX_DEPTH, OP, Program, Reference
from linkwork.expressions.tables import Table
from linkwork.expressions.tokens import Token, token_at

MAX_LENGTH = 1000  # characters

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_NOT, _UNARY = 3, 7
_BINDING = {"or": 1, "and": 2, **dict.fromkeys(_COMPARISONS, 4), "+": 5, "-": 5, "*": 6, "/": 6, "^": 8}
_ARITHMETIC: dict[str, Callable[[Fragment, Fragment], Fragment]] = {
    "+": fragments.plus,
    "-": fragments.minus,
    "*": fragments.times,
    "/": fragments.over,
    "^": fragments.power,
}
_LOGIC = {"and": fragments.both, "or": fragments.either}

# Least and greatest number of arguments.
_ARITY: dict[str, tuple[int, float]] = {
    **dict.fromkeys(fragments.ONE_ARGUMENT, (1, 1)),
    "atan2": (2, 2),
    "min": (2, math.inf),
    "max": (2, math.inf),
    "if": (3, 3),
    "step": (5, 5),
}
_RESERVED = ("t", "pi")
WORDS = frozenset({*_RESERVED, *_LOGIC, "not", *_ARITY})  # names with a meaning of their own


@dataclass(frozen=True)
class Scope:
    """What an expression may speak of besides t and pi: tables, names, and functions of named things."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    variables: Mapping[str, Reference] = field(default_factory=dict)
    functions: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # least and greatest number of names
    of_state: frozenset[str] = frozenset()  # names that only expressions of the state may use


NOTHING = Scope()


def parse(
    text: str | float,
    constants: Mapping[str, float] | None = None,
    element: str = "expression",
    scope: Scope = NOTHING,
) -> Program:
    """The program of an expression of time such as 'pi/3*sin(pi*t/5)'; a number is a constant program.

    `constants` are the names it may use besides t and pi; `element` is who is named in an ExpressionError; `scope` adds
    tables and, where the expression may depend on the state, measures.
    """
    if isinstance(text, numbers.Real) and not isinstance(text, bool):
        return _program(repr(float(text)), _constant(float(text), element))
    if not isinstance(text, str):
        raise ExpressionError(
            f"the expression is a {type(text).__name__}; it must be a number or text such as 'sin(2*t)'",
            element=element,
        )
    parser = _Parser(text, constants or {}, element, scope)
    return _program(text, parser.whole(), tuple(parser.references), tuple(parser.tables))


def parse_condition(text: str, element: str, scope: Scope) -> Program:
    """The program of a condition such as 'dist(A, B) < 0.1', as a number that is positive where it holds."""
    parser = _Parser(text, {}, element, scope)
    return _program(text, parser.condition(), tuple(parser.references), tuple(parser.tables))


def _constant(value: float, element: str) -> Fragment:
    if not math.isfinite(value):
        raise ExpressionError(f"the value is {value}; it must be finite", element=element)
    return fragments.number(value)


def _program(
    text: str, fragment: Fragment, references: tuple[Reference, ...] = (), tables: tuple[Table, ...] = ()
) -> Program:
    ops = np.array(list(fragment.ops), dtype=OP)
    ops.flags.writeable = False
    return Program(text, ops, fragment.depth, tuple(sorted(fragment.breaks)), references, tables)


class _Parser:
    """Reads one text from left to right with one token of foresight."""

    def __init__(self, text: str, constants: Mapping[str, float], element: str, scope: Scope) -> None:
        self.text = text
        self.constants = constants
        self.element = element
        self.scope = scope
        self.references: list[Reference] = []
        self.tables: list[Table] = []
        self.nesting = 0
        self.of_event = False  # where a condition changes is looked for
        self.token = token_at(text, 0)

    def whole(self) -> Fragment:
        start = self.token
        return self.as_number(self.all_of_it(), start)

    def condition(self) -> Fragment:
        """How far a condition is from changing: positive where it holds, zero where it changes."""
        start, self.of_event = self.token, True
        found = self.all_of_it()
        return fragments.margin(self.as_condition(found, start))

    def all_of_it(self) -> Fragment:
        if len(self.text) > MAX_LENGTH:
            raise self.error(
                f"the expression has {len(self.text)} characters; at most {MAX_LENGTH} are allowed", MAX_LENGTH
            )
        if self.token.kind == "end":
            raise self.error("the expression is empty; write a number or a formula such as 'sin(2*t)'", 0)
        result = self.expression()
        if self.token.kind != "end":
            raise self.unexpected("an operator or the end")
        return result

    def expression(self, floor: int = 0) -> Fragment:
        """What binds tighter than `floor`."""
        start = self.token
        left = self.prefix()
        while _BINDING.get(self.token.text, 0) > floor:
            symbol = self.advance()
            operand = self.token
            right = self.right_side(symbol)
            left = self.checked(self.binary(symbol, left, start, right, operand), symbol)
        return left

    def right_side(self, symbol: Token) -> Fragment:
        if symbol.text == "^":
            return self.deeper(symbol, _UNARY)
        return self.expression(_BINDING[symbol.text])

    def binary(self, symbol: Token, left: Fragment, start: Token, right: Fragment, operand: Token) -> Fragment:
        if symbol.text in _LOGIC:
            return _LOGIC[symbol.text](self.as_condition(left, start), self.as_condition(right, operand))
        if left.is_condition and symbol.text in _COMPARISONS:
            raise self.error("comparisons do not chain; write 'a < b and b < c'", symbol.position)
        left, right = self.as_number(left, start), self.as_number(right, operand)
        if self.of_event and symbol.text in ("==", "!="):
            raise self.error(f"'{symbol.text}' changes for an instant only; write '<' or '>' instead", symbol.position)
        if symbol.text in _COMPARISONS:
            return fragments.compare(symbol.text, left, right)
        return _ARITHMETIC[symbol.text](left, right)

    def prefix(self) -> Fragment:
        """A number, a name, a call, a parenthesis, or a sign or `not` before one of them."""
        token = self.token
        if token.kind == "number":
            return self.literal(self.advance())
        if token.text == "(":
            self.advance()
            inner = self.deeper(token)
            self.expect(")")
            return inner
        if token.text in ("-", "+"):
            self.advance()
            operand = self.token
            value = self.as_number(self.deeper(token, _UNARY), operand)
            return fragments.negative(value) if token.text == "-" else value
        if token.text == "not":
            self.advance()
            operand = self.token
            return self.checked(fragments.negation(self.as_condition(self.deeper(token, _NOT), operand)), token)
        if token.kind == "name" and token.text not in _LOGIC:
            self.advance()
            return self.call(token) if self.token.text == "(" else self.name(token)
        raise self.unexpected("a number, a name or '('")

    def deeper(self, token: Token, floor: int = 0) -> Fragment:
        """An expression one level further in; the limit keeps a hostile text from exhausting Python's own stack."""
        self.nesting += 1
        if self.nesting > MAX_DEPTH:
            raise self.error(f"the expression is nested more than {MAX_DEPTH} levels deep; split it up", token.position)
        result = self.expression(floor)
        self.nesting -= 1
        return result

    def checked(self, result: Fragment, token: Token) -> Fragment:
        if result.depth > MAX_DEPTH:
            raise self.error(
                f"the expression needs {result.depth} places on the stack, which has {MAX_DEPTH}; split it up",
                token.position,
            )
        return result

    def literal(self, token: Token) -> Fragment:
        value = float(token.text)
        if not math.isfinite(value):
            raise self.error(f"the number {token.text} is too large; the largest is about 1.8e308", token.position)
        return fragments.number(value)

    def name(self, token: Token) -> Fragment:
        name = token.text
        if name in _RESERVED and name in self.constants:
            raise self.error(f"the name '{name}' is reserved; rename the parameter '{name}'", token.position)
        if name == "t":
            return fragments.time()
        if name == "pi":
            return fragments.number(math.pi)
        if name in self.constants:
            return self.named_constant(token)
        if name in self.scope.variables:
            return self.reference(self.scope.variables[name])
        if name in _ARITY or name in self.scope.functions:
            raise self.error(f"the function '{name}' needs its arguments in parentheses", token.position)
        self.refuse_state(token)
        hint = nearest(name, ["t", "pi", *self.constants, *self.scope.variables])
        raise self.error(f"unknown name '{name}'; {hint}", token.position, remedy=hint)

    def refuse_state(self, token: Token) -> None:
        if token.text in self.scope.of_state:
            message = f"'{token.text}' depends on how the mechanism moves; here use t, numbers and tables alone"
            raise self.error(message, token.position)

    def named_constant(self, token: Token) -> Fragment:
        value = self.constants[token.text]
        if not isinstance(value, numbers.Real) or isinstance(value, bool) or not math.isfinite(value):
            raise self.error(f"the constant '{token.text}' is {value!r}; it must be a finite number", token.position)
        return fragments.number(float(value))

    def reference(self, found: Reference) -> Fragment:
        """A number that the state determines."""
        if found not in self.references:
            self.references.append(found)
        return fragments.signal(self.references.index(found))

    def measure(self, token: Token) -> Fragment:
        """A function of named things: dist(A, 'tip of B')."""
        self.advance()
        names = [self.element_name()]
        while self.token.text == ",":
            self.advance()
            names.append(self.element_name())
        self.expect(")")
        least, most = self.scope.functions[token.text]
        if not least <= len(names) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise self.error(f"{token.text}() is of {wanted} named things, not {len(names)}", token.position)
        return self.reference((token.text, tuple(names)))

    def element_name(self) -> str:
        if self.token.kind not in ("name", "quoted"):
            raise self.unexpected("the name of an element (in quotes if it has blanks)")
        token = self.advance()
        return token.text[1:-1] if token.kind == "quoted" else token.text

    def lookup(self, token: Token) -> Fragment:
        """table(NAME, x)."""
        self.advance()
        place = self.token
        name = self.element_name()
        if name not in self.scope.tables:
            hint = nearest(name, self.scope.tables)
            raise self.error(f"there is no table '{name}'; {hint}", place.position, remedy=hint)
        self.expect(",")
        start = self.token
        x = self.as_number(self.deeper(token), start)
        self.expect(")")
        table = self.scope.tables[name]
        if table not in self.tables:
            self.tables.append(table)
        return self.checked(fragments.lookup(self.tables.index(table), table, x), token)

    def call(self, token: Token) -> Fragment:
        name = token.text
        if name in self.scope.functions:
            return self.measure(token)
        if name == "table":
            return self.lookup(token)
        if name not in _ARITY:
            if name in self.constants or name in ("t", "pi"):
                raise self.error(f"'{name}' is not a function; write '{name}*(...)' to multiply", token.position)
            self.refuse_state(token)
            hint = nearest(name, [*_ARITY, "table", *self.scope.functions])
            raise self.error(f"unknown function '{name}'; {hint}", token.position, remedy=hint)
        arguments, starts = self.arguments(token)
        least, most = _ARITY[name]
        if not least <= len(arguments) <= most:
            wanted = f"{least}" if most == least else f"{least} or more"
            plural = "" if wanted == "1" else "s"
            raise self.error(f"{name}() takes {wanted} argument{plural}, not {len(arguments)}", token.position)
        if name == "if":
            self.as_condition(arguments[0], starts[0])
        for argument, start in list(zip(arguments, starts, strict=True))[name == "if" :]:
            self.as_number(argument, start)
        return self.checked(self.apply(name, arguments, starts), token)

    def arguments(self, token: Token) -> tuple[list[Fragment], list[Token]]:
        """What stands between the parentheses, and the token at which each argument starts."""
        self.advance()
        found: list[Fragment] = []
        starts: list[Token] = []
        if self.token.text != ")":
            starts.append(self.token)
            found.append(self.deeper(token))
            while self.token.text == ",":
                self.advance()
                starts.append(self.token)
                found.append(self.deeper(token))
        self.expect(")")
        return found, starts

    def apply(self, name: str, arguments: list[Fragment], starts: list[Token]) -> Fragment:
        if name in ("min", "max"):
            return fragments.extreme(name, arguments)
        if name == "atan2":
            return fragments.atan2(*arguments)
        if name == "if":
            return fragments.select(*arguments)
        if name == "step":
            return self.step(arguments, starts)
        return fragments.function(name, arguments[0])

    def step(self, arguments: list[Fragment], starts: list[Token]) -> Fragment:
        x, begin, x0, end, x1 = arguments
        t0, t1 = begin.constant, end.constant
        for value, place, label in ((t0, starts[1], "second"), (t1, starts[3], "fourth")):
            if value is None:
                raise self.error(f"the {label} argument of step() must be a constant", place.position)
        assert t0 is not None and t1 is not None
        if not t0 < t1:
            raise self.error(f"step() begins at {t0:g} and ends at {t1:g}; it must end later", starts[3].position)
        return fragments.step(x, t0, x0, t1, x1)

    def as_number(self, fragment: Fragment, start: Token) -> Fragment:
        if fragment.is_condition:
            raise self.error("a condition stands where a number is needed; write 'if(condition, 1, 0)'", start.position)
        return fragment

    def as_condition(self, fragment: Fragment, start: Token) -> Fragment:
        if not fragment.is_condition:
            raise self.error("a number stands where a condition such as 't < 1' is needed", start.position)
        return fragment

    def advance(self) -> Token:
        """The current token; the next one becomes current."""
        token = self.token
        self.token = token_at(self.text, token.stop)
        return token

    def expect(self, symbol: str) -> None:
        if self.token.text != symbol:
            raise self.unexpected(f"'{symbol}'")
        self.advance()

    def unexpected(self, wanted: str) -> ExpressionError:
        token = self.token
        if token.kind == "unknown":
            return self.error(f"the character {token.text!r} has no meaning in an expression", token.position)
        found = "the expression ends" if token.kind == "end" else f"'{token.text}' stands"
        return self.error(f"{found} where {wanted} is needed", token.position)

    def error(self, what: str, position: int, remedy: str | None = None) -> ExpressionError:
        return ExpressionError(what, element=self.element, text=self.text, position=position, remedy=remedy)
