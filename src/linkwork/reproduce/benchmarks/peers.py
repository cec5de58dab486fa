"""How long the time loops of other programs take beside linkwork's, as `python -m benchmarks --store` measured it."""

from __future__ import annotations

import json
from pathlib import Path

STORED = Path(__file__).with_name("side_by_side.json")
LINKWORK = "linkwork"
AS_EXACT = 10.0  # times linkwork's error


def beside(problem: str) -> str:
    """Of each program the quickest loop that is about as exact as linkwork's, or else its most exact one."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    measured = stored["problems"][problem]
    rows = [(who, setting, error, float(spent.split()[0])) for who, setting, error, spent in measured]
    _, _, error, seconds = next(row for row in rows if row[0] == LINKWORK)
    others = []
    for program in dict.fromkeys(row[0] for row in rows if row[0] != LINKWORK):
        own = [row for row in rows if row[0] == program]
        exact = [row for row in own if row[2] <= AS_EXACT * error]
        _, setting, off, spent = min(exact, key=lambda row: row[3]) if exact else min(own, key=lambda row: row[2])
        others.append(f"{program}{setting and ' with ' + setting}: {spent / seconds:.2g} ({off:.0e})")
    return (
        f"Time of the loops of other programs in one run, {stored['date']}, linkwork = 1 ({error:.0e}), errors in "
        f"brackets. {'; '.join(others)}"
    )
