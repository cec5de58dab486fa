"""The one door to the compiler: nothing outside imports Numba or LLVM.

Read kernels.py first (`kernel`, `stage`, `part`, `bind`), then argument_types.py, references.py, carving.py and
addresses.py (what kernels take and call), callbacks.py, intrinsics.py, sources.py, cache.py, meter.py; native/ and
build.py (compiled ahead of time), gpu/ (those on a GPU); last numba_backend/.
"""
