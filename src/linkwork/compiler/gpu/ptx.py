"""From the texts of the kernels to NVIDIA's language (PTX), by LLVM.

The native library keeps its kernels in LLVM's language, free of any machine.  Here they are linked with an entry that
runs a loop in each thread, and with NVIDIA's functions of numbers; what the loop does not reach is dropped, stages that
are known are called directly.  The loop is the CPU's, to the letter; but places and shapes of the arrays are constants
of the program, so that it is one for the structure of a model, whatever its numbers.

A thread's room (all that it writes) is in its local memory, which the GPU lays out so that neighbouring threads read
neighbouring memory: at its bottom, where the stack, which grows down from the top, does not reach.  A thread that finds
its stack within the room does nothing and says so.  The driver gives a thread as much local memory as is asked for if
NVIDIA's compiler cannot tell how much is needed, and else what that thinks is enough.  So there is a function that
calls itself, and is never called.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from linkwork.compiler.argument_types import Array, Signature, Structure
from linkwork.compiler.gpu.program import ADDRESSES, ENTRY, STRUCTURE, TABLE, Field, Known
from linkwork.compiler.llvm_text import call, declaration, word_count

GLOBAL, LOCAL = 1, 5  # memory of all threads, and of one alone
PASSES = 2  # of the optimizer: constants reach a kernel once its callers are known
TRIPLE = "nvptx64-nvidia-cuda"
PTX_VERSION = "ptx78"  # the first that knows sm_90; drivers from 2022 on read it
NEWEST = 90  # later processors read what is for this one
OF_NUMBERS = "sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|log|log10|log2|pow|sqrt|hypot|fmod"
OF_TWO = dict.fromkeys(("atan2", "pow", "hypot", "fmod"), "double, double")

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
}
define i64 @place(ptr %of) alwaysinline {
  %place = call i64 asm "cvta.to.local.u64 $0, $1;", "=l,l"(ptr %of)
  ret i64 %place
}"""  # number of a thread, and where something is in its local memory
UNKNOWN = """
define internal void @unknown(ptr %words) noinline {
  %next = load ptr, ptr %words
  %none = icmp eq ptr %next, null
  br i1 %none, label %done, label %call
call:
  call void %next(ptr %words)
  br label %done
done:
  ret void
}"""


class Loop(NamedTuple):
    """A loop over items, by symbols of the native library; its last two arguments are the first item and the end."""

    name: str
    signature: Signature
    stages: tuple[str, ...]  # the first arguments
    called: tuple[tuple[str, Signature], ...]  # kernels that are called by their address besides
    known: Known


def processor(capability: tuple[int, int]) -> str:
    """What LLVM calls a GPU of this compute capability."""
    return f"sm_{min(10 * capability[0] + capability[1], NEWEST)}"


def ptx(loop: Loop, texts: Sequence[str], functions_of_numbers: Path, cpu: str) -> str:
    """The program of a loop for a processor; `texts`: the kernels; `functions_of_numbers`: NVIDIA's libdevice."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=cpu, features=f"+{PTX_VERSION}", opt=3)
    whole = linked(loop, [*map(by_libdevice, texts), OF_THREAD], machine)
    library = llvm.parse_bitcode(functions_of_numbers.read_bytes())
    library.triple, library.data_layout = whole.triple, whole.data_layout
    whole.link_in(library)
    optimize(whole, machine, {ENTRY, ADDRESSES})
    return str(machine.emit_assembly(whole))


def linked(loop: Loop, texts: Sequence[str], machine: Any) -> Any:
    """One module of kernels and the entries of a loop."""
    whole = _parsed("", machine)
    for text in texts:
        whole.link_in(_parsed(text, machine))
    whole.link_in(_parsed(_entries(loop, whole), machine))
    return whole


def optimize(whole: Any, machine: Any, shown: set[str]) -> None:
    """All of it as one, and nothing but what the functions shown reach."""
    for thing in (*whole.functions, *whole.global_variables):
        if not thing.is_declaration and thing.name not in shown and not thing.name.startswith((TABLE, STRUCTURE)):
            thing.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = False  # a thread is one lane
    builder = llvm.create_pass_builder(machine, tuning)
    for _ in range(PASSES):
        builder.getModulePassManager().run(whole, builder)
    whole.verify()


def _parsed(text: str, machine: Any) -> Any:
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return module


def _entries(loop: Loop, whole: Any) -> str:
    """What a thread does: item k of the loop, in its room.

    And an entry that writes down where the local memory of a thread is among all memory, and the addresses of the
    kernels that are called by them.
    """
    kinds = {
        name: [str(argument.type) for argument in whole.get_function(name).arguments][2:]
        for name in dict.fromkeys((loop.name, *loop.stages, *(name for name, _ in loop.called)))
    }
    constants, known = _known(loop)
    calling = call(f"@{loop.name}", loop.signature, kinds[loop.name], known)
    storing = [
        f"%p{k} = getelementptr ptr, ptr %out, i64 {k + 2}\n  store ptr @called{k}, ptr %p{k}"
        for k in range(len(loop.called))
    ]
    lines = "\n  ".join
    return f"""
