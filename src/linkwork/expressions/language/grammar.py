"""The grammar of expressions: a Pratt parser that writes the program as it reads; nothing is ever evaluated as Python.

From loosest to tightest: or, and, not, comparisons, + -, * /, unary minus, ^ (from the right; ** is the same).
Conditions and numbers are two kinds: a condition goes into `if` and the logical words, nowhere else.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping

from linkwork.errors import nearest
from linkwork.expressions.error import ExpressionError
from linkwork.expressions.kernels.program import MAX_DEPTH, Reference
from linkwork.expressions.kernels.tables import Table, noise_table
from linkwork.expressions.language import fragments
from linkwork.expressions.language.fragments import Fragment
from linkwork.expressions.language.functions import FUNCTIONS, ArgumentError
from linkwork.expressions.language.reader import Reader
from linkwork.expressions.language.scope import RESERVED, Scope
from linkwork.expressions.language.tokens import Token
from linkwork.expressions.language.units import is_unit

MAX_LENGTH = 1000  # characters

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_NOT, UNARY = 3, 7
BINDING = {"or": 1, "and": 2, **dict.fromkeys(COMPARISONS, 4), "+": 5, "-": 5, "*": 6, "/": 6, "^": 8}
_ARITHMETIC: dict[str, Callable[[Fragment, Fragment], Fragment]] = {
    "+": fragments.plus,
    "-": fragments.minus,
    "*": fragments.times,
    "/": fragments.over,
    "^": fragments.power,
}
_LOGIC = {"and": fragments.both, "or": fragments.either}


class Parser:
    """The fragment of one text, and what it refers to: signals of the state, tables."""

    def __init__(self, text: str, constants: Mapping[str, float], element: str, scope: Scope) -> None:
        self.reader = Reader(text, element, {*constants, *scope.variables})
        self.constants = constants
        self.scope = scope
        self.references: list[Reference] = []
        self.tables: list[Table] = []
        self.nesting = 0
        self.of_event = False  # the condition of an event: the instant at which it changes is located

    def number(self) -> Fragment:
        """The text as a number."""
        start = self.reader.token
        return self._as_number(self._whole(), start)

    def condition(self) -> Fragment:
        """How far a condition is from changing: positive where it holds, zero where it changes."""
        start, self.of_event = self.reader.token, True
        return fragments.margin(self._as_condition(self._whole(), start))

    def _whole(self) -> Fragment:
        reader = self.reader
        length = len(reader.text)
        if length > MAX_LENGTH:
            raise reader.error(f"the expression has {length} characters; at most {MAX_LENGTH} are allowed", MAX_LENGTH)
        if reader.token.kind == "end":
            raise reader.error("the expression is empty; write a number or a formula such as 'sin(2*t)'", 0)
        result = self._expression()
        if reader.token.kind != "end":
            raise reader.unexpected("an operator or the end")
        return result

    # -- operators ------------------------------------------------------------------------------------------------
    def _expression(self, floor: int = 0) -> Fragment:
        """What binds tighter than `floor`."""
        start = self.reader.token
        left = self._prefix()
        while BINDING.get(self.reader.token.text, 0) > floor:
            symbol = self.reader.advance()
            operand = self.reader.token
            right = self._right_side(symbol)
            left = self._checked(self._binary(symbol, left, start, right, operand), symbol)
        return left

    def _right_side(self, symbol: Token) -> Fragment:
        if symbol.text == "^":
            return self._deeper(symbol, UNARY)
        return self._expression(BINDING[symbol.text])

    def _binary(self, symbol: Token, left: Fragment, start: Token, right: Fragment, operand: Token) -> Fragment:
        if symbol.text in _LOGIC:
            return _LOGIC[symbol.text](self._as_condition(left, start), self._as_condition(right, operand))
        if left.is_condition and symbol.text in COMPARISONS:
            raise self.reader.error("comparisons do not chain; write 'a < b and b < c'", symbol.position)
        left, right = self._as_number(left, start), self._as_number(right, operand)
        if self.of_event and symbol.text in ("==", "!="):
            what = f"'{symbol.text}' changes for an instant only; write '<' or '>' instead"
            raise self.reader.error(what, symbol.position)
        if symbol.text in COMPARISONS:
            return fragments.compare(symbol.text, left, right)
        return _ARITHMETIC[symbol.text](left, right)

    def _prefix(self) -> Fragment:
        """A number, a name, a call, a parenthesis, or a sign or `not` before one of them."""
        reader = self.reader
        token = reader.token
        if token.kind == "number":
            return self._literal(reader.advance())
        if token.text == "(":
            reader.advance()
            inner = self._deeper(token)
            reader.expect(")")
            return inner
        if token.text in ("-", "+"):
            reader.advance()
            operand = reader.token
            value = self._as_number(self._deeper(token, UNARY), operand)
            return fragments.negative(value) if token.text == "-" else value
        if token.text == "not":
            reader.advance()
            operand = reader.token
            return self._checked(fragments.negation(self._as_condition(self._deeper(token, _NOT), operand)), token)
        if token.kind == "name" and token.text not in _LOGIC:
            reader.advance()
            return self._call(token) if reader.token.text == "(" else self._name(token, token.text)
        if token.kind == "quoted":
            reader.advance()
            return self._name(token, token.text[1:-1])
        raise reader.unexpected("a number, a name or '('")

    # -- names ----------------------------------------------------------------------------------------------------
    def _literal(self, token: Token) -> Fragment:
        value = float(token.text)
        if not math.isfinite(value):
            raise self.reader.error(
                f"the number {token.text} is too large; the largest is about 1.8e308", token.position
            )
        return fragments.number(value)

    def _name(self, token: Token, name: str) -> Fragment:
        if name in RESERVED and name in self.constants:
            raise self.reader.error(f"the name '{name}' is reserved; rename the parameter '{name}'", token.position)
        if name == "t":
            return fragments.time()
        if name == "pi":
            return fragments.number(math.pi)
        if name in self.constants:
            return self._named_constant(token, name)
        if name in self.scope.variables:
            return self._reference(self.scope.variables[name])
        if name in FUNCTIONS or name in self.scope.functions:
            raise self.reader.error(f"the function '{name}' needs its arguments in parentheses", token.position)
        self._refuse_state(token, name)
        return self._number_of_element(token, name)

    def _number_of_element(self, token: Token, name: str) -> Fragment:
        """pin.angle, 'ram pin.angle'."""
        if len(name) > 1 and is_unit(name):  # one letter is rather a parameter that is missing
            raise self.reader.of_unit(token)
        named, known = self.scope.named, [*RESERVED, *self.constants, *self.scope.variables]
        if named is not None and "." in name:
            found = named.find(name)
            if found is not None and not self.scope.functions:
                raise self._of_state(token, name)
            if found is not None:
                return self._reference(found)
            known += named.names() if self.scope.functions else []
        hint = nearest(name, known)
        raise self.reader.error(f"unknown name '{name}'; {hint}", token.position, remedy=hint)

    def _named_constant(self, token: Token, name: str) -> Fragment:
        value = self.constants[name]
        if not isinstance(value, numbers.Real) or isinstance(value, bool) or not math.isfinite(value):
            what = f"the constant '{name}' is {value!r}; it must be a finite number"
            raise self.reader.error(what, token.position)
        return fragments.number(float(value))

    def _reference(self, found: Reference) -> Fragment:
        """A number that the state determines."""
        if found not in self.references:
            self.references.append(found)
        return fragments.signal(self.references.index(found))

    def _refuse_state(self, token: Token, name: str) -> None:
        if name in self.scope.of_state:
            raise self._of_state(token, name)

    def _of_state(self, token: Token, name: str) -> ExpressionError:
        what = f"'{name}' depends on how the mechanism moves; here use t, numbers and tables alone"
        return self.reader.error(what, token.position)

    # -- calls ----------------------------------------------------------------------------------------------------
    def _call(self, token: Token) -> Fragment:
        name = token.text
        if name in self.scope.functions:
            return self._measure(token)
        if name == "table":
            return self._lookup(token)
        if name == "noise":
            return self._noise(token)
        if name not in FUNCTIONS:
            if name in self.constants or name in RESERVED:
                raise self.reader.error(f"'{name}' is not a function; write '{name}*(...)' to multiply", token.position)
            self._refuse_state(token, name)
            hint = nearest(name, [*FUNCTIONS, "table", "noise", *self.scope.functions])
            raise self.reader.error(f"unknown function '{name}'; {hint}", token.position, remedy=hint)
        return self._checked(self._applied(token), token)

    def _applied(self, token: Token) -> Fragment:
        """A function of numbers, applied to what stands between the parentheses."""
        function = FUNCTIONS[token.text]
        arguments, starts = self._arguments(token)
        if not function.least <= len(arguments) <= function.most:
            wanted = f"{function.least}" if function.most == function.least else f"{function.least} or more"
            plural = "" if wanted == "1" else "s"
            what = f"{token.text}() takes {wanted} argument{plural}, not {len(arguments)}"
            raise self.reader.error(what, token.position)
        for k, (argument, start) in enumerate(zip(arguments, starts, strict=True)):
            (self._as_condition if k < function.conditions else self._as_number)(argument, start)
        try:
            return function.build(*arguments)
        except ArgumentError as error:
            raise self.reader.error(error.what, starts[error.index].position) from None

    def _arguments(self, token: Token) -> tuple[list[Fragment], list[Token]]:
        """What stands between the parentheses, and the token at which each argument starts."""
        reader = self.reader
        reader.advance()
        found: list[Fragment] = []
        starts: list[Token] = []
        if reader.token.text != ")":
            starts.append(reader.token)
            found.append(self._deeper(token))
            while reader.token.text == ",":
                reader.advance()
                starts.append(reader.token)
                found.append(self._deeper(token))
        reader.expect(")")
        return found, starts

    def _measure(self, token: Token) -> Fragment:
        """A function of elements: dist(A, 'tip of B')."""
        reader = self.reader
        reader.advance()
        names = [reader.element_name()]
        while reader.token.text == ",":
            reader.advance()
            names.append(reader.element_name())
        reader.expect(")")
        least, most = self.scope.functions[token.text]
        if not least <= len(names) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            plural = "" if wanted == "1" else "s"
            raise reader.error(f"{token.text}() takes {wanted} name{plural}, not {len(names)}", token.position)
        return self._reference((token.text, tuple(names)))

    def _lookup(self, token: Token) -> Fragment:
        """table(NAME, x)."""
        reader = self.reader
        reader.advance()
        place = reader.token
        name = reader.element_name()
        if name not in self.scope.tables:
            hint = nearest(name, self.scope.tables)
            raise reader.error(f"there is no table '{name}'; {hint}", place.position, remedy=hint)
        reader.expect(",")
        start = reader.token
        x = self._as_number(self._deeper(token), start)
        reader.expect(")")
        return self._checked(self._looked_up(self.scope.tables[name], x), token)

    def _looked_up(self, table: Table, x: Fragment) -> Fragment:
        if table not in self.tables:
            self.tables.append(table)
        index = self.tables.index(table)
        return fragments.repeated(index, table, x) if table.period else fragments.lookup(index, table, x)

    def _noise(self, token: Token) -> Fragment:
        """noise(x, SEED): a smooth curve through random numbers at whole x."""
        arguments, starts = self._arguments(token)
        if len(arguments) != 2:
            raise self.reader.error(f"noise() takes 2 arguments, not {len(arguments)}", token.position)
        seed = arguments[1].constant
        if seed is None or seed != int(seed) or not 0 <= seed < 2**32:
            what = "the second argument of noise() is its seed; give a whole number >= 0"
            raise self.reader.error(what, starts[1].position)
        x = self._as_number(arguments[0], starts[0])
        return self._checked(self._looked_up(noise_table(int(seed)), x), token)

    # -- checks ---------------------------------------------------------------------------------------------------
    def _deeper(self, token: Token, floor: int = 0) -> Fragment:
        """An expression one level further in; the limit keeps a hostile text from exhausting Python's own stack."""
        self.nesting += 1
        if self.nesting > MAX_DEPTH:
            what = f"the expression is nested more than {MAX_DEPTH} levels deep; split it up"
            raise self.reader.error(what, token.position)
        result = self._expression(floor)
        self.nesting -= 1
        return result

    def _checked(self, result: Fragment, token: Token) -> Fragment:
        if result.depth > MAX_DEPTH:
            what = f"the expression needs {result.depth} places on the stack, which has {MAX_DEPTH}; split it up"
            raise self.reader.error(what, token.position)
        return result

    def _as_number(self, fragment: Fragment, start: Token) -> Fragment:
        if fragment.is_condition:
            what = "a condition stands where a number is needed; write 'if(condition, 1, 0)'"
            raise self.reader.error(what, start.position)
        return fragment

    def _as_condition(self, fragment: Fragment, start: Token) -> Fragment:
        if not fragment.is_condition:
            raise self.reader.error("a number stands where a condition such as 't < 1' is needed", start.position)
        return fragment
