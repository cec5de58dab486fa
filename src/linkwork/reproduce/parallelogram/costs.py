"""Tables 2 and 3 of P1 and P3: CPU time, evaluations and factorizations of the three methods, as ratios to LU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from linkwork.analyses.comparison import attempt, race
from linkwork.methods.reasons import REASONS, Reason
from linkwork.reproduce.items import Item
from linkwork.reproduce.parallelogram.contest import EVERY, OURS, UNTIL, Contest, options
from linkwork.reproduce.parallelogram.motion import Ending, ending
from linkwork.results.result import Certificate

MORE = 1.02  # times as many: more; less than this: alike
ROUNDS = 10  # of runs of which the quickest counts


def cost_items(contest: Contest, rounds: int = ROUNDS) -> list[Item]:
    """CPU time, evaluations and factorizations of the three methods, as ratios to LU, in all forms."""
    mechanism = contest.mechanism()
    items = []
    for form in contest.forms:
        runs = [replace(options(contest, method, form), every=EVERY) for method in contest.methods]
        results = [attempt(mechanism, run)[0] for run in runs]
        certificates, ends = [result.certificate for result in results], [ending(result) for result in results]
        runs = [replace(run, every=UNTIL) for run in runs]
        seconds = race(mechanism, runs, rounds=rounds, clock="cpu_s")
        unknowns = len(results[0].names["v"]) + int(results[0].rank.max())
        for method, paper, own, end in zip(contest.methods, contest.seconds, seconds, ends, strict=True):
            ratios = paper / contest.seconds[0], own / seconds[0]
            verdict = _cost_verdict(method, form, end, *ratios, unknowns)
            items.append(Item(contest.table, f"{method}, {form} form: CPU s", paper, own, *ratios, verdict))
        items += _count_items(contest, form, certificates, ends)
        if all(end.right for end in ends):
            items.append(_order_item(contest, form, [(c.evaluations, changes(c)) for c in certificates]))
    return items


def _cost_verdict(method: str, form: str, end: Ending, paper: float, ours: float, unknowns: int) -> str:
    """A run that is wrong has no cost worth comparing.  `unknowns`: of the augmented equations."""
    if not end.right:
        return _wrong(end)
    if method == "lu":
        return "the unit of the ratios; the paper's LU run was wrong after the second flat position, ours is right"
    if 0.75 <= ours / paper <= 1.33:
        return "reproduced"
    return f"not reproduced: {ours:.2f} x LU where theirs was {paper:.2f} x; " + (
        "ours shares one dense algebra among the three, and LU gains nothing by sparsity"
        if form == OURS
        else f"ours takes LU through the dense algebra of the other basis, and solves the {unknowns} augmented "
        "equations besides; theirs solved these alone, sparse"
    )


def _wrong(end: Ending) -> str:
    return f"not counted: its motion {end.how} at {end.t:.3g} s"


def changes(certificate: Certificate) -> int:
    """Of basis or rank in the log of a run; its first entry is none."""
    return sum(entry["why"] != REASONS[Reason.START] for entry in certificate.switches)


def _count_items(
    contest: Contest, form: str, certificates: Sequence[Certificate], ends: Sequence[Ending]
) -> Iterator[Item]:
    """Evaluations beside the changes of basis or rank, which restart a printed method; factorizations of each."""
    lu = certificates[0]
    for method, c, end in zip(contest.methods, certificates, ends, strict=True):
        ratio, restart = c.evaluations / lu.evaluations, "" if form == OURS else "; a new basis is a restart"
        verdict = f"{_beside_lu(ratio)}; {changes(c)} changes of basis or rank{restart}"
        yield Item(contest.table, f"{method}, {form} form: evaluations", None, c.evaluations, None, ratio,
                   verdict if end.right else _wrong(end))  # fmt: skip
    for method, c, end in zip(contest.methods, certificates, ends, strict=True):
        ratio = c.factorizations / lu.factorizations
        verdict = f"{_beside_lu(ratio)}; {c.factorizations / c.evaluations:.2f} an evaluation"
        yield Item(contest.table, f"{method}, {form} form: factorizations", None, c.factorizations, None, ratio,
                   verdict if end.right else _wrong(end))  # fmt: skip


def _beside_lu(ratio: float) -> str:
    if ratio == 1.0:
        return "as LU"
    return "more than LU" if ratio > MORE else "about as many as LU" if ratio > 1.0 / MORE else "fewer than LU"


def _order_item(contest: Contest, form: str, effort: Sequence[tuple[int, int]]) -> Item:
    """Who needs the fewest evaluations; `effort`: evaluations and changes of basis of each method."""

    def ranked(costs: Sequence[float]) -> list[int]:
        return sorted(range(3), key=lambda k: costs[k])

    counts = [evaluations for evaluations, _ in effort]
    paper, ours = ranked(contest.seconds), ranked(counts)
    signs = ["", *(" < " if counts[a] < counts[b] else " = " for a, b in pairwise(ours))]
    found = "".join(f"{sign}{contest.methods[k]} {counts[k]} ({effort[k][1]} changes of basis or rank)"
                    for sign, k in zip(signs, ours, strict=True))  # fmt: skip
    if max(counts) < MORE * min(counts):
        verdict = "all three need about as many evaluations: without restarts a change of basis costs none"
    elif ours == paper and any(counts[b] < MORE * counts[a] for a, b in pairwise(paper)):
        verdict = "order reproduced in part, two are alike: only restarts after changes of basis cost evaluations"
    elif ours == paper:
        verdict = "order reproduced: restarts after changes of basis cost evaluations"
    else:
        verdict = "order not reproduced: only restarts cost evaluations, and they follow the changes of basis"
    return Item(contest.table, f"order of cost, {form} form, by evaluations",
                " < ".join(contest.methods[k] for k in paper), found, verdict=verdict)  # fmt: skip
