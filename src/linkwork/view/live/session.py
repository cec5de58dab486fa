"""A live session: values of sliders in, the page or another run for it out."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from linkwork.errors import LinkworkError, OptionError, RunWarning
from linkwork.results.result import Result
from linkwork.view.live.sliders import Slider
from linkwork.view.page.page import content_of, page
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.scene import Scene

Compute = Callable[[Mapping[str, float]], Result]


class Session:
    """Runs a model for the values of its sliders; `result` is the latest run."""

    def __init__(self, sliders: Sequence[Slider], compute: Compute, theme: str = "auto") -> None:
        if not sliders:
            raise OptionError(
                "the model has no parameters to move; name fields as in {'crank.mass': (0.5, 2)}", element="sliders"
            )
        self.sliders, self.compute, self.theme = tuple(sliders), compute, theme
        self.values = {slider.name: slider.value for slider in sliders}
        self.result = self._run(self.values)
        self._parts = _parts(scene_of(self.result, loads=False))

    def page(self, address: str | None) -> str:
        """The page at the present values; `address`: where it asks for others, None: the page around it."""
        scene = scene_of(self.result)
        self._parts = _parts(scene)
        sliders = [slider.described(self.values[slider.name]) for slider in self.sliders]
        return page([scene], self.theme, {"sliders": sliders, "address": address})

    def answer(self, request: Any) -> dict[str, object]:
        """The run for {"values": {name: number}} as the page takes it, or {"error": a sentence}.

        `other`: bodies or joints differ, so that the page has to be loaded again.
        """
        begin = time.perf_counter()
        try:
            values = self._checked(request)
            result = self._run(values)
            scene = scene_of(result)
        except LinkworkError as failure:
            return {"error": failure.message}
        self.values, self.result = values, result
        if _parts(scene) != self._parts:
            return {"other": True, "seconds": time.perf_counter() - begin}
        content, block = content_of([scene])
        return {"content": content, "block": block, "seconds": time.perf_counter() - begin}

    def _checked(self, request: Any) -> dict[str, float]:
        """Numbers for all sliders, within their spans."""
        given = request.get("values") if isinstance(request, Mapping) else None
        if not isinstance(given, Mapping) or set(given) != set(self.values):
            raise OptionError(f"values are needed for {', '.join(self.values)}", element="values")
        values = {}
        for slider in self.sliders:
            value = given[slider.name]
            if not isinstance(value, (int, float)) or not math.isfinite(value):
                raise OptionError(f"'{slider.name}' is {value!r}; it must be a number", element=slider.name)
            inside = min(max(float(value), slider.low), slider.high)
            values[slider.name] = round(inside) if slider.whole else inside
        return values

    def _run(self, values: Mapping[str, float]) -> Result:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # behind the status on the page
            return self.compute(values)


def _parts(scene: Scene) -> tuple[list[str], ...]:
    """What a page is made of: it can take another run of the same."""
    bodies, joints, links = ([part.name for part in group] for group in (scene.bodies, scene.joints, scene.links))
    return bodies, joints, links, [trace.name for trace in scene.traces]
