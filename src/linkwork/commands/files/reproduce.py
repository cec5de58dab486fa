"""`linkwork reproduce`: the tables and figures of the founding papers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import JsonOption, answering, app, print_rows, print_table

if TYPE_CHECKING:
    from linkwork.reproduce import Item


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
