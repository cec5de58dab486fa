"""Shortcuts through Numba's compiler: the same machine code in less time.

Measured on the first run of a four-bar, one after the other (CPU time): 30.8 s without the first three, 25.2 s with
them; the others take off another seventh.  Each replaces one function of Numba's that repeats work whose outcome is
known, or is not wanted, while kernels are compiled (patching.py).  None changes a decision of Numba's.  The last two
make the machine code itself quicker.
"""

from __future__ import annotations

import hashlib
from types import FunctionType
from typing import Any

from llvmlite.ir import Constant
from numba.core import ir, types

from linkwork.compiler.numba_backend.patching import replaces

LONG = 60  # letters of a type's name
KERNELS: set[FunctionType] = set()  # in which references are not counted, and indices do not count from the end


@replaces(
    "numba.core.types.functions.BaseFunction.get_call_type", "self", "context", "args", "kws",
    needs=("numba.core.utils.order_by_target_specificity", "numba.core.target_extension.get_local_target"),
)  # fmt: skip
def known_template_first(ask_all: Any) -> Any:
    """An operator is resolved by asking all its templates in turn (some twenty for `+`, each refusal with a formatted
    message).  The template that took these argument types before is asked first.
    """
    from numba.core.target_extension import get_local_target
    from numba.core.utils import order_by_target_specificity

    known_by: dict[int, tuple[Any, dict[Any, tuple[Any, bool]]]] = {}  # by identity: to hash a function takes long

    def plain(args: Any, named: Any, literal: bool) -> tuple[Any, Any]:
        if literal:
            return args, named
        return tuple(types.unliteral(a) for a in args), {k: types.unliteral(a) for k, a in named.items()}

    def taker(self: Any, context: Any, args: Any, named: Any) -> tuple[Any, bool] | None:
        """The first template that takes these arguments, and whether with literal types."""
        for template in order_by_target_specificity(get_local_target(context), self.templates, fnkey=self.key[0]):
            prefers = template(context).prefer_literal
            for literal in (prefers, not prefers):
                try:
                    if template(context).apply(*plain(args, named, literal)) is not None:
                        return template, literal
                except Exception:  # a refusal, whatever its kind: `ask_all` has raised what is to be raised
                    continue
        return None

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        _, known = known_by.setdefault(id(self), (self, {}))
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

    return get_call_type


@replaces(
    "numba.core.itanium_mangler.mangle_args", "argtys",
    needs=("numba.core.itanium_mangler.mangle_type_or_value",),
)  # fmt: skip
def short_names(mangle_args: Any) -> Any:
    """Names of symbols spell out their argument types; a record of thirty fields makes names of thousands of letters,
    which are then escaped, printed and parsed.  Long types are named by a digest.
    """
    from numba.core.itanium_mangler import mangle_type_or_value as spell_out

    known: dict[Any, str] = {}

    def short(kind: Any) -> str:
        if not isinstance(kind, types.Type):
            return str(spell_out(kind))
        if kind not in known:
            name = str(kind)
            digest = "T" + hashlib.sha256(name.encode()).hexdigest()[:24]
            known[kind] = f"{len(digest)}{digest}" if len(name) > LONG else spell_out(kind)
        return known[kind]

    return lambda argtys: "".join(map(short, argtys))


@replaces("numba.core.compiler.Flags.__hash__", "self", needs=("numba.core.compiler.Flags.options",))
def flags_hashed_once(hash_of_names: Any) -> Any:
    """Compiler flags are hashed by the names of all options, sorted each time: the same number for all."""
    from numba.core.compiler import Flags

    number = hash(tuple(sorted(Flags.options)))
    return lambda self: number


@replaces("numba.core.compiler.Flags.__eq__", "self", "other", needs=("numba.core.compiler.Flags._values",))
def flags_compared_as_set(by_options: Any) -> Any:
    """Compiler flags are compared by making a dictionary of all options; those that are set alike are equal."""

    def equal(self: Any, other: Any) -> Any:
        if self is other or (type(self) is type(other) and self._values == other._values):
            return True
        return by_options(self, other)

    return equal


@replaces("numba.core.ir.Inst._rec_list_vars", "self", "val")
def plain_variables(by_asking: Any) -> Any:
    """The variables of an instruction are found by asking every part of it what it is, however plain its type."""
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

    return variables


@replaces("numba.core.errors.HighlightColorScheme._markup", "self", "msg", "color", "style", optional=True)
def plain_messages(in_colour: Any) -> Any:
    """Where colorama is installed, every refusal is printed in bold, though nobody reads it."""
    return lambda self, msg, *look, **more: msg


@replaces(
    "numba.core.postproc.PostProcessor.run", "self", "emit_dels", "extend_lifetimes",
    needs=("numba.core.postproc.VariableLifetime", "numba.core.transforms.canonicalize_cfg"),
)  # fmt: skip
def lifetimes_last(compute_all: Any) -> Any:
    """How long variables live is computed after every pass, for the last one to use."""
    from numba.core.postproc import VariableLifetime
    from numba.core.transforms import canonicalize_cfg

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if emit_dels or code.is_generator:
            compute_all(self, emit_dels, extend_lifetimes)
            return
        code.blocks = canonicalize_cfg(code.blocks)
        code.variable_lifetime = VariableLifetime(code.blocks)  # computes when it is asked
        code.generator_info = None

    return run


_lowering_kernel = [False]  # whether the function that is being lowered is a kernel


@replaces("numba.core.lowering.BaseLower.lower_function_body", "self")
def note_kernel(lower_body: Any) -> Any:
    """For `no_counting` and `no_counting_from_the_end`."""

    def body(self: Any) -> Any:
        _lowering_kernel.append(self.func_ir.func_id.func in KERNELS)
        try:
            return lower_body(self)
        finally:
            _lowering_kernel.pop()

    return body


@replaces("numba.core.runtime.context.NRTContext._call_incref_decref", "self", "builder", "typ", "value", "funcname")
def no_counting(count: Any) -> Any:
    """References to arrays are counted at every use.  Kernels own no memory (pipeline.py): nothing to count in them."""

    def counting(self: Any, builder: Any, typ: Any, value: Any, funcname: Any) -> None:
        if not _lowering_kernel[-1]:
            count(self, builder, typ, value, funcname)

    return counting


@replaces(
    "numba.np.arrayobj.fix_integer_index", "context", "builder", "idxty", "idx", "size",
    needs=("numba.core.types.intp",),
)  # fmt: skip
def no_counting_from_the_end(fix: Any) -> Any:
    """Every index is asked whether it is negative, and then counts from the end.  In kernels none is, but for those
    written as a number: loops take 8 to 14 % less.
    """

    def index(context: Any, builder: Any, idxty: Any, idx: Any, size: Any) -> Any:
        if not _lowering_kernel[-1] or isinstance(idx, Constant):
            return fix(context, builder, idxty, idx, size)
        return context.cast(builder, idx, idxty, types.intp)

    return index
