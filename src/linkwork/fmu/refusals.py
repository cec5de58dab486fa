"""What an FMU cannot do, refused by a sentence before anything is written."""

from __future__ import annotations

from linkwork.compiler.kernels import backend
from linkwork.compiler.native.backend import NativeBackend
from linkwork.compiler.native.library import runtime_files
from linkwork.compiler.native.manifest import digest
from linkwork.elements.forces.python_force import PythonForce
from linkwork.elements.signals.fmu_block import FmuBlock
from linkwork.errors import KernelError, ModelError
from linkwork.mechanism import Mechanism

REBUILD = "python -m linkwork.compiler.build builds the library"


def native_library() -> NativeBackend:
    """The native library, whose kernels an FMU takes along."""
    chosen = backend()
    if not isinstance(chosen, NativeBackend):
        raise KernelError(f"an FMU is made of the native library, which is not in use here; {REBUILD}")
    files = dict(chosen.library.manifest.files)
    stale = [path for path in runtime_files() if files.get(path) != digest(path)]
    if stale:
        raise KernelError(f"the native library is not built of these sources ({', '.join(stale)}); {REBUILD}")
    return chosen


def refuse(mechanism: Mechanism) -> None:
    """What needs Python at run time."""
    for force in mechanism.of(PythonForce):
        raise ModelError(
            f"python force '{force.name}': an FMU runs without Python; write the law as an expression, or make it an "
            "input",
            element=force.name,
        )
    for block in mechanism.of(FmuBlock):
        raise ModelError(
            f"fmu block '{block.name}': an FMU cannot hold another; make what it gives an input", element=block.name
        )
