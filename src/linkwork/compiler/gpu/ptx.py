"""From the texts of the kernels to NVIDIA's language (PTX), by LLVM.

The native library keeps its kernels in LLVM's language, free of any machine.  Here they are linked with an entry that
runs a loop in each thread (entry.py), and simplified until nothing changes: stages are called directly, what all
simulations have in common is constant, and what the loop does not reach is dropped.  Then they are put into one
another and their loops unrolled (specialize.py), and last NVIDIA's functions of numbers are added.  The loop is the
CPU's, to the letter.

Arrays that several functions use lie at the bottom of a thread's local memory, where the stack, which grows down from
the top, does not reach.  A thread that finds its stack there does nothing and says so.  The driver gives a thread as
much local memory as is asked for if NVIDIA's compiler cannot tell how much is needed, and else what that thinks is
enough.  So such a program has a function that calls itself, and is never called.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from linkwork.compiler.argument_types import Signature
from linkwork.compiler.gpu.divisions import by_reciprocals
from linkwork.compiler.gpu.entry import EACH, ENTRY, ITEM, OF_THREAD, entry
from linkwork.compiler.gpu.known import Known
from linkwork.compiler.gpu.specialize import (
    by_words,
    compared,
    plain,
    shared,
    with_local_arrays,
    with_numbers,
    with_placed_arrays,
)
from linkwork.errors import KernelError

ROUNDS = 6  # of simplification at most: constants reach a kernel once its callers are known
LAST_ROUNDS = 2  # with loops unrolled
SETTLED = 0.02  # of the text: a round that changes its length by less is the last
ALL_INLINED = 21_000  # instructions of all calls of all functions: up to here they are put into their callers,
INLINED, MOST_INLINED = 3_000, 8_000  # else the shortest, with so many instructions of each and of all
LONG = 20_000  # instructions: if more are to be one function, loops are unrolled before that, up to so many
UNROLLED_FIRST = 2_000  # instructions of a loop, and then the optimizer, which at its
FULL, QUICK = 3, 1  # higher levels compares everything with everything, works at the lower one
UNROLLED = {12_000: 10_000, 2**62: 2_000}  # by instructions of a program of one function: those of a loop, unrolled
UNROLLED_APART = {
    10_000: 4_000,
    25_000: 2_000,
    2**62: 60,
}  # the same of several; ten times as many where most of them are folded
FOLDED = 60  # the same while kernels are simplified: loops over what a model has
FRAMES = 16384  # bytes
TOP = 2**24  # where the local memory of a thread ends, bytes: its stack begins there and grows down
TRIPLE = "nvptx64-nvidia-cuda"
PTX_VERSION = "ptx78"  # the first that knows sm_90; drivers from 2022 on read it
NEWEST = 90  # later processors read what is for this one
OF_NUMBERS = "sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|log|log10|log2|pow|sqrt|hypot|fmod"
OF_TWO = dict.fromkeys(("atan2", "pow", "hypot", "fmod"), "double, double")
PURE = "nounwind willreturn memory(none)"
ALWAYS = "define internal i1 @fits() alwaysinline {\n  ret i1 true\n}"
IF_CLEAR = """
define internal void @unknown(ptr %words) noinline {{
  %next = load ptr, ptr %words
  %none = icmp eq ptr %next, null
  br i1 %none, label %done, label %call
call:
  call void %next(ptr %words)
  br label %done
done:
  ret void
}}
define internal i1 @fits() noinline {{
  %here = alloca [2 x ptr]
  %place = call i64 asm "cvta.to.local.u64 $0, $1;", "=l,l"(ptr %here)
  %fits = icmp uge i64 %place, {end}
  %never = icmp ult i64 %place, 16
  br i1 %never, label %unknown, label %done
unknown:
  store ptr @unknown, ptr %here
  call void @unknown(ptr %here)
  br label %done
done:
  ret i1 %fits
}}"""


class Loop(NamedTuple):
    """A loop over items, by symbols of the native library; its last two arguments are the first item and the end."""

    name: str
    signature: Signature
    stages: tuple[str, ...]  # the first arguments
    called: tuple[str, ...]  # kernels that are called by their address
    known: Known


class Program(NamedTuple):
    """The text of a program, and the bytes of a thread's local memory below its stack that it uses."""

    text: str
    placed: int


