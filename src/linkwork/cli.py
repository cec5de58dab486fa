"""Commands.  Heavy modules load inside the commands, so that `--help` is quick; every command takes `--json`.

Exit codes: 0 success, 2 bad input, 3 a numerical failure; one clear message, never a bare traceback.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork import __version__
from linkwork.errors import LinkworkError, OptionError

if TYPE_CHECKING:
    from linkwork.analyses.load_cases import LoadCase
    from linkwork.analyses.loads import Loads
    from linkwork.api import Model, Run
    from linkwork.reproduce import Item

app = typer.Typer(
    help="Dynamics of constrained multibody mechanisms. MODEL is a name from the library (`linkwork models`), "
    "a model file (.toml, .json) or a Python file that makes a `model`.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)

ModelArgument = Annotated[str, typer.Argument(help="library name, .toml, .json or .py file", metavar="MODEL")]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="NAME=VALUE, a parameter of a library model")]
JsonOption = Annotated[bool, typer.Option("--json", help="answer for machines, on stdout")]


def main() -> None:
    """Entry point of the `linkwork` command."""
    app()


@contextmanager
def answering(command: str, as_json: bool, model: str | None = None) -> Iterator[dict[str, Any]]:
    """Collects the answer; prints it as JSON if asked; turns errors into one message and an exit code."""
    answer: dict[str, Any] = {
        "format": f"linkwork-{command}-1", "version": __version__, "model": model, "warnings": [], "error": None
    }  # fmt: skip
    code = 0
    try:
        yield answer
    except LinkworkError as failure:
        code = failure.exit_code
        answer["error"] = failure.as_dict()
        typer.echo(f"error: {failure.message}", err=True)
    except KeyboardInterrupt:
        code = 130
        typer.echo("stopped", err=True)
    if as_json:
        typer.echo(json.dumps(_plain(answer), allow_nan=False))
    if code:
        raise typer.Exit(code)


def _plain(value: Any) -> Any:
    """For JSON: NaN and infinities become null, arrays lists, tuples lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return None
    return value


def read_model(name: str, settings: list[str] | None) -> Model:
    """The model that an argument means."""
    from linkwork.api import Model, model_from_python
    from linkwork.files.model_files import SUFFIXES, read_mechanism
    from linkwork.library import library_model

    path = Path(name)
    if path.suffix in (*SUFFIXES, ".py"):
        if settings:
            raise OptionError("--set gives parameters to library models; edit the file instead", element="--set")
        return model_from_python(path) if path.suffix == ".py" else Model.of(read_mechanism(path))
    return library_model(name, dict(_setting(text) for text in settings or []))


