"""Robots' files (URDF, MJCF), garbled: a model or a sentence.  MuJoCo is C: a process of its own reads them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from mutations import Tally, garbled

from linkwork.files.model_files import read_mechanism

SEED = 20261116
INERTIA = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
URDF = f"""<robot name="arm">
 <link name="base"/>
 <link name="upper">{INERTIA}<visual><geometry><box size="1 2 3"/></geometry></visual></link>
 <link name="lower">{INERTIA}
  <visual><geometry><mesh filename="package://arm/x.stl" scale="1 1 1"/></geometry></visual></link>
 <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 1" rpy="0 0.5 0"/>
  <axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="0.1" friction="0.2"/></joint>
 <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
  <mimic joint="shoulder" multiplier="2" offset="0.1"/></joint>
</robot>"""
MJCF = """<mujoco model="arm"><compiler angle="radian"/><option gravity="0 0 -9.81"/>
 <default><geom density="1000" contype="0" conaffinity="0"/></default>
 <worldbody><body name="upper" pos="0 0 1"><joint name="shoulder" type="hinge" axis="0 1 0" damping="0.1"/>
  <geom type="capsule" size="0.05 0.5" fromto="0 0 0 1 0 0"/><site name="tip" pos="1 0 0"/>
  <body name="lower" pos="1 0 0" quat="1 0 0 0"><joint type="ball"/><geom type="box" size="0.1 0.1 0.5"/></body></body>
  <body name="cart"><freejoint/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body></worldbody>
 <equality><connect body1="lower" body2="cart" anchor="0 0 0"/></equality></mujoco>"""
ORIGINALS = {".urdf": ("yourdfpy", URDF), ".xml": ("mujoco", MJCF)}


def try_robots(folder: Path, suffix: str, first: int, count: int) -> None:
    """Reads broken robots one after the other, and prints what went wrong, and how many were tried."""
    warnings.simplefilter("ignore")
    tally, path = Tally(), folder / f"robot{suffix}"
    path.write_text(ORIGINALS[suffix][1])
    read_mechanism(path)  # loads the libraries
    for number in range(first, first + count):
        path.write_bytes(garbled(ORIGINALS[suffix][1].encode(), random.Random(SEED + number)))
        print(json.dumps({"tried": number}), flush=True)
        tally.take(f"{number}{suffix}", lambda path=path: read_mechanism(path))
    print(json.dumps({"tried": tally.tried, "refused": tally.refused, "wrong": tally.wrong}), flush=True)


def check(suffix: str, first: int, count: int, folder: Path) -> None:
    command = [sys.executable, __file__, str(folder), suffix, str(first), str(count)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100 + count)
    answer = json.loads(ended.stdout.splitlines()[-1])
    print(f"{suffix}: {answer}")
    assert (ended.returncode, answer.get("wrong"), answer["tried"]) == (0, [], count), ended.stderr[-2000:]


@pytest.mark.parametrize("suffix", ORIGINALS)
def test_the_originals_are_read(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip(ORIGINALS[suffix][0])
    (tmp_path / f"robot{suffix}").write_text(ORIGINALS[suffix][1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read_mechanism(tmp_path / f"robot{suffix}").body


@pytest.mark.parametrize("suffix", ORIGINALS)
def test_a_few_robots(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip(ORIGINALS[suffix][0])
    check(suffix, 0, 150, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ORIGINALS)
def test_many_robots(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip(ORIGINALS[suffix][0])
    check(suffix, 1_000_000, 10_000, tmp_path)


if __name__ == "__main__":
    try_robots(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
