"""`linkwork modes`: natural frequencies, damping and shapes, at rest or at constant speeds; sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, SpeedOption, app, read_model
from linkwork.commands.arguments import numbers_by_name, sweep_values
from linkwork.commands.tables import print_facts, print_table
from linkwork.errors import LinkworkError, OptionError, nearest
from linkwork.lazy_import import lazy_functions, lazy_module

if TYPE_CHECKING:
    import numpy as np

    from linkwork.analyses.steady.independent import measured_coordinates
    from linkwork.analyses.vibration import sweeps
    from linkwork.analyses.vibration.modes import Modes
    from linkwork.model import Model
    from linkwork.run import load
    from linkwork.view.plots import vibration as plots
    from linkwork.view.progress import counter
    from linkwork.view.scene.mode_scene import view_mode
else:
    (measured_coordinates,) = lazy_functions("linkwork.analyses.steady.independent", "measured_coordinates")
    sweeps = lazy_module("linkwork.analyses.vibration.sweeps")
    (load,) = lazy_functions("linkwork.run", "load")
    plots = lazy_module("linkwork.view.plots.vibration")
    (counter,) = lazy_functions("linkwork.view.progress", "counter")
    (view_mode,) = lazy_functions("linkwork.view.scene.mode_scene", "view_mode")

FEW = 8  # modes in tables and plots by default
ROWS = 25  # about as many values of a sweep are printed
LEAST_SHARE = 0.005  # of the kinetic energy of a mode: bodies with less are not listed


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
    at: Annotated[float | None, typer.Option(help="s, an instant of a run: MODEL is its .h5 file")] = None,
    count: Annotated[int, typer.Option(help="modes in the table and the plots, lowest first")] = FEW,
    plot: Annotated[Path | None, typer.Option(help="write the Campbell diagram of a sweep")] = None,
    locus: Annotated[Path | None, typer.Option(help="write the root locus of a sweep")] = None,
    view: Annotated[int | None, typer.Option(help="show the mode of this number moving, in the browser")] = None,
    page: Annotated[Path | None, typer.Option(help="write that page here, .html, instead of opening it")] = None,
    amplitude: Annotated[float, typer.Option(help="of the mode shown; 1 is clearly visible")] = 1.0,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find natural frequencies, damping and mode shapes about the equilibrium; sweep a speed or a parameter."""
    with answering("modes", as_json, model) as answer:
        _refuse_pointless(unit if sweep is None else "", sweep, plot or locus, view, page, count)
        speeds, swept = numbers_by_name("--speed", speed), None
        if at is not None:
            _refuse_for_instants(model, {"--sweep": sweep, "--speed": speeds, "--set": settings})
            linear = load(model).linearize(at, independent=independent)
        else:
            made = read_model(model, settings)
            if sweep is not None:
                name, values = sweep_values(sweep, unit)
                swept = _sweep(made, model, settings, name, values, speeds, independent)
                answer.warn(*swept.notes)
                answer["sweep"] = swept.as_dict()
                speeds = {**speeds, name: float(values[0])} if swept.is_speed else speeds
                _plot(swept, plot, locus, count)
            linear = made.linearize(speeds, about=about, independent=independent)
        natural = linear.modes()
        answer.warn(*linear.notes)
        answer |= _facts(natural)
        if view is not None:
            answer["page"] = str(view_mode(natural, view - 1, page, amplitude=amplitude, open=page is None))
        if as_json:
            return
        if swept is None:
            _print_modes(model, natural, speeds, count)
        else:
            _print_sweep(model, swept, count)


def _refuse_pointless(
    word: str, sweep: str | None, plot: Path | None, view: int | None, page: Path | None, count: int
) -> None:
    """Refuse what would have no effect."""
    if word:
        raise OptionError(f"unexpected argument '{word}'; a unit belongs to --sweep", element=word)
    if sweep is None and plot is not None:
        raise OptionError("--plot and --locus draw a sweep; give --sweep NAME=FROM:TO:STEP", element="--sweep")
    if page is not None and view is None:
        raise OptionError("--page is for a mode that is shown; give its number, as in --view 1", element="--page")
    if count < 1:
        raise OptionError(f"--count {count}: at least one mode must be shown", element="--count")


