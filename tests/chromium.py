"""A real browser for the tests of the page, where there is one: headless Chromium with WebGL in software."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from devtools import Chromium


@contextmanager
def browser() -> Iterator[Chromium]:
    """A driver; the test is skipped, with the reason, where Chromium or websocket-client is missing."""
    pytest.importorskip("websocket", reason="websocket-client is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium on this machine (Debian: chromium)")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        driver = Chromium(program, Path(folder))
        try:
            yield driver
        finally:
            driver.quit()


def opened(driver: Any, page: Path | str | None, ready: str = "window.linkwork && linkwork.ready") -> None:
    """Load a page, or the one that is there again, and wait until it says that it is ready."""
    address = page.resolve().as_uri() if isinstance(page, Path) else page
    driver.refresh() if address is None else driver.get(address)
    end = time.monotonic() + 60.0
    while not driver.execute_script(f"return Boolean({ready})"):
        assert time.monotonic() < end, driver.get_log("browser")
        time.sleep(0.05)


def complaints(driver: Any) -> list[str]:
    """What the page wrote to the console as warning or error."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def js(driver: Any, expression: str) -> Any:
    """The value of an expression on the page."""
    return driver.execute_script(f"return {expression}")


def wait_for(driver: Any, condition: str, seconds: float = 30.0) -> None:
    """Until a condition holds on the page."""
    end = time.monotonic() + seconds
    while not js(driver, f"Boolean({condition})"):
        assert time.monotonic() < end, condition
        time.sleep(0.05)
