"""`linkwork run`: simulate a mechanism and print how it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import (
    ChannelOption,
    ChannelPlotOption,
    EveryOption,
    FormulationOption,
    IntegratorOption,
    JsonOption,
    LargestStepOption,
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
from linkwork.commands.tables import print_facts
from linkwork.errors import NumericalError
from linkwork.lazy_import import lazy_module
from linkwork.view.summary import run_facts

if TYPE_CHECKING:
    from linkwork import run as runs
    from linkwork.results.result import Certificate
    from linkwork.run import Run
else:
    runs = lazy_module("linkwork.run")

MOST_EVENTS, MOST_SINGULAR = 12, 6  # listed in the summary


@app.command(
    epilog="Example: linkwork run four-bar --until 3 --rtol 1e-8 --plot energy.png --channel coupler.position.z"
)
def run(
    model: ModelArgument,
    until: UntilOption = None,
    formulation: FormulationOption = "auto",
    method: Annotated[str, typer.Option(help="auto, or a constraint method by name")] = "auto",
    integrator: IntegratorOption = "auto",
    rtol: ToleranceOption = 1e-6,
    hmax: LargestStepOption = None,
    step: StepOption = None,
    max_steps: Annotated[int | None, typer.Option(help="steps after which the run fails, its results kept")] = None,
    every: EveryOption = None,
    out: Annotated[Path | None, typer.Option(help="write the result while it runs, HDF5")] = None,
    plot: ChannelPlotOption = None,
    channel: ChannelOption = None,
    option: MethodOption = None,
    report: Annotated[Path | None, typer.Option(help="write a report, HTML or PDF")] = None,
    view: Annotated[bool, typer.Option("--view", help="show the motion in the browser")] = False,
    page: Annotated[Path | None, typer.Option(help="write the page that shows the motion here, .html")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate a mechanism and print how it went."""
    with answering("run", as_json, model) as answer:
        mechanism, method_options = read_model(model, settings), numbers_by_name("--option", option)
        try:
            result = mechanism.simulate(
                until, out=out, formulation=formulation, method=method, integrator=integrator, rtol=rtol, hmax=hmax,
                step=step, max_steps=max_steps, every=every, method_options=method_options,
            )  # fmt: skip
        except NumericalError as failure:
            if isinstance(failure.partial, runs.Run):
                answer |= _facts(failure.partial.certificate)
            raise
        histories = {name: result[name] for name in channel or []}
        units = {name: result.result.unit(name) for name in histories}
        answer |= _facts(result.certificate)
        answer |= {"t": result.t if histories else [], "channels": histories, "units": units}
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


def _facts(certificate: Certificate) -> dict[str, object]:
    facts = asdict(certificate)
    facts.pop("error")
    return facts


def _print_summary(run: Run, written: Mapping[str, Path | None]) -> None:
    c = run.certificate
    print_facts(run.result.model, [
        *run_facts(run.result),
        *_singular_facts(c.singular),
        *_event_facts(c.events),
        *_switch_facts(c.switches),
        ("wall time", f"{c.wall_s:.3f} s, compilation {c.compile_s:.1f} s"),
        *(("warning", text) for text in c.warnings),
        *((name, str(path)) for name, path in written.items() if path is not None),
    ])  # fmt: skip


def _switch_facts(switches: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """How many decisions the method has made, and each change of the integrator."""
    changed = [entry for entry in switches if "rank" not in entry]
    facts = [("integrator", f"t = {e['t']:.4g} s: {e['from']} to {e['to']}, {e['why']}") for e in changed]
    if len(switches) > len(changed):
        facts.append(("decisions", f"{len(switches) - len(changed)} of the method (--json lists them)"))
    return facts


def _singular_facts(singular: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    if not singular:
        return []
    listed = ", ".join(f"t = {entry['t']:.4f} s (rank {entry['rank']})" for entry in singular[:MOST_SINGULAR])
    more = f" and {len(singular) - MOST_SINGULAR} more" if len(singular) > MOST_SINGULAR else ""
    return [("singular positions", f"passed at {listed}{more}")]


def _event_facts(events: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """When, what, and the energy that it took or brought."""
    facts = []
    for entry in events[:MOST_EVENTS]:
        energy = f", energy {entry['energy']:+.6g} J" if "energy" in entry else ""
        facts.append(("event", f"t = {entry['t']:.9g} s: {entry['name']} ({entry['action']}{energy})"))
    if len(events) > MOST_EVENTS:
        facts.append(("more events", f"{len(events)} in all (--json lists them)"))
    return facts
