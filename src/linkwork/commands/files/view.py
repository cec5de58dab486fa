"""`linkwork view`: the motion of a run as a page in the browser; with --live, sliders that run a model again."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import Answer, answering
from linkwork.commands.application import JsonOption, SetOption, UntilOption, app, read_run
from linkwork.commands.tables import print_facts
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions, lazy_module

if TYPE_CHECKING:
    from linkwork.files import settings as settings_of
    from linkwork.parameter_sliders import live
else:
    settings_of = lazy_module("linkwork.files.settings")
    (live,) = lazy_functions("linkwork.parameter_sliders", "live")

SPAN = "NAME=FROM:TO, as in --slide crank=0.05:0.2"


@app.command(epilog="Example: linkwork view run.h5 --out page.html --no-open; linkwork view four-bar --live")
def view(
    files: Annotated[
        list[str], typer.Argument(help="result files (.h5), several are laid over each other; with --live a MODEL")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="the page, .html; default: in a temporary folder")
    ] = None,
    show: Annotated[bool, typer.Option("--open/--no-open", help="open it in the browser")] = True,
    theme: Annotated[
        str, typer.Option(help="auto: as the browser prefers; dark or light; a button on the page changes it")
    ] = "auto",
    forces: Annotated[bool, typer.Option("--forces/--no-forces", help="with the loads of the joints")] = True,
    as_live: Annotated[
        bool, typer.Option("--live", help="run a MODEL, with sliders for its parameters that run it again; Ctrl-C ends")
    ] = False,
    slide: Annotated[
        list[str] | None,
        typer.Option("--slide", help=f"with --live: {SPAN.split(',')[0]}, a parameter or ELEMENT.FIELD; default: all"),
    ] = None,
    settings: SetOption = None,
    until: UntilOption = None,
    port: Annotated[int, typer.Option(help="with --live: of the server on this machine; 0: any that is free")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Show a run in 3D, with plots and time line, in the browser.

    The page is one HTML file. With --live the model runs again when a slider moves.
    """
    with answering("view", as_json) as answer:
        if as_live:
            if len(files) != 1 or as_json or out is not None:
                raise OptionError("--live takes one MODEL, and neither --out nor --json", element="--live")
            _serve(files[0], slide, settings, until, port, theme, show)
        elif slide or settings or until is not None or port:
            raise OptionError("--slide, --set, --until and --port go with --live", element="--live")
        else:
            _write(answer, [Path(file) for file in files], out, show, theme, forces, as_json)


def _serve(
    model: str, slide: Sequence[str] | None, settings: Sequence[str] | None, until: float | None, port: int, theme: str,
    show: bool,
) -> None:  # fmt: skip
    """Answer the page until Ctrl-C."""
    spans = dict(_span(text) for text in slide) if slide else None
    given = dict(settings_of.setting(text) for text in settings or [])
    made = live(model, spans, settings=given, until=until, theme=theme)
    try:
        server = made.server(port)
    except (OSError, OverflowError) as failure:
        raise OptionError(f"port {port} cannot be used ({failure}); leave --port out", element="--port") from None
    with server:
        typer.echo(f"{server.address}\nserved to this machine alone; Ctrl-C ends")
        if show:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo("")


def _span(text: str) -> tuple[str, tuple[float, float]]:
    name, _, span = text.partition("=")
    try:
        low, high = span.split(":")
        return name.strip(), (float(low), float(high))
    except ValueError:
        raise OptionError(f"--slide {text}: write {SPAN}", element="--slide") from None


def _write(
    answer: Answer, files: Sequence[Path], out: Path | None, show: bool, theme: str, forces: bool, as_json: bool
) -> None:
    """The page of some runs."""
    first, *others = [read_run(file, "run MODEL --view") for file in files]
    page = first.view(out, open=show, against=others, theme=theme, forces=forces)
    warnings = [text for run in (first, *others) for text in run.certificate.warnings]
    answer |= {"model": first.result.model, "page": str(page), "bytes": page.stat().st_size}
    answer.warn(*warnings)
    if not as_json:
        print_facts(first.result.model, [
            ("page", str(page)), ("size", f"{page.stat().st_size / 1e6:.2f} MB"),
            *(("warning", text) for text in warnings),
        ])  # fmt: skip
