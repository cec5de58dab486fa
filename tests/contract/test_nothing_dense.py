"""Nothing dense is behind `auto`: what is as large as the mechanism in both directions is refused here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from linkwork.errors import AssemblyError
from linkwork.formulations import jacobians
from linkwork.library import library_model
from linkwork.model import Model

LARGEST = 200  # rows and columns of a matrix that may be factored
ROUTINES = (
    "svd",
    "qr",
    "lstsq",
    "eigh",
    "eigvalsh",
    "eig",
    "eigvals",
    "solve",
    "inv",
    "pinv",
    "cholesky",
    "null_space",
)


def refusing(routine: Callable[..., Any]) -> Callable[..., Any]:
    """The same routine, for thin matrices and stacks of small ones."""

    def call(a: Any, *others: Any, **named: Any) -> Any:
        assert min(np.shape(a)[-2:]) <= LARGEST, f"dense {routine.__name__} of {np.shape(a)}"
        return routine(a, *others, **named)

    return call


@pytest.fixture(autouse=True)
def without_dense_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in (np.linalg, scipy.linalg):
        for name in ROUTINES:
            if hasattr(library, name):
                monkeypatch.setattr(library, name, refusing(getattr(library, name)))
    for module, name in ((jacobians, "dense_jacobian"), (jacobians, "dense_mass")):
        monkeypatch.setattr(getattr(module, name), "__code__", _refused.__code__)


def _refused(system: Any, work: Any) -> np.ndarray:
    raise AssertionError(f"a dense matrix of {len(system.dofs)} motions")


@pytest.fixture(scope="module")
def chain() -> Model:
    """1800 constraint equations in absolute coordinates, 600 in joint coordinates."""
    return library_model("n-four-bar", {"n": 300})


def test_simulation(chain: Model) -> None:
    run = chain.simulate(1.0, progress=False)
    assert run.certificate.status == "finished"
    assert [entry["of"] - entry["rank"] for entry in run.certificate.singular] == [300]


def test_diagnosis(chain: Model) -> None:
    found = chain.check()
    assert (found.dof, found.equations, found.redundant) == (1, 1802, ())


def test_redundant_equations() -> None:
    """In space each loop has three equations that others imply."""
    spatial = Model.of(library_model("n-four-bar", {"n": 60}).mechanism.model_copy(update={"plane": None}))
    found = spatial.check()
    assert (found.dof, len(found.redundant)) == (1, 180)
    assert all(len(redundancy.shared_with) >= 3 for redundancy in found.redundant)


def test_equilibrium(chain: Model) -> None:
    """A wind on one bar moves the whole row, by tan(angle) = F / ((N + 1) / 2 + N) m g."""
    leaning = Model.of(chain.mechanism)
    leaning.applied_force("wind", "bar150", force=(500.0, 0.0, 0.0))
    found = leaning.equilibrium()
    slope = 500.0 / ((301 / 2 + 300) * 9.81)
    assert abs(math.tan(found.coordinates["pivot0.angle"])) == pytest.approx(slope, abs=1e-9)


def test_a_driver_too_many(chain: Model) -> None:
    """Two drivers of one degree of freedom, which agree: a note, and a run."""
    driven = Model.of(chain.mechanism)
    for number in (0, 7):
        driven.driver(f"motor{number}", joint=f"pivot{number}", motion="-t")
    run = driven.simulate(0.2, progress=False)
    assert any("'motor0' and 'motor7'" in warning for warning in run.certificate.warnings)


def test_equations_that_cannot_be_met(chain: Model) -> None:
    """One bar of many that is too long."""
    broken = Model.of(chain.mechanism)
    broken.distance("strut", "ground", "bar5", points=((4.5, 0.0, 0.0), (4.5, 0.0, 1.0)), length=30.0)
    with pytest.raises(AssemblyError, match="cannot be assembled"):
        broken.simulate(0.1, progress=False)
