"""`linkwork modes`: natural frequencies, damping and shapes, at rest or at constant speeds; sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.commands.answer import (
    JsonOption,
    ModelArgument,
    SetOption,
    answering,
    app,
    print_rows,
    print_table,
    read_model,
    read_numbers,
)
from linkwork.commands.vibration.equilibrium import SpeedOption
from linkwork.errors import LinkworkError, OptionError, nearest

if TYPE_CHECKING:
    from linkwork.analyses.vibration.modes import Modes
    from linkwork.analyses.vibration.sweeps import Sweep
    from linkwork.model import Model

UNITS = {"rad/s": 1.0, "rpm": 0.10471975511965977, "Hz": 6.283185307179586, "m/s": 1.0, "": 1.0}
MOST = 400  # values of a sweep, unless the step is said to be finer
FEW = 8  # modes that tables and plots show unless more are asked for


@app.command(
    epilog="Examples: linkwork modes governor --speed spindle=11.0174; "
    "linkwork modes governor --sweep 'spindle=0:60:1 rad/s' --plot campbell.png"
)
def modes(
    model: ModelArgument,
    unit: Annotated[str, typer.Argument(hidden=True)] = "",
    speed: SpeedOption = None,
    sweep: Annotated[
        str | None,
        typer.Option(help="NAME=FROM:TO:STEP, over a joint speed (rad/s, rpm, Hz, m/s), a parameter or a field"),
    ] = None,
    independent: Annotated[
        list[str] | None, typer.Option(help="an independent coordinate; may be repeated; default: chosen")
    ] = None,
    about: Annotated[str, typer.Option(help="equilibrium, or start: the state where the model begins")] = "equilibrium",
    count: Annotated[int, typer.Option(help="modes in the table and the plots, lowest first")] = FEW,
    plot: Annotated[Path | None, typer.Option(help="write the Campbell diagram of a sweep")] = None,
    locus: Annotated[Path | None, typer.Option(help="write the root locus of a sweep")] = None,
    view: Annotated[int | None, typer.Option(help="show the mode of this number moving, in the browser")] = None,
    page: Annotated[Path | None, typer.Option(help="write that page here, .html, instead of opening it")] = None,
    amplitude: Annotated[float, typer.Option(help="of the mode shown; 1 is well seen")] = 1.0,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find natural frequencies, damping and mode shapes about the equilibrium; sweep a speed or a parameter."""
    with answering("modes", as_json, model) as answer:
        speeds, made = read_numbers("--speed", speed), read_model(model, settings)
        if count < 1:
            raise OptionError(f"--count {count}: at least one mode must be shown", element="--count")
        _refuse_what_has_no_part(unit if sweep is None else "", sweep, plot or locus, view, page)
        if sweep is not None:
            name, values, factor = sweep_values(sweep, unit)
            found = _sweep(made, model, settings, name, values * factor, speeds, independent)
            answer["warnings"] = found.notes
            answer["sweep"] = found.as_dict()
            speeds = {**speeds, name: float(values[0] * factor)} if found.is_speed else speeds
            _plot(found, plot, locus, count)
        linear = made.linearize(speeds, about=about, independent=independent)
        natural = linear.modes()
        answer["warnings"] = [*answer["warnings"], *linear.notes]
        answer |= _facts(natural)
        if view is not None:
            from linkwork.view.scene.mode_scene import view_mode

            answer["page"] = str(view_mode(natural, view - 1, page, amplitude=amplitude, open=page is None))
        if as_json:
            return
        if sweep is None:
            _print_modes(model, natural, speeds, count)
        else:
            _print_sweep(model, found, count)


def _refuse_what_has_no_part(
    word: str, sweep: str | None, drawn: Path | None, view: int | None, page: Path | None
) -> None:
    """What was said and would be passed over."""
    if word:
        raise OptionError(f"'{word}' is one word too many; a unit stands behind --sweep", element=word)
    if sweep is None and drawn is not None:
        raise OptionError("--plot and --locus draw a sweep; give --sweep NAME=FROM:TO:STEP", element="--sweep")
    if page is not None and view is None:
        raise OptionError("--page is for a mode that is shown; give its number, as in --view 1", element="--page")


def _facts(natural: Modes) -> dict[str, Any]:
    linear = natural.linear
    found = linear.equilibrium
    balanced = {} if found is None else {
        "status": found.status, "stable": found.stable, "stability": found.stability, "residual": found.residual,
        "coordinates": found.coordinates,
    }  # fmt: skip
    return {
        "equilibrium": balanced, "independent": list(linear.independent), "M": linear.M, "C": linear.C, "K": linear.K,
        "modes": natural.as_list(), "undamped": natural.undamped,
    }  # fmt: skip


def sweep_values(text: str, unit: str = "", option: str = "--sweep") -> tuple[str, Any, float]:
    """NAME=FROM:TO:STEP [unit] as name, values and the factor to SI."""
    name, _, rest = text.partition("=")
    span, _, said = rest.strip().partition(" ")
    values = stepped(span, f"{option} {text}", "NAME=FROM:TO:STEP, as in --sweep spindle=0:60:1")
    return name.strip(), values, unit_factor(said.strip() or unit, f"{option} {text}")