class Target(NamedTuple):
    """For what a program is made: LLVM's machine; how a thread knows its number, in its language; where arrays are that
    several functions use, by the bytes of all and before them; how far loops are unrolled from here on.
    """

    machine: Any
    also: str
    place: Callable[[int, int], str] | None
    unroll: Callable[[int], None]


def processor(capability: tuple[int, int]) -> str:
    """What LLVM calls a GPU of this compute capability."""
    return f"sm_{min(10 * capability[0] + capability[1], NEWEST)}"


def ptx(loop: Loop, texts: Sequence[str], functions_of_numbers: Path, cpu: str) -> Program:
    """The program of a loop for a processor; `texts`: the kernels; `functions_of_numbers`: NVIDIA's libdevice."""
    machine = _gpu(cpu)
    target = Target(machine, OF_THREAD, _at_bottom, unroll)
    unroll(FOLDED)
    text, level = prepared(loop, list(map(by_libdevice, texts)), target)
    found = lengths(parsed(text, machine))
    longest = UNROLLED if len(found) == 1 else UNROLLED_APART
    unroll(next(most for length, most in longest.items() if found.total() <= length))
    whole, placed = specialized(loop, text, target, level)
    library = llvm.parse_bitcode(functions_of_numbers.read_bytes())
    library.triple, library.data_layout = whole.triple, whole.data_layout
    whole.link_in(library)
    optimize(whole, machine, level)
    return Program(str(machine.emit_assembly(parsed(by_reciprocals(by_words(str(whole))), machine))), placed)


def _gpu(cpu: str) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=cpu, features=f"+{PTX_VERSION}", opt=3)


def prepared(loop: Loop, texts: Sequence[str], target: Target) -> tuple[str, int]:
    """A loop linked with its kernels and simplified, kernels put into one another, arrays of an item its own; and the
    optimizer's level from here on.
    """
    machine, known = target.machine, loop.known
    whole = parsed("", machine)
    for text in texts:
        whole.link_in(parsed(plain(text), machine))
    own = entry(loop.name, loop.signature, loop.stages, loop.called, known, whole)
    whole.link_in(parsed(own, machine))
    whole = simplified(whole, machine)
    attributes, length = inlining(whole)
    level = QUICK if length > LONG and "noinline" not in attributes.values() else FULL
    if level == QUICK:
        target.unroll(UNROLLED_FIRST)
        optimize(whole, machine)
        target.unroll(FOLDED)
    for function in whole.functions:
        if function.name in attributes:
            function.add_function_attribute(attributes[function.name])
    optimize(whole, machine, level)
    return with_local_arrays(compared(str(whole)), known), level


def specialized(loop: Loop, text: str, target: Target, level: int) -> tuple[Any, int]:
    """A prepared loop with its loops unrolled and its arrays in their places; and the bytes of those in memory."""
    machine, known = target.machine, loop.known
    whole = parsed(text, machine)
    for _ in range(LAST_ROUNDS):
        optimize(whole, machine, level)
    text = with_local_arrays(with_numbers(str(whole), known), known)
    size, place = 0, target.place
    if place is not None:  # first how many bytes they are, then where they lie
        _, size = with_placed_arrays(text, known, functools.partial(place, 0))
        text, _ = with_placed_arrays(text, known, functools.partial(place, size))
        if shared(text):
            raise KernelError(f"threads of a GPU would share memory that they write: {', '.join(shared(text))}")
    else:
        text, _ = with_placed_arrays(text, known, None)
    fits = ALWAYS if size == 0 else IF_CLEAR.format(end=TOP - FRAMES)
    whole = parsed(re.sub(r"^declare i1 @fits\(\).*$", fits, text, flags=re.MULTILINE), machine)
    for text in (target.also, EACH):
        whole.link_in(parsed(text, machine))
    return whole, size


