"""Write chain_reference.json: Pinocchio's aba with DOP853 at 1e-13, checked by MuJoCo's RK4, extrapolated in the step.

python -m benchmarks.peers.make_chain_reference

At n = 200 the check is limited by MuJoCo's own rounding (accelerations off by 6e-7, Pinocchio's by 3e-11, against an
articulated-body recursion in 80-bit arithmetic; integrated at 2e-11, that recursion agrees with the file to 5e-10).
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.peers import mujoco_peer, pinocchio_peer

STEPS = {7: 2000, 50: 2000, 200: 2000}
FILE = Path(__file__).parents[1] / "chain_reference.json"


def main() -> None:
    """Compute, compare, write."""
    q: dict[str, list[float]] = {}
    agreement: dict[str, float] = {}
    for n, steps in STEPS.items():
        _, reference = pinocchio_peer.chain_simulate(n, 1.0, rtol=1e-13)
        coarse, fine = (mujoco_peer.chain_simulate(n, 1.0, steps_per_s=k * steps)[1] for k in (1, 2))
        check = fine + (fine - coarse) / 15.0
        q[str(n)] = reference.tolist()
        agreement[str(n)] = float(np.abs(check - reference).max())
        print(f"n = {n}: largest difference of the two {agreement[str(n)]:.1e} rad")
    method = " ".join((__doc__ or "").split("\n")[0].split(": ")[1:])
    content = {"method": method, "largest_difference": agreement, "q_at_1s": q}
    FILE.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