def _setting(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        if not equals:
            raise ValueError
        return name, float(value)
    except ValueError:
        raise OptionError(f"--set {text}: write NAME=NUMBER, as in --set angle=20", element=name) from None


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
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate a mechanism and print how it went."""
    with answering("run", as_json, model) as answer:
        mechanism = read_model(model, settings)
        options = {"formulation": formulation, "method": method, "integrator": integrator, "rtol": rtol,
                   "hmax": hmax, "step": step, "every": every}  # fmt: skip
        result = _simulate(mechanism, until, out, options, answer)
        histories = {name: result[name] for name in channel or []}
        answer |= {"t": result.t if histories else [], "channels": histories,
                   "units": {name: result.result.unit(name) for name in histories}}  # fmt: skip
        if plot is not None:
            result.plot(*(channel or []), path=plot)
        if not as_json:
            _print_summary(result, plot, out)


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


def _print_summary(result: Run, plot: Path | None, out: Path | None) -> None:
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
        *((("decisions", f"{len(c.switches)} of the method (--json lists them)"),) if c.switches else ()),
        ("wall time", f"{c.wall_s:.3f} s, compilation {c.compile_s:.1f} s"),
        *(("warning", text) for text in c.warnings),
        *((name, str(path)) for name, path in (("plot", plot), ("result file", out)) if path is not None),
    ]
    print_table(result.result.model, rows)


def _listed_positions(singular: list[dict[str, Any]]) -> str:
    listed = ", ".join(f"t = {entry['t']:.4f} s (rank {entry['rank']})" for entry in singular[:6])
    return "passed at " + listed + (f" and {len(singular) - 6} more" if len(singular) > 6 else "")


def print_table(title: str, rows: list[tuple[str, str]]) -> None:
    """Two columns that line up."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 110).print(table)


@app.command(epilog="Example: linkwork check slider-crank")
def check(model: ModelArgument, settings: SetOption = None, as_json: JsonOption = False) -> None:
    """Account for coordinates, equations, freedoms; name redundant equations."""
    from dataclasses import asdict

    with answering("check", as_json, model) as answer:
        found = read_model(model, settings).check()
        facts = asdict(found)
        answer["warnings"] = facts.pop("notes")
        answer |= facts
        if not as_json:
            redundant = [
                (
                    "redundant",
                    f"{r.element}: {r.equation}"
                    + (f" (shared with {', '.join(r.shared_with)})" if r.shared_with else ""),
                )
                for r in found.redundant
            ]
            papers = found.papers
            rows = [
                ("bodies, joints, loops", f"{found.bodies}, {found.joints}, {found.loops}"),
                ("coordinates, velocities", f"{found.coordinates}, {found.velocities} (absolute)"),
                ("equations, rank", f"{found.equations}, {found.rank}"),
                ("degrees of freedom", f"{found.dof} (velocities - equations = {found.gruebler})"),
                *redundant,
                ("cut in joint coordinates", ", ".join(found.cut) or "none"),
                ("counted as in P5", f"{papers['coordinates']} coordinates, {papers['equations']} equations, "
                                     f"{papers['redundant']} redundant"),
                *(("warning", note) for note in found.notes),
            ]  # fmt: skip
            print_table(model, rows)


@app.command(epilog="Example: linkwork loads rrc-arm --joint 'joint 2' --frame joint --csv loads.csv --plot loads.png")
def loads(
    model: Annotated[str, typer.Argument(help="a model as for `run`, or the .h5 file of a run", metavar="MODEL")],
    joint: Annotated[list[str] | None, typer.Option(help="name of a joint; may be repeated; default: all")] = None,
    on: Annotated[str | None, typer.Option(help="the body on which it acts; default: the second said")] = None,
    at: Annotated[str, typer.Option(help="point of the moment: joint, a body, a frame or X,Y,Z in m")] = "joint",
    frame: Annotated[str, typer.Option(help="axes: world, joint, a body or a frame")] = "world",
    way: Annotated[str, typer.Option(help="auto, non-recursive, newton-euler or multipliers")] = "auto",
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
    from linkwork.analyses.load_cases import write_cases, write_histories
    from linkwork.view.plots import plot_loads

    with answering("loads", as_json, model) as answer:
        options = {"formulation": formulation, "integrator": integrator, "rtol": rtol, "step": step, "every": every}
        result = _moved(model, until, settings, options)
        window = (since, float(result.t[-1])) if since else None
        found = result.loads(joint, on=on, at=_point(at), frame=frame, way=way, during=window)
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
        from linkwork.api import load

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
            (peak.of, _number(peak.value, noise), f"{peak.t:.6g}", _numbers(peak.force, noise),
             _numbers(peak.torque, noise))
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
        (load.name, _numbers(load.point, 1e-12), _numbers(load.force, noise), _numbers(load.torque, noise))
        for load in case.loads
    ]
    title = f"{case.body} at t = {case.t:.6g} s ({case.why}); its own axes, N and N m"
    print_rows(title, ("load", "point, m", "force", "torque"), rows)


def _number(value: float, noise: float = 0.0) -> str:
    if value != value:
        return "not unique"
    return "0" if abs(value) <= noise else f"{value:.6g}"


def _numbers(values: Any, noise: float = 0.0) -> str:
    return ", ".join(_number(float(value), noise) for value in values)


def print_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table with a heading for each column."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, title=title, title_justify="left", title_style="bold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 140).print(table)


@app.command(epilog="Example: linkwork reproduce P2 --out out/P2")
def reproduce(
    paper: Annotated[str | None, typer.Argument(help="P1 to P5; without it the list", metavar="[PAPER]")] = None,
    out: Annotated[Path | None, typer.Option(help="folder for the plots; default: out/PAPER")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="fewer runs and shorter trials")] = False,
    as_json: JsonOption = False,
) -> None:
    """Reproduce the tables and figures of a founding paper, beside what it prints."""
    from dataclasses import asdict

    from linkwork.reproduce import PAPERS, paper_named

    with answering("reproduce", as_json) as answer:
        if paper is None:
            answer["papers"] = {name: entry.title for name, entry in PAPERS.items()}
            if not as_json:
                print_table("papers", [(name, entry.title) for name, entry in PAPERS.items()])
            return
        entry = paper_named(paper)
        folder = out if out is not None else Path("out") / entry.name
        _check_folder(folder)
        items = entry.reproduce(folder, quick)
        answer |= {"paper": entry.name, "items": [asdict(item) for item in items], "folder": str(folder)}
        if not as_json:
            _print_items(entry.title, items)
            typer.echo(f"plots: {folder}")


