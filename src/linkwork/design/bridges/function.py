"""Outputs of a model as a plain function with a Jacobian: what all bridges, and SciPy, call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.design.variables import Variable
from linkwork.errors import NumericalError
from linkwork.studies.one_run import Build
from linkwork.studies.slopes import Slopes, value_and_gradient


class Function:
    """f(x): the values of some parameters, in their units -> outputs, SI units.  One evaluation gives both.

    `f.value_and_gradient` fits `scipy.optimize.minimize(..., jac=True)` where there is one output.
    """

    def __init__(
        self, build: Build, variables: Sequence[Variable], outputs: Sequence[str], analysis: str, options: Mapping[str, Any]
    ) -> None:
        self.variables, self.outputs = tuple(variables), tuple(outputs)

        def made(settings: Mapping[str, Any]) -> Any:
            return build({one.name: one.setting(settings[one.name]) for one in self.variables})

        names = [one.name for one in self.variables]
        self._evaluate = value_and_gradient(made, self.outputs, names, analysis, **options)
        self._latest: tuple[bytes, Slopes] | None = None

    @property
    def start(self) -> np.ndarray:
        """The values that the model has."""
        return np.array([one.start for one in self.variables])

    def slopes(self, x: Any) -> Slopes:
        """Outputs and Jacobian; the latest are kept.  An error where there is no derivative, with the reason."""
        at = np.asarray(x, float).reshape(len(self.variables))
        if self._latest is None or self._latest[0] != at.tobytes():
            found = self._evaluate(at)
            if found.reasons:
                raise NumericalError("; ".join(found.reasons))
            self._latest = (at.tobytes(), found)
        return self._latest[1]

    def __call__(self, x: Any) -> np.ndarray:
        """[output]."""
        return self.slopes(x).values

    def jacobian(self, x: Any) -> np.ndarray:
        """[output, parameter]."""
        return self.slopes(x).gradient

    def value_and_gradient(self, x: Any) -> tuple[float, np.ndarray]:
        """Of the first output."""
        found = self.slopes(x)
        return float(found.values[0]), found.gradient[0]

    # -- for other programs -------------------------------------------------------------------------------------
    def jax(self) -> Any:
        """A function of JAX with a `custom_vjp`."""
        from linkwork.design.bridges.jax import jax_function

        return jax_function(self)

    def torch(self) -> Any:
        """A function of PyTorch, an `autograd.Function`."""
        from linkwork.design.bridges.torch import torch_function

        return torch_function(self)

    def casadi(self, name: str = "linkwork") -> Any:
        """A `Callback` of CasADi."""
        from linkwork.design.bridges.casadi import casadi_function

        return casadi_function(self, name)
