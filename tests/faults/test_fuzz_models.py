"""Model files as nobody should write them: each is read, or refused in a sentence, soon."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest
from mutations import Tally, garbled, mutated

import linkwork as lw
from linkwork.analyses.start.assembly import assemble
from linkwork.files.model_files import read_mechanism
from linkwork.files.writing import _json, _toml_key, _toml_value, _yaml, given_fields
from linkwork.library import LIBRARY

SEED = 20261116


def inline(data: dict[str, Any]) -> str:
    """TOML of data of any kind, each key on a line."""
    return "".join(f"{_toml_key(key)} = {_inline_value(value)}\n" for key, value in data.items())


def _inline_value(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline_value, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(key)} = {_inline_value(entry)}" for key, entry in value.items()) + "}"
    return _toml_value(value)


WRITERS = {".toml": inline, ".yaml": _yaml, ".json": _json}
PARTS: dict[str, Any] = {
    "parameters": {"L": 1.0, "a": {"b": "2*L"}},
    "include": [{"file": "part.toml", "prefix": "p "}],
}
PART = 'gravity = [0, 0, 0]\n[[measure]]\nname = "m"\nof = "t"\n'


def models() -> dict[str, dict[str, Any]]:
    """Library models as data, with parameters and an include."""
    return {name: given_fields(lw.library_model(name).mechanism) | PARTS for name in LIBRARY}


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_originals_are_read(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "part.toml").write_text(PART)
    for name, data in models().items():
        path = tmp_path / f"{name}{suffix}"
        path.write_text(WRITERS[suffix](data))
        assemble(read_mechanism(path), "joint")


def try_models(folder: Path, count: int, first: int, tally: Tally) -> None:
    """By turns mutated data and garbled bytes, in each format."""
    originals = models()
    (folder / "part.toml").write_text(PART)
    for number in range(first, first + count):
        rng = random.Random(SEED + number)
        name, suffix = rng.choice(list(originals)), rng.choice(list(WRITERS))
        try:
            if number % 2:
                content = WRITERS[suffix](mutated(originals[name], rng)).encode()
            else:
                content = garbled(WRITERS[suffix](originals[name]).encode(), rng)
        except (AttributeError, ValueError, TypeError, RecursionError):  # what no file of this format can hold
            continue
        path = folder / f"model{suffix}"
        path.write_bytes(content)
        tally.take(f"{number} {name}{suffix}", lambda path=path: assemble(read_mechanism(path), "joint"))


def test_a_few_model_files(tmp_path: Path) -> None:
    tally = Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try_models(tmp_path, 300, 0, tally)
    tally.check()


@pytest.mark.slow
def test_many_model_files(tmp_path: Path) -> None:
    tally = Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try_models(tmp_path, 20_000, 1_000_000, tally)
    tally.check()
