"""A program compiled in a process of its own: LLVM's settings, which are of a whole process, are for GPUs other than
for this machine's processor.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.errors import KernelError

if TYPE_CHECKING:
    from linkwork.compiler.gpu.ptx import Loop, Program

PACKAGES = Path(__file__).parents[3]
SHOWN = 400  # characters of what LLVM says


def ptx_apart(loop: Loop, texts: Sequence[str], functions_of_numbers: Path, cpu: str) -> Program:
    """`ptx` (ptx.py), in another process."""
    paths = os.pathsep.join([str(PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "linkwork.compiler.gpu.apart"], capture_output=True, check=False,
        input=pickle.dumps((loop, texts, functions_of_numbers, cpu)), env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()[-2000:]
        raise KernelError(f"a program for the GPU could not be made: {said}")
    program: Program = pickle.loads(done.stdout)  # of our own process
    return program


def main() -> None:
    """Read what `ptx` takes, write what it returns."""
    from linkwork.compiler.gpu.ptx import ptx

    try:
        made = ptx(*pickle.load(sys.stdin.buffer))
    except RuntimeError as error:  # of LLVM, which quotes the line: it may be a table
        sys.exit(str(error)[:SHOWN])
    sys.stdout.buffer.write(pickle.dumps(made))


if __name__ == "__main__":
    main()
