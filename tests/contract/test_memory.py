"""No kernel writes outside the arrays that it is given: guards on both sides of every array stay as they were."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import LinkworkError
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import LIBRARY
from linkwork.methods.registry import METHODS
from random_mechanisms.anything import anything

GUARD, MARK = 4096, 0xA5  # bytes on each side, and what they hold
UNTIL = 0.02  # s
LARGE = lw.library_model("n-four-bar", {"n": 20}).mechanism  # beyond dense matrices


@dataclass
class Guards:
    """Arrays of zeros and ones with guards."""

    zeros: Any
    arrays: list[np.ndarray] = field(default_factory=list)

    def new(self, shape: Any, dtype: Any = float, **_: Any) -> np.ndarray:
        kind = np.dtype(dtype)
        size = math.prod(np.atleast_1d(shape).tolist()) * kind.itemsize
        whole: np.ndarray = self.zeros(size + 2 * GUARD, np.uint8)
        whole[:GUARD] = whole[GUARD + size :] = MARK
        self.arrays.append(whole)
        found: np.ndarray = whole[GUARD : GUARD + size].view(kind).reshape(shape)
        return found

    def ones(self, shape: Any, dtype: Any = float, **_: Any) -> np.ndarray:
        found = self.new(shape, dtype)
        found[...] = 1
        return found

    def all_whole(self) -> bool:
        sides = (side for whole in self.arrays for side in (whole[:GUARD], whole[-GUARD:]))
        return all((side == MARK).all() for side in sides)


@pytest.fixture
def guards(monkeypatch: pytest.MonkeyPatch) -> Guards:
    """All arrays that are made from now on have guards."""
    made = Guards(np.zeros)
    for name, function in (("zeros", made.new), ("empty", made.new), ("ones", made.ones)):
        monkeypatch.setattr(np, name, function)
    return made


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_written_outside_by_a_method(method: str, guards: Guards) -> None:
    large = [] if METHODS[method].dense else [LARGE]
    for mechanism in [*(anything(seed).mechanism() for seed in range(40, 60)), *large]:
        for formulation in ("joint", "absolute"):
            guards.arrays.clear()
            try:
                simulate(mechanism, Options(until=UNTIL, formulation=formulation, method=method))
            except LinkworkError:
                continue
            assert guards.all_whole(), (mechanism, formulation)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_nothing_is_written_outside_by_an_integrator(integrator: str, guards: Guards) -> None:
    step = None if INTEGRATORS[integrator].adaptive else UNTIL / 20.0
    for seed in range(20):
        guards.arrays.clear()
        try:
            simulate(anything(seed).mechanism(), Options(until=UNTIL, integrator=integrator, step=step))
        except LinkworkError:
            continue
        assert guards.all_whole(), seed


@pytest.mark.parametrize("name", LIBRARY)
def test_nothing_is_written_outside_by_an_analysis(name: str, guards: Guards) -> None:
    model = lw.library_model(name)
    for analysis in (lambda: model.simulate(UNTIL, progress=False), model.check, model.equilibrium, model.linearize):
        guards.arrays.clear()
        try:
            analysis()
        except LinkworkError:
            continue
        assert guards.all_whole(), analysis
