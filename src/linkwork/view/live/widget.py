"""A live session inside a notebook: a widget (anywidget, the extra `notebook`) whose frame holds the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linkwork.errors import OptionError
from linkwork.installation import install_hint
from linkwork.view.live.session import Session

PROGRAM = Path(__file__).parent / "widget.js"


def live_widget(session: Session, height: int) -> Any:
    """The widget of a session, `height` pixels tall."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise OptionError(f"sliders in a notebook need anywidget; {install_hint('notebook')}", element="live") from None
    base: Any = anywidget.AnyWidget

    class LiveWidget(base):  # type: ignore[misc]
        """Passes requests of the page on to the session."""

        _esm = PROGRAM
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)

    widget = LiveWidget(page=session.page(None), height=height)

    def passed_on(_: Any, content: dict[str, Any], buffers: Any) -> None:
        if content.get("linkwork") == "reload":
            widget.page = session.page(None)
        elif content.get("linkwork") == "run":
            widget.send({"number": content.get("number"), "answer": session.answer(content.get("request"))})

    widget.on_msg(passed_on)
    return widget
