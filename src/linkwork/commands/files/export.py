"""`linkwork export`: a run in the formats of other programs, or a model as an FMU."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.commands.answer import Answer, answering
from linkwork.commands.application import JsonOption, SetOption, ToleranceOption, UntilOption, app, read_model, read_run
from linkwork.commands.tables import print_facts
from linkwork.errors import OptionError
from linkwork.view.export.formats import FORMATS

FMU = ".fmu"


@app.command(
    epilog="Example: linkwork export run.h5 --out run.csv --channel energy; "
    "linkwork export four-bar --format fmu --input coupler.force.z --channel coupler.position.z"
)
def export(
    source: Annotated[str, typer.Argument(help="result file (.h5), or a model for an FMU", metavar="FILE|MODEL")],
    out: Annotated[
        Path | None,
        typer.Option(help=f"the file to write; its suffix gives the format: {' '.join(FORMATS)}, {FMU} for a model"),
    ] = None,
    format: Annotated[str | None, typer.Option(help="the format, if --out does not say: csv, mat ..., fmu")] = None,
    channel: Annotated[
        list[str] | None, typer.Option(help="only this channel, of an FMU an output; may be repeated")
    ] = None,
    input: Annotated[list[str] | None, typer.Option(help="FMU: an input, NAME or NAME=START; may be repeated")] = None,
    parameter: Annotated[
        list[str] | None, typer.Option(help="FMU: a field that others may change; may be repeated")
    ] = None,
    fmi: Annotated[str, typer.Option(help="FMU: version of the standard, 2.0 or 3.0")] = "2.0",
    until: UntilOption = None,
    rtol: ToleranceOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a run for other programs, or a model as an FMU.

    A table (.csv, .mat, .nc), the motion in 3D (.glb), a film (.gif, .mp4); an FMU by FMI 2.0 or 3.0.
    """
    with answering("export", as_json) as answer:
        suffix = f".{format.lower().removeprefix('.')}" if format else None
        target = out or (Path(source).with_suffix(suffix) if suffix else None)
        if target is None:
            raise OptionError("no file to write; give --out or --format", element="out")
        if suffix and target.suffix.lower() != suffix:
            raise OptionError(f"--out {target} is not of --format {format}; leave one of them out", element="format")
        if target.suffix.lower() == FMU:
            model = read_model(source, settings)
            written = model.fmu(
                target, inputs=_inputs(input), outputs=channel, parameters=parameter or (), version=fmi, until=until,
                rtol=rtol,
            )  # fmt: skip
            _report(answer, as_json, model.mechanism.name, written, [])
            return
        if input or parameter or settings or until is not None:
            raise OptionError(
                "--input, --parameter, --set and --until are for an FMU; leave them out", element="format"
            )
        run = read_run(source, "export MODEL --format fmu")
        written = run.export(target, *(channel or []))
        _report(answer, as_json, run.result.model, written, run.certificate.warnings)


def _inputs(given: list[str] | None) -> dict[str, str | None]:
    """NAME, or NAME=START."""
    parts = (text.partition("=") for text in given or [])
    return {name.strip(): start.strip() or None for name, _, start in parts}


def _report(answer: Answer, as_json: bool, model: str, written: Path, warnings: list[str]) -> None:
    answer |= {"model": model, "file": str(written)}
    answer.warn(*warnings)
    if not as_json:
        print_facts(model, [
            ("file", str(written)), ("size", f"{written.stat().st_size / 1e6:.2f} MB"),
            *(("warning", text) for text in warnings),
        ])  # fmt: skip
