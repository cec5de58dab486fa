"""`linkwork reproduce`: the tables and figures of the founding papers, and the shelf of benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, app
from linkwork.commands.tables import print_facts, print_table
from linkwork.errors import FileError
from linkwork.lazy_import import lazy_module
from linkwork.reproduce.items import as_table

if TYPE_CHECKING:
    from linkwork.reproduce import papers
    from linkwork.reproduce.items import Item
else:
    papers = lazy_module("linkwork.reproduce.papers")


@app.command(epilog="Examples: linkwork reproduce P2 --out out/P2; linkwork reproduce benchmarks --quick")
def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="name of a paper, or benchmarks; default: list them", metavar="[PAPER]")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="folder for plots and pages; default: out/PAPER")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="fewer runs and shorter trials")] = False,
    as_json: JsonOption = False,
) -> None:
    """Compute a founding paper's tables beside what it prints.

    P1 to P5 are the papers that linkwork began with; `benchmarks` are problems with published digits.
    """
    with answering("reproduce", as_json) as answer:
        if paper is None:
            titles = {name: entry.title for name, entry in papers.PAPERS.items()}
            answer["papers"] = titles
            if not as_json:
                print_facts("papers", titles.items())
            return
        entry = papers.paper_named(paper)
        folder = out if out is not None else Path("out") / entry.name
        _make_folder(folder)
        items = entry.reproduce(folder, quick)
        answer |= {"paper": entry.name, "items": [asdict(item) for item in items], "folder": str(folder)}
        if not as_json:
            _print_items(entry, items)
            typer.echo(f"plots and pages: {folder}")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or error
        raise FileError(f"cannot create the folder '{folder}': {why}; choose another with --out") from error


def _print_items(paper: papers.Paper, items: Sequence[Item]) -> None:
    """The lines in a table."""
    print_table(paper.title, *as_table(items, paper.known, paper.digits))
