"""Modes of vibration as a scene: every body goes around its place with the mode's amplitude and phase.

    p(t) = p_0 + a Re(u exp(i omega t)),   R(t) = exp(a Re(theta exp(i omega t))) R_0

u and theta: translation and rotation of the body in the mode, complex; flexible bodies bend by their modal coordinates
in it.  Damping is left out: the shape is what is shown.  The page has all modes to choose from and a slider for a
(view/page/static/modes.js).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from linkwork.analyses.vibration.mode_shapes import modal_directions
from linkwork.analyses.vibration.modes import OSCILLATION, Mode, Modes
from linkwork.elements.declaration.calls import explained
from linkwork.errors import OptionError
from linkwork.mechanism import Mechanism
from linkwork.numerics.rotations import axis_rotation, euler_parameters
from linkwork.view.page.page import write_page
from linkwork.view.scene.run_scene import scene_of_motion
from linkwork.view.scene.scene import DrawnMode, Scene, without_flips

SAMPLES = 60  # of the period that is shown; even, so that the mean is the place at rest
MOST = 40  # modes to choose from
SHARE = 0.08  # of the mechanism's size: the largest displacement at amplitude 1
LARGEST_TURN = 0.35  # rad, at amplitude 1


@explained("view_mode", OptionError, ("Modes", "what model.linearize().modes() returns"))
def view_mode(
    modes: Modes, number: int = 1, path: str | Path | None = None, *, amplitude: float = 1.0, open: bool = True,
    theme: str = "auto",
) -> Path:  # fmt: skip
    """Write the page of the modes, the one of a `number` (from 1, as in their table) moving first, and open it;
    `amplitude`: 1 is clearly visible.
    """
    return write_page([modes_scene(modes, number - 1, amplitude)], path, open=open, theme=theme)


def modes_scene(modes: Modes, n: int = 0, amplitude: float = 1.0) -> Scene:
    """The scene of mode n with the others (the lowest, where there are many) to choose from."""
    first = mode_scene(modes, n, amplitude)
    chosen = sorted({n, *range(min(len(modes), MOST))})
    scenes = [first if k == n else mode_scene(modes, k, amplitude) for k in chosen]
    corners = np.array([[scene.low, scene.high] for scene in scenes])
    low, high = corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)
    drawn = [_drawn(_name(k, modes[k]), scene, k == n) for k, scene in zip(chosen, scenes, strict=True)]
    outline = np.concatenate([scene.outline for scene in scenes])
    plots = [[f"{name.removesuffix('.position.x')}.displacement.{axis}" for axis in "xyz"] for name, *_ in first.plots]
    return replace(
        first, low=tuple(map(float, low)), high=tuple(map(float, high)), outline=outline, plots=plots, modes=drawn
    )


def _name(n: int, mode: Mode) -> str:
    oscillation = f"{mode.frequency_hz:.4g} Hz, damping {mode.damping + 0.0:.2g}"
    return f"mode {n + 1}: {oscillation if mode.kind == OSCILLATION else mode.kind}"


def _drawn(name: str, scene: Scene, shown: bool) -> DrawnMode:
    """A mode as the page lets one choose it."""
    return DrawnMode(
        name, scene.status, scene.headline, shown, scene.t, scene.position, scene.orientation, scene.velocity,
        scene.angular_velocity, [bend.eta for bend in scene.bends],
    )  # fmt: skip


def mode_scene(modes: Modes, n: int, amplitude: float = 1.0) -> Scene:
    """Mode n over a period, enlarged so that it is visible."""
    if not 0 <= n < len(modes):
        raise OptionError(f"there is no mode {n + 1}; count from 1 to {len(modes)}", element=str(n))
    if not (np.isfinite(amplitude) and amplitude > 0.0):
        raise OptionError(f"amplitude is {amplitude:g}; it must be a finite number > 0", element="amplitude")
    mode, mechanism = modes[n], modes.linear.reduction.mechanism
    omega = mode.damped_omega or mode.omega or 1.0
    t = np.linspace(0.0, 2.0 * np.pi / omega, SAMPLES + 1)
    turning = np.exp(1j * omega * t)
    shapes, places = modes.body_shapes(n), modes.body_places()
    u = np.array([shapes[body.name].translation for body in mechanism.body])
    theta = np.array([shapes[body.name].rotation for body in mechanism.body])
    bending = _bending(modes, n)
    a = amplitude * _enlargement(*_with_nodes(mechanism, places, u, theta, bending), mechanism.size())
    position, velocity = (_real(a * factor * u, turning) for factor in (1.0, 1j * omega))
    turns, spin = (_real(a * factor * theta, turning) for factor in (1.0, 1j * omega))
    position += np.array([places[body.name][1] for body in mechanism.body])
    axes = np.array([places[body.name][0] for body in mechanism.body])
    turned = np.array([[_rotation(turn) @ R for turn, R in zip(row, axes, strict=True)] for row in turns])
    orientation = without_flips(euler_parameters(turned))
    numbers = f"{mode.omega:.5g} rad/s, {mode.frequency_hz:.5g} Hz, damping ratio {mode.damping + 0.0:.3g}"
    most = modes.linear.independent[int(np.argmax(np.abs(mode.shape)))]
    headline = f"mode {n + 1} of {len(modes)}: {numbers} · {most} ± {a:.3g} at amplitude 1"
    modal = {
        name: (rest + _real(a * eta, turning), _real(1j * omega * a * eta, turning))
        for name, (rest, eta) in bending.items()
    }
    return scene_of_motion(mechanism, mode.kind, headline, t, position, orientation, velocity, spin, modal)


def _bending(modes: Modes, n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Modal coordinates [mode] of every flexible body: at the point of the linearization, and in mode n (complex)."""
    bent = (body for body in modes.linear.reduction.mechanism.body if body.modal is not None)
    found = {body.name: modal_directions(modes.linear, body) for body in bent}
    return {name: (rest, modes[n].shape @ along) for name, (rest, along) in found.items()}


def _with_nodes(
    mechanism: Mechanism, places: Mapping[str, tuple[np.ndarray, np.ndarray]], u: np.ndarray, theta: np.ndarray,
    bending: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Translations and rotations of the bodies in a mode, and of the nodes of those that bend."""
    moved, turned = [u], [theta]
    for k, body in enumerate(mechanism.body):
        if body.modal is not None:
            R, nodes, eta = places[body.name][0], body.modal.nodes, bending[body.name][1]
            moved.append(u[k] + np.cross(theta[k], nodes.x @ R.T) + (nodes.S @ eta) @ R.T)
            turned.append(theta[k] + (nodes.Theta @ eta) @ R.T)
    return np.concatenate(moved), np.concatenate(turned)


def _enlargement(u: np.ndarray, theta: np.ndarray, length: float) -> float:
    """So that the largest displacement is a share of the mechanism's size, and no turn is too large."""
    moved, turned = float(np.abs(u).max(initial=0.0)), float(np.abs(theta).max(initial=0.0))
    return 1.0 / max(moved / (SHARE * length), turned / LARGEST_TURN, 1e-300)


def _real(shape: np.ndarray, turning: np.ndarray) -> np.ndarray:
    """Re(shape exp(i omega t)), [sample, *shape]."""
    return np.real(np.multiply.outer(turning, shape))


def _rotation(turn: np.ndarray) -> np.ndarray:
    angle = float(np.linalg.norm(turn))
    return axis_rotation(turn / angle, angle) if angle > 1e-15 else np.eye(3)