declare i64 @number()
declare i64 @place(ptr)
{lines(declaration(name, of_this) for name, of_this in kinds.items())}
{lines(constants)}
{lines(_called(k, one, kinds[one[0]], known, loop) for k, one in enumerate(loop.called))}
{UNKNOWN}
define ptx_kernel void @{ENTRY}(ptr %words, i64 %first, i64 %last, ptr %seen) {{
  %result = alloca i64
  %exception = alloca ptr
  %number = call i64 @number()
  %k = add i64 %first, %number
  %is_one = icmp slt i64 %k, %last
  br i1 %is_one, label %compare, label %done
compare:
  %place = call i64 @place(ptr %result)
  %fits = icmp uge i64 %place, {loop.known.begin + loop.known.room}
  br i1 %fits, label %run, label %no_room
no_room:
  store i64 1, ptr %seen
  br label %done
run:
  %end = add i64 %k, 1
  {lines(calling)}
  %never = icmp slt i64 %first, 0
  br i1 %never, label %unknown, label %done
unknown:
  call void @unknown(ptr %words)
  br label %done
done:
  ret void
}}
define ptx_kernel void @{ADDRESSES}(ptr %out) {{
  %here = alloca i64
  %place = call i64 @place(ptr %here)
  %address = ptrtoint ptr %here to i64
  %origin = sub i64 %address, %place
  store i64 %origin, ptr %out
  %next = getelementptr i64, ptr %out, i64 1
  store ptr @unknown, ptr %next
  {lines(storing)}
  ret void
}}
"""


def _called(k: int, one: tuple[str, Signature], kinds: Sequence[str], known: Any, loop: Loop) -> str:
    """A kernel that is called by its address, with the structures that the program knows.

    A structure of a type of which the loop takes only one is that one.
    """
    name, signature = one
    taken, passed, numbers = [], [], iter(range(len(kinds)))
    for argument in signature.arguments:
        own = {tuple(known[n]) for n, other in enumerate(loop.signature.arguments) if other == argument and n in known}
        for n in (next(numbers) for _ in range(word_count(argument))):
            taken.append(f"{kinds[n]} %x{n}")
            value = next(iter(own))[0] if isinstance(argument, Structure) and len(own) == 1 else f"%x{n}"
            passed.append(f"{kinds[n]} {value}")
    return (
        f"define internal i32 @called{k}(ptr %result, ptr %exception, {', '.join(taken)}) {{\n"
        f"  %status = call i32 @{name}(ptr %result, ptr %exception, {', '.join(passed)})\n  ret i32 %status\n}}"
    )


def _known(loop: Loop) -> tuple[list[str], dict[int, list[str]]]:
    """Constants of a module, and values of arguments that consist of them."""
    count, structures, room = len(loop.signature.arguments), {}, loop.known.begin
    constants = [
        f"@{TABLE}{k} = addrspace({GLOBAL}) global [{max(size, 16)} x i8] zeroinitializer, align 16"
        for k, size in enumerate(loop.known.tables)
    ]
    known = {k: ["null", "null", f"@{stage}"] for k, stage in enumerate(loop.stages)}
    known |= {count - 2: ["%k"], count - 1: ["%end"]}
    for k, fields in loop.known.fields:
        if isinstance(loop.signature.arguments[k], Array):
            known[k] = [value for _, value in _values(fields[0], room)]
            continue
        if fields not in structures:
            structures[fields] = f"@{STRUCTURE}{k}"
            numbers = [number for field in fields for number in _values(field, room)]
            kinds = ", ".join(kind for kind, _ in numbers)
            values = ", ".join(f"{kind} {value}" for kind, value in numbers)
            constants.append(f"@{STRUCTURE}{k} = constant {{ {kinds} }} {{ {values} }}")
        known[k] = [structures[fields]]
    return constants, known


def _values(field: Field, room: int) -> list[tuple[str, str]]:
    """The numbers that describe an array (references.py), with their types."""
    if field.in_room:
        local = f"ptr addrspace({LOCAL}) inttoptr (i64 {room + field.place} to ptr addrspace({LOCAL}))"
        data = f"addrspacecast ({local} to ptr)"
    else:
        data = f"addrspacecast (ptr addrspace({GLOBAL}) @{TABLE}{field.place} to ptr)"
    whole = [field.size, field.itemsize, data, *field.numbers]
    return [("ptr", "null"), ("ptr", "null"), *(("ptr" if n == 2 else "i64", str(one)) for n, one in enumerate(whole))]


# -- functions of numbers ---------------------------------------------------------------------------------------------
def by_libdevice(text: str) -> str:
    """Functions of libm and LLVM's own, as NVIDIA's library has them."""
    text = re.sub(rf"^declare .*@(llvm\.)?({OF_NUMBERS})(\.v2f64|\.f64)?\(.*$", "", text, flags=re.MULTILINE)
    text = re.sub(rf"@(?:llvm\.)?({OF_NUMBERS})(?:\.f64)?\(", r"@__nv_\1(", text)
    in_pairs = sorted(set(re.findall(rf"@llvm\.({OF_NUMBERS})\.v2f64\(", text)))
    for name in in_pairs:
        text = text.replace(f"@llvm.{name}.v2f64(", f"@{name}_of_pair(")
    used = sorted({*re.findall(rf"@__nv_({OF_NUMBERS})\(", text), *in_pairs})
    declared = (f"declare double @__nv_{name}({OF_TWO.get(name, 'double')})" for name in used)
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
