"""Calls of kernels in LLVM's language.

A kernel has Numba's calling convention, `int32 f(result*, exception**, numbers, arrays, ...)`, where an array is passed
as the numbers that describe it (references.py), a structure as a pointer, a stage as two nulls and its address.
Callers from outside pass one word of 64 bits for each argument: a number, the address of an array's description, of a
structure or of a stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwork.compiler.argument_types import ArgumentType, Array, Signature, Stage

NOTHING: Mapping[int, Sequence[str]] = {}


def call(
    kernel: str, signature: Signature, kinds: Sequence[str], known: Mapping[int, Sequence[str]] = NOTHING
) -> list[str]:
    """Lines that load the arguments from %words and call a kernel: %status.

    `kinds`: LLVM's types of its arguments, after result and exception; `known`: arguments that are no words but the
    values of all their numbers, by their places.
    """
    lines, passed, kinds = [], [], list(kinds)
    for k, argument in enumerate(signature.arguments):
        count = word_count(argument)
        of_this, kinds = kinds[:count], kinds[count:]
        values = known.get(k)
        if values is None:
            loading, values = _loaded(k, argument, of_this)
            lines += loading
        passed += [f"{kind} {value}" for kind, value in zip(of_this, values, strict=True)]
    if kinds:
        raise RuntimeError(f"{kernel} takes other arguments than expected: {kinds} are left")
    lines.append(f"%status = call i32 {kernel}({', '.join(['ptr %result', 'ptr %exception', *passed])})")
    return lines


def _loaded(k: int, argument: ArgumentType, kinds: Sequence[str]) -> tuple[list[str], list[str]]:
    """Lines that load the numbers of argument k, and their names."""
    lines = [f"%w{k} = getelementptr i64, ptr %words, i64 {k}"]
    base = f"%w{k}"
    if isinstance(argument, (Array, Stage)):
        base = f"%a{k}"
        lines.append(f"%a{k} = load ptr, ptr %w{k}")
    if isinstance(argument, Stage):
        return lines, ["null", "null", base]
    for n, kind in enumerate(kinds):
        lines.append(f"%p{k}.{n} = getelementptr i64, ptr {base}, i64 {n}")
        lines.append(f"%v{k}.{n} = load {kind}, ptr %p{k}.{n}")
    return lines, [f"%v{k}.{n}" for n in range(len(kinds))]


def declaration(name: str, kinds: Sequence[str]) -> str:
    """Of a kernel with arguments of these types, after result and exception."""
    return f"declare i32 @{name}({', '.join(['ptr', 'ptr', *kinds])})"


def word_count(argument: ArgumentType) -> int:
    """How many numbers a kernel takes for one argument."""
    if isinstance(argument, Array):
        return 5 + 2 * argument.axes
    return 3 if isinstance(argument, Stage) else 1
