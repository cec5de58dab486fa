"""The one door to the compiler: nothing outside imports Numba.

Read kernels.py (`kernel`, `stage`, `part`, `bind`), argument_types.py, references.py and carving.py (what kernels take),
addresses.py and intrinsics.py; then sources.py (when is machine code stale?) and numba_backend/, cuda_backend.py.
"""
