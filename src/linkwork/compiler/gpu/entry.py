"""What a thread does, in LLVM's language.

For an item it puts the words of its simulation into their places, runs the loop for this one, and writes down the words
that are wanted of its end; then, in the entry of the program, it turns to the next that is left to it.  Arrays of a
thread are globals here, for which the optimizer finds out what is constant; specialize.py makes them what they are.
What is not known until then are three functions:

    begin_room    memory as it is at the start
    fits          whether the memory of the thread is clear of its stack
    number_is     a number of this simulation, which stands as the address of `given` in a constant
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkwork.compiler.argument_types import Signature, Stage
from linkwork.compiler.gpu.known import Field, Known, Memory, Place
from linkwork.compiler.llvm_text import call, declaration

ENTRY = "each"  # of the program
ITEM = "item"  # what is done for one
EACH = f"""
declare i64 @number()
declare void @{ITEM}(ptr, ptr, ptr, ptr, i64, i64, ptr)
define ptx_kernel void @{ENTRY}(
  ptr %given, ptr %found, ptr %reduced, ptr %kept, i64 %count, i64 %threads, ptr %seen
) {{
start:
  %number = call i64 @number()
  br label %compare
compare:
  %k = phi i64 [ %number, %start ], [ %next, %one ]
  %is_one = icmp slt i64 %k, %count
  br i1 %is_one, label %one, label %end
one:
  call void @{ITEM}(ptr %given, ptr %found, ptr %reduced, ptr %kept, i64 %count, i64 %k, ptr %seen)
  %next = add i64 %k, %threads
  br label %compare
end:
  ret void
}}"""
OF_THREAD = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define i64 @number() alwaysinline {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %before = mul i32 %block, %threads
  %number = add i32 %before, %thread
  %whole = zext i32 %number to i64
  ret i64 %whole
}"""  # number of a thread


def entry(
    loop: str, signature: Signature, stages: Sequence[str], called: Sequence[str], known: Known, whole: Any
) -> str:
    """Of a loop by its symbol, with its stages and the kernels that are called by their address; `whole`: has them."""
    kinds = {
        name: [str(argument.type) for argument in whole.get_function(name).arguments][2:]
        for name in dict.fromkeys((loop, *stages, *called))
    }
    lines = "\n  ".join
    count = sum(isinstance(one, Stage) for one in signature.arguments)
    values: dict[int, list[str]] = {k: ["null", "null", f"@{stage}"] for k, stage in enumerate(stages)}
    structures = []
    for k, one in enumerate(known.arguments, count):
        if isinstance(one, str):
            values[k] = [one]
        elif isinstance(one, Field):
            values[k] = [value for _, value in one.values]
        else:
            numbers = [number for field in one for number in field.values]
            kinds_of, content = ", ".join(kind for kind, _ in numbers), ", ".join(f"{a} {b}" for a, b in numbers)
            structures.append(f"@structure{k} = internal constant {{ {kinds_of} }} {{ {content} }}")
            values[k] = [f"@structure{k}"]
    values |= {count + len(known.arguments): ["0"], count + len(known.arguments) + 1: ["1"]}
    calling = call(f"@{loop}", signature, kinds[loop], values)
    return f"""
declare i1 @fits()
declare void @begin_room()
declare void @number_is(double, ptr)
{lines(declaration(name, of_this) for name, of_this in kinds.items())}
{lines(_global(memory, known, called) for memory in known.memories)}
{lines(f"@given{i} = extern_weak global i8" for i, _ in _numbers(known))}
{lines(structures)}
define void @{ITEM}(
  ptr %given, ptr %found, ptr %reduced, ptr %kept, i64 %count, i64 %k, ptr %seen
) noinline {{
start:
  %result = alloca i64
  %exception = alloca ptr
  %row = mul i64 %count, 8
  %fits = call i1 @fits()
  br i1 %fits, label %run, label %full
full:
  store i64 1, ptr %seen
  br label %done
run:
  call void @begin_room()
  {lines(_put(i, place, known) for i, place in enumerate(known.given))}
  %reduced_k = getelementptr double, ptr %reduced, i64 %k
  %kept_k = getelementptr double, ptr %kept, i64 %k
  {lines(calling)}
  {lines(_take(i, place) for i, place in enumerate(known.found))}
  br label %done
done:
  ret void
}}
"""


def _numbers(known: Known) -> list[tuple[int, Place]]:
    """The words given that are numbers in constants."""
    constants = {memory.name for memory in known.memories if not memory.written}
    return [(i, place) for i, place in enumerate(known.given) if place.memory in constants]


def _global(memory: Memory, known: Known, called: Sequence[str]) -> str:
    """A memory as a global, addresses of kernels and numbers of each simulation in their places."""
    inserted = {byte: f"ptrtoint (ptr @{called[k]} to i64)" for (name, byte), k in known.called if name == memory.name}
    if not memory.written:
        inserted |= {place.byte: f"ptrtoint (ptr @given{i} to i64)"
                     for i, place in _numbers(known) if place.memory == memory.name}  # fmt: skip
    parts, last = [], 0
    for byte in sorted(inserted):
        parts += [*text_of(memory.content[last:byte]), ("i64", inserted[byte])]
        last = byte + 8
    parts += text_of(memory.content[last:])
    kinds, values = ", ".join(kind for kind, _ in parts), ", ".join(f"{kind} {value}" for kind, value in parts)
    return (f"@{memory.name} = internal {'global' if memory.written else 'constant'} "
            f"<{{ {kinds} }}> <{{ {values} }}>, align 16")  # fmt: skip


def text_of(content: bytes) -> list[tuple[str, str]]:
    """Bytes in LLVM's language: none or one value, with its type."""
    if not content:
        return []
    kind = f"[{len(content)} x i8]"
    return [(kind, 'c"' + "".join(f"\\{one:02X}" for one in content) + '"' if any(content) else "zeroinitializer")]


def _put(i: int, place: Place, known: Known) -> str:
    """Word i that is given to this simulation."""
    lines = [f"%gi{i} = mul i64 %count, {i}", f"%gk{i} = add i64 %gi{i}, %k",
             f"%gp{i} = getelementptr i64, ptr %given, i64 %gk{i}"]  # fmt: skip
    if known.memory(place.memory).written:
        lines += [f"%gv{i} = load i64, ptr %gp{i}",
                  f"store i64 %gv{i}, ptr getelementptr (i8, ptr @{place.memory}, i64 {place.byte})"]  # fmt: skip
    else:
        lines += [f"%gv{i} = load double, ptr %gp{i}", f"call void @number_is(double %gv{i}, ptr @given{i})"]
    return "\n  ".join(lines)


def _take(i: int, place: Place) -> str:
    """Word i that is wanted of its end."""
    return "\n  ".join([
        f"%fi{i} = mul i64 %count, {i}", f"%fk{i} = add i64 %fi{i}, %k",
        f"%fp{i} = getelementptr i64, ptr %found, i64 %fk{i}",
        f"%fv{i} = load i64, ptr getelementptr (i8, ptr @{place.memory}, i64 {place.byte})",
        f"store i64 %fv{i}, ptr %fp{i}",
    ])  # fmt: skip
