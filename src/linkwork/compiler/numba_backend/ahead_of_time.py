"""Kernels compiled ahead of time: their LLVM modules are linked, optimized as a whole, and emitted as one object file.

Beside each kernel there is a function for callers from outside, `int32 f(result*, words*)` (compiler/llvm_text.py).
"""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import config

from linkwork.compiler.llvm_text import call, declaration
from linkwork.compiler.native.manifest import Wanted
from linkwork.compiler.numba_backend.dispatchers import compile_as_parts, compiled

# A stage that is null would be called as a Python object: that path ends here, and the optimizer takes it out.
NO_PYTHON = "define void @numba_gil_ensure(ptr %state) noreturn alwaysinline { unreachable }"
RENEWED = ("exp", "exp2", "log", "log2", "pow", "hypot", "fmod")  # functions of libm that have a second version
OLDEST_GLIBC = {"x86_64": "2.2.5", "aarch64": "2.17"}
LEVEL = 3  # of optimization
FEW_INLINED = 25  # LLVM's threshold for texts: who compiles them inlines again
SOME_INLINED = 100  # the same for code that shall be short
FOREIGN = ("NRT_", "Py", "_Py", "numba_")  # beginnings of symbols that a library without Python does not have
# Exceptions of Numba's own functions, pickled, with paths of the machine that builds: outside of Python unread.
PICKLED = re.compile(r'^(@\.const\.pickledata\.\w+ = internal constant \[\d+ x i8\]) c".*"', re.MULTILINE)
COMMENT = re.compile(r" *; preds = .*$")
NAMED_SCOPE = re.compile(r'^(!\d+ = distinct !\{.*), !"[^"]*"\}$')  # of what pointers refer to: the number is enough
FUNCTIONS = re.compile(r"^(?=define )", re.MULTILINE)
LABEL = re.compile(r'^("[^"]*"|[-\w$.]+):', re.MULTILINE)
VALUE = re.compile(r'%(?:"[^"]*"|[-\w$.]+)')
UNNAMED = re.compile(r"%\d+\b")
MARKED = re.compile(r"^%(v\d+):", re.MULTILINE)
OWN = "numba_cpow"  # native/runtime.c has it


class Compiled(NamedTuple):
    """One object file, and the text in LLVM's language of which it is made."""

    object: bytes
    text: str


def object_file(wanted: Sequence[Wanted], cpu: str, architecture: str = "", short: bool = False) -> Compiled:
    """Machine code for a kind of processor, of this machine's architecture unless another is named: the symbols of
    `wanted`, and nothing else to be seen; and its source, neither unrolled nor vectorized, which keeps it short.

    `short`: machine code likewise.
    """
    _check_processor(cpu if architecture in ("", platform.machine()) else "generic")
    processor = _processor(cpu, _triple(architecture))
    linked = _linked(wanted, processor)
    source = _optimized(linked, processor, speed=2, inlining=FEW_INLINED)
    if short:
        whole = _optimized(linked, processor, speed=2, inlining=SOME_INLINED)
    else:
        whole = _optimized(linked, processor, speed=LEVEL, vectorize=True)
    return Compiled(bytes(processor.emit_object(whole)), _portable(str(source)))


def _portable(text: str) -> str:
    """LLVM's language without what is of this machine, and short: clang compiles it for any that has 64 bits."""
    own = ("target ", "module asm ")
    lines = (NAMED_SCOPE.sub(r"\1}", COMMENT.sub("", line)) for line in text.splitlines() if not line.startswith(own))
    return "".join(_with_short_names(part) for part in FUNCTIONS.split("\n".join(lines) + "\n"))


def _with_short_names(part: str) -> str:
    """A function with short names for its values and labels, which are most of its text."""
    if not part.startswith("define "):
        return part
    head, body = part.split("\n", 1)
    if not LABEL.match(body):  # the first block is numbered after the arguments that have no name
        body = f"{len(UNNAMED.findall(head))}:\n{body}"
    names: dict[str, str] = {}
    marked = LABEL.sub(r"%\1:", f"{head}\n{body}")
    return MARKED.sub(r"\1:", VALUE.sub(lambda name: names.setdefault(name[0], f"%v{len(names)}"), marked))


