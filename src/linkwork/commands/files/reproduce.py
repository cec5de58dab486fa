"""`linkwork reproduce`: the tables and figures of the founding papers."""

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

if TYPE_CHECKING:
    from linkwork.reproduce import papers
    from linkwork.reproduce.items import Item
else:
    papers = lazy_module("linkwork.reproduce.papers")


@app.command(epilog="Example: linkwork reproduce P2 --out out/P2")
def reproduce(
    paper: Annotated[str | None, typer.Argument(help="name of a paper; default: list them", metavar="[PAPER]")] = None,
    out: Annotated[Path | None, typer.Option(help="folder for the plots; default: out/PAPER")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="fewer runs and shorter trials")] = False,
    as_json: JsonOption = False,
) -> None:
    """Reproduce the tables and figures of a founding paper, next to what it prints."""
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
            _print_items(entry.title, items)
            typer.echo(f"plots: {folder}")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or error
        raise FileError(f"cannot create the folder '{folder}': {why}; choose another with --out") from error


def _print_items(title: str, items: Sequence[Item]) -> None:
    def shown(value: float | str | None) -> str:
        return "" if value is None else value if isinstance(value, str) else f"{value:.6g}"

    print_table(
        title,
        ("table", "item", "paper", "ours", "ratio, paper", "ratio, ours", "verdict"),
        [
            (item.table, item.item, shown(item.paper), shown(item.ours), shown(item.ratio_paper),
             shown(item.ratio_ours), item.verdict)
            for item in items
        ],
    )  # fmt: skip
