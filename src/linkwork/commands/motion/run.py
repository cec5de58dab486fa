"""`linkwork run`: simulate a mechanism and print how it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import (
    ChannelOption,
    ChannelPlotOption,
    EquilibriumOption,
    EveryOption,
    FormulationOption,
    IntegratorOption,
    JsonOption,
    LargestStepOption,
    LiteralOption,
    MethodNameOption,
    MethodOption,
    OptionalModelArgument,
    SetOption,
    StepOption,
    ToleranceOption,
    UntilOption,
    app,
    read_model,
)
from linkwork.commands.arguments import numbers_by_name
from linkwork.commands.tables import print_facts
from linkwork.errors import NumericalError, OptionError, SuspectError, entry_of, nearest
from linkwork.lazy_import import lazy_module
from linkwork.output_files import output_file
from linkwork.view.summary import rank_text, run_facts

if TYPE_CHECKING:
    from linkwork import run as runs
    from linkwork.elements.signals import measures
    from linkwork.mechanism import Mechanism
    from linkwork.model import resume as resuming
    from linkwork.results.result import Certificate
    from linkwork.run import Run
else:
    runs = lazy_module("linkwork.run")
    measures = lazy_module("linkwork.elements.signals.measures")
    resuming = lazy_module("linkwork.model.resume")

OF_A_NEW_RUN = (
    "model", "until", "formulation", "method", "integrator", "rtol", "hmax", "step", "max_steps", "every", "out",
    "option", "literal", "from_equilibrium", "verify", "planar", "settings",
)  # fmt: skip
MOST_EVENTS, MOST_SINGULAR = 12, 6  # listed in the summary


@app.command(
    epilog="Example: linkwork run four-bar --until 3 --rtol 1e-8 --plot energy.png --channel coupler.position.z"
)
def run(
    context: typer.Context,
    model: OptionalModelArgument = None,
    until: UntilOption = None,
    formulation: FormulationOption = "auto",
    method: MethodNameOption = "auto",
    integrator: IntegratorOption = "auto",
    rtol: ToleranceOption = None,
    hmax: LargestStepOption = None,
    step: StepOption = None,
    max_steps: Annotated[int | None, typer.Option(help="steps after which the run fails, its results kept")] = None,
    every: EveryOption = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="write the result while it runs, HDF5")] = None,
    plot: ChannelPlotOption = None,
    channel: ChannelOption = None,
    option: MethodOption = None,
    literal: LiteralOption = None,
    from_equilibrium: EquilibriumOption = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="estimate the error of every channel by a second, tighter run")
    ] = False,
    planar: Annotated[bool, typer.Option(help="a mechanism that moves in a plane by the kernels for the plane")] = True,
    report: Annotated[Path | None, typer.Option(help="write a report, HTML or PDF")] = None,
    view: Annotated[bool, typer.Option("--view", help="show the motion in the browser")] = False,
    page: Annotated[Path | None, typer.Option(help="write the page that shows the motion here, .html")] = None,
    settings: SetOption = None,
    resume: Annotated[Path | None, typer.Option(help="go on with a run that was killed or stopped, HDF5")] = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate a mechanism and print how it went."""
    with answering("run", as_json, model) as answer:
        try:
            if resume is not None:
                _refuse_with_resume(context)
                result = resuming.resume(resume)
                answer["model"] = result.result.model
            else:
                _refuse_unwritable(plot, report, page)
                mechanism, method_options = read_model(_given(model), settings), numbers_by_name("--option", option)
                _refuse_unknown(channel or [], mechanism.mechanism)
                result = mechanism.simulate(
                    until, out=out, formulation=formulation, method=method, integrator=integrator, rtol=rtol,
                    hmax=hmax, step=step, max_steps=max_steps, every=every, method_options=method_options,
                    literal=literal, from_equilibrium=from_equilibrium, verify=verify, planar=planar,
                )  # fmt: skip
        except NumericalError as failure:
            if isinstance(failure.partial, runs.Run):
                answer |= _facts(failure.partial.certificate)
            raise
        file = out or resume
        written = {} if file is None else {"result file": file}
        try:
            answer |= _facts(result.certificate) | _histories(result, channel or [])
            if plot is not None:
                result.plot(*(channel or []), path=plot)
                written["plot"] = plot
            if report is not None:
                result.report(report)
                written["report"] = report
            if view or page is not None:
                answer["page"] = str(result.view(page, open=view))
                written |= {} if page is None else {"page": page}
        finally:  # Ctrl-C, or a plot that cannot be written: the run is there all the same
            if not as_json:
                _print_summary(result, written)
        _exit_as(result.certificate)


