"""`linkwork response`: the response to a force, a moving base or an unbalance, over the frequency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, SpeedOption, app, read_model
from linkwork.commands.arguments import numbers_by_name, span, speeds_by_name, speeds_swept, unit_factor
from linkwork.commands.tables import print_tables
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions, lazy_module

if TYPE_CHECKING:
    import numpy as np

    from linkwork.analyses.vibration.frequency_response import FrequencyResponse, frequency_response
    from linkwork.analyses.vibration.modes import Modes
    from linkwork.model import Model
    from linkwork.view.plots.vibration import plot_response
else:
    np = lazy_module("numpy")
    (frequency_response,) = lazy_functions("linkwork.analyses.vibration.frequency_response", "frequency_response")
    (plot_response,) = lazy_functions("linkwork.view.plots.vibration", "plot_response")

POINTS = 400  # frequencies, unless their count is given


@app.command(
    epilog="Examples: linkwork response quarter-car --input profile --output car.position.z --plot bode.png; "
    "linkwork response rotor.toml --unbalance disc=1e-3 --sweep 'spin=60:600:55 rpm' --output disc.position.x"
)
def response(
    model: ModelArgument,
    input: Annotated[
        str | None, typer.Option(help="BODY.force.x, BODY.torque.z, an applied force, or a driver (moving base)")
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(help="BODY.position.x, JOINT.angle, a measure ..., with .dot its rate; may be repeated"),
    ] = None,
    frequency: Annotated[
        str | None, typer.Option(help="FROM:TO or FROM:TO:COUNT, rad/s, or '1:50 Hz'; default: around the modes")
    ] = None,
    unbalance: Annotated[
        str | None, typer.Option(help="BODY=VALUE, an unbalance (kg m) that turns with a rotor; needs --sweep")
    ] = None,
    sweep: Annotated[str | None, typer.Option(help="NAME=FROM:TO:COUNT, the speed over which the rotor runs")] = None,
    axis: Annotated[str, typer.Option(help="axis of the rotor: x, y or z")] = "z",
    speed: SpeedOption = None,
    plot: Annotated[Path | None, typer.Option(help="write the Bode plot: .png, .svg or .pdf")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find frequency responses, or the response to unbalance.

    Amplitudes and phases of outputs over the frequency of a force or a moving base, or over the speed of a rotor.
    """
    with answering("response", as_json, model) as answer:
        outputs = output or []
        made, speeds = read_model(model, settings), speeds_by_name(speed)
        if outputs and input is not None and unbalance is None and sweep is None:
            found = _to_input(made, input, outputs, frequency, speeds)
        elif outputs and input is None and unbalance is not None and sweep is not None:
            if frequency is not None:
                remedy = "the frequency of an unbalance is the speed of --sweep"
                raise OptionError(f"--frequency is for --input; {remedy}", element="--frequency")
            found = _to_unbalance(made, unbalance, sweep, outputs, axis, speeds)
        else:
            raise OptionError(
                "give --output, and either --input, or --unbalance BODY=VALUE with --sweep NAME=FROM:TO:COUNT",
                element="--output",
            )
        answer.warn(*found.notes)
        peaks = {name: [{"omega": w, "amplitude": y} for w, y in found.peaks(name)] for name in outputs}
        answer |= {
            "input": found.input, "omega": found.omega, "units": found.units, "peaks": peaks,
            "amplitude": {name: found.amplitude(name) for name in outputs},
            "phase": {name: found.phase(name) for name in outputs},
        }  # fmt: skip
        if plot is not None:
            plot_response(found, plot, model=made.mechanism.name)
        if not as_json:
            print_tables(found.tables())


def _to_input(
    made: Model, input: str, outputs: Sequence[str], frequency: str | None, speeds: dict[str, float]
) -> FrequencyResponse:
    linear = made.linearize(speeds)
    omega, asked = (_around(linear.modes()), "") if frequency is None else _frequencies(frequency)
    return replace(frequency_response(linear, input, outputs, omega), asked=asked or "rad/s")


def _to_unbalance(
    made: Model, unbalance: str, sweep: str, outputs: Sequence[str], axis: str, speeds: dict[str, float]
) -> FrequencyResponse:
    name, values, asked = speeds_swept(sweep)
    ((body, size),) = numbers_by_name("--unbalance", [unbalance]).items()
    found = made.unbalance_response(name, values, body, size, outputs, axis=axis, speeds=speeds)
    return replace(found, asked=asked or "rad/s")


def _frequencies(text: str) -> tuple[np.ndarray, str]:
    """FROM:TO[:COUNT] [unit] in rad/s, and the unit: by equal ratios, or by equal steps where a count is given."""
    given, (between, _, unit) = f"--frequency {text}", text.strip().partition(" ")
    factor = unit_factor(unit.strip(), given)
    if between.count(":") != 1:
        return factor * span(between, given, "FROM:TO or FROM:TO:COUNT, as in --frequency '1:50 Hz'"), unit.strip()
    try:
        low, high = (float(part) for part in between.split(":"))
        if not 0.0 < low < high < math.inf:
            raise ValueError
    except ValueError:
        raise OptionError(f"{given}: FROM and TO are frequencies, 0 < FROM < TO", element="--frequency") from None
    return factor * np.geomspace(low, high, POINTS), unit.strip()


def _around(modes: Modes) -> np.ndarray:
    """From a tenth of the lowest frequency to ten times the highest of the first few, the peaks among them."""
    swinging = [mode for mode in modes if mode.damped_omega > 0.0][:6]
    if not swinging:
        return np.geomspace(0.1, 100.0, POINTS)
    omega = np.array([mode.damped_omega for mode in swinging])
    width = np.array([max(abs(mode.eigenvalue.real), 1e-3 * mode.omega) for mode in swinging])
    near = omega[:, None] + width[:, None] * np.linspace(-3.0, 3.0, 25)
    grid = np.geomspace(0.1 * omega.min(), 10.0 * omega.max(), POINTS)
    return np.unique(np.concatenate([grid, near[near > grid[0]].ravel()]))
