"""How kernels go through Numba's compiler: its own passes, a check that nothing is allocated, and parts that are linked
into their callers.

A kernel owns no memory: its arrays come from Python, which holds them meanwhile.  One that would make an array is
refused when it is compiled.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core import errors, ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import NativeLowering

from linkwork.compiler.numba_backend import intrinsics
from linkwork.compiler.numba_backend.patching import are_taken

VIEWS = ("array.view", "array.reshape")  # methods that make no copy


class AllocationError(errors.NumbaError):
    """A kernel makes an array."""


@register_pass(mutates_CFG=False, analysis_only=True)
class RefuseAllocation(AnalysisPass):
    """An error if an array comes from anything but an argument, an entry, a slice, a view or another kernel."""

    _name = "linkwork_refuse_allocation"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Nothing in the code is changed."""
        for block in state.func_ir.blocks.values():
            for made in block.find_insts(ir.Assign):
                if isinstance(made.value, ir.Expr) and isinstance(state.typemap[made.target.name], types.Array):
                    self._check(made.value, state)
        return False

    def _check(self, value: Any, state: Any) -> None:
        called = state.typemap[value.func.name] if value.op == "call" else None
        key = getattr(called, "typing_key", None)
        by_intrinsic = getattr(key, "__module__", None) == intrinsics.__name__
        if isinstance(called, types.Dispatcher) or key in VIEWS or by_intrinsic:
            return
        if value.op in ("call", "binop", "inplace_binop", "unary", "arrayexpr"):
            name = f"{state.func_id.modname}.{state.func_id.func_qualname}"
            raise AllocationError(f"{name} makes an array; a kernel gets its arrays from Python ({value})")


class KernelCompiler(CompilerBase):
    """Numba's own pipeline, with the check before code is generated."""

    def define_pipelines(self) -> list[Any]:
        """The passes."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        for added in self.before_lowering():
            passes.add_pass_after(added, _pass_before(passes, NativeLowering))
        passes.finalize()
        return [passes]

    def before_lowering(self) -> list[type]:
        """The passes that are added."""
        return [RefuseAllocation]


class PartCompiler(KernelCompiler):
    """The same for a part, lowered into a library of its own kind; where shortcuts are given up, into Numba's own."""

    def before_lowering(self) -> list[type]:
        """The passes that are added."""
        added = super().before_lowering()
        return [*added, IntoPartLibrary] if are_taken() else added


def _pass_before(passes: Any, wanted: type) -> type:
    kinds = [kind for kind, _ in passes.passes]
    return kinds[kinds.index(wanted) - 1]


@register_pass(mutates_CFG=False, analysis_only=True)
class IntoPartLibrary(AnalysisPass):
    """Makes the library into which the next pass lowers."""

    _name = "linkwork_part_library"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Nothing in the code is changed."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


class PartLibrary(JITCodeLibrary):
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
