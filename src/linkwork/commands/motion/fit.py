"""`linkwork fit`: numbers of a model from measured channels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, SetOption, UntilOption, app
from linkwork.commands.arguments import by_name, named_text, numbers_by_name
from linkwork.commands.tables import print_tables
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from linkwork.files.design_files import DesignFile, is_design_file, read_design_file
    from linkwork.files.settings import setting
    from linkwork.library.by_name.design import fit as run_fit
    from linkwork.view.plots.designs import plot_fit
else:
    DesignFile, is_design_file, read_design_file = lazy_functions(
        "linkwork.files.design_files", "DesignFile", "is_design_file", "read_design_file"
    )
    (setting,) = lazy_functions("linkwork.files.settings", "setting")
    (run_fit,) = lazy_functions("linkwork.library.by_name.design", "fit")
    (plot_fit,) = lazy_functions("linkwork.view.plots.designs", "plot_fit")

BOUNDS = "'0.1 .. 0.2 m'"


@app.command(
    epilog="Examples: linkwork fit bench.toml; linkwork fit machine.toml --data measured.csv --unknown "
    "spring.stiffness='100 .. 1000' --unknown rod.mass='0.5 .. 2' --plot fit.png"
)
def fit(
    model: Annotated[
        str, typer.Argument(help="a model as for `run`, or a file that says what to fit", metavar="MODEL")
    ],
    data: Annotated[
        Path | None, typer.Option(help="CSV: a column 't' (s), the others channels; headings may have units [deg]")
    ] = None,
    unknown: Annotated[
        list[str] | None,
        typer.Option(help="NAME='LOW .. HIGH UNIT' or 'LOW .. START .. HIGH'; names as for --set; may be repeated"),
    ] = None,
    channel: Annotated[
        list[str] | None, typer.Option(help="COLUMN=CHANNEL, what a column measures; may be repeated")
    ] = None,
    noise: Annotated[
        list[str] | None, typer.Option(help="CHANNEL=STANDARD DEVIATION, SI units; default: that of the residuals")
    ] = None,
    confidence: Annotated[float | None, typer.Option(help="of the intervals; default 0.95")] = None,
    analysis: Annotated[str | None, typer.Option(help="simulate or kinematics; default: simulate")] = None,
    until: UntilOption = None,
    rtol: Annotated[float | None, typer.Option(help="tolerance of a step")] = None,
    starts: Annotated[
        int | None, typer.Option(help="how many: the first as given, the others spread over the bounds; default: 1")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="of the starts; default: 0")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw data, model and residuals, PNG, SVG or PDF")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Identify parameters of a model from measurements.

    Masses, stiffness, friction and the like, with confidence intervals; what the data cannot tell is named.
    """
    with answering("fit", as_json, model) as answer:
        said = is_design_file(model, "unknown")
        file = read_design_file(Path(model), "unknown") if said else DesignFile(model, {}, {}, {})
        given: dict[str, Any] = {
            "data": data, "confidence": confidence, "analysis": analysis, "until": until, "rtol": rtol,
            "starts": starts, "seed": seed, "noise": numbers_by_name("--noise", noise),
            "channels": dict(named_text("--channel", text, "arm.angle") for text in channel or []),
        }  # fmt: skip
        more = {**file.more, **{name: value for name, value in given.items() if value not in (None, {})}}
        if "data" not in more:
            raise OptionError("no data; give --data FILE.csv", element="data")
        found = run_fit(
            file.model, more.pop("data"),
            {**file.vary, **by_name("--unknown", [named_text("--unknown", text, BOUNDS) for text in unknown or []])},
            settings={**file.settings, **dict(setting(text) for text in settings or [])}, **more,
        )  # fmt: skip
        answer |= found.as_dict()
        if not as_json:
            print_tables(found.tables())
        if plot is not None:
            plot_fit(found, plot)
