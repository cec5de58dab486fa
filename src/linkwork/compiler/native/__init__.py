"""The native library: all kernels compiled ahead of time, called without a compiler.

Read manifest.py (what the library holds), library.py (found, fit, loaded), backend.py (native, or else Numba); caller.c
makes the calls.  build.py, one floor up, makes the library; header.py describes it to C; runtime.c is linked with it.
"""
