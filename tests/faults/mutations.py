"""Broken files, made from whole ones: mutations of data (structure-aware) and of bytes, each from a seed.

A reader has three ways to answer: the model, a sentence with exit code 2 (bad input) or 3 (it cannot be computed), and
anything else, which is wrong: another exception, or more time than a person would wait.
"""

from __future__ import annotations

import copy
import random
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from linkwork.errors import LinkworkError

PATIENCE = 2.0  # s
LARGEST_FLOAT = sys.float_info.max
ODD: list[Any] = [
    None, True, -1, 0, 3, 10**9, 10**400, 1e308, -1e308, 5e-324, 1e-200, 1e49, float("nan"), float("inf"), -0.0,
    "", " ", ".", "ground", "x", "x" * 300, "x" * 100_000, "a\x00b", "a\x1b[31mb", "‮", "\ud7ff", "'", '"', "a.b.c",
    "[/]",
    "1e308", "1e999 m", "1 kg**(9**9**9)", "1 m^99^99", "3 " + "m*" * 60 + "m", "12 mm", "5 kg", "50 Hz", "1 %", "1 °",
    "t", "sin(t", "1/0", "9^9^9^9", "if(t > 1, 2, 3)", "sqrt(-1)", "log(0)*t", "abs(" * 40, "(" * 500, "t" + "+t" * 400,
    "coordinate(x)", "table(x, t)", "dist(ground, ground)", "__import__('os')", "x(x)", "min()", "1e", "0x10", "tt",
    [], {}, [[]], [None], [0.0, 0.0, 0.0], [1.0, 2.0], ["x", "y", "z"], [1e308] * 3, [[1.0] * 3] * 3, {"x": 1},
    {"kind": "rod"}, {"kind": "x", "mass": 1.0}, {"name": "x"}, {"angle": 1.0, "axis": "w"}, [{"name": "x"}] * 2,
]  # fmt: skip


def mutated(data: Any, rng: random.Random) -> Any:
    """A copy with one to three things changed: values, keys, entries."""
    data = copy.deepcopy(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        holders = [value for value in _inside(data) if value]
        if not holders:
            return data
        holder = rng.choice(holders)
        key: Any = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
        rng.choice(_CHANGES)(data, holder, key, rng)
    return data


def _inside(data: Any) -> list[Any]:
    """All lists and tables."""
    found, waiting = [], [data]
    while waiting and len(found) < 5000:
        value = waiting.pop()
        if isinstance(value, (dict, list)):
            found.append(value)
            waiting += value.values() if isinstance(value, dict) else value
    return found


def _odd(_: Any, holder: Any, key: Any, rng: random.Random) -> None:
    holder[key] = copy.deepcopy(rng.choice(ODD))


def _near(_: Any, holder: Any, key: Any, rng: random.Random) -> None:
    """A number slightly or hugely different; a text with a character too many."""
    value = holder[key]
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST_FLOAT:
        holder[key] = value * rng.choice((-1.0, 0.0, 1e-30, 1e30, 1e150, 1.0000001)) + rng.choice((0.0, 1e-9, 1.0))
    elif isinstance(value, str):
        place = rng.randint(0, len(value))
        holder[key] = value[:place] + rng.choice("x(),*^.'\"\0\n 9-") + value[place:]
    else:
        _odd(_, holder, key, rng)


def _other(data: Any, holder: Any, key: Any, rng: random.Random) -> None:
    """A value from somewhere else in the model."""
    source = rng.choice([value for value in _inside(data) if value])
    holder[key] = copy.deepcopy(rng.choice(list(source.values()) if isinstance(source, dict) else source))


def _gone(_: Any, holder: Any, key: Any, rng: random.Random) -> None:
    del holder[key]


def _twice(_: Any, holder: Any, key: Any, rng: random.Random) -> None:
    """An entry once more, or a key under another name."""
    if isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    else:
        holder[f"{key}{rng.choice(('x', '_', '', ' ', chr(0), '.a'))}"] = copy.deepcopy(holder[key])


def _deep(_: Any, holder: Any, key: Any, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 5, 60, 400))):
        holder[key] = [holder[key]] if rng.random() < 0.7 else {"x": holder[key]}


_CHANGES: list[Callable[[Any, Any, Any, random.Random], None]] = [
    _odd, _odd, _odd, _near, _near, _near, _near, _near, _other, _gone, _twice, _deep,
]  # fmt: skip


def garbled(content: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut out, put in, doubled or cut off, in one to four places."""
    spoilt = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        if not spoilt:
            break
        place, length = rng.randrange(len(spoilt)), rng.choice((1, 1, 2, 8, 64))
        way = rng.randrange(6)
        if way == 0:
            spoilt[place] ^= 1 << rng.randrange(8)
        elif way == 1:
            spoilt[place : place + length] = rng.randbytes(length)
        elif way == 2:
            del spoilt[place : place + length]
        elif way == 3:
            spoilt[place:place] = spoilt[place : place + length] * rng.choice((1, 2, 50))
        elif way == 4:
            spoilt[place:place] = rng.choice(_BITS) * rng.choice((1, 1, 3, 100))
        else:
            del spoilt[place:]
    return bytes(spoilt)


_BITS = [b"[", b"]", b"{", b"}", b'"', b"'", b"\n", b"\r", b"\t", b"\0", b"=", b":", b"- ", b"&a ", b"*a",
         b"!!float ", b"<<: ", b"#", b"<", b">", b"</", b"&", b"1e999", b"nan", b"\xff\xfe", b"\xef\xbb\xbf",
         b"[[body]]\n", b"a.b.", b"9" * 50]  # fmt: skip


class Hang(BaseException):
    """It takes too long; no `except Exception` holds it back."""


@contextmanager
def patience(seconds: float = PATIENCE) -> Iterator[None]:
    """Raises Hang after so many seconds of computing, or thirty times as many of waiting (on a busy machine)."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hang(f"more than {seconds:g} s")

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, seconds), (signal.ITIMER_REAL, signal.SIGALRM, 30.0 * seconds))
    before = [signal.signal(number, stop) for _, number, _ in timers]
    for timer, _, length in timers:
        signal.setitimer(timer, length)
    try:
        yield
    finally:
        for (timer, number, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0.0)
            signal.signal(number, handler)


class Tally:
    """How many were tried, refused, and answered wrongly."""

    def __init__(self) -> None:
        self.tried = self.refused = 0
        self.wrong: list[str] = []

    def take(self, name: str, action: Callable[[], object]) -> None:
        """One trial; `name` leads back to it."""
        self.tried += 1
        try:
            with patience():
                action()
        except LinkworkError as refusal:
            self.refused += 1
            message = refusal.message
            if refusal.exit_code not in (2, 3) or not message or len(message) > 2000:
                self.wrong.append(f"{name}: {type(refusal).__name__}: {message[:200]}")
        except Hang as hang:
            self.wrong.append(f"{name}: {hang}")
        except Exception as failure:
            self.wrong.append(f"{name}: {type(failure).__name__}: {str(failure)[:300]}")

    def check(self) -> None:
        """Nothing may be wrong; the figures are printed."""
        print(f"tried {self.tried}, refused {self.refused}, wrong {len(self.wrong)}")
        assert not self.wrong, "\n".join(self.wrong[:20])
