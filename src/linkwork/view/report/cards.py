"""Cards: how a notebook shows a model or a run - a table of facts and a picture."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.errors import LinkworkError
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from linkwork.view.html import escaped, image, table
from linkwork.view.report.tables import element_rows, run_rows, vector_text
from linkwork.view.scene.run_scene import scene_at_start, scene_of
from linkwork.view.scene.scene import Scene
from linkwork.view.scene.still import picture

CARD_STYLE = (
    "<style>.linkwork{font:13px system-ui,sans-serif;max-width:760px}.linkwork h3{margin:4px 0}"
    ".linkwork table{border-collapse:collapse;margin:4px 0}.linkwork th,.linkwork td{text-align:left!important;"
    "padding:2px 10px;vertical-align:top}.linkwork th{font-weight:600;opacity:.7}</style>"
)
CARD_SIZE = (6.4, 3.0)  # inch
MOST_NAMES = 12  # of bodies, joints, other elements


def model_card(mechanism: Mechanism) -> str:
    """A model: its elements, and a picture of its start."""
    facts = [
        ("bodies", _listed([body.name for body in mechanism.body])),
        ("joints", _listed([f"{joint.name} ({joint.kind})" for joint in mechanism.joint])),
        ("others", _listed([f"{name} ({kind})" for name, kind, _ in element_rows(mechanism)])),
        ("gravity", f"{vector_text(mechanism.gravity)} m/s2"),
    ]
    return _card(mechanism.name, facts, scene_at_start(mechanism) if mechanism.body else None, 0)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (" ..." if len(names) > MOST_NAMES else "") if names else "none"


def run_card(result: Result) -> str:
    """A run: its certificate, and a picture."""
    scene = scene_of(result, loads=False) if len(result.t) and result.names["bodies"] else None
    return _card(result.model, run_rows(result), scene, len(scene.t) // 3 if scene is not None else 0)


def _card(title: str, rows: Sequence[tuple[str, str]], scene: Scene | None, sample: int) -> str:
    drawn = ""
    if scene is not None:
        try:
            drawn = image(picture(scene, sample, size=CARD_SIZE), f"picture of {title}")
        except LinkworkError as failure:  # a card without its picture is still a card
            drawn = f"<p>{escaped(failure.message)}</p>"
    return f'{CARD_STYLE}<div class="linkwork"><h3>{escaped(title)}</h3>{drawn}{table((), rows)}</div>'