def _exit_as(certificate: Certificate) -> None:
    """A run that was interrupted, or is suspect, exits as such."""
    if certificate.interrupted:
        raise KeyboardInterrupt
    if certificate.status == "suspect" and certificate.error is not None:
        raise SuspectError(certificate.error["message"], t=certificate.t_end, entry=entry_of(certificate.error))


def _histories(result: Run, channels: Sequence[str]) -> dict[str, object]:
    """The channels that were asked for, over the time."""
    histories = {name: result[name] for name in channels}
    units = {name: result.result.unit(name) for name in histories}
    return {"t": result.t if histories else [], "channels": histories, "units": units}


def _refuse_unwritable(plot: Path | None, report: Path | None, page: Path | None) -> None:
    """Before the run, not after it."""
    images, reports, pages = (".png", ".svg", ".pdf"), (".html", ".pdf"), (".html",)
    for path, what, suffixes in ((plot, "a plot", images), (report, "a report", reports), (page, "a page", pages)):
        if path is not None:
            output_file(path, what, suffixes)


def _refuse_unknown(channels: Sequence[str], mechanism: Mechanism) -> None:
    """A channel of an element that the model does not have: before the run, not after it."""
    known = ["energy", *(element.name for element in mechanism.elements())]
    for name in channels:
        if not any(name == one or name.startswith(f"{one}.") for one in known):
            rest = "".join(name.partition(".")[1:])
            hint = nearest(name, [f"{one}{rest}" for one in known])
            raise OptionError(f"there is no channel '{name}'; {hint}", element=name)


def _given(model: str | None) -> str:
    if model is None:
        raise OptionError("no MODEL; give one, or --resume with the file of a run", element="model")
    return model


def _refuse_with_resume(context: typer.Context) -> None:
    """Model and options of a run that goes on are in its file."""
    for name in OF_A_NEW_RUN:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            shown = "MODEL" if name == "model" else f"--{name}".replace("--settings", "--set").replace("_", "-")
            raise OptionError(f"{shown} with --resume: the run goes on as it began; leave it out", element=name)


def _facts(certificate: Certificate) -> dict[str, object]:
    facts = asdict(certificate)
    facts.pop("error")
    return facts


def _print_summary(run: Run, written: Mapping[str, Path]) -> None:
    c = run.certificate
    print_facts(run.result.model, [
        *run_facts(run.result),
        *_singular_facts(c.singular),
        *_event_facts(c.events),
        *(("event", f"{name} did not occur") for name in _missed(run)),
        *_switch_facts(c.switches),
        ("wall time", f"{c.wall_s:.3f} s, compilation {c.compile_s:.1f} s"),
        *(("warning", text) for text in _warnings(c)),
        *((name, str(path)) for name, path in written.items()),
    ])  # fmt: skip


def _missed(run: Run) -> list[str]:
    """Events of the model that did not occur."""
    occurred = {entry["name"] for entry in run.certificate.events}
    return [event.name for event in run.result.mechanism.of(measures.Event) if event.name not in occurred]


def _warnings(certificate: Certificate) -> list[str]:
    """All but the one for which a run is suspect: that is its error, shown below the table."""
    if certificate.status != "suspect" or certificate.error is None:
        return certificate.warnings
    return [text for text in certificate.warnings if not text.startswith(certificate.error["message"])]


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
    groups = groupby(singular[:MOST_SINGULAR], key=rank_text)
    times = ((", ".join(f"{entry['t']:.4f}" for entry in group), text) for text, group in groups)
    listed = "; ".join(f"t = {when} s ({text})" for when, text in times)
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
