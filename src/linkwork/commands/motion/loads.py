"""`linkwork loads`: reactions and driving forces of joints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.commands.answer import (
    JsonOption,
    SetOption,
    answering,
    app,
    number_text,
    numbers_text,
    print_rows,
    read_model,
)
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.analyses.loads.load_cases import LoadCase
    from linkwork.analyses.loads.reactions import Loads
    from linkwork.run import Run


@app.command(epilog="Example: linkwork loads rrc-arm --joint 'joint 2' --frame joint --csv loads.csv --plot loads.png")
def loads(
    model: Annotated[str, typer.Argument(help="a model as for `run`, or the .h5 file of a run", metavar="MODEL")],
    joint: Annotated[list[str] | None, typer.Option(help="name of a joint; may be repeated; default: all")] = None,
    on: Annotated[str | None, typer.Option(help="the body on which it acts; default: the second said")] = None,
    at: Annotated[str, typer.Option(help="point of the moment: joint, a body, a frame or X,Y,Z in m")] = "joint",
    frame: Annotated[str, typer.Option(help="axes: world, joint, a body or a frame")] = "world",
    method: Annotated[str, typer.Option(help="auto, non-recursive, newton-euler or multipliers")] = "auto",
    until: Annotated[float | None, typer.Option(help="end time, s")] = None,
    since: Annotated[float, typer.Option(help="leave out what is before this time, s")] = 0.0,
    formulation: Annotated[str, typer.Option(help="auto, joint or absolute")] = "auto",
    integrator: Annotated[str, typer.Option(help="adams, dop853, rk4, ab3 or generalized-alpha")] = "adams",
    rtol: Annotated[float, typer.Option(help="tolerance of a step")] = 1e-8,
    step: Annotated[float | None, typer.Option(help="step of rk4 and ab3, s")] = None,
    every: Annotated[float | None, typer.Option(help="time between samples, s")] = None,
    body: Annotated[str | None, typer.Option(help="also all loads on this body when its joints' peak")] = None,
    csv: Annotated[Path | None, typer.Option(help="write the histories; with --body the load cases")] = None,
    plot: Annotated[Path | None, typer.Option(help="write a plot, PNG, SVG or PDF")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reactions and driving forces of joints: their peaks, histories, and the loads on a body."""
    from linkwork.analyses.loads.load_cases import write_cases, write_histories
    from linkwork.view.plots.histories import plot_loads

    with answering("loads", as_json, model) as answer:
        options = {"formulation": formulation, "integrator": integrator, "rtol": rtol, "step": step, "every": every}
        result = _moved(model, until, settings, options)
        window = (since, float(result.t[-1])) if since else None
        found = result.loads(joint, on=on, at=_point(at), frame=frame, method=method, during=window)
        cases = result.load_cases(body, window) if body is not None else []
        answer["warnings"] = found.notes()
        answer |= found.as_dict() | {"cases": [case.as_dict() for case in cases]}
        if csv is not None:
            write_cases(cases, csv) if body is not None else write_histories(found, csv)
        if plot is not None:
            plot_loads(found, plot)
        if not as_json:
            _print_peaks(found)
            for case in cases:
                _print_case(case)


def _moved(model: str, until: float | None, settings: list[str] | None, options: dict[str, Any]) -> Run:
    """The run to find loads of: simulated now, or read from its file."""
    if Path(model).suffix == ".h5":
        from linkwork.run import load

        asked = {"--until": until, "--set": settings, "--step": options["step"], "--every": options["every"]}
        for name, value in asked.items():
            if value:
                raise OptionError(f"{name} is for a model; a run is read as it is from '{model}'", element=name)
        return load(model)
    return read_model(model, settings).simulate(until, **options)


def _point(at: str) -> str | list[float]:
    """`joint`, a name, or the three numbers of a point."""
    try:
        numbers = [float(part) for part in at.split(",")]
    except ValueError:
        return at
    return numbers if len(numbers) > 1 else at


def _print_peaks(found: Loads) -> None:
    """For each joint a table of peaks: value, time, and the whole wrench then."""
    for reaction in found.values():
        noise = 1e-10 * max((abs(peak.value) for peak in reaction.peaks()), default=0.0)
        rows = [
            (peak.of, number_text(peak.value, noise), f"{peak.t:.6g}", numbers_text(peak.force, noise),
             numbers_text(peak.torque, noise))
            for peak in reaction.peaks()
        ]  # fmt: skip
        rows += [(name, "not unique", "", "", "") for name, unique in reaction.unique.items() if not unique]
        title = f"{reaction.joint}: on {reaction.on}, at {reaction.at}, {reaction.frame} axes; N and N m"
        print_rows(title, ("peak of", "value", "t, s", "force then", "torque then"), rows)
    for note in found.notes():
        typer.echo(f"note: {note}")


def _print_case(case: LoadCase) -> None:
    """All loads on a body at an instant."""
    noise = 1e-10 * max(abs(float(x)) for load in case.loads for x in (*load.force, *load.torque) if x == x)
    rows = [
        (load.name, numbers_text(load.point, 1e-12), numbers_text(load.force, noise), numbers_text(load.torque, noise))
        for load in case.loads
    ]
    title = f"{case.body} at t = {case.t:.6g} s ({case.why}); its own axes, N and N m"
    print_rows(title, ("load", "point, m", "force", "torque"), rows)
