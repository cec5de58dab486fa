"""`linkwork kinematics`: positions, velocities and accelerations of a fully driven mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import (
    ChannelOption,
    ChannelPlotOption,
    EveryOption,
    FormulationOption,
    JsonOption,
    ModelArgument,
    SetOption,
    UntilOption,
    app,
    read_model,
)
from linkwork.commands.arguments import span
from linkwork.commands.tables import print_facts, print_table
from linkwork.lazy_import import lazy_module
from linkwork.tables import number_text
from linkwork.view.summary import violation_text

if TYPE_CHECKING:
    import numpy as np

    from linkwork.run import Run
else:
    np = lazy_module("numpy")


@app.command(epilog="Example: linkwork kinematics four-bar --sweep A.angle=0:6.2832:200 --channel rocker.velocity.x")
def kinematics(
    model: ModelArgument,
    sweep: Annotated[
        list[str] | None, typer.Option(help="JOINT.COORDINATE=FROM:TO:COUNT, rad or m; needs no driver")
    ] = None,
    until: UntilOption = None,
    every: EveryOption = None,
    formulation: FormulationOption = "auto",
    channel: ChannelOption = None,
    path: Annotated[list[str] | None, typer.Option(help="a body or frame; its path; may be repeated")] = None,
    transmission: Annotated[list[str] | None, typer.Option(help="a joint: angle between its two links")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="write the result, HDF5")] = None,
    plot: ChannelPlotOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Analyse the kinematics of a fully driven mechanism.

    Positions, velocities and accelerations, at times or over an input, without integration.
    """
    with answering("kinematics", as_json, model) as answer:
        run = read_model(model, settings).kinematics(
            until=until, every=every, formulation=formulation, sweep=_sweep(sweep) if sweep else None
        )
        channels = {name: run[name] for name in channel or []}
        units = {name: run.result.unit(name) for name in channels}
        paths = {name: run.path(name) for name in path or []}
        angles = {name: run.transmission_angle(name) for name in transmission or []}
        facts = asdict(run.certificate)
        facts.pop("error")
        answer |= facts | {
            "input": run.result.options["input"], "t": run.t, "channels": channels, "units": units, "paths": paths,
            "transmission": angles,
        }  # fmt: skip
        if out is not None:
            run.save(out)
        if plot is not None:
            run.plot(*(channel or []), path=plot)
        if not as_json:
            _print_summary(run, {"plot": plot, "result file": out})
            curves = {name: (values, units[name]) for name, values in channels.items()}
            curves |= {f"transmission angle at {name}": (values, "rad") for name, values in angles.items()}
            curves |= {f"{name} {axis}": (points[:, k], "m") for name, points in paths.items()
                       for k, axis in enumerate("xyz")}  # fmt: skip
            _print_extremes(run, curves)


def _sweep(texts: Sequence[str]) -> dict[str, tuple[float, float, int]]:
    """JOINT.COORDINATE=FROM:TO:COUNT; more than one is for the analysis to refuse."""
    found = {}
    for text in texts:
        name, _, between = text.partition("=")
        values = span(between, f"--sweep {text}", "JOINT.COORDINATE=FROM:TO:COUNT, as in --sweep A.angle=0:6.28:200")
        found[name.strip()] = (float(values[0]), float(values[-1]), len(values))
    return found


def _print_summary(run: Run, written: Mapping[str, Path | None]) -> None:
    c, options = run.certificate, run.result.options
    input, unit = options["input"], options["unit"]
    span = f"from {input} = {run.t[0]:.6g} to {run.t[-1]:.6g} {unit}" if len(run.t) else ""
    print_facts(run.result.model, [
        ("status", f"{c.status} at {input} = {c.t_end:.6g} {unit}"),
        ("positions", f"{len(run.t)} {span}" if span else "none"),
        ("formulation", c.formulation),
        ("steps", f"{c.steps} ({c.rejected} rejected)"),
        ("worst violation", violation_text(c)),
        ("wall time", f"{c.wall_s:.3f} s, compilation {c.compile_s:.1f} s"),
        *(("warning", text) for text in c.warnings),
        *((name, str(path)) for name, path in written.items() if path is not None),
    ])  # fmt: skip


def _print_extremes(run: Run, curves: Mapping[str, tuple[np.ndarray, str]]) -> None:
    """Least and greatest value of each curve (values, unit), and where."""
    if not curves or not len(run.t):
        return
    rows = []
    for name, (values, unit) in curves.items():
        low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
        ends = (values[low], run.t[low], values[high], run.t[high])
        rows.append((name, unit, *(number_text(float(value)) for value in ends)))
    at = f"at {run.result.options['input']}"
    print_table("extremes", ("of", "unit", "least", at, "greatest", at), rows)
