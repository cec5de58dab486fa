"""The script that began a study stays out of the processes that make its runs: what these need is data.

A new process imports the script of the first one again, as far as it knows where that is: a script that is not under
`if __name__ == "__main__":` would begin its study anew in each of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def script_left_out() -> Iterator[None]:
    """Processes that are started meanwhile do not know the script."""
    main: dict[str, Any] = vars(sys.modules["__main__"])
    kept: dict[str, Any] = {name: main[name] for name in ("__file__", "__spec__") if name in main}
    main.pop("__file__", None)
    main["__spec__"] = None
    try:
        yield
    finally:
        main.update(kept)
