"""Fewer divisions: a number that divides several others is inverted once, where it is known.

A division takes a GPU some twenty operations and a branch; a product with a reciprocal differs from it by rounding.
"""

from __future__ import annotations

import re
from collections import Counter

from linkwork.compiler.gpu.specialize import FUNCTIONS

DIVISION = re.compile(r"^  (%[\w.]+) = fdiv ((?:\w+ )*)double ([^,]+), (%[\w.]+)(.*)$", re.MULTILINE)
RESULT = re.compile(r"^  (%[\w.]+) = ", re.MULTILINE)


def by_reciprocals(text: str) -> str:
    """A program with products in the place of divisions by the same number."""
    head, *functions = FUNCTIONS.split(text)
    return "".join([head, *map(_of_function, functions)])


def _of_function(function: str) -> str:
    results = set(RESULT.findall(function))
    times = Counter(found[4] for found in DIVISION.finditer(function) if found[4] in results)
    inverse = {divisor: f"%inverse{n}" for n, (divisor, count) in enumerate(times.items()) if count > 1}

    def product(found: re.Match[str]) -> str:
        result, flags, number, divisor, notes = found.groups()
        if divisor not in inverse:
            return found[0]
        return f"  {result} = fmul {flags}double {number}, {inverse[divisor]}{notes}"

    lines: list[str] = []
    waiting: list[str] = []  # until the phi nodes of a block are through
    for line in DIVISION.sub(product, function).split("\n"):
        result, _, operation = line.strip().partition(" = ")
        if not operation.startswith("phi "):
            lines += waiting
            waiting = []
        lines.append(line)
        if result in inverse:
            waiting.append(f"  {inverse[result]} = fdiv double 1.000000e+00, {result}")
    return "\n".join(lines)
