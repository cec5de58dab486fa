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

ALONE = """
define i64 @number() {
  ret i64 0
}
define i64 @place(ptr %of) {
  %place = ptrtoint ptr %of to i64
  ret i64 %place
}"""
ROOM = np.zeros(2**19)  # of the thread that is under way


class EmulatedDevice:
    """What compiler/gpu/driver.py offers."""

    capability = (9, 0)
    name = "none"
    resident_threads = 1

    def __init__(self) -> None:
        self.launches = 0
        self.memory: dict[int, np.ndarray] = {}

    def free_memory(self) -> int:
        return 2**34

    def to_device(self, array: np.ndarray) -> EmulatedBuffer:
        copy = np.zeros(array.nbytes + 16, np.uint8)
        copy[: array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return EmulatedBuffer(copy)

    def to_host(self, buffer: EmulatedBuffer, array: np.ndarray) -> None:
        array.reshape(-1).view(np.uint8)[:] = buffer.copy[: array.nbytes]

    def set_stack(self, size: int) -> None:
        assert size < 4 * 2**20

    def machine_code(self, text: str) -> str:
        return text

    def load(self, code: Any) -> Any:
        return code

    def address(self, program: Any, name: str) -> int:
        try:
            return int(program.get_global_value_address(name))
        except AttributeError:
            return 0

    def fill(self, program: Any, name: str, array: np.ndarray) -> None:
        if name.startswith(programs.TABLE):  # structures are constants that need no change here
            ctypes.memmove(self.address(program, name), np.ascontiguousarray(array).ctypes.data, array.nbytes)

    def launch(self, program: Any, entry: str, threads: int, *arguments: int) -> None:
        self.launches += 1
        if entry != ptx.ENTRY:
            call(program, entry, *arguments)
            return
        words, first, last, *rest = arguments
        for k in range(first, last):
            call(program, entry, words, k, last, *rest)


class EmulatedBuffer:
    """A copy of an array, and where it is."""

    def __init__(self, copy: np.ndarray) -> None:
        self.copy, self.address = copy, copy.ctypes.data


def call(engine: Any, name: str, *arguments: int) -> None:
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(arguments))
    kind(engine.get_function_address(name))(*arguments)


def compiled_here(loop: ptx.Loop, texts: Sequence[str], *_: object) -> Any:
    """In place of `ptx`: an engine that has the entry for this machine's processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, codemodel="jitdefault")
    whole = ptx.linked(loop, [*texts, ALONE], machine)
    plain = llvm.parse_assembly(str(whole).replace("ptx_kernel ", ""))
    ptx.optimize(plain, machine, {ptx.ENTRY, ptx.ADDRESSES})
    engine = llvm.create_mcjit_compiler(plain, machine)
    engine.finalize_object()
    return engine


def compile_here(monkeypatch: Any) -> None:
    """From now on programs are compiled for this machine, and not kept."""
    monkeypatch.setattr(ptx, "ptx", compiled_here)
    monkeypatch.setattr(programs.Known, "begin", ROOM.ctypes.data)
    monkeypatch.setattr(programs, "libdevice", lambda: None)
    monkeypatch.setattr(programs, "kept", lambda path: None)
    monkeypatch.setattr(programs, "keep", lambda path, content: None)
