"""Print each peer's time and error on all problems that it can do: python -m benchmarks.peers [name ...]."""

from __future__ import annotations

import sys
from itertools import chain

from benchmarks.peers import MODULES, load
from benchmarks.rows import REPEAT, chain_rows, mechanism_rows


def main(names: list[str]) -> None:
    """Print the table, a row as soon as it is measured."""
    baseline = None
    print(f"{'peer':20} {'problem':60} {'error':>8} {'time':>12}   (best of {REPEAT})")
    for name in names or list(MODULES):
        peer = load(name)
        if isinstance(peer, str):
            print(peer)
            continue
        if hasattr(peer, "chain_forward_dynamics"):
            baseline = baseline or peer
        for who, problem, setting, error, spent in chain(chain_rows(peer, baseline), mechanism_rows(peer)):
            print(f"{who:20} {problem + ' ' + setting:60} {error:8.1e} {spent:>12}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
