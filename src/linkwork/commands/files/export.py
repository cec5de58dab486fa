"""`linkwork export`: a run in the formats of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.commands.answer import JsonOption, answering, app, print_table


@app.command(epilog="Example: linkwork export run.h5 --out run.csv --channel energy --channel coupler.position.z")
def export(
    file: Annotated[Path, typer.Argument(help="result file (.h5)")],
    out: Annotated[Path, typer.Option(help="the file to write; its end says the format: .csv .mat .nc .glb .gif .mp4")],
    channel: Annotated[list[str] | None, typer.Option(help="only this channel; may be repeated")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a run for other programs: a table, the motion in 3D, a film."""
    from linkwork.run import load

    with answering("export", as_json) as answer:
        run = load(file)
        written = run.export(out, *(channel or []))
        answer |= {"model": run.result.model, "file": str(written), "warnings": run.certificate.warnings}
        if not as_json:
            rows = [("file", str(written)), ("size", f"{written.stat().st_size / 1e6:.2f} MB"),
                    *(("warning", text) for text in run.certificate.warnings)]  # fmt: skip
            print_table(run.result.model, rows)
