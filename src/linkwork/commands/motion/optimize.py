"""`linkwork optimize`: numbers of a model for which an output is least."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, SetOption, UntilOption, app
from linkwork.commands.arguments import by_name, named_text
from linkwork.commands.tables import print_tables
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from linkwork.files.design_files import DesignFile, is_design_file, read_design_file
    from linkwork.files.settings import setting
    from linkwork.library.by_name.design import optimize as run_optimize
    from linkwork.view.plots.designs import plot_optimum
else:
    DesignFile, is_design_file, read_design_file = lazy_functions(
        "linkwork.files.design_files", "DesignFile", "is_design_file", "read_design_file"
    )
    (setting,) = lazy_functions("linkwork.files.settings", "setting")
    (run_optimize,) = lazy_functions("linkwork.library.by_name.design", "optimize")
    (plot_optimum,) = lazy_functions("linkwork.view.plots.designs", "plot_optimum")

BOUNDS = "'0.1 .. 0.2 m'"


@app.command(
    epilog="Examples: linkwork optimize straight.toml; linkwork optimize quarter-car --vary damping='100 .. 5000' "
    "--minimize='-damping(1)' --subject-to 'damping(2) <= 0.3' --analysis modes"
)
def optimize(
    model: Annotated[
        str, typer.Argument(help="a model as for `run`, or a file that says what to optimize", metavar="MODEL")
    ],
    vary: Annotated[
        list[str] | None,
        typer.Option(help="NAME='LOW .. HIGH UNIT' or 'LOW .. START .. HIGH'; names as for --set; may be repeated"),
    ] = None,
    minimize: Annotated[
        list[str] | None,
        typer.Option(help="an output, as of a study; of several, the sum of their squares is minimized"),
    ] = None,
    subject_to: Annotated[
        list[str] | None, typer.Option(help="a condition on outputs, 'frequency(1) >= 5'; may be repeated")
    ] = None,
    analysis: Annotated[
        str | None, typer.Option(help="simulate, kinematics, equilibrium, modes or response; default: simulate")
    ] = None,
    until: UntilOption = None,
    every: Annotated[float | None, typer.Option(help="time between samples, s, from which outputs are taken")] = None,
    method: Annotated[
        str | None, typer.Option(help="auto, least-squares, slsqp, trust-constr or l-bfgs-b; default: auto")
    ] = None,
    starts: Annotated[
        int | None, typer.Option(help="how many: the first as given, the others spread over the bounds; default: 1")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="of the starts; the same seed gives the same table; default: 0")
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="at most, from each start; default: 200")] = None,
    out: Annotated[Path | None, typer.Option(help="a new folder for the table of all trials, Parquet")] = None,
    csv: Annotated[Path | None, typer.Option(help="write the table of all trials, CSV")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw the search, PNG, SVG or PDF")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Minimize an output of a model within bounds and conditions."""
    with answering("optimize", as_json, model) as answer:
        file = read_design_file(Path(model), "vary") if is_design_file(model, "vary") else DesignFile(model, {}, {}, {})
        given: dict[str, Any] = {
            "analysis": analysis, "until": until, "every": every, "method": method, "starts": starts, "seed": seed,
            "iterations": iterations, "out": out, "subject_to": subject_to or None,
            "minimize": None if not minimize else minimize[0] if len(minimize) == 1 else minimize,
        }  # fmt: skip
        more = {**file.more, **{name: value for name, value in given.items() if value is not None}}
        if "minimize" not in more:
            raise OptionError("no output is to be least; give --minimize, as in 'max(A.force)'", element="minimize")
        found = run_optimize(
            file.model, {**file.vary, **by_name("--vary", [named_text("--vary", text, BOUNDS) for text in vary or []])},
            settings={**file.settings, **dict(setting(text) for text in settings or [])}, **more,
        )  # fmt: skip
        answer |= found.as_dict()
        if csv is not None:
            found.to_csv(csv)
        if not as_json:
            print_tables(found.tables())
        if plot is not None:
            plot_optimum(found, plot)
