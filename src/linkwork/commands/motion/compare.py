"""`linkwork compare`: all constraint methods on one model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import (
    EquilibriumOption,
    IntegratorOption,
    JsonOption,
    LargestStepOption,
    LiteralOption,
    MethodOption,
    ModelArgument,
    SetOption,
    StepOption,
    ToleranceOption,
    UntilOption,
    app,
    read_model,
)
from linkwork.commands.arguments import numbers_by_name
from linkwork.commands.tables import print_tables
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from linkwork.view.plots.comparison import plot_comparison
else:
    (plot_comparison,) = lazy_functions("linkwork.view.plots.comparison", "plot_comparison")


@app.command(epilog="Example: linkwork compare four-bar --rtol 1e-6 --plot compare.png")
def compare(
    model: ModelArgument,
    until: UntilOption = None,
    method: Annotated[list[str] | None, typer.Option(help="a method; may be repeated; default: all")] = None,
    formulation: Annotated[list[str] | None, typer.Option(help="joint or absolute; default: both")] = None,
    integrator: IntegratorOption = "auto",
    rtol: ToleranceOption = None,
    hmax: LargestStepOption = None,
    step: StepOption = None,
    plot: Annotated[Path | None, typer.Option(help="write energy, step size and active method over time")] = None,
    option: MethodOption = None,
    literal: LiteralOption = None,
    from_equilibrium: EquilibriumOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run all constraint methods on one model, side by side."""
    with answering("compare", as_json, model) as answer:
        found = read_model(model, settings).compare(
            until, methods=method, formulations=formulation, integrator=integrator, rtol=rtol, hmax=hmax, step=step,
            method_options=numbers_by_name("--option", option), literal=literal,
            from_equilibrium=from_equilibrium,
        )  # fmt: skip
        answer |= found.as_dict()
        if plot is not None:
            plot_comparison(found, plot)
        if not as_json:
            print_tables(found.tables())