def unit_factor(unit: str, said: str) -> float:
    """Of a frequency or speed, to rad/s or m/s."""
    if unit not in UNITS:
        raise OptionError(f"{said}: the unit '{unit}' is unknown; use rad/s, rpm, Hz or m/s", element=said.split()[0])
    return UNITS[unit]


def stepped(span: str, said: str, example: str) -> Any:
    """FROM:TO:STEP as values."""
    import numpy as np

    option = said.split()[0]
    try:
        low, high, step = (float(part) for part in span.split(":"))
    except ValueError:
        raise OptionError(f"{said}: write {example}", element=option) from None
    if not (step > 0.0 and high > low and np.isfinite([low, high, step]).all()):
        raise OptionError(f"{said}: FROM must be below TO and STEP > 0", element=option)
    size = int(np.floor((high - low) / step * (1.0 + 1e-12))) + 1
    if size > MOST * 100:
        raise OptionError(f"{said}: {size} values are too many; take a larger step", element=option)
    return low + step * np.arange(size)


def _sweep(
    made: Model, model: str, settings: list[str] | None, name: str, values: Any, speeds: dict[str, float],
    independent: list[str] | None,
) -> Sweep:  # fmt: skip
    """Over the speed of a joint coordinate where NAME is one, otherwise over a parameter or field as in --set."""
    from linkwork.analyses.steady.independent import measured_coordinates
    from linkwork.analyses.vibration.sweeps import sweep
    from linkwork.view.progress import counter

    coordinates = measured_coordinates(made.mechanism)
    if name in coordinates:
        return made.sweep(name, values, speeds, independent=independent)
    try:
        read_model(model, [*(settings or []), f"{name}={float(values[0])!r}"])
    except LinkworkError as failure:
        raise OptionError(
            f"--sweep {name}: there is no such joint coordinate ({nearest(name, coordinates)}), nor can it be set: "
            f"{failure.message}",
            element=name,
        ) from None
    with counter(model, "values", None) as tell:
        return sweep(
            lambda value: read_model(model, [*(settings or []), f"{name}={value!r}"]).mechanism, name, values, speeds,
            independent=independent, model=made.mechanism.name, report=tell,
        )  # fmt: skip


def _plot(found: Sweep, plot: Path | None, locus: Path | None, count: int) -> None:
    from linkwork.view.plots.vibration import plot_campbell, plot_root_locus

    if plot is not None:
        plot_campbell(found, plot, count)
    if locus is not None:
        plot_root_locus(found, locus, count)


def _print_modes(model: str, natural: Modes, speeds: dict[str, float], count: int) -> None:
    linear = natural.linear
    at = "".join(f", {name} = {value:g}" for name, value in speeds.items())
    stability = linear.equilibrium.stability if linear.equilibrium else "not an equilibrium"
    rows = []
    for n, mode in enumerate(natural.modes[:count]):
        s = mode.eigenvalue
        main = sorted(natural.participation(n).items(), key=lambda item: -item[1])[:3]
        moving = ", ".join(f"{name} {100 * share:.0f} %" for name, share in main if share > 0.005)
        rows.append(
            (f"{n + 1}", mode.kind, f"{mode.omega:.6g}", f"{mode.frequency_hz:.6g}", f"{mode.damping:.4g}",
             f"{s.real:.5g} {s.imag:+.6g}i", moving)
        )  # fmt: skip
    print_rows(
        f"{model}{at}: {stability}",
        ("mode", "kind", "omega, rad/s", "frequency, Hz", "damping ratio", "eigenvalue, 1/s", "kinetic energy"),
        rows,
    )
    left = len(natural) - len(rows)
    undamped = ", ".join(f"{w:.6g}" for w in natural.undamped[:count])
    print_table("", [
        *([("more modes", f"{left} (--count {len(natural)} shows them)")] if left > 0 else []),
        ("undamped", f"{undamped} rad/s" if undamped else "no oscillation"),
        *(("warning", note) for note in linear.notes),
    ])  # fmt: skip


def _print_sweep(model: str, found: Sweep, count: int) -> None:
    unit = found.unit
    columns = range(min(found.eigenvalues.shape[1], count))
    every = max(1, len(found.values) // 25)

    def shown(s: complex) -> str:
        return "" if s != s else f"{s.imag:.5g}" if s.imag else f"({s.real:+.4g} /s)"

    rows = [
        (f"{found.values[n]:g}", "yes" if found.stable[n] else "no",
         *(shown(found.eigenvalues[n, b]) for b in columns))
        for n in range(0, len(found.values), every)
    ]  # fmt: skip
    heads = (f"{found.name}, {unit}" if unit else found.name, "stable", *(f"mode {b + 1}" for b in columns))
    print_rows(f"{model}: frequencies Im s, rad/s", heads, rows)
    facts = [
        *(("critical speed", f"{c.value:.8g} {unit}: mode {c.branch + 1} meets {c.order} x speed")
          for c in found.critical),
        *(("stability limit", f"{limit.value:.8g} {unit}: {limit.becomes} from here ({limit.how})")
          for limit in found.limits),
        *(("warning", note) for note in found.notes),
    ]  # fmt: skip
    if facts:
        print_table("", facts)
