"""`linkwork view`: the motion of a run as a page in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, app
from linkwork.commands.tables import print_facts
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from linkwork.run import load
else:
    (load,) = lazy_functions("linkwork.run", "load")


@app.command(epilog="Example: linkwork view run.h5 --out page.html --no-open")
def view(
    files: Annotated[list[Path], typer.Argument(help="result files (.h5); several are laid over each other")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="the page, .html; default: in a temporary folder")
    ] = None,
    show: Annotated[bool, typer.Option("--open/--no-open", help="open it in the browser")] = True,
    theme: Annotated[str, typer.Option(help="dark or light; a button on the page changes it")] = "dark",
    forces: Annotated[bool, typer.Option("--forces/--no-forces", help="with the loads of the joints")] = True,
    as_json: JsonOption = False,
) -> None:
    """Write one HTML file that shows a run moving in 3D, with plots and time line, and open it."""
    with answering("view", as_json) as answer:
        first, *others = [load(file) for file in files]
        page = first.view(out, open=show, against=others, theme=theme, forces=forces)
        warnings = [text for run in (first, *others) for text in run.certificate.warnings]
        answer |= {"model": first.result.model, "page": str(page), "bytes": page.stat().st_size}
        answer.warn(*warnings)
        if not as_json:
            print_facts(first.result.model, [
                ("page", str(page)), ("size", f"{page.stat().st_size / 1e6:.2f} MB"),
                *(("warning", text) for text in warnings),
            ])  # fmt: skip
