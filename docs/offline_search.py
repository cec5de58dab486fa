"""Hook of the documentation: its search takes the script that it needs from here, and not from the network."""

from __future__ import annotations

from typing import Any

ELSEWHERE = "https://unpkg.com/iframe-worker/shim"  # what the theme would load
HERE = "worker_in_frame.js"


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Called by MkDocs for each page."""
    up = "../" * page.url.count("/")
    return output.replace(ELSEWHERE, up + HERE)


def on_post_template(output_content: str, **_: Any) -> str:
    """And for the page of what is not found."""
    return output_content.replace(ELSEWHERE, HERE)
