"""`linkwork kinematics`: positions, velocities and accelerations of a fully driven mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.commands.answer import (
    JsonOption,
    ModelArgument,
    SetOption,
    answering,
    app,
    number_text,
    print_rows,
    print_table,
    read_model,
)
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.run import Run


@app.command(epilog="Example: linkwork kinematics four-bar --sweep A.angle=0:6.2832:200 --channel rocker.velocity.x")
def kinematics(
    model: ModelArgument,
    sweep: Annotated[str | None, typer.Option(help="JOINT.COORDINATE=FROM:TO:COUNT, rad or m; needs no driver")] = None,
    until: Annotated[float | None, typer.Option(help="end time, s")] = None,
    every: Annotated[float | None, typer.Option(help="time between samples, s")] = None,
    formulation: Annotated[str, typer.Option(help="auto, joint or absolute")] = "auto",
    channel: Annotated[list[str] | None, typer.Option(help="a channel for --json and --plot; may be repeated")] = None,
    path: Annotated[list[str] | None, typer.Option(help="a body or frame; its path; may be repeated")] = None,
    transmission: Annotated[list[str] | None, typer.Option(help="a joint: angle between its two links")] = None,
    out: Annotated[Path | None, typer.Option(help="write the result, HDF5")] = None,
    plot: Annotated[Path | None, typer.Option(help="write a plot of the channels, PNG, SVG or PDF")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Positions, velocities, accelerations of a fully driven mechanism, at times or over an input."""
    from dataclasses import asdict

    with answering("kinematics", as_json, model) as answer:
        asked: dict[str, Any] = {"until": until, "every": every, "formulation": formulation}
        result = read_model(model, settings).kinematics(**asked, sweep=_sweep(sweep) if sweep is not None else None)
        facts = asdict(result.certificate)
        facts.pop("error")
        answer |= facts | {
            "input": result.result.options["input"],
            "t": result.t,
            "channels": {name: result[name] for name in channel or []},
            "units": {name: result.result.unit(name) for name in channel or []},
            "paths": {name: result.path(name) for name in path or []},
            "transmission": {name: result.transmission_angle(name) for name in transmission or []},
        }
        if out is not None:
            result.save(out)
        if plot is not None:
            result.plot(*(channel or []), path=plot)
        if not as_json:
            _print_summary(result, answer, plot, out)


def _sweep(text: str) -> dict[str, tuple[float, float, int]]:
    """JOINT.COORDINATE=FROM:TO:COUNT."""
    name, _, span = text.partition("=")
    try:
        first, last, count = span.split(":")
        return {name: (float(first), float(last), int(count))}
    except ValueError:
        raise OptionError(
            f"--sweep {text}: write JOINT.COORDINATE=FROM:TO:COUNT, as in --sweep A.angle=0:6.28:200", element=name
        ) from None


def _print_summary(result: Run, answer: dict[str, Any], plot: Path | None, out: Path | None) -> None:
    c, options = result.certificate, result.result.options
    input, unit = options["input"], options["unit"]
    rows = [
        ("status", f"{c.status} at {input} = {c.t_end:.6g} {unit}"),
        ("positions", f"{len(result.t)} from {input} = {result.t[0]:.6g} to {result.t[-1]:.6g} {unit}"
         if len(result.t) else "none"),
        ("formulation", c.formulation),
        ("steps", f"{c.steps} ({c.rejected} rejected)"),
        ("worst violation", f"position {c.max_violation['position']:.1e}, velocity {c.max_violation['velocity']:.1e}"),
        ("wall time", f"{c.wall_s:.3f} s, compilation {c.compile_s:.1f} s"),
        *(("warning", text) for text in c.warnings),
        *((name, str(where)) for name, where in (("plot", plot), ("result file", out)) if where is not None),
    ]  # fmt: skip
    print_table(result.result.model, rows)
    curves = {name: (values, answer["units"][name]) for name, values in answer["channels"].items()}
    curves |= {f"transmission angle at {name}": (values, "rad") for name, values in answer["transmission"].items()}
    for name, points in answer["paths"].items():
        curves |= {f"{name} {axis}": (points[:, k], "m") for k, axis in enumerate("xyz")}
    if curves and len(result.t):
        print_rows("extremes", ("of", "unit", "least", f"at {input}", "greatest", f"at {input}"),
                   [_extremes(name, unit, values, result) for name, (values, unit) in curves.items()])  # fmt: skip


def _extremes(name: str, unit: str, values: Any, result: Run) -> tuple[str, ...]:
    """Least and greatest value, and where."""
    import numpy as np

    low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
    return (name, unit, number_text(values[low]), number_text(result.t[low]), number_text(values[high]),
            number_text(result.t[high]))  # fmt: skip
