"""`linkwork export`: a run in the formats of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, app
from linkwork.commands.tables import print_facts
from linkwork.lazy_import import lazy_functions
from linkwork.view.export.formats import FORMATS

if TYPE_CHECKING:
    from linkwork.run import load
else:
    (load,) = lazy_functions("linkwork.run", "load")


@app.command(epilog="Example: linkwork export run.h5 --out run.csv --channel energy --channel coupler.position.z")
def export(
    file: Annotated[Path, typer.Argument(help="result file (.h5)")],
    out: Annotated[Path, typer.Option(help=f"the file to write; its suffix gives the format: {' '.join(FORMATS)}")],
    channel: Annotated[list[str] | None, typer.Option(help="only this channel; may be repeated")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a run for other programs: a table, the motion in 3D, a film."""
    with answering("export", as_json) as answer:
        run = load(file)
        written = run.export(out, *(channel or []))
        warnings = run.certificate.warnings
        answer |= {"model": run.result.model, "file": str(written)}
        answer.warn(*warnings)
        if not as_json:
            print_facts(run.result.model, [
                ("file", str(written)), ("size", f"{written.stat().st_size / 1e6:.2f} MB"),
                *(("warning", text) for text in warnings),
            ])  # fmt: skip
