"""From the texts of the kernels to NVIDIA's language (PTX), by LLVM.

The native library keeps its kernels in LLVM's language, free of any machine.  Here they are linked with an entry that
runs a loop in each thread, and with NVIDIA's functions of numbers; what the loop does not reach is dropped, stages that
are known are called directly.  The loop is the CPU's, to the letter.

A thread's room (all that it writes) is on its stack, which the GPU lays out so that neighbouring threads read
neighbouring memory.  Its address is the same number in every thread: one description of the arrays in it serves all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from linkwork.compiler.argument_types import Signature
from linkwork.compiler.gpu.program import ADDRESSES, ENTRY
from linkwork.compiler.llvm_text import call, declaration

TRIPLE = "nvptx64-nvidia-cuda"
PTX_VERSION = "ptx78"  # the first that knows sm_90; drivers from 2022 on read it
NEWEST = 90  # later processors read what is for this one
OF_NUMBERS = "sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|log|log10|log2|pow|sqrt|hypot|fmod"
OF_TWO = dict.fromkeys(("atan2", "pow", "hypot", "fmod"), "double, double")

OF_THREAD = """
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %before = mul i32 %block, %threads
  %number = add i32 %before, %thread
  %offset = zext i32 %number to i64
  %k = add i64 %first, %offset"""
GRID = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()"""


class Loop(NamedTuple):
    """A loop over items, by symbols of the native library; its last two arguments are the first item and the end."""

    name: str
    signature: Signature
    stages: tuple[str, ...]  # the first arguments
    called: tuple[str, ...]  # kernels that are called by their address besides


def processor(capability: tuple[int, int]) -> str:
    """What LLVM calls a GPU of this compute capability."""
    return f"sm_{min(10 * capability[0] + capability[1], NEWEST)}"


def ptx(loop: Loop, texts: Sequence[str], functions_of_numbers: Path, cpu: str) -> str:
    """The program of a loop for a processor; `texts`: the kernels; `functions_of_numbers`: NVIDIA's libdevice."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=cpu, features=f"+{PTX_VERSION}", opt=3)
    whole = linked(loop, list(map(by_libdevice, texts)), machine, OF_THREAD)
    library = llvm.parse_bitcode(functions_of_numbers.read_bytes())
    library.triple, library.data_layout = whole.triple, whole.data_layout
    whole.link_in(library)
    optimize(whole, machine, {ENTRY, ADDRESSES})
    return str(machine.emit_assembly(whole))


def linked(loop: Loop, texts: Sequence[str], machine: Any, number: str) -> Any:
    """One module of kernels and the entries of a loop; `number`: how a thread finds the item %k that is its own."""
    whole = _parsed("", machine)
    for text in texts:
        whole.link_in(_parsed(text, machine))
    whole.link_in(_parsed(_entries(loop, whole, number), machine))
    return whole


def optimize(whole: Any, machine: Any, shown: set[str]) -> None:
    """All of it as one, and nothing but what the functions shown reach."""
    for thing in (*whole.functions, *whole.global_variables):
        if not thing.is_declaration and thing.name not in shown:
            thing.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = False  # a thread is one lane
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(whole, builder)
    whole.verify()


def _parsed(text: str, machine: Any) -> Any:
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return module


def _entries(loop: Loop, whole: Any, number: str) -> str:
    """What a thread does: a room on its stack, then item k of the loop, if the room is where the words expect it.

    And an entry that writes down the addresses of the loop and of the kernels that are called by them.  The loop is
    called by its address, the first word: where all calls are known, NVIDIA's compiler reckons how large a stack is
    needed, and forgets the room.
    """
    kinds = {
        name: [str(argument.type) for argument in whole.get_function(name).arguments][2:]
        for name in dict.fromkeys((loop.name, *loop.stages, *loop.called))
    }
    count = len(loop.signature.arguments)
    known = {k: f"@{stage}" for k, stage in enumerate(loop.stages)} | {count - 2: "%k", count - 1: "%end"}
    calling = call("%loop", loop.signature, kinds[loop.name], known)
    storing = [
        f"%p{k} = getelementptr ptr, ptr %out, i64 {k}\n  store ptr @{name}, ptr %p{k}"
        for k, name in enumerate((loop.name, *loop.called))
    ]
    lines = "\n  ".join
    return f"""
{GRID}
{lines(declaration(name, of_this) for name, of_this in kinds.items())}
define ptx_kernel void @{ENTRY}(ptr %words, i64 %first, i64 %last, i64 %size, i64 %expected, ptr %seen) {{
  %result = alloca i64
  %exception = alloca ptr
  %room = alloca i64, i64 %size, align 16
  %address = ptrtoint ptr %room to i64
  {number}
  %is_one = icmp slt i64 %k, %last
  br i1 %is_one, label %compare, label %done
compare:
  %fits = icmp eq i64 %address, %expected
  br i1 %fits, label %run, label %elsewhere
elsewhere:
  store i64 %address, ptr %seen
  br label %done
run:
  %end = add i64 %k, 1
  %loop = load ptr, ptr %words
  {lines(calling)}
  br label %done
done:
  ret void
}}
define ptx_kernel void @{ADDRESSES}(ptr %out) {{
  {lines(storing)}
  ret void
}}
"""


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