def _check_processor(cpu: str) -> None:
    """Numba must have been imported for that processor, or features of this machine's own get into the modules."""
    known: Any = config
    if (cpu, "") != (known.CPU_NAME, known.CPU_FEATURES):
        raise RuntimeError(f"Numba compiles for {known.CPU_NAME} {known.CPU_FEATURES}, not for plain {cpu}")


def _check_needs(whole: Any) -> None:
    """Nothing of Numba's own runtime may be left, of which an array assigned to an array would need a part."""
    needed = {function.name for function in whole.functions if function.is_declaration}
    foreign = sorted(name for name in needed if name.startswith(FOREIGN) and name != OWN)
    if foreign:
        callers = sorted(
            {f.name for f in whole.functions if any(name in str(f) for name in foreign) and f.name not in needed}
        )
        raise RuntimeError(f"{', '.join(callers)} need Numba at run time ({', '.join(foreign)}): loop over entries")


def _triple(architecture: str) -> str:
    """What LLVM calls a machine that is like this one but for its architecture."""
    own = llvm.get_process_triple()
    return own if architecture in ("", platform.machine()) else "-".join([architecture, *own.split("-")[1:]])


def _linked(wanted: Sequence[Wanted], processor: Any) -> Any:
    """One module of all that is wanted and what that calls."""
    compile_as_parts()
    layout = str(processor.target_data)
    head = [f'target datalayout = "{layout}"', f'target triple = "{processor.triple}"', NO_PYTHON]
    whole = llvm.parse_assembly("\n".join([*head, *_old_versions(processor.triple)]))
    whole.name = "linkwork"
    for one in wanted:
        found = compiled(one.kernel, one.signature)
        if found.library.has_dynamic_globals:
            raise RuntimeError(f"{one.kernel!r} holds addresses of this process")
        module = found.library._get_module_for_linking().clone()
        module.triple, module.data_layout = whole.triple, whole.data_layout
        function = module.get_function(found.fndesc.llvm_func_name)
        function.linkage, function.name = "external", one.stage
        whole.link_in(module)
    calls = llvm.parse_assembly("\n".join(_call(one, whole) for one in wanted if one.call))
    calls.triple, calls.data_layout = whole.triple, whole.data_layout
    whole.link_in(calls)
    _hide(whole, {name for one in wanted for name in (one.stage, one.call)})
    return whole


def _old_versions(triple: str) -> list[str]:
    """Functions of glibc by their oldest version, so that the library runs where it was not built."""
    if triple != llvm.get_process_triple() or platform.libc_ver()[0] != "glibc":
        return []  # LLVM reads the assembly of this machine alone
    llvm.initialize_native_asmparser()  # for `.symver`
    oldest = OLDEST_GLIBC.get(platform.machine())
    return [f'module asm ".symver {name},{name}@GLIBC_{oldest}"' for name in RENEWED if oldest]


def _hide(whole: Any, shown: set[str]) -> None:
    for thing in (*whole.functions, *whole.global_variables):
        if not thing.is_declaration and thing.name not in shown:
            thing.linkage = "internal"


def _call(one: Wanted, whole: Any) -> str:
    """The function that takes words, in LLVM's language."""
    kinds = [str(argument.type) for argument in whole.get_function(one.stage).arguments][2:]
    return "\n  ".join(
        [
            declaration(one.stage, kinds),
            f"\ndefine i32 @{one.call}(ptr %result, ptr %words) {{",
            "%exception = alloca ptr",
            "store ptr null, ptr %exception",
            *call(f"@{one.stage}", one.signature, kinds),
            "ret i32 %status\n}",
        ]
    )


def _processor(cpu: str, triple: str) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features="", opt=LEVEL, reloc="pic", codemodel="default")


def _optimized(linked: Any, processor: Any, speed: int, vectorize: bool = False, inlining: int | None = None) -> Any:
    """A copy of a module, optimized as a whole."""
    whole = linked.clone()
    tuning = llvm.create_pipeline_tuning_options(speed_level=speed)
    tuning.loop_vectorization, tuning.loop_unrolling = vectorize, vectorize
    tuning.slp_vectorization = False  # as Numba does
    if inlining is not None:
        tuning.inlining_threshold = inlining
    builder = llvm.create_pass_builder(processor, tuning)
    builder.getModulePassManager().run(whole, builder)
    whole.verify()
    _check_needs(whole)
    return llvm.parse_assembly(PICKLED.sub(r"\1 zeroinitializer", str(whole)))
