"""IFToMM A03, Andrews' squeezing mechanism: the reference solution of the Test Set for IVP Solvers at 0.03 s."""

from __future__ import annotations

from linkwork.library.linkages import andrews
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.peers import beside

START = -0.06171389001427645  # rad, beta
PUBLISHED = {"beta": 15.81077119629904, "gamma": 0.04082224013073101, "delta": 0.5244099658805303,
             "epsilon": 1.048080741042263}  # rad  # fmt: skip
STARTS = {"beta": ("O", START), "gamma": ("B", 0.45527981916307037), "delta": ("A5", 0.48736497954384256),
          "epsilon": ("A7", 1.2305474445498212)}  # pin, angle at the start  # fmt: skip


def findings(quick: bool = False) -> list[Finding]:
    """The angles of the bodies that turn about points of ground."""
    run, seconds = timed(lambda: andrews().simulate(0.03, rtol=1e-11, progress=False))
    return [
        Finding("IFToMM A03, Andrews", f"{name} at 0.03 s, rad", start + float(run[f"{pin}.angle"][-1]),
                PUBLISHED[name], "Test Set for IVP Solvers, PSIDE at 1e-14; its beta holds to 1.1e-9 rad", 1e-8,
                seconds, "auto, rtol 1e-11", scale=1.0, note=beside("Andrews 0.03 s") if name == "beta" else "")
        for name, (pin, start) in STARTS.items()
    ]  # fmt: skip
