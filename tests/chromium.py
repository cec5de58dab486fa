"""A real browser for the tests of the page, where there is one: headless Chromium with WebGL in software."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless=new", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox",
    "--disable-dev-shm-usage", "--window-size=1200,800", "--hide-scrollbars",
)  # fmt: skip


@contextmanager
def browser() -> Iterator[Any]:
    """A driver; the test is skipped, with the reason, where Chromium, its driver or selenium is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    service = shutil.which("chromedriver")
    if program is None or service is None:
        pytest.skip("no Chromium with chromedriver on this machine (Debian: chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
    try:
        yield driver
    finally:
        driver.quit()


def opened(driver: Any, page: Path | None, ready: str = "window.linkwork && linkwork.ready") -> None:
    """Load a page, or the one that is there again, and wait until it says that it is ready."""
    driver.refresh() if page is None else driver.get(page.resolve().as_uri())
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
