"""Commands.  Heavy modules load inside the commands, so that `--help` is quick; every command takes `--json`.

Exit codes: 0 success, 2 bad input, 3 a numerical failure; one clear message, never a bare traceback.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork import __version__
from linkwork.errors import LinkworkError, OptionError

if TYPE_CHECKING:
    from linkwork.api import Model, Run

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
    integrator: Annotated[str, typer.Option(help="adams, dop853, rk4 or ab3")] = "adams",
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
        ("wall time", f"{c.wall_s:.3f} s, compilation {c.compile_s:.1f} s"),
        *(("warning", text) for text in c.warnings),
        *((name, str(path)) for name, path in (("plot", plot), ("result file", out)) if path is not None),
    ]
    print_table(result.result.model, rows)


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
