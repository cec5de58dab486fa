"""`linkwork` and `python -m linkwork`: Ctrl-C ends it with one word, also while it is imported or compiles."""

from __future__ import annotations

import sys
from typing import Any


def main() -> None:
    """Entry point of the `linkwork` command."""
    sys.unraisablehook = _quiet(sys.unraisablehook)
    try:
        from linkwork.cli import main as program

        program()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)  # as after any command that is stopped (commands/answer.py)


def _quiet(before: Any) -> Any:
    """Ctrl-C within a callback of the compiler cannot be raised there: it is raised as soon as it can be."""

    def hook(found: Any) -> None:
        if issubclass(found.exc_type, KeyboardInterrupt):
            import _thread

            _thread.interrupt_main()
        else:
            before(found)

    return hook


if __name__ == "__main__":
    main()
