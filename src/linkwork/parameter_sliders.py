"""Sliders for the parameters of a model: each move runs it again, in a notebook or on a page of this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from linkwork.elements.declaration.calls import explained
from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError, nearest
from linkwork.files.settings import field_value, setting_unit
from linkwork.library.by_name.sources import source_of
from linkwork.model import Model
from linkwork.model.origin import Parameters
from linkwork.results.result import Result
from linkwork.run import Run
from linkwork.view.live.server import LiveServer
from linkwork.view.live.session import Session
from linkwork.view.live.sliders import Slider, slider
from linkwork.view.live.widget import live_widget

Spans = Mapping[str, tuple[float, float]]
MOST_STEPS = 1_000_000  # of a run: one that gets stuck answers with a sentence


class Live:
    """A model with sliders: a notebook shows it as a widget, `serve` opens it in the browser.

    Examples:
        >>> live = lw.live("four-bar", {"angle": (5, 60)}, until=2.0)
        >>> live.run.certificate.status
        'finished'
    """

    def __init__(self, session: Session, height: int) -> None:
        self._session, self._height = session, height
        self._widget: Any = None

    @property
    def values(self) -> dict[str, float]:
        """Where the sliders are, in their units."""
        return dict(self._session.values)

    @property
    def run(self) -> Run:
        """The latest run."""
        return Run(self._session.result)

    @property
    def widget(self) -> Any:
        """The widget, for notebooks that combine several (needs anywidget, the extra `notebook`)."""
        if self._widget is None:
            self._widget = live_widget(self._session, self._height)
        return self._widget

    def server(self, port: int = 0) -> LiveServer:
        """A server of the page on this machine alone; `serve_forever()` answers until it is stopped.

        `port`: 0 for any that is free.  Who knows its `address`, which has a token, can use it.
        """
        return LiveServer(self._session, port)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """How a notebook shows it."""
        return self.widget._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        moved = ", ".join(f"{s.name} = {self.values[s.name]:g} {s.unit}".strip() for s in self._session.sliders)
        return f"Live({moved})"


@explained("live", OptionError)
def live(
    model: str | Path | Model | Callable[..., Model],
    sliders: Spans | None = None,
    *,
    settings: Mapping[str, Setting] | None = None,
    until: float | None = None,
    rtol: float = 1e-6,
    height: int = 620,
    theme: str = "light",
) -> Live:
    """Sliders for the parameters of a model, which run it again: the last line of a cell in a notebook.

    Args:
        model: name of a library model, a model file, a model, or a function of numbers that makes one.
        sliders: what moves, and from where to where: {"angle": (5, 60)}, parameters in the units in which the model
            has them, or fields of elements in SI units, {"crank.mass": (0.5, 2)}.  Default: every parameter, from
            half of its value to twice as much.
        settings: parameters and fields that stay as given here.
        until: s, end of the runs; default the model's own duration.
        rtol: tolerance of a step.
        height: pixels, in a notebook.
        theme: "light", "dark", or "auto" as the browser prefers.

    Examples:
        >>> lw.live("slider-crank", {"crank": (0.05, 0.15), "rod_length": (0.25, 0.5)})
        Live(crank = 0.1 m, rod_length = 0.31 m)
    """
    fixed = dict(settings or {})
    parameters, build = source_of(model, fixed)
    names = sliders if sliders is not None else [name for name in parameters if name not in fixed]
    base = build({})
    made = [_slider(name, (sliders or {}).get(name), parameters, base) for name in names]
    compute = partial(_computed, build, {s.name: s.unit for s in made if s.name in parameters}, until, rtol)
    return Live(Session(made, compute, theme), height)


def _slider(name: str, span: tuple[float, float] | None, parameters: Parameters, base: Model) -> Slider:
    if name in parameters:
        value, unit, whole = parameters[name]
        return slider(name, value, unit, span, whole)
    if "." not in name:
        raise OptionError(f"the model has no parameter '{name}'; {nearest(name, parameters)}", element=name)
    return slider(name, field_value(base.mechanism, name), setting_unit(base.mechanism, name), span)


def _computed(
    build: Callable[[Mapping[str, Setting]], Model], units: Mapping[str, str], until: float | None, rtol: float,
    values: Mapping[str, float],
) -> Result:  # fmt: skip
    """The run for the values of the sliders, each in its unit."""
    given: dict[str, Setting] = {
        name: f"{value!r} {units[name]}" if units.get(name) else value for name, value in values.items()
    }
    return build(given).simulate(until, rtol=rtol, max_steps=MOST_STEPS, progress=False).result
