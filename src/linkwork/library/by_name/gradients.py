"""A model by what users call it as a function with its gradient, for SciPy and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from linkwork.elements.declaration.calls import explained
from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError
from linkwork.library.by_name.sources import source_of
from linkwork.model import Model
from linkwork.model.gradients import ValueAndGrad


@explained("value_and_grad", OptionError)
def value_and_grad(
    model: Model | str | Path | Callable[..., Model], outputs: str | Sequence[str], parameters: Sequence[str], *,
    analysis: str = "simulate", settings: Mapping[str, Setting] | None = None, **options: Any,
) -> ValueAndGrad:  # fmt: skip
    """A function x -> (values, gradient) of numbers of a model, exact but for the tolerance of the analysis.

    Args:
        model: a Model, a name of the library, a file, or a function of numbers that makes a Model.
        outputs: expressions over what the analysis finds, as of a study; of one text the function gives a number and a
            vector, which is what `scipy.optimize.minimize(..., jac=True)` takes.
        parameters: names of parameters or fields; their values are in the model's own units, the gradient per unit.
        analysis: simulate, kinematics, equilibrium, modes or response; `options` are its options.
        settings: parameters and fields that stay as given here.

    Examples:
        >>> f = lw.value_and_grad("pendulum", "end(bar.position.x)", ["length", "angle"], until=1.0, rtol=1e-8)
        >>> scipy.optimize.minimize(f, f.x0, jac=True)
    """
    known, make = source_of(model, dict(settings or {}))
    own = {name: (value, unit) for name, (value, unit, _) in known.items()}
    return ValueAndGrad(lambda given: make(given).mechanism, own, outputs, parameters, analysis, options)
