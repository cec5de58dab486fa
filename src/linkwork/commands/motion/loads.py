"""`linkwork loads`: reactions and driving forces of joints, and what links and couplings transmit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import (
    EquilibriumOption,
    EveryOption,
    FineToleranceOption,
    FormulationOption,
    IntegratorOption,
    JsonOption,
    LargestStepOption,
    MethodNameOption,
    PlotOption,
    SetOption,
    StepOption,
    UntilOption,
    app,
    read_model,
)
from linkwork.commands.tables import print_tables
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions, lazy_module

if TYPE_CHECKING:
    from linkwork.analyses.loads.cases import load_cases
    from linkwork.analyses.simulate.dynamics import finer
    from linkwork.run import load
else:
    (finer,) = lazy_functions("linkwork.analyses.simulate.dynamics", "finer")
    load_cases = lazy_module("linkwork.analyses.loads.cases.load_cases")
    (load,) = lazy_functions("linkwork.run", "load")


MANY = 3000  # samples times joints: it takes a while


@app.command(epilog="Example: linkwork loads rrc-arm --joint 'joint 2' --frame joint --csv loads.csv --plot loads.png")
def loads(
    model: Annotated[str, typer.Argument(help="a model as for `run`, or the .h5 file of a run", metavar="MODEL")],
    joint: Annotated[
        list[str] | None, typer.Option(help="name of a joint, link or coupling; may be repeated; default: all")
    ] = None,
    on: Annotated[str | None, typer.Option(help="the body on which it acts; default: the joint's second")] = None,
    at: Annotated[str, typer.Option(help="point of the moment: joint, a body, a frame or X,Y,Z in m")] = "joint",
    frame: Annotated[str, typer.Option(help="axes: world, joint, a body or a frame")] = "world",
    loads_method: Annotated[str, typer.Option(help="auto, non-recursive, newton-euler or multipliers")] = "auto",
    until: UntilOption = None,
    since: Annotated[float, typer.Option(help="leave out what is before this time, s")] = 0.0,
    formulation: FormulationOption = "auto",
    method: MethodNameOption = "auto",
    integrator: IntegratorOption = "auto",
    rtol: FineToleranceOption = None,
    hmax: LargestStepOption = None,
    step: StepOption = None,
    every: EveryOption = None,
    from_equilibrium: EquilibriumOption = None,
    body: Annotated[str | None, typer.Option(help="also all loads on this body when its joints' peak")] = None,
    csv: Annotated[Path | None, typer.Option(help="write the histories; with --body the load cases")] = None,
    plot: PlotOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find reactions and driving forces of joints.

    Their peaks and histories, what links and couplings transmit, and the loads on a body.
    """
    with answering("loads", as_json, model) as answer:
        if Path(model).suffix == ".h5":
            given = {
                "--until": until,
                "--set": settings,
                "--step": step,
                "--every": every,
                "--hmax": hmax,
                "--rtol": rtol,
                "--from-equilibrium": from_equilibrium,
            }
            names = {"--formulation": formulation, "--method": method, "--integrator": integrator}
            _refuse_for_files(model, given | {option: name for option, name in names.items() if name != "auto"})
            run = load(model)
        else:
            chosen = {"formulation": formulation, "method": method, "integrator": integrator, "rtol": rtol,
                      "hmax": hmax, "step": step, "every": every, "from_equilibrium": from_equilibrium}  # fmt: skip
            run = read_model(model, settings).simulate(until, **finer(chosen))
        if len(run.t) * len(joint or run.result.names["joints"]) > MANY:
            typer.echo(f"computing loads at {len(run.t)} samples ...", err=True)
        window = (since, float(run.t[-1])) if since else None
        found = run.loads(joint, on=on, at=_point(at), frame=frame, method=loads_method, during=window)
        cases = run.load_cases(body, window) if body is not None else []
        answer.warn(*found.notes())
        answer |= found.as_dict() | {"cases": [case.as_dict() for case in cases]}
        if csv is not None and body is not None:
            load_cases.write_cases(cases, csv)
        elif csv is not None:
            load_cases.write_histories(found, csv)
        if plot is not None:
            found.plot(plot)
        if not as_json:
            print_tables(found.tables())
            for case in cases:
                print_tables(case.tables())


def _refuse_for_files(model: str, options: dict[str, object]) -> None:
    """A run in a file is read as it is: options of a simulation would change nothing."""
    for name, value in options.items():
        if value is not None and value != []:
            raise OptionError(f"{name} is for a model; a run is read as it is from '{model}'", element=name)


def _point(at: str) -> str | list[float]:
    """`joint`, a name, or the three numbers of a point."""
    try:
        numbers = [float(part) for part in at.split(",")]
    except ValueError:
        return at
    return numbers if len(numbers) > 1 else at
