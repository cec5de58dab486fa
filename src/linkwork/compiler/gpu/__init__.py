"""Kernels on an NVIDIA GPU: the native library's own, compiled by LLVM for its processor; float64 throughout.

known.py        what a program knows of its arguments: all but the numbers that each item has its own
entry.py        what a thread does, in LLVM's language
specialize.py   what the optimizer is told between its rounds: constants, registers, memory
divisions.py    fewer divisions
ptx.py          from the texts of the kernels to NVIDIA's language
apart.py        the same in a process of its own
program.py      a loop and its stages as one program for the GPU, made or kept
driver.py       the CUDA driver: memory, programs, launches
device_array.py arrays on a GPU that other programs take without a copy
launch.py       one loop in many threads, each with memory of its own
"""
