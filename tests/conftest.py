"""What the tests share."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

NUMBA = find_spec("numba") is not None


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
