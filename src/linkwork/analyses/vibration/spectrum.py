"""Spectrum of a channel: the discrete Fourier transform of its samples under a window (Harris 1978).

With the window w_k, N samples at a distance dt and X its transform of w (x - mean):

    amplitude  2 |X| / sum w            the peak value of a sine whose frequency is that of a line
    density    2 |X|^2 dt / sum w^2     mean square per Hz: its integral is the mean square of the windowed samples

At 0 Hz, and for an even N at the highest frequency, there is no second half: the factor is 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import OptionError, nearest
from linkwork.results.result import Result
from linkwork.tables import Shown, Table, table

EQUAL = 1e-6  # of their distance: samples that are equally spaced
FEWEST = 8  # samples
MOST = 2**26  # points with those that padding adds
WINDOWS = {  # coefficients a_k of sum (-1)^k a_k cos(2 pi k n / N)
    "rectangular": (1.0,),
    "hann": (0.5, 0.5),
    "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.5, 0.08),
    "flat-top": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
}


HIGHEST = 5  # peaks in the table
LEAST = 1e-3  # of the highest peak: lower ones are left out


@dataclass(frozen=True, repr=False)
class Spectrum(Shown):
    """Amplitudes of a channel over the frequency."""

    channel: str
    unit: str  # of the channel and the amplitudes; "" without dimension
    window: str
    during: tuple[float, float]  # s, of the samples
    frequency: np.ndarray  # Hz
    amplitude: np.ndarray  # peak value of a sine at that frequency
    density: np.ndarray  # unit^2 / Hz
    resolution: float  # Hz, 1 / duration: what lies closer cannot be told apart

    @property
    def omega(self) -> np.ndarray:
        """Frequencies in rad/s."""
        return 2.0 * np.pi * self.frequency

    @property
    def peak(self) -> tuple[float, float]:
        """Frequency (Hz) and amplitude of the highest line."""
        n = int(np.argmax(self.amplitude))
        return float(self.frequency[n]), float(self.amplitude[n])

    def peaks(self) -> list[tuple[float, float]]:
        """Frequency (Hz) and amplitude of the highest lines that are higher than their neighbours."""
        a = self.amplitude
        tops = [k for k in range(1, len(a) - 1) if a[k - 1] < a[k] >= a[k + 1] and a[k] > LEAST * a.max()]
        highest = sorted(tops, key=lambda k: -a[k])[:HIGHEST]
        return [(float(self.frequency[k]), float(a[k])) for k in sorted(highest)]

    def tables(self) -> list[Table]:
        """The highest peaks."""
        rows = [(f"{f:.6g}", f"{a:.6g} {self.unit}".rstrip()) for f, a in self.peaks()]
        return [table(f"{self.channel}: peaks, {self.window} window", ("frequency, Hz", "amplitude"), rows)]

    def as_dict(self) -> dict[str, object]:
        """For a JSON answer."""
        return {
            "channel": self.channel, "unit": self.unit, "window": self.window, "during": list(self.during),
            "resolution": self.resolution, "peak": list(self.peak), "frequency": self.frequency,
            "amplitude": self.amplitude, "density": self.density,
        }  # fmt: skip


def spectrum(
    result: Result,
    channel: str,
    *,
    window: str = "hann",
    during: tuple[float, float] | None = None,
    padding: int = 1,
    mean: bool = False,
) -> Spectrum:
    """Spectrum of a channel, of all samples or of those `during` a span (s).

    `window`: rectangular, hann, hamming, blackman, flat-top.  `padding`: zeros are appended to so many times the
    length, which draws the lines finer without telling more apart.  `mean`: keep the mean value, the line at 0 Hz.
    Refused: samples that are not equally spaced, or too few.
    """
    if window not in WINDOWS:
        raise OptionError(f"there is no window '{window}'; {nearest(window, WINDOWS)}", element="window")
    t, x = _equally_spaced(result, channel, during)
    if not 1 <= padding <= MOST / len(t) or padding != int(padding):
        most = f"at most {MOST // len(t)} for {len(t)} samples"
        raise OptionError(f"padding is {padding}; give a whole number, 1 or more, {most}", element="padding")
    count, dt = len(t), float(t[-1] - t[0]) / (len(t) - 1)
    w = window_of(window, count)
    X = np.fft.rfft(w * (x if mean else x - x.mean()), int(padding) * count)
    factor = np.full(len(X), 2.0)
    factor[0] = 1.0
    if int(padding) * count % 2 == 0:
        factor[-1] = 1.0
    return Spectrum(
        channel, result.unit(channel), window, (float(t[0]), float(t[-1])),
        np.fft.rfftfreq(int(padding) * count, dt), factor * np.abs(X) / w.sum(),
        factor * np.abs(X) ** 2 * dt / (w @ w), 1.0 / (count * dt),
    )  # fmt: skip


def window_of(name: str, count: int) -> np.ndarray:
    """The window's values at so many samples, periodic: its next value would be the first again."""
    k = 2.0 * np.pi * np.arange(count) / count
    return np.asarray(sum((-1) ** n * a * np.cos(n * k) for n, a in enumerate(WINDOWS[name])) + np.zeros(count))


def _equally_spaced(result: Result, channel: str, during: tuple[float, float] | None) -> tuple[np.ndarray, np.ndarray]:
    """Samples of a channel during a span, without an end that stands apart."""
    first, last = (result.t[0], result.t[-1]) if during is None else during
    kept = np.flatnonzero((result.t >= first - 1e-9) & (result.t <= last + 1e-9))
    t = result.t[kept]
    if len(t) > 2 and abs((t[-1] - t[-2]) - (t[1] - t[0])) > EQUAL * (t[1] - t[0]):
        t, kept = t[:-1], kept[:-1]  # the end of a run need not be a multiple of `every`
    if len(t) < FEWEST:
        raise OptionError(
            f"spectrum of '{channel}': {len(t)} samples from {first:g} s to {last:g} s are too few; sample more often "
            "(every) or choose a longer span",
            element=channel,
        )
    steps = np.diff(t)
    if np.abs(steps - steps.mean()).max() > EQUAL * steps.mean():
        raise OptionError(
            f"spectrum of '{channel}': the samples are not equally spaced; run it again with `every`", element=channel
        )
    return t, result.channel(channel)[kept]
