"""How linkwork was installed, so that a message can name the command that adds what is missing."""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlparse

NAME = "linkwork"


def install_hint(extra: str) -> str:
    """The command that installs an extra, for the tool with which linkwork was installed."""
    return f"install it: {_command(extra, Path(sys.prefix), _found())}"


def _found() -> Distribution | None:
    try:
        return distribution(NAME)
    except PackageNotFoundError:
        return None


def _command(extra: str, prefix: Path, found: Distribution | None) -> str:
    folder = None if found is None else _source_folder(found)
    if folder is not None:
        return f"{_pip(prefix)} install -e '{folder}[{extra}]'"
    packages = [] if found is None else _packages(found, extra)
    if not packages:
        return f"{_pip(prefix)} install '{NAME}[{extra}]'"
    if "pipx" in prefix.parts:
        return f"pipx inject {NAME} {' '.join(packages)}"
    if prefix.parts[-3:-1] == ("uv", "tools"):
        return f"uv tool install {NAME} {' '.join(f'--with {package}' for package in packages)}"
    return f"{_pip(prefix)} install {' '.join(packages)}"


def _pip(prefix: Path) -> str:
    """uv makes environments that have no pip."""
    about = prefix / "pyvenv.cfg"
    return "uv pip" if about.is_file() and re.search(r"^uv\s*=", about.read_text(), re.MULTILINE) else "pip"


def _source_folder(found: Distribution) -> str | None:
    """Where the source is, if linkwork was installed from there to be edited."""
    about = json.loads(found.read_text("direct_url.json") or "{}")
    return unquote(urlparse(about["url"]).path) if about.get("dir_info", {}).get("editable") else None


def _packages(found: Distribution, extra: str) -> list[str]:
    """What an extra adds, by the names of the packages."""
    entries = [entry.partition(";") for entry in found.requires or []]
    wanted = re.compile(rf"""\bextra\s*==\s*["']{re.escape(extra)}["']""")
    return [re.match(r"[\w.-]+", name)[0] for name, _, marker in entries if wanted.search(marker)]  # type: ignore[index]
