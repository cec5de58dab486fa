"""FMUs are made of the native library: their tests need one that is of these very sources."""

from __future__ import annotations

import pytest

from linkwork.compiler.build import is_up_to_date
from linkwork.compiler.native.library import FOLDER

REASON = "the native library is not built of these sources: python -m linkwork.compiler.build builds it"


def unfit() -> str:
    """Why FMUs cannot be tested; nothing if they can."""
    return "" if is_up_to_date(FOLDER) else REASON


needs_native_library = pytest.mark.skipif(bool(unfit()), reason=REASON)
