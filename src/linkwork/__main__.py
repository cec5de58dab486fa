"""`linkwork` and `python -m linkwork`: Ctrl-C ends it with one word, also while it is imported or compiles."""

from __future__ import annotations

import sys
from typing import Any

LATER = 0.02  # s


def main() -> None:
    """Entry point of the `linkwork` command."""
    sys.unraisablehook = _quiet(sys.unraisablehook)
    try:
        from linkwork.cli import main as program

        program()
    except KeyboardInterrupt:
        _stopped()
    except SystemExit as end:
        if end.__context__ is not None and isinstance(end.__context__.__cause__, KeyboardInterrupt):
            _stopped()  # typer has caught it, before or after a command, without a word
        raise


def _stopped() -> None:
    """As after any command that is stopped (commands/answer.py)."""
    print("stopped", file=sys.stderr)
    sys.exit(130)


def _quiet(before: Any) -> Any:
    """Ctrl-C within a callback of the compiler or a destructor cannot be raised there: it comes again a bit later."""

    def hook(found: Any) -> None:
        if issubclass(found.exc_type, KeyboardInterrupt):
            import _thread
            from threading import Timer

            Timer(LATER, _thread.interrupt_main).start()
        else:
            before(found)

    return hook


if __name__ == "__main__":
    main()