def simplified(whole: Any, machine: Any) -> Any:
    """A module after so many rounds that nothing changes."""
    length = 0
    for _ in range(ROUNDS):
        optimize(whole, machine)
        text = compared(str(whole))
        whole = parsed(text, machine)
        if abs(len(text) - length) < SETTLED * length:
            break
        length = len(text)
    return whole


def inlining(whole: Any) -> tuple[dict[str, str], int]:
    """Which functions are put into their callers, as attributes: all that do not make a program too long; its length if
    all were.
    """
    calls = Counter(re.findall(r"call [^@]*@([\w.]+)\(", str(whole)))
    found = lengths(whole)
    costs = sorted((length * calls[name], name) for name, length in found.items() if name != ITEM)
    added, attributes, all_of_them = 0, {}, sum(cost for cost, _ in costs)
    for cost, name in costs:
        short = all_of_them <= ALL_INLINED or (cost <= INLINED and added + cost <= MOST_INLINED)
        added += cost if short else 0
        attributes[name] = "alwaysinline" if short else "noinline"
    return attributes, found[ITEM] + all_of_them


def lengths(whole: Any) -> Counter[str]:
    """Instructions of every function."""
    return Counter({
        function.name: sum(1 for block in function.blocks for _ in block.instructions)
        for function in whole.functions if not function.is_declaration
    })  # fmt: skip


def optimize(whole: Any, machine: Any, level: int = FULL) -> None:
    """All of it as one, and nothing but what the entry reaches."""
    for thing in (*whole.functions, *whole.global_variables):
        if not thing.is_declaration and thing.name not in (ENTRY, ITEM):
            thing.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=level)
    tuning.loop_vectorization = tuning.slp_vectorization = False  # a thread is one lane
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(whole, builder)


def unroll(most: int) -> None:
    """From here on, in this process, loops of known length are unrolled up to so many instructions, others not."""
    for option in (f"threshold={most}", "max-percent-threshold-boost=1000", "allow-peeling=false",
                   "allow-partial=false", "runtime=false"):  # fmt: skip
        llvm.set_option("", f"-unroll-{option}")


def parsed(text: str, machine: Any) -> Any:
    """A module of this text."""
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    return module


def _at_bottom(size: int, before: int) -> str:
    """An address at the bottom of a thread's local memory."""
    return f"addrspacecast (ptr addrspace(5) inttoptr (i64 {TOP - FRAMES - size + before} to ptr addrspace(5)) to ptr)"


# -- functions of numbers ---------------------------------------------------------------------------------------------
def by_libdevice(text: str) -> str:
    """Functions of libm and LLVM's own, as NVIDIA's library has them."""
    text = re.sub(rf"^declare .*@(llvm\.)?({OF_NUMBERS})(\.v2f64|\.f64)?\(.*$", "", text, flags=re.MULTILINE)
    text = re.sub(rf"@(?:llvm\.)?({OF_NUMBERS})(?:\.f64)?\(", r"@__nv_\1(", text)
    in_pairs = sorted(set(re.findall(rf"@llvm\.({OF_NUMBERS})\.v2f64\(", text)))
    for name in in_pairs:
        text = text.replace(f"@llvm.{name}.v2f64(", f"@{name}_of_pair(")
    used = sorted({*re.findall(rf"@__nv_({OF_NUMBERS})\(", text), *in_pairs})
    declared = (f"declare double @__nv_{name}({OF_TWO.get(name, 'double')}) {PURE}" for name in used)
    return "\n".join([text, *declared, *map(_of_pair, in_pairs)])


def _of_pair(name: str) -> str:
    """A function of one number for two at once, which the CPU's optimizer has made of a loop."""
    return f"""
define internal <2 x double> @{name}_of_pair(<2 x double> %x) {{
  %x0 = extractelement <2 x double> %x, i64 0
  %x1 = extractelement <2 x double> %x, i64 1
  %y0 = call double @__nv_{name}(double %x0)
  %y1 = call double @__nv_{name}(double %x1)
  %half = insertelement <2 x double> poison, double %y0, i64 0
  %y = insertelement <2 x double> %half, double %y1, i64 1
  ret <2 x double> %y
}}"""
