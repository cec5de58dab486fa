"""`compiler/` is the one door to Numba: nothing else imports it, and nobody pays for it before a kernel is needed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import linkwork
from linkwork.compiler.kernels import Kernel
from linkwork.integrators import stages
from linkwork.integrators.registry import INTEGRATORS
from linkwork.methods.registry import METHODS

HOUSE = Path(linkwork.__file__).parent
BACKENDS = ("compiler/numba_backend/", "compiler/gpu/ptx.py")
IMPORT = re.compile(r"^\s*(?:import|from)\s+(?:numba|llvmlite)\b", re.MULTILINE)


def test_only_the_backends_import_numba():
    importers = [
        path.relative_to(HOUSE).as_posix() for path in HOUSE.rglob("*.py") if IMPORT.search(path.read_text("utf-8"))
    ]
    assert importers
    assert [path for path in importers if not path.startswith(BACKENDS)] == []


def test_modules_full_of_kernels_do_not_import_numba():
    """All modules of the house but the backends."""
    code = """
import importlib, pkgutil, sys, linkwork
found = [module.name for module in pkgutil.walk_packages(linkwork.__path__, "linkwork.")]
left_out = ("linkwork.compiler.numba_backend", "linkwork.compiler.gpu.ptx",
            "linkwork.__main__")
names = [name for name in found if not name.startswith(left_out)]
for name in names:
    importlib.import_module(name)
    assert "numba" not in sys.modules and "llvmlite" not in sys.modules, name
print(len(names))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 250


def parameters(kernel: Kernel) -> tuple[str, ...]:
    code = kernel.py_func.__code__
    return code.co_varnames[: code.co_argcount]


def test_every_stage_has_the_arguments_of_its_contract():
    for method in METHODS.values():
        assert parameters(method.factor) == stages.FACTOR.names, method.name
        assert parameters(method.solve) == stages.SOLVE.names, method.name
        assert parameters(method.correct) == stages.CORRECT.names, method.name
        assert parameters(method.accept) == stages.ACCEPT.names, method.name
    for integrator in INTEGRATORS.values():
        assert parameters(integrator.step) == stages.STEP.names, integrator.name
        assert parameters(integrator.interpolate) == stages.INTERPOLATE.names, integrator.name