def _check_folder(folder: Path) -> None:
    from linkwork.errors import FileError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or error
        raise FileError(f"cannot make the folder '{folder}': {why}; choose another with --out") from error


def _print_items(title: str, items: list[Item]) -> None:
    def shown(value: float | str | None) -> str:
        return "" if value is None else value if isinstance(value, str) else f"{value:.6g}"

    print_rows(
        title,
        ("table", "item", "paper", "ours", "ratio, paper", "ratio, ours", "verdict"),
        [
            (item.table, item.item, shown(item.paper), shown(item.ours), shown(item.ratio_paper),
             shown(item.ratio_ours), item.verdict)
            for item in items
        ],
    )  # fmt: skip


@app.command(epilog="Example: linkwork compare four-bar --rtol 1e-6 --plot compare.png")
def compare(
    model: ModelArgument,
    until: Annotated[float | None, typer.Option(help="end time, s")] = None,
    method: Annotated[list[str] | None, typer.Option(help="a method; may be repeated; default: all")] = None,
    formulation: Annotated[list[str] | None, typer.Option(help="joint or absolute; default: both")] = None,
    integrator: Annotated[str, typer.Option(help="adams, dop853, rk4, ab3 or generalized-alpha")] = "adams",
    rtol: Annotated[float, typer.Option(help="tolerance of a step")] = 1e-6,
    hmax: Annotated[float | None, typer.Option(help="largest step, s")] = None,
    step: Annotated[float | None, typer.Option(help="step of rk4 and ab3, s")] = None,
    plot: Annotated[Path | None, typer.Option(help="write energy, step size and active method over time")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run all constraint methods on one model, side by side."""
    from linkwork.view.comparison_plots import plot_comparison

    with answering("compare", as_json, model) as answer:
        found = read_model(model, settings).compare(
            until, methods=method, formulations=formulation, integrator=integrator, rtol=rtol, hmax=hmax, step=step
        )
        answer |= found.as_dict()
        if plot is not None:
            plot_comparison(found, plot)
        if not as_json:
            print_rows(
                f"{found.model}: {integrator}, rtol {rtol:g}",
                ("formulation", "method", "status", "steps", "evaluations", "factored", "wall", "energy", "violation",
                 "error", "switches"),
                [
                    (r.formulation, r.method, r.status, f"{r.steps}", f"{r.evaluations}", f"{r.factorizations}",
                     f"x {r.ratio:.2f}", f"{r.energy_drift:.1e}", f"{r.max_violation:.1e}", f"{r.error:.1e}",
                     f"{r.switches}")
                    for r in found.rows
                ],
            )  # fmt: skip
            for text in (
                *found.warnings,
                *(f"{r.formulation}, {r.method}: {r.message}" for r in found.rows if r.message),
            ):
                typer.echo(text)


@app.command(epilog="Example: linkwork models --json")
def models(as_json: JsonOption = False) -> None:
    """List the models of the library."""
    from linkwork.library import LIBRARY

    with answering("models", as_json) as answer:
        answer["models"] = [{"name": e.name, "title": e.title, "parameters": e.parameters} for e in LIBRARY.values()]
        if not as_json:
            print_table("models", [(e.name, e.title + _parameters(e.parameters)) for e in LIBRARY.values()])


def _parameters(parameters: dict[str, float]) -> str:
    return "".join(f"\n  --set {name}={value:g}" for name, value in parameters.items())


@app.command(epilog="Example: linkwork schema > model.schema.json")
def schema(as_json: JsonOption = False) -> None:
    """Print the JSON schema of model files."""
    from linkwork.files.model_files import schema as model_schema

    with answering("schema", as_json) as answer:
        answer["schema"] = model_schema()
        if not as_json:
            typer.echo(json.dumps(answer["schema"], indent=1))


@app.callback(invoke_without_command=True)
def options(version: Annotated[bool, typer.Option("--version", help="print the version")] = False) -> None:
    """Global options."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
