"""What the tests share."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pytest

NUMBA, LLVM = (find_spec(name) is not None for name in ("numba", "llvmlite"))
ABOUT_NUMBA = ["unit/test_carving.py", "unit/test_kernel_cache.py", "unit/test_shortcuts.py"]
ABOUT_LLVM = ["contract/test_gpu.py"]
collect_ignore = [*([] if NUMBA else ABOUT_NUMBA), *([] if LLVM else ABOUT_LLVM)]


def pytest_configure(config: pytest.Config) -> None:
    """Kernels that Numba compiles slowly are an error."""
    if NUMBA:
        config.addinivalue_line("filterwarnings", "error::numba.core.errors.NumbaPerformanceWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs Numba, where it is not installed."""
    if not NUMBA:
        for item in items:
            if item.get_closest_marker("jit"):
                item.add_marker(pytest.mark.skip(reason="needs Numba"))


@pytest.fixture
def rng() -> np.random.Generator:
    """The same random numbers in every run."""
    return np.random.default_rng(20261115)


@pytest.fixture
def allocated() -> Callable[[], int]:
    """How often Numba has allocated memory so far."""
    from numba.core.runtime import _nrt_python
    from numba.core.runtime.nrt import rtsys

    _nrt_python.memsys_enable_stats()
    return lambda: rtsys.get_allocation_stats().alloc
