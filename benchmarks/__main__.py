"""linkwork and its peers side by side, in one run: python -m benchmarks [--store] [problem ...]

Each problem with the processor time and error of every program, and how many times longer than linkwork's default run
the others take.  One core is used; times are the best of several.  Compare ratios, not seconds of different runs.
linkwork's time is that of its loop, as the others' is, and, in a row of its own, of the whole call of `simulate`.
The flexible slider-crank and the vehicle (flexible.py, vehicle.py) are beside Exudyn, which can do them, alone.
--store keeps all in the package, where the shelf (linkwork/reproduce/benchmarks) reads it; docs/benchmarks.py makes its
plot of it and docs/reference.py a table.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import date

from benchmarks import flexible, linkwork_side, vehicle
from benchmarks.peers import MODULES, load
from benchmarks.rows import Row, chain_rows, mechanism_rows, one_core, show
from linkwork.reproduce.benchmarks.peers import STORED


def rows() -> Iterator[Row]:
    """All that is measured; what is missing here is reported."""
    for program in (linkwork_side, *(load(name) for name in MODULES)):
        if isinstance(program, str):
            print(program)
            continue
        yield from mechanism_rows(program)
        yield from chain_rows(program, linkwork_side)
    yield from flexible.rows()
    yield from vehicle.rows()


def main(given: list[str]) -> None:
    """Measure everything, then print it by problem."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("--store", action="store_true", help="keep all in the package, for the shelf and the page")
    parser.add_argument("words", nargs="*", metavar="problem", help="print problems with one of these words only")
    asked = parser.parse_args(given)
    one_core()
    table = defaultdict(list)
    for who, problem, setting, error, spent in rows():
        print(f"\r{who}: {problem + ' ' + setting:60}", end="", file=sys.stderr)
        table[problem].append((who, setting, error, spent.strip()))
    print("\r" + 80 * " ", file=sys.stderr)
    if asked.store:
        STORED.write_text(json.dumps({"date": str(date.today()), "problems": table}, indent=1) + "\n")
    for problem, found in table.items():
        if not asked.words or any(word in problem for word in asked.words):
            show(problem, found)


if __name__ == "__main__":
    main(sys.argv[1:])
