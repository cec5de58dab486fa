"""Outputs: numbers that a force's kernel writes into the signals, where somebody requested them."""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def show(signals, record, k, value):
    """Write the k-th output of a record, if it was requested."""
    place = record.outputs[k]
    if place >= 0:
        signals[place] = value
