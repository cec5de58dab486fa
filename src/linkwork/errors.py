"""Exceptions that name the element and the remedy.

Every error that reaches a user is one sentence with the element, the offending value and the remedy.
The command line turns them into exit codes: 2 for bad input, 3 for a numerical failure.
Each has an entry in the documentation (failure_entries.py), to which a note of the exception points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Self

from linkwork.failure_entries import Entry as Entry
from linkwork.failure_entries import entry_in
from linkwork.other_words import meant

LONGEST = 1500  # characters of a message
ALIKE, ALIKE_SHORT = 0.55, 0.5  # of their letters two names have in common, where one has at most three
LONGEST_HINT = 200  # characters of a name that is compared with those that exist


class LinkworkError(Exception):
    """A failure with a message for people and the same facts for machines."""

    exit_code = 1
    code = "error"
    entry: Entry | None = None  # of the documentation, with a picture

    def __init__(
        self, message: str, *, element: str | None = None, t: float | None = None, remedy: str | None = None,
        entry: Entry | None = None,
    ) -> None:  # fmt: skip
        message = shortened(message)
        super().__init__(message)
        self.message = message
        self.element = element
        self.t = t
        self.remedy = remedy
        self.entry = entry or self.explained_by(message)
        if self.entry is not None:
            self.add_note(self.entry.reference)

    @classmethod
    def explained_by(cls, message: str) -> Entry | None:
        """The entry of an error that is made without one."""
        return cls.entry

    @property
    def with_reference(self) -> str:
        """The message, and where it is explained."""
        return self.message if self.entry is None else f"{self.message}. {self.entry.reference}"

    def located(self, where: str) -> Self:
        """The same error, with the place of the line that made it, "press.py, line 12", before its message."""
        self.message = shortened(f"{where}: {self.message}")
        self.args = (self.message,)
        return self

    def as_dict(self) -> dict[str, object]:
        """The `error` entry of every `--json` answer."""
        return {
            "code": self.code,
            "message": self.message,
            "element": self.element,
            "t": self.t,
            "remedy": self.remedy,
            "entry": None if self.entry is None else self.entry.value,
        }


class RunWarning(UserWarning):
    """What a run has to say about itself; the certificate has it too."""


class RefusalError(LinkworkError):
    """What is refused before any computation; its words find the entry that explains it, else its class does."""

    exit_code = 2

    @classmethod
    def explained_by(cls, message: str) -> Entry | None:
        """The entry of an error that is made without one."""
        return entry_in(message) or cls.entry


class ModelError(RefusalError):
    """A model that no mechanism can be: refused before any computation."""

    code = "bad-model"
    entry = Entry.VALUE


class OptionError(RefusalError):
    """An option of an analysis that does not exist or makes no sense."""

    code = "bad-option"
    entry = Entry.OPTION


class FileError(RefusalError):
    """A file that cannot be read or written, or does not hold what it should."""

    code = "bad-file"
    entry = Entry.FILE


class AssemblyError(LinkworkError):
    """The parts cannot be put together as described."""

    exit_code = 2
    code = "cannot-assemble"


class NumericalError(LinkworkError):
    """The computation failed; what was computed until then is kept in `partial`."""

    exit_code = 3
    code = "numerical-failure"
    partial: object | None = None


class DeadCentreError(NumericalError):
    """The mechanism cannot move on: it is at a dead centre that its drivers cannot pass."""

    code = "dead-centre"
    entry = Entry.DEAD_CENTRE


class SuspectError(NumericalError):
    """A run that came to its end, and whose certificate says not to trust it."""

    code = "suspect"


class KernelError(RefusalError):
    """A kernel of which there is no machine code, and nothing here that could compile it."""

    code = "no-kernel"
    entry = Entry.KERNEL


class ModelWarning(UserWarning):
    """An entry of a file that has no place in the model; the model is complete without it."""


def entry_of(error: Mapping[str, object]) -> Entry | None:
    """The entry of an error as it is kept, which in a file of an earlier version has none."""
    return Entry(str(error["entry"])) if error.get("entry") else None


def shortened(message: str) -> str:
    """A message that quotes pages of someone's file, cut in the middle (its end has the remedy), without what would
    steer the terminal.
    """
    if len(message) > LONGEST:
        message = f"{message[: 2 * LONGEST // 3]} ... {message[-LONGEST // 3 :]}"
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in message)


def alike(name: str, known: Iterable[str]) -> list[str]:
    """The names that one which does not exist is likely to mean, the likeliest first."""
    names = sorted(set(known))
    lower, cutoff = {known.lower(): known for known in reversed(names)}, ALIKE_SHORT if len(name) < 4 else ALIKE
    close = [lower[one] for one in get_close_matches(name[:LONGEST_HINT].lower(), lower, n=3, cutoff=cutoff)]
    return meant(name, names) or close


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for a name that does not exist: 'did you mean ...?', or the names that exist."""
    names = sorted(set(known))
    if found := alike(name, names):
        return "did you mean " + " or ".join(one if "=" in one else f"'{one}'" for one in found) + "?"
    if not names:
        return "there are none"
    shown = ", ".join(f"'{n}'" for n in names[:12])
    return f"there are {shown}" + (" ..." if len(names) > 12 else "")
