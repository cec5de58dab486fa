"""One line of a reproduction: what a paper found beside what we find, ratio beside ratio, a verdict in words."""

from __future__ import annotations

from dataclasses import dataclass

Value = float | int | str | None  # a number in the unit that the item names, or a finding in words


@dataclass(frozen=True)
class Item:
    """What a paper reports, and what we get.  Ratios are to the first line of the same table."""

    table: str  # "Table 2", "3.1", "Fig. 22"
    item: str  # what is compared, with its unit and our settings
    paper: Value
    ours: Value
    ratio_paper: float | None = None
    ratio_ours: float | None = None
    verdict: str = ""
