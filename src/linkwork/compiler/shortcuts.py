"""Shortcuts through Numba's compiler: the same machine code in less time.

Measured on the first run of a four-bar, one after the other (CPU time): 30.8 s without the first three, 25.2 s with
them; the last three take off another seventh.  These places repeat work whose outcome is known, or is not wanted:

- An operator is resolved by asking all its templates in turn (some twenty for `+`, each refusal with a formatted
  message).  The template that took these argument types before is asked first.
- Names of symbols spell out their argument types; a record of thirty fields makes names of thousands of letters, which
  are then escaped, printed and parsed.  Long types are named by a digest.
- Compiler flags are compared and hashed by making a dictionary of all options each time.
- The variables of an instruction are found by asking every part of it what it is, however plain its type.
- Where colorama is installed, every refusal is printed in bold, though nobody reads it.
- How long variables live is computed after every pass, for the last one to use.
- References to arrays are counted at every use.  Kernels own no memory: their arrays come from Python, which holds them
  meanwhile, so nothing is counted in them, and a kernel that would allocate is refused when it is compiled.

They change no decision of Numba's.  Where Numba is built otherwise than expected they are left out, and all works as
before, slower.
"""

from __future__ import annotations

import hashlib
from typing import Any

from numba.core import compiler, errors, ir, itanium_mangler, lowering, postproc, transforms, types, utils
from numba.core.runtime.context import NRTContext
from numba.core.target_extension import get_local_target
from numba.core.types import functions

LONG = 60  # letters of a type's name
VIEWS = ("array.view", "array.reshape")  # methods that make no copy
CARVING = "linkwork.compiler.carving"  # of functions that make no copy
OWNERS: set[str] = set()  # kernels that own memory, by full name: there references are counted


def take_shortcuts() -> list[str]:
    """Put the shortcuts in place, once; those that do not fit this Numba, by name."""
    left_out = []
    for shortcut in (
        _ask_known_template_first, _short_names, _plain_flags, _plain_variables, _plain_messages, _lifetimes_last,
        _no_counting,
    ):  # fmt: skip
        try:
            shortcut()
        except AttributeError:
            left_out.append(shortcut.__name__)
    return left_out


def _ask_known_template_first() -> None:
    kind: Any = functions.BaseFunction
    ask_all = kind.get_call_type
    taken: dict[int, tuple[Any, dict[Any, tuple[Any, bool]]]] = {}  # by identity: to hash a function takes long

    def plain(args: Any, named: Any, literal: bool) -> tuple[Any, Any]:
        if literal:
            return args, named
        return tuple(types.unliteral(a) for a in args), {k: types.unliteral(a) for k, a in named.items()}

    def taker(self: Any, context: Any, args: Any, named: Any) -> tuple[Any, bool] | None:
        """The first template that takes these arguments, and whether with literal types."""
        order = utils.order_by_target_specificity(get_local_target(context), self.templates, fnkey=self.key[0])
        for template in order:
            prefers = template(context).prefer_literal
            for literal in (prefers, not prefers):
                try:
                    if template(context).apply(*plain(args, named, literal)) is not None:
                        return template, literal
                except Exception:  # a refusal, whatever its kind: `ask_all` has raised what is to be raised
                    continue
        return None

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        _, known = taken.setdefault(id(self), (self, {}))
        case = (context, tuple(args), tuple(kws.items()))
        if case in known:
            template, literal = known[case]
            chosen = template(context)
            signature = chosen.apply(*plain(args, kws, literal))
            if signature is not None:
                self._impl_keys[signature.args] = chosen.get_impl_key(signature)
                return signature
        signature = ask_all(self, context, args, kws)
        found = taker(self, context, args, kws)
        if found is not None:
            known[case] = found
        return signature

    kind.get_call_type = get_call_type


def _short_names() -> None:
    spell_out = itanium_mangler.mangle_type_or_value
    known: dict[Any, str] = {}

    def short(kind: Any) -> str:
        if not isinstance(kind, types.Type):
            return str(spell_out(kind))
        if kind not in known:
            name = str(kind)
            digest = "T" + hashlib.sha256(name.encode()).hexdigest()[:24]
            known[kind] = f"{len(digest)}{digest}" if len(name) > LONG else spell_out(kind)
        return known[kind]

    def mangle_args(argtys: Any) -> str:
        return "".join(short(kind) for kind in argtys)

    itanium_mangler.mangle_args = mangle_args


def _plain_flags() -> None:
    flags: Any = compiler.Flags
    number, by_options = hash(tuple(sorted(flags.options))), flags.__eq__

    def equal(self: Any, other: Any) -> Any:
        if self is other or (type(self) is type(other) and self._values == other._values):
            return True
        return by_options(self, other)

    flags.__hash__ = lambda self: number
    flags.__eq__ = equal


def _plain_variables() -> None:
    instruction: Any = ir.Inst
    plain = {str, int, float, bool, complex, type(None), ir.Loc, type(len)}

    def variables(self: Any, value: Any) -> list[Any]:
        kind = type(value)
        if kind is ir.Var:
            return [value]
        if kind in plain:
            return []
        if kind in (dict, list, tuple):
            found = []
            for entry in value.values() if kind is dict else value:
                if type(entry) is ir.Var:
                    found.append(entry)
                elif type(entry) not in plain:
                    found += variables(self, entry)
            return found
        return by_asking(self, value)

    by_asking = instruction._rec_list_vars
    instruction._rec_list_vars = variables


def _plain_messages() -> None:
    scheme: Any = getattr(errors, "HighlightColorScheme", None)  # only where there is colorama
    if scheme is not None:
        scheme._markup = lambda self, msg, *look, **more: msg


def _lifetimes_last() -> None:
    kind: Any = postproc.PostProcessor
    compute_all = kind.run

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if emit_dels or code.is_generator:
            compute_all(self, emit_dels, extend_lifetimes)
            return
        code.blocks = transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime = postproc.VariableLifetime(code.blocks)  # computes when it is asked
        code.generator_info = None

    kind.run = run


def _no_counting() -> None:
    runtime: Any = NRTContext
    lower: Any = lowering.BaseLower
    count, lower_body = runtime._call_incref_decref, lower.lower_function_body
    kernels = [False]  # whether the body of a kernel is being lowered

    def counting(self: Any, *arguments: Any) -> None:
        if not kernels[-1]:
            count(self, *arguments)

    def body(self: Any) -> Any:
        name = f"{self.func_ir.func_id.modname}.{self.func_ir.func_id.func_qualname}"
        kernels.append(name.startswith("linkwork.") and name not in OWNERS)
        try:
            if kernels[-1]:
                _refuse_allocation(name, self)
            return lower_body(self)
        finally:
            kernels.pop()

    runtime._call_incref_decref = counting
    lower.lower_function_body = body


def _refuse_allocation(name: str, lower: Any) -> None:
    """An error if an array comes from anything but an argument, an entry, a slice, a view or another kernel."""
    types_of = lower.fndesc.typemap
    for block in lower.func_ir.blocks.values():
        for made in block.find_insts(ir.Assign):
            value = made.value
            if not isinstance(value, ir.Expr) or not isinstance(types_of[made.target.name], types.Array):
                continue
            called = types_of[value.func.name] if value.op == "call" else None
            key = getattr(called, "typing_key", None)
            if isinstance(called, types.Dispatcher) or key in VIEWS or getattr(key, "__module__", None) == CARVING:
                continue
            if value.op in ("call", "binop", "inplace_binop", "unary", "arrayexpr"):
                raise errors.NumbaRuntimeError(f"{name} makes an array; a kernel gets its arrays from Python ({value})")
