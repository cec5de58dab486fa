"""Compilation: one decorator for every kernel, one way to bind stages into a loop, one cache that is never stale.

Numba's own cache looks at the file of the function alone; an edit in a callee of another file would leave stale
machine code behind.  Here the cache folder of a module carries a hash of its source and of every module of the
package that it imports, directly or not, so that an edit anywhere below opens a new folder.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
from numba import types
from numba.core import compiler, event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import NativeLowering

from linkwork.compiler.shortcuts import OWNERS, take_shortcuts

LEFT_OUT = take_shortcuts()  # names of those that do not fit this Numba

PACKAGE = Path(__file__).resolve().parents[1]
FASTMATH = {"contract", "reassoc", "nsz", "arcp"}  # no NaN or infinity flags: a kernel must see a NaN when it comes

_IMPORT = re.compile(
    r"^\s*(?:from\s+(linkwork[\w.]*)\s+import\s+(\([^)]*\)|[^\n]+)|import\s+(linkwork[\w.]+))", re.MULTILINE
)
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n)+", re.MULTILINE)  # never run, so that no kernel has it


def cache_folder() -> Path:
    """Where compiled kernels are kept; `LINKWORK_CACHE` moves it."""
    chosen = os.environ.get("LINKWORK_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "linkwork"


def _file_of(module: str) -> Path | None:
    parts = module.split(".")[1:]
    base = PACKAGE.joinpath(*parts)
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@functools.cache
def _source(module: str) -> str:
    path = _file_of(module)
    return path.read_text(encoding="utf-8") if path else ""


@functools.cache
def _imports(module: str) -> frozenset[str]:
    """The package's modules that `module` imports by name."""
    found = set()
    for origin, names, plain in _IMPORT.findall(_FOR_TYPES.sub("", _source(module))):
        if plain:
            found.add(plain)
            continue
        found.add(origin)
        for name in re.findall(r"\w+", names):
            if _file_of(f"{origin}.{name}"):
                found.add(f"{origin}.{name}")
    return frozenset(m for m in found if m != "linkwork" and _file_of(m))


def below(module: str) -> set[str]:
    """The module and all modules of the package that it imports, directly or not."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(_imports(name))
    return seen


@functools.cache
def fingerprint(module: str) -> str:
    """A hash of a module's source and of all that it imports, directly or not."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for name in sorted(below(module)):
        digest.update(name.encode())
        digest.update(_source(name).encode())
    return digest.hexdigest()[:16]


def has_kernels(module: str) -> bool:
    """Whether the cache holds any kernels of a module as it is now."""
    return any(_folder(module).rglob("*.nbi"))


def _folder(module: str) -> Path:
    return cache_folder() / f"{module.rpartition('.')[2]}-{fingerprint(module)}"


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first use, keep the machine code in the cache; release the GIL; divide as NumPy does.

    For stages, and for all that Python calls.
    """
    return _decorate(function)


def owner(function: Callable[..., Any]) -> Any:
    """A kernel that makes an object of its own, the only kind that may allocate."""
    OWNERS.add(f"{function.__module__}.{function.__qualname__}")
    return _decorate(function)


def stage(function: Callable[..., Any]) -> Any:
    """A kernel that the loop takes as a value (`bind`): no wrapper for calls from Python."""
    return _decorate(function, no_cpython_wrapper=True)


def part(function: Callable[..., Any]) -> Any:
    """A kernel that only other kernels call: no wrappers, and no machine code of its own."""
    return _decorate(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_PartCompiler)


class _PartLibrary(JITCodeLibrary):
    """The code of a part: linked into its callers and optimized there, never alone (half of all compilation).

    What goes to the execution engine, and as machine code into the cache, are only the globals that Numba looks up.
    """

    def finalize(self) -> None:
        """Link what the part calls; keep that for its callers."""
        whole = self._final_module
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            whole.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        for function in whole.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        self._shared_module = whole
        names = [g.name for g in whole.global_variables if g.name.startswith("_ZN08NumbaEnv")]
        self._final_module = llvm.parse_assembly("\n".join(f'@"{name}" = common global ptr null' for name in names))
        self._final_module.name = whole.name
        self._final_module.triple, self._final_module.data_layout = whole.triple, whole.data_layout
        self._finalize_final_module()


@register_pass(mutates_CFG=False, analysis_only=True)
class _IntoPartLibrary(AnalysisPass):
    """Makes the library into which the next pass lowers."""

    _name = "linkwork_part_library"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Nothing in the code is changed."""
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


class _PartCompiler(compiler.CompilerBase):
    """Numba's own pipeline, lowered into a `_PartLibrary`."""

    def define_pipelines(self) -> list[Any]:
        """The passes."""
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_IntoPartLibrary, _pass_before(passes, NativeLowering))
        passes.finalize()
        return [passes]


def _pass_before(passes: Any, wanted: type) -> type:
    kinds = [kind for kind, _ in passes.passes]
    return kinds[kinds.index(wanted) - 1]


def _decorate(function: Callable[..., Any], **more: Any) -> Any:
    module = function.__module__
    options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": FASTMATH, **more}
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_folder(module))
    try:
        dispatcher = numba.njit(**options)(function)
    finally:
        config.CACHE_DIR = before
    typed = dispatcher.get_call_template

    def any_value(arguments: Any, named: Any) -> Any:
        """A constant argument is a number like others: Numba would compile the callee anew for each constant."""
        return typed([types.unliteral(a) for a in arguments], {k: types.unliteral(a) for k, a in named.items()})

    dispatcher.get_call_template = any_value
    return dispatcher


def bind(stage: Any, returns: Any, *arguments: Any) -> types.FunctionType:
    """Compile one stage alone for one signature; the type under which a loop takes it as a value.

    A loop compiled for such types is compiled once for all stages of the same signature.
    """
    signature = returns(*arguments)
    if signature.args not in stage.overloads:
        stage.compile(signature.args)
    return types.FunctionType(signature)


def bind_loop(loop: Any, returns: Any, *arguments: Any) -> None:
    """Compile the loop that takes stages as values, and nothing but that: a call converts the stages it is given.

    Without this a call would compile the loop anew around the very stages, and never find that in the cache.
    """
    signature = returns(*arguments)
    if signature.args not in loop.overloads:
        loop.disable_compile(False)
        loop.compile(signature.args)
        loop.disable_compile()


class _Meter(event.Listener):
    """Adds up what compilation costs, and tells whoever listens that it goes on.

    Meanwhile no garbage is collected: the compiler makes many objects that stay, and to look through them again and
    again is a tenth of its time.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.count = 0
        self.depth = 0
        self.began = 0.0
        self.collects = False  # whether garbage was collected before
        self.tell: Callable[[int], None] | None = None

    def on_start(self, event: Any) -> None:
        """One more function is being compiled (loading from the cache does not count)."""
        if self.depth == 0:
            self.began = time.perf_counter()
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1
        self.count += 1
        if self.tell is not None:
            self.tell(self.count)

    def on_end(self, event: Any) -> None:
        """It is done."""
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began
            if self.collects:
                gc.enable()


METER = _Meter()  # of this process
event.register("numba:compile", METER)
