"""Spectra of channels against closed forms: amplitude of a sine for every window, Parseval, a damped governor."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.signal import windows
from typer.testing import CliRunner

import linkwork as lw
from linkwork.analyses.vibration.spectrum import WINDOWS, window_of
from linkwork.cli import app
from linkwork.errors import OptionError

FREQUENCY, AMPLITUDE, MEAN = 4.0, 0.25, 1.5  # Hz, m, m


@pytest.fixture(scope="module")
def run() -> lw.Run:
    """A slide that is driven by a mean value and a sine, 8 s at 64 Hz, and a half sample more."""
    model = lw.Model("signal", gravity=(0, 0, 0))
    model.body("mass", mass=1.0, inertia=(1, 1, 1))
    model.prismatic("slide", model.ground, "mass", at=(0, 0, 0), axis="x")
    model.driver("motor", "slide", f"{MEAN} + {AMPLITUDE}*sin({2 * np.pi * FREQUENCY!r}*t)")
    return model.simulate(8.0 - 1 / 128, every=1 / 64, progress=False)


@pytest.mark.parametrize("window", WINDOWS)
def test_amplitude_of_a_sine(run: lw.Run, window: str) -> None:
    found = run.spectrum("slide.distance", window=window)
    assert len(found.frequency) == 257 and found.unit == "m" and found.resolution == pytest.approx(1 / 8)
    assert found.peak == pytest.approx((FREQUENCY, AMPLITUDE), rel=1e-6)
    assert run.spectrum("slide.speed", window=window).peak[1] == pytest.approx(
        2 * np.pi * FREQUENCY * AMPLITUDE, rel=1e-5
    )
    assert run.spectrum("slide.distance", window=window, mean=True).amplitude[0] == pytest.approx(MEAN, rel=1e-6)


@pytest.mark.parametrize("window", WINDOWS)
def test_parseval(run: lw.Run, window: str) -> None:
    """The integral of the density is the mean square of the windowed samples over that of the window."""
    found = run.spectrum("slide.distance", window=window)
    x = run["slide.distance"][:512]
    w = window_of(window, 512)
    known = np.sum((w * (x - x.mean())) ** 2) / np.sum(w**2)
    assert np.sum(found.density) * found.resolution == pytest.approx(known, rel=1e-12)


THEIRS = {
    "hann": windows.hann, "hamming": windows.hamming, "blackman": windows.blackman, "flat-top": windows.flattop,
}  # fmt: skip


@pytest.mark.parametrize("name", THEIRS)
def test_windows_are_those_of_scipy(name: str) -> None:
    assert window_of(name, 50) == pytest.approx(THEIRS[name](50, sym=False), abs=1e-12)


def test_flat_top_reads_an_amplitude_between_two_lines(run: lw.Run) -> None:
    """4 Hz lies midway between lines of 7.125 s: a rectangular window shows 2 / pi of it, a flat top all but 0.2 %."""
    between = {"during": (0.0, 7.125 - 1 / 64)}
    flat, rectangular = (run.spectrum("slide.distance", window=w, **between) for w in ("flat-top", "rectangular"))
    assert flat.peak[1] == pytest.approx(AMPLITUDE, rel=2e-3)
    assert rectangular.peak[1] == pytest.approx(2 / np.pi * AMPLITUDE, rel=0.03)


def test_padding_draws_finer_lines(run: lw.Run) -> None:
    found = run.spectrum("slide.distance", padding=4)
    assert len(found.frequency) == 1025 and found.peak == pytest.approx((FREQUENCY, AMPLITUDE), rel=1e-6)


def test_what_has_no_spectrum_is_refused(run: lw.Run) -> None:
    with pytest.raises(OptionError, match="no window 'han'; did you mean 'hann'"):
        run.spectrum("slide.distance", window="han")
    with pytest.raises(OptionError, match="too few"):
        run.spectrum("slide.distance", during=(0.0, 0.05))
    with pytest.raises(OptionError, match="no channel"):
        run.spectrum("slide.place")
    with pytest.raises(OptionError, match="padding is 0"):
        run.spectrum("slide.distance", padding=0)


def test_command_and_plot(run: lw.Run, tmp_path) -> None:
    file, plot = tmp_path / "run.h5", tmp_path / "spectrum.png"
    run.save(file)
    arguments = ["spectrum", str(file), "--channel", "slide.distance", "--channel", "slide.speed", "--plot", str(plot)]
    text = CliRunner().invoke(app, arguments).stdout
    assert "0.25 m" in text and "slide.speed" in text and plot.stat().st_size > 5000
    told = json.loads(CliRunner().invoke(app, [*arguments, "--json", "--window", "flat-top"]).stdout)
    assert told["spectra"][0]["peak"] == pytest.approx([FREQUENCY, AMPLITUDE], rel=1e-6)