def _refuse_for_instants(model: str, options: dict[str, object]) -> None:
    """An instant is one of a run in a file, which has its speeds and settings."""
    if Path(model).suffix != ".h5":
        raise OptionError(f"--at is for a run; give its .h5 file instead of '{model}'", element="--at")
    for name, value in options.items():
        if value:
            raise OptionError(f"{name} is for a model; an instant is linearized as it is in '{model}'", element=name)


def _facts(natural: Modes) -> dict[str, object]:
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


def _sweep(
    made: Model, model: str, settings: list[str] | None, name: str, values: np.ndarray, speeds: dict[str, float],
    independent: list[str] | None,
) -> sweeps.Sweep:  # fmt: skip
    """Over the speed of a joint coordinate where NAME is one, otherwise over a parameter or field as in --set."""
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
    with counter(model, "values", None) as advance:
        return sweeps.sweep(
            lambda value: read_model(model, [*(settings or []), f"{name}={value!r}"]).mechanism, name, values, speeds,
            independent=independent, model=made.mechanism.name, report=advance,
        )  # fmt: skip


def _plot(found: sweeps.Sweep, campbell: Path | None, locus: Path | None, count: int) -> None:
    if campbell is not None:
        plots.plot_campbell(found, campbell, count)
    if locus is not None:
        plots.plot_root_locus(found, locus, count)


def _print_modes(model: str, natural: Modes, speeds: dict[str, float], count: int) -> None:
    linear = natural.linear
    at = "".join(f", {name} = {value:g}" for name, value in speeds.items())
    stability = linear.equilibrium.stability if linear.equilibrium else "not an equilibrium"
    rows = []
    for n, mode in enumerate(natural.modes[:count]):
        s = mode.eigenvalue
        main = sorted(natural.participation(n).items(), key=lambda item: -item[1])[:3]
        moving = ", ".join(f"{name} {100 * share:.0f} %" for name, share in main if share > LEAST_SHARE)
        rows.append(
            (f"{n + 1}", mode.kind, f"{mode.omega:.6g}", f"{mode.frequency_hz:.6g}", f"{mode.damping:.4g}",
             f"{s.real:.5g} {s.imag:+.6g}i", moving)
        )  # fmt: skip
    print_table(
        f"{model}{at}: {stability}",
        ("mode", "kind", "omega, rad/s", "frequency, Hz", "damping ratio", "eigenvalue, 1/s", "kinetic energy"),
        rows,
    )
    left = len(natural) - len(rows)
    undamped = ", ".join(f"{w:.6g}" for w in natural.undamped[:count])
    print_facts("", [
        *([("more modes", f"{left} (--count {len(natural)} shows them)")] if left > 0 else []),
        ("undamped", f"{undamped} rad/s" if undamped else "no oscillation"),
        *(("warning", note) for note in linear.notes),
    ])  # fmt: skip


def _print_sweep(model: str, found: sweeps.Sweep, count: int) -> None:
    unit = found.unit
    columns = range(min(found.eigenvalues.shape[1], count))
    every = max(1, len(found.values) // ROWS)

    def shown(s: complex) -> str:
        return "" if s != s else f"{s.imag:.5g}" if s.imag else f"({s.real:+.4g} /s)"

    rows = [
        (f"{found.values[n]:g}", "yes" if found.stable[n] else "no",
         *(shown(found.eigenvalues[n, b]) for b in columns))
        for n in range(0, len(found.values), every)
    ]  # fmt: skip
    heads = (f"{found.name}, {unit}" if unit else found.name, "stable", *(f"mode {b + 1}" for b in columns))
    print_table(f"{model}: frequencies Im s, rad/s", heads, rows)
    facts = [
        *(("critical speed", f"{c.value:.8g} {unit}: mode {c.branch + 1} meets {c.order} x speed")
          for c in found.critical),
        *(("stability limit", f"{limit.value:.8g} {unit}: {limit.becomes} from here ({limit.how})")
          for limit in found.limits),
        *(("warning", note) for note in found.notes),
    ]  # fmt: skip
    if facts:
        print_facts("", facts)
