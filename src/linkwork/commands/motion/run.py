"""`linkwork run`: simulate a mechanism and print how it went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.commands.answer import (
    JsonOption,
    MethodOption,
    ModelArgument,
    SetOption,
    answering,
    app,
    print_table,
    read_model,
    read_numbers,
)

if TYPE_CHECKING:
    from linkwork.model import Model
    from linkwork.run import Run


MOST_EVENTS = 12  # in the summary


@app.command(
    epilog="Example: linkwork run four-bar --until 3 --rtol 1e-8 --plot energy.png --channel coupler.position.z"
)
def run(
    model: ModelArgument,
    until: Annotated[float | None, typer.Option(help="end time, s")] = None,
    formulation: Annotated[str, typer.Option(help="auto, joint or absolute")] = "auto",
    method: Annotated[str, typer.Option(help="auto, or a constraint method by name")] = "auto",
    integrator: Annotated[str, typer.Option(help="adams, dop853, rk4, ab3 or generalized-alpha")] = "adams",
    rtol: Annotated[float, typer.Option(help="tolerance of a step")] = 1e-6,
    hmax: Annotated[float | None, typer.Option(help="largest step, s")] = None,
    step: Annotated[float | None, typer.Option(help="step of rk4 and ab3, s")] = None,
    every: Annotated[float | None, typer.Option(help="time between samples, s")] = None,
    out: Annotated[Path | None, typer.Option(help="write the result while it runs, HDF5")] = None,
    plot: Annotated[Path | None, typer.Option(help="write a plot of the channels, PNG, SVG or PDF")] = None,
    channel: Annotated[list[str] | None, typer.Option(help="a channel for --json and --plot; may be repeated")] = None,
    option: MethodOption = None,
    report: Annotated[Path | None, typer.Option(help="write a report, HTML or PDF")] = None,
    view: Annotated[bool, typer.Option("--view", help="show the motion in the browser")] = False,
    page: Annotated[Path | None, typer.Option(help="write the page that shows the motion here, .html")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate a mechanism and print how it went."""
    with answering("run", as_json, model) as answer:
        mechanism = read_model(model, settings)
        options = {"formulation": formulation, "method": method, "integrator": integrator, "rtol": rtol,
                   "hmax": hmax, "step": step, "every": every,
                   "method_options": read_numbers("--option", option)}  # fmt: skip
        result = _simulate(mechanism, until, out, options, answer)
        histories = {name: result[name] for name in channel or []}
        answer |= {"t": result.t if histories else [], "channels": histories,
                   "units": {name: result.result.unit(name) for name in histories}}  # fmt: skip
        if plot is not None:
            result.plot(*(channel or []), path=plot)
        if report is not None:
            result.report(report)
        if view or page is not None:
            answer["page"] = str(result.view(page, open=view))
        if not as_json:
            _print_summary(result, {"plot": plot, "result file": out, "report": report, "page": page})
        if result.certificate.interrupted:
            raise KeyboardInterrupt


def _simulate(
    mechanism: Model, until: float | None, out: Path | None, options: dict[str, Any], answer: dict[str, Any]
) -> Run:
    """Run; the certificate goes into the answer, also that of a run that failed on the way."""
    from linkwork.errors import NumericalError

    try:
        result = mechanism.simulate(until, out=out, **options)
    except NumericalError as failure:
        if failure.partial is not None:
            answer |= _certificate(failure.partial)  # type: ignore[arg-type]
        raise
    answer |= _certificate(result)
    return result


def _certificate(result: Run) -> dict[str, Any]:
    from dataclasses import asdict

    facts = asdict(result.certificate)
    facts.pop("error")
    return facts


def _print_summary(result: Run, written: dict[str, Path | None]) -> None:
    c = result.certificate
    rows = [
        ("status", f"{c.status} at t = {c.t_end:g} s"),
        ("degrees of freedom", f"{c.dof}"),
        ("formulation, method", f"{c.formulation}, {c.method}"),
        ("why", c.why),
        ("integrator", f"{c.integrator}, rtol {result.result.options['rtol']:g}"),
        ("steps", f"{c.steps} ({c.rejected} rejected), {c.evaluations} evaluations, {c.factorizations} factorizations"),
        ("energy drift", f"{c.energy_drift:.2e} of the energy exchanged"),
        ("worst violation", f"position {c.max_violation['position']:.1e}, velocity {c.max_violation['velocity']:.1e}"),
        *((("singular positions", _listed_positions(c.singular)),) if c.singular else ()),
        *(("event", _told_event(entry)) for entry in c.events[:MOST_EVENTS]),
        *((("more events", f"{len(c.events)} in all (--json lists them)"),) if len(c.events) > MOST_EVENTS else ()),
        *((("decisions", f"{len(c.switches)} of the method (--json lists them)"),) if c.switches else ()),
        ("wall time", f"{c.wall_s:.3f} s, compilation {c.compile_s:.1f} s"),
        *(("warning", text) for text in c.warnings),
        *((name, str(path)) for name, path in written.items() if path is not None),
    ]
    print_table(result.result.model, rows)


def _told_event(entry: dict[str, Any]) -> str:
    """When, what, and the energy that it took or brought."""
    energy = f", energy {entry['energy']:+.6g} J" if "energy" in entry else ""
    return f"t = {entry['t']:.9g} s: {entry['name']} ({entry['action']}{energy})"


def _listed_positions(singular: list[dict[str, Any]]) -> str:
    listed = ", ".join(f"t = {entry['t']:.4f} s (rank {entry['rank']})" for entry in singular[:6])
    return "passed at " + listed + (f" and {len(singular) - 6} more" if len(singular) > 6 else "")
