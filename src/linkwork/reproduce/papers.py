"""What can be reproduced: papers, and the shelf of benchmarks.  A new one is a module with a function `reproduce`, and
one line here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from linkwork.errors import OptionError, nearest
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    from linkwork.reproduce import page as pages
    from linkwork.reproduce.items import Item
else:
    pages = lazy_module("linkwork.reproduce.page")


class Reproduction(Protocol):
    """A module that reproduces one paper."""

    def reproduce(self, folder: Path, quick: bool = False) -> list[Item]:
        """The paper's tables beside ours; plots go into the folder; `quick` does less of it."""


@dataclass(frozen=True)
class Paper:
    """A paper: its name, its title, and the module of this folder that reproduces it, loaded when it is used."""

    name: str
    title: str
    module: str
    known: str = "paper"  # head of the column with what ours stands beside
    digits: int = 6  # printed in tables
    own_page: bool = False  # the module writes a page of its own kind

    def reproduce(self, folder: Path, quick: bool = False) -> list[Item]:
        """The paper's tables beside ours; plots and page go into the folder; `quick` does less of it."""
        module = cast(Reproduction, lazy_module(f"linkwork.reproduce.{self.module}"))
        items = module.reproduce(folder, quick)
        if not self.own_page:
            pages.write_page(f"{self.name}, {self.title}", items, folder / f"{self.name}.html", self.digits)
        return items


PAPERS = {
    paper.name: paper
    for paper in (
        Paper("P1", "Kim & Yoo 1997: LU, QR and their hybrid through singular positions", "p1"),
        Paper("P2", "Kim & You 1996: reaction and driving forces of chosen joints without recursion", "p2"),
        Paper("P3", "Kim & Kim: joint coordinates, projection, hybrid LU-projection", "p3"),
        Paper("P4", "Choi, Park & Yoo: vibration of systems driven at constant generalized speeds", "p4"),
        Paper("P5", "Lee, Bae, Han & Suh 1994: mass-weighted local parametrization", "p5"),
        Paper(
            "benchmarks",
            "Benchmarks: published digits, closed forms, other codes",
            "benchmarks.shelf",
            "reference",
            12,
            own_page=True,
        ),
    )
}


def paper_named(name: str) -> Paper:
    """A paper, or the benchmarks, by name, in any case of letters."""
    for known, paper in PAPERS.items():
        if known.casefold() == name.casefold():
            return paper
    raise OptionError(f"there is no paper '{name}' to reproduce; {nearest(name.upper(), PAPERS)}", element=name)
