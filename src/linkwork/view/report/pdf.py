"""HTML printed to PDF by Chromium, where there is one."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from linkwork.errors import FileError, OptionError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 120  # s


def browser_for(target: Path) -> str:
    """The program that prints; refused where there is none."""
    found = next((path for path in map(shutil.which, BROWSERS) if path is not None), None)
    if found is None:
        remedy = "install it, or write an .html report"
        raise OptionError(
            f"'{target}' needs Chromium to print it, which is not installed; {remedy}", element=str(target)
        )
    return found


def print_pdf(browser: str, text: str, target: Path) -> None:
    """HTML to PDF by a browser without a window."""
    with tempfile.TemporaryDirectory(prefix="linkwork-") as folder:
        page = Path(folder) / "report.html"
        page.write_text(text, encoding="utf-8")
        command = [
            browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile", f"--print-to-pdf={target.resolve()}", page.as_uri(),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode or not target.is_file():
        raise FileError(f"'{target}' could not be printed by {browser}; write an .html report", element=str(target))
