"""Kernels on an NVIDIA GPU: the native library's own, compiled by LLVM for its processor; float64 throughout.

program.py      a loop and its stages as one program for the GPU: its text, made or kept
ptx.py          from the texts of the kernels to NVIDIA's language
driver.py       the CUDA driver: memory, programs, launches
launch.py       one loop in many threads, each with a room of its own
"""
