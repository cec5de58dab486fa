"""The page inside a notebook: an inner frame that carries all of it, so that a stored notebook still moves."""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass, field

from linkwork.errors import OptionError
from linkwork.results.result import Result
from linkwork.view.html import escaped
from linkwork.view.page.page import page
from linkwork.view.scene.run_scene import scene_of

LEAST_HEIGHT = 200  # pixels: below that the controls hide the mechanism
UNPACK = """<script>
const packed = Uint8Array.from(atob("{packed}"), (c) => c.charCodeAt(0));
const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
new Response(stream).text().then((text) => {{ document.open(); document.write(text); document.close(); }});
</script>"""


@dataclass(frozen=True)
class Page:
    """A page that shows itself in a notebook; `text` is the HTML document, packed where it is shown."""

    text: str = field(repr=False)
    height: int = 560  # pixels

    def __post_init__(self) -> None:
        if self.height < LEAST_HEIGHT:
            raise OptionError(f"height is {self.height:g} pixels; give at least {LEAST_HEIGHT}", element="height")

    def _repr_html_(self) -> str:
        packed = base64.b64encode(gzip.compress(self.text.encode(), mtime=0)).decode()
        style = f"width:100%;height:{self.height}px;border:0;border-radius:4px"
        return f'<iframe title="linkwork" style="{style}" srcdoc="{escaped(UNPACK.format(packed=packed))}"></iframe>'


def run_page(result: Result, height: int, theme: str, forces: bool) -> Page:
    """The page of a run for a notebook; `forces`: with the loads of the joints, as arrows."""
    return Page(page([scene_of(result, loads=forces)], theme), height)
