"""The founding papers' tables and figures, computed here beside what they print: one file and one line a paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from linkwork.errors import OptionError, nearest
from linkwork.reproduce import p1, p2, p3, p4, p5
from linkwork.reproduce.items import Item

__all__ = ["PAPERS", "Item", "Paper", "paper_named"]


@dataclass(frozen=True)
class Paper:
    """A paper that can be reproduced; plots go into a folder; `quick` does less of it."""

    name: str
    title: str
    reproduce: Callable[[Path, bool], list[Item]]


PAPERS = {
    paper.name: paper
    for paper in (
        Paper("P1", "Kim & Yoo 1997: LU, QR and their hybrid through singular positions", p1.reproduce),
        Paper("P2", "Kim & You 1996: reaction and driving forces of chosen joints without recursion", p2.reproduce),
        Paper("P3", "Kim & Kim: joint coordinates, projection, hybrid LU-projection", p3.reproduce),
        Paper("P4", "Choi, Park & Yoo: vibration of systems driven at constant generalized speeds", p4.reproduce),
        Paper("P5", "Lee, Bae, Han & Suh 1994: mass-weighted local parametrization", p5.reproduce),
    )
}


def paper_named(name: str) -> Paper:
    """A paper by its name, P1 to P5, in any case of letters."""
    if name.upper() not in PAPERS:
        raise OptionError(f"there is no paper '{name}' to reproduce; {nearest(name.upper(), PAPERS)}", element=name)
    return PAPERS[name.upper()]
