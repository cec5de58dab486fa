"""The verbs `optimize` and `fit` of a model by what users call it: a name, a file, a Model, a function of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from linkwork.design.fitted import Fitted
from linkwork.design.optimum import Optimum
from linkwork.elements.declaration.calls import explained
from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError
from linkwork.library.by_name.sources import source_of
from linkwork.model import Model
from linkwork.model.designing import Own, fit_of, optimize_of
from linkwork.studies.one_run import Build


@explained("optimize", OptionError)
def optimize(
    model: Model | str | Path | Callable[..., Model], vary: Mapping[str, object], minimize: str | Sequence[str],
    subject_to: str | Sequence[str] = (), *, analysis: str = "simulate", settings: Mapping[str, Setting] | None = None,
    method: str = "auto", starts: int = 1, seed: int = 0, iterations: int = 200, out: str | Path | None = None,
    progress: bool | None = None, **options: Any,
) -> Optimum:  # fmt: skip
    """Find numbers of a model for which an output is least, by SciPy with the gradients of the analysis.

    Args:
        model: a Model, a name of the library, a file, or a function of numbers that makes a Model.
        vary: what may change, parameters or fields, and between which bounds: {"crank": (0.05, 0.2)}, with a start
            {"crank": (0.05, 0.1, 0.2)}, in units {"crank": "50 .. 200 mm"}.  Numbers are in the model's own units.
        minimize: an output, as of a study: "max(abs(reaction('A').force))"; of a list the sum of squares is least.
        subject_to: conditions on outputs: ["frequency(1) >= 5", "span(slider.position.x) == 0.2"].
        analysis: simulate, kinematics, equilibrium, modes or response; `options` are its options.
        settings: parameters and fields that stay as given here.
        method: auto, least-squares, slsqp, trust-constr or l-bfgs-b.
        starts: how many; the first as given, the others spread between the bounds by `seed`.
        iterations: at most, from each start.
        out: a new folder for the table of all trials (Parquet).

    Examples:
        >>> best = lw.optimize(
        ...     "quarter-car", {"damping": (100, 5000)}, "-damping(1)", "damping(2) <= 0.3", analysis="modes"
        ... )
        >>> best["damping"]
    """
    build, parameters = _source(model, settings)
    return optimize_of(
        build, parameters, vary, minimize, subject_to, analysis=analysis, method=method, starts=starts, seed=seed,
        iterations=iterations, out=out, progress=progress, **options,
    )  # fmt: skip


@explained("fit", OptionError)
def fit(
    model: Model | str | Path | Callable[..., Model], data: Any, unknown: Mapping[str, object], *,
    channels: Mapping[str, str] | None = None, noise: Mapping[str, float] | None = None, confidence: float = 0.95,
    analysis: str = "simulate", settings: Mapping[str, Setting] | None = None, starts: int = 1, seed: int = 0,
    iterations: int = 100, progress: bool | None = None, **options: Any,
) -> Fitted:  # fmt: skip
    """Find masses, inertias, stiffness, friction of a model from measured channels, with confidence intervals.

    Args:
        model: a Model, a name of the library, a file, or a function of numbers that makes a Model.
        data: a CSV file, a table of pandas, or arrays by name; a column 't' (s), the others channels of a run.
            Headings may have units: "arm.angle [deg]"; SI units without.
        unknown: what is to be found, as `vary` of `optimize`: {"spring.stiffness": (100, 5000)}.
        channels: which channel a column measures, {"sensor 1": "arm.angle"}; default: columns have names of channels.
        noise: standard deviation of channels, SI units; default: that of the residuals.
        confidence: of the intervals.
        analysis: simulate or kinematics; `options` are its options.
        settings: parameters and fields that stay as given here.
        starts: how many; the first as given, the others spread between the bounds by `seed`.
        iterations: at most, from each start.

    Examples:
        >>> found = lw.fit("swing.toml", "measured.csv", {"arm.mass": (0.5, 2), "pin.viscous": (0, 0.1)})
    """
    build, parameters = _source(model, settings)
    return fit_of(
        build, parameters, data, unknown, channels=channels, noise=noise, confidence=confidence, analysis=analysis,
        starts=starts, seed=seed, iterations=iterations, progress=progress, **options,
    )  # fmt: skip


def _source(model: Any, settings: Mapping[str, Setting] | None) -> tuple[Build, Own]:
    parameters, make = source_of(model, dict(settings or {}))
    return (lambda given: make(given).mechanism), {name: (value, unit) for name, (value, unit, _) in parameters.items()}
