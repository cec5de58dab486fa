"""`linkwork study`: numbers of a model varied, an analysis of each variant, a table of outputs."""

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
    from linkwork.files.settings import setting
    from linkwork.files.study_files import StudyFile, is_study_file, pair_of, read_study_file
    from linkwork.library.by_name.study import runs_of
    from linkwork.library.by_name.study import study as run_study
    from linkwork.view.page.study_page import write_study_page
    from linkwork.view.plots.studies import plot_study
else:
    (setting,) = lazy_functions("linkwork.files.settings", "setting")
    StudyFile, is_study_file, pair_of, read_study_file = lazy_functions(
        "linkwork.files.study_files", "StudyFile", "is_study_file", "pair_of", "read_study_file"
    )
    run_study, runs_of = lazy_functions("linkwork.library.by_name.study", "study", "runs_of")
    (write_study_page,) = lazy_functions("linkwork.view.page.study_page", "write_study_page")
    (plot_study,) = lazy_functions("linkwork.view.plots.studies", "plot_study")

EXAMPLE = "0.1:0.2:11, or =0.1,0.2"
ModelOrStudy = Annotated[str, typer.Argument(help="a library model, a model file, or a study file (TOML, YAML, JSON)")]


@app.command(
    epilog="Examples: linkwork study wear.toml; linkwork study slider-crank --vary crank=0.05:0.15:11 "
    "--output 'max(slider.velocity.x)' --plot study.png; linkwork study four-bar --vary 'crank.length=1 m +/- 0.002' "
    "--runs 500 --sampling sobol --output 'max(A.force)' --out pins.study"
)
def study(
    model: ModelOrStudy,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FROM:TO:COUNT, NAME=A,B,..., NAME='25 mm +/- 0.05', NAME='uniform(1, 2)' or NAME="
                          "'normal(1, 0.1)'; names and units as for --set, or options.NAME; may be repeated"),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(help="a number of each run, as in 'max(crank.angle)', 'max(abs(reaction(\"A\").force))', "
                          "'frequency(1)', 'time_when(\"x > 1\")'; may be repeated"),
    ] = None,
    analysis: Annotated[
        str | None, typer.Option(help="simulate, kinematics, equilibrium, modes, loads or response")
    ] = None,
    until: UntilOption = None,
    rtol: Annotated[float | None, typer.Option(help="tolerance of a step")] = None,
    every: Annotated[float | None, typer.Option(help="time between samples, s, from which outputs are taken")] = None,
    runs: Annotated[int | None, typer.Option(help="how often numbers that scatter are drawn")] = None,
    sampling: Annotated[str | None, typer.Option(help="latin-hypercube, random, sobol or saltelli")] = None,
    seed: Annotated[int | None, typer.Option(help="of the draws; the same seed gives the same table")] = None,
    correlate: Annotated[list[str] | None, typer.Option(help="'A, B=0.8', a correlation; may be repeated")] = None,
    engine: Annotated[str | None, typer.Option(help="auto, here, threads, processes, dask or gpu")] = None,
    jobs: Annotated[int | None, typer.Option(help="runs at a time; default: one per core, if there are enough")] = None,
    scheduler: Annotated[str | None, typer.Option(help="address of a Dask scheduler, tcp://HOST:8786")] = None,
    out: Annotated[Path | None, typer.Option(help="folder of the table; a study stopped there goes on")] = None,
    csv: Annotated[Path | None, typer.Option(help="write the table, CSV")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw the study, PNG, SVG or PDF")] = None,
    kind: Annotated[
        str, typer.Option(help="of the plot: auto, curves, scatter, sensitivity, surface, distribution or parallel")
    ] = "auto",
    page: Annotated[Path | None, typer.Option(help="write a page that shows the table, and any run of it")] = None,
    page_runs: Annotated[int, typer.Option(min=1, help="so many runs at most are in the page, some 50 kB each")] = 100,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Vary numbers of a model and tabulate outputs."""
    with answering("study", as_json, model) as answer:
        given_file = read_study_file(Path(model)) if is_study_file(model) else StudyFile(model, {}, [], {}, {})
        given: dict[str, Any] = {
            "analysis": analysis, "rtol": rtol, "every": every, "runs": runs, "sampling": sampling, "seed": seed,
            "engine": engine, "jobs": jobs, "scheduler": scheduler, "out": out, "until": until,
        }  # fmt: skip
        given = {name: value for name, value in given.items() if value is not None}
        if correlate:
            given["correlated"] = dict(_correlation(text) for text in correlate)
        varied = {**given_file.vary, **by_name("--vary", [named_text("--vary", text, EXAMPLE) for text in vary or []])}
        fixed = {**given_file.settings, **dict(setting(text) for text in settings or [])}
        more: dict[str, Any] = {**given_file.more, **given}
        found = run_study(given_file.model, varied, [*given_file.outputs, *(output or [])], settings=fixed, **more)
        answer |= found.as_dict()
        if csv is not None:
            found.to_csv(csv)
        if not as_json:
            print_tables(found.tables())
        if len(found.run) < found.planned:
            raise KeyboardInterrupt
        if plot is not None:
            plot_study(found, plot, kind=kind)
        if page is not None:
            shown = runs_of(found, given_file.model, fixed, more.get("until", until), page_runs)
            write_study_page(found, shown, page)


def _correlation(text: str) -> tuple[tuple[str, str], float]:
    pair, _, value = text.rpartition("=")
    try:
        return pair_of(pair), float(value)
    except ValueError:
        raise OptionError(f"--correlate {text}: write 'A, B=0.8'", element=text) from None
