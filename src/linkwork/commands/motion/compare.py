"""`linkwork compare`: all constraint methods on one model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.commands.answer import (
    JsonOption,
    MethodOption,
    ModelArgument,
    SetOption,
    answering,
    app,
    print_rows,
    read_model,
    read_numbers,
)


@app.command(epilog="Example: linkwork compare four-bar --rtol 1e-6 --plot compare.png")
def compare(
    model: ModelArgument,
    until: Annotated[float | None, typer.Option(help="end time, s")] = None,
    method: Annotated[list[str] | None, typer.Option(help="a method; may be repeated; default: all")] = None,
    formulation: Annotated[list[str] | None, typer.Option(help="joint or absolute; default: both")] = None,
    integrator: Annotated[str, typer.Option(help="adams, dop853, rk4, ab3 or generalized-alpha")] = "adams",
    rtol: Annotated[float, typer.Option(help="tolerance of a step")] = 1e-6,
    hmax: Annotated[float | None, typer.Option(help="largest step, s")] = None,
    step: Annotated[float | None, typer.Option(help="step of rk4 and ab3, s")] = None,
    plot: Annotated[Path | None, typer.Option(help="write energy, step size and active method over time")] = None,
    option: MethodOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run all constraint methods on one model, side by side."""
    from linkwork.view.plots.comparison import plot_comparison

    with answering("compare", as_json, model) as answer:
        found = read_model(model, settings).compare(
            until, methods=method, formulations=formulation, integrator=integrator, rtol=rtol, hmax=hmax, step=step,
            method_options=read_numbers("--option", option),
        )  # fmt: skip
        answer |= found.as_dict()
        if plot is not None:
            plot_comparison(found, plot)
        if not as_json:
            print_rows(
                f"{found.model}: {integrator}, rtol {rtol:g}",
                ("formulation", "method", "status", "steps", "evaluations", "factored", "wall", "energy", "violation",
                 "error", "switches"),
                [
                    (r.formulation, r.method, r.status, f"{r.steps}", f"{r.evaluations}", f"{r.factorizations}",
                     f"x {r.ratio:.2f}", f"{r.energy_drift:.1e}", f"{r.max_violation:.1e}", f"{r.error:.1e}",
                     f"{r.switches}")
                    for r in found.rows
                ],
            )  # fmt: skip
            for text in (
                *found.warnings,
                *(f"{r.formulation}, {r.method}: {r.message}" for r in found.rows if r.message),
                *found.left_out(),
            ):
                typer.echo(text)
