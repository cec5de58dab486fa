"""Equations of a flexible body from its kinetic energy alone, summed particle by particle.

M is the Hessian of T(eta, z), z = (v, omega, eta'); Q_v follows from the Boltzmann-Hamel equations by complex steps:

    d/dt T_v + omega x T_v = 0,   d/dt T_omega + omega x T_omega + v x T_v = 0,   d/dt T_eta' - T_eta = 0.
"""

from __future__ import annotations

import numpy as np


def kinetic_energy(particles, S, eta, z) -> complex:
    """1/2 sum m |v + omega x (x + S eta) + S eta'|^2."""
    u = z[:3] + np.cross(z[3:6], particles.x + S @ eta) + S @ z[6:]
    return 0.5 * np.sum(particles.m[:, None] * u * u)


def shifted_kinetic_energy(particles, S, shifts, eta, z) -> complex:
    """The same of a body that foreshortens: r = x + S eta + a + B x, quadratic in eta; shifts [mode, mode, (a, B)]."""
    far = np.hstack([np.ones((len(particles.x), 1)), particles.x])  # (1, x)

    def shift(one, other):
        whole = np.einsum("i,ijk,j->k", one, shifts, other)
        return far @ np.vstack([whole[:3], whole[3:].reshape(3, 3).T])

    r = particles.x + S @ eta + 0.5 * shift(eta, eta)
    u = z[:3] + np.cross(z[3:6], r) + S @ z[6:] + shift(eta, z[6:])
    return 0.5 * np.sum(particles.m[:, None] * u * u)


def gradient(f, x, h=1e-30):
    """By complex steps: exact to rounding."""
    return np.array([f(x + 1j * h * e).imag / h for e in np.eye(len(x))])


def directional(f, x, direction, h=1e-30):
    """The derivative along a direction."""
    return f(x + 1j * h * direction).imag / h


def reference(T, eta, z) -> tuple[np.ndarray, np.ndarray]:
    """M by polarization of T(eta, z); Q_v = -(terms of the Boltzmann-Hamel equations without z')."""
    n, E = len(z), np.eye(len(z))
    M = np.array([[T(eta, E[i] + E[j]) - T(eta, E[i]) - T(eta, E[j]) for j in range(n)] for i in range(n)])
    v, w, eta_dot = z[:3], z[3:6], z[6:]
    momentum = M @ z  # T_z, as T is a quadratic form in z
    # d/dt of T_z at fixed z: derivative along eta' of each component, by polarization in z and complex step in eta
    drift = np.array(
        [directional(lambda e, k=k: T(e, z + E[k]) - T(e, z) - T(e, E[k]), eta, eta_dot) for k in range(n)]
    )
    slope = gradient(lambda e: T(e, z), eta)
    h = np.concatenate(
        [
            drift[:3] + np.cross(w, momentum[:3]),
            drift[3:6] + np.cross(w, momentum[3:6]) + np.cross(v, momentum[:3]),
            drift[6:] - slope,
        ]
    )
    return M, -h
