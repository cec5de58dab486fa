"""A GPU without a GPU: the program of a loop, entry and all, compiled for this machine; its threads in turn.

Places of arrays in rooms and tables, words, addresses of kernels: what a GPU's thread does, but for the grid.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from linkwork.compiler.gpu import program as programs
from linkwork.compiler.gpu import ptx

THREAD = ctypes.c_int64(0)  # the one that is under way
ALONE = f"""
define i64 @number() {{
  %number = load volatile i64, ptr inttoptr (i64 {ctypes.addressof(THREAD)} to ptr)
  ret i64 %number
}}"""


class EmulatedDevice:
    """What compiler/gpu/driver.py offers."""

    capability = (9, 0)
    name = "none"
    resident_threads = 2
    dlpack_kind = 1  # this machine's own memory

    def __init__(self) -> None:
        self.launches = 0

    def free_memory(self) -> int:
        return 2**34

    def allocate(self, size: int) -> EmulatedBuffer:
        return EmulatedBuffer(np.full(size + 16, 0xFF, np.uint8))

    def to_device(self, array: np.ndarray) -> EmulatedBuffer:
        buffer = self.allocate(array.nbytes)
        self.fill(buffer.address, np.ascontiguousarray(array))
        return buffer

    def fill(self, address: int, array: np.ndarray) -> None:
        ctypes.memmove(address, array.ctypes.data, array.nbytes)

    def to_host(self, buffer: Any, array: np.ndarray) -> None:
        ctypes.memmove(array.ctypes.data, buffer.address, array.nbytes)

    def set_stack(self, size: int) -> None:
        assert size < 4 * 2**20

    def machine_code(self, text: str) -> bytes:
        return text.encode()

    def load(self, code: bytes) -> Any:
        return engine_of(code.decode())

    def launch(self, program: Any, entry: str, threads: int, *arguments: int) -> None:
        self.launches += 1
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(arguments))
        run = kind(program.get_function_address(entry))
        for k in range(threads):
            THREAD.value = k
            run(*arguments)


class EmulatedBuffer:
    """A copy of an array, and where it is."""

    def __init__(self, copy: np.ndarray) -> None:
        self.copy, self.address = copy, copy.ctypes.data


def compiled_here(loop: ptx.Loop, texts: Sequence[str], *_: object) -> ptx.Program:
    """In place of `ptx_apart`: the program for this machine's processor, its arrays in memory of all threads."""
    return ptx.Program(str(specialized_here(loop, texts)), 0)


def specialized_here(loop: ptx.Loop, texts: Sequence[str]) -> Any:
    target = ptx.Target(machine_here(), ALONE, None, lambda most: None)
    text, level = ptx.prepared(loop, texts, target)
    return ptx.specialized(loop, text, target, level)[0]


def machine_here() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(opt=1, codemodel="jitdefault")


def engine_of(text: str) -> Any:
    plain = llvm.parse_assembly(text.replace("ptx_kernel ", ""))
    engine = llvm.create_mcjit_compiler(plain, machine_here())
    engine.finalize_object()
    return engine


def compile_here(monkeypatch: Any) -> None:
    """From now on programs are compiled for this machine, and not kept."""
    monkeypatch.setattr(programs, "ptx_apart", compiled_here)
    monkeypatch.setattr(programs, "libdevice", lambda: None)
    monkeypatch.setattr(programs, "kept", lambda path: None)
    monkeypatch.setattr(programs, "keep", lambda path, content: None)
