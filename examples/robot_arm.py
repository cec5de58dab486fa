"""A robot arm from URDF, with a rod that closes a loop and a PID controller in the shoulder (robot_arm.toml).

Known without linkwork: at rest the integral part holds the target exactly, with the torque of the weights,
g cos(a) (m_upper l/2 + m_forearm l + m_rod l/2), since the parallelogram keeps the forearm level.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

TARGET = np.radians(35.0)
HOLDING = 9.81 * np.cos(TARGET) * (4.0 * 0.5 + 3.0 * 1.0 + 1.0 * 0.5)  # N m

model = lw.Model.read(Path(__file__).with_suffix(".toml"))


def known(run: lw.Run) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What linkwork finds at the end beside what is known: the angle (rad) and the torque (N m)."""
    return {
        "shoulder": (run["shoulder.angle"][-1:], np.array([TARGET])),
        "torque": (run["servo.torque"][-1:], np.array([HOLDING])),
        "forearm stays level": (run["forearm.angular_velocity.y"], np.zeros(len(run.t))),
    }


if __name__ == "__main__":
    run = model.simulate(12.0)
    print(f"the shoulder holds {np.degrees(run['shoulder.angle'][-1]):.3f} deg with {run['servo.torque'][-1]:.3f} N m "
          f"(known: 35 deg, {HOLDING:.3f} N m)")  # fmt: skip
    run.plot("shoulder.angle", "servo.torque", "elbow.force", path="robot_arm.png")
