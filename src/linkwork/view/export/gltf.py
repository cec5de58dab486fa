"""glTF 2.0 (.glb): the mechanism with its motion, for Blender and other viewers.

A node for each body, its parts as children, one animation with the poses at the samples.  Flexible bodies bend by morph
targets: vertex = x + sum_j weight_j target_j, a target being a mode at its largest, so that weights are -1 to 1.  glTF
has y upwards: a root node turns the world.  Layout of the file: Khronos glTF 2.0, sections 3.6 (buffers), 3.7.2.2
(morph targets), 3.11 (animations), 4 (GLB).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from linkwork import __version__
from linkwork.numerics.rotations import euler_parameters
from linkwork.results.result import Result
from linkwork.view.scene.meshes import Mesh
from linkwork.view.scene.pictures import BODY, STEEL
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.scene import DrawnBend, Scene, without_flips
from linkwork.view.scene.snapshot import PAINTS, color, link_poses, parts, poses, rgb

FLOAT, UNSIGNED_INT = 5126, 5125
VERTICES, INDICES = 34962, 34963  # what a buffer view is for
INVISIBLE = 1e-6  # of its size: a coordinate that moves a flexible body by less is left out
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


def write(result: Result, path: Path, channels: Sequence[str]) -> None:
    """The run as a binary glTF file; channels have no part in it."""
    path.write_bytes(glb(scene_of(result, loads=False)))


def glb(scene: Scene) -> bytes:
    """The scene as the bytes of a .glb file."""
    document = _Document()
    root = document.node({"name": scene.name, "rotation": _turn_to_y(scene.up)})
    bodies = [document.node({"name": body.name}, root) for body in scene.bodies]
    times = document.accessor(scene.t.astype(np.float32)[:, None], bounds=True)
    for owned in parts(scene):
        mesh, turn = document.mesh(owned.part.mesh, owned.color), _xyzw(np.array(owned.part.turn)).tolist()
        document.node({"mesh": mesh, "translation": list(owned.part.at), "rotation": turn}, bodies[owned.body])
    for bend in scene.bends:
        node = document.node({"mesh": document.bending_mesh(bend, color(bend.body, BODY))}, bodies[bend.body])
        if _bent(bend).any():
            document.animate(node, times, "weights", _weights(bend).reshape(-1, 1))
    for k, node in enumerate(bodies[1:]):
        document.animate(node, times, "translation", scene.position[:, k])
        document.animate(node, times, "rotation", _xyzw(scene.orientation[:, k]))
    R, p = poses(scene)
    for link in scene.links:
        node = document.node({"name": link.name, "mesh": document.mesh(link.mesh, PAINTS[STEEL])}, root)
        axes, start, length = link_poses(link, R, p)
        document.animate(node, times, "translation", start)
        document.animate(node, times, "rotation", _xyzw(without_flips(euler_parameters(axes))))
        document.animate(node, times, "scale", np.column_stack([np.ones((len(length), 2)), length]))
    return document.written(root)


def _xyzw(e: np.ndarray) -> np.ndarray:
    """Euler parameters, scalar first, as glTF's quaternion, scalar last, of unit length."""
    return np.roll(e / np.linalg.norm(e, axis=-1, keepdims=True), -1, axis=-1)


def _turn_to_y(up: Sequence[float]) -> list[float]:
    """The quaternion that turns `up` into y; of a z-up world a quarter turn about x."""
    axis, cosine = np.cross(up, [0.0, 1.0, 0.0]), float(up[1])
    if cosine < -0.999:
        return [1.0, 0.0, 0.0, 0.0]
    e = np.array([*axis, 1.0 + cosine])
    quaternion: list[float] = (e / np.linalg.norm(e)).tolist()
    return quaternion


Table = dict[str, object]  # an object of the JSON chunk


@dataclass
class _Node:
    fields: Mapping[str, object]
    children: list[int] = field(default_factory=list)


class _Document:
    """The tables of a glTF file, and its bytes."""

    def __init__(self) -> None:
        self.nodes: list[_Node] = []
        self.meshes: list[Table] = []
        self.materials: list[Table] = []
        self.accessors: list[Table] = []
        self.views: list[Table] = []
        self.samplers: list[Table] = []
        self.channels: list[Table] = []
        self.bytes = bytearray()
        self._known: dict[tuple[bytes, str], int] = {}
        self._shapes: dict[bytes, Table] = {}

    def node(self, fields: Mapping[str, object], parent: int | None = None) -> int:
        """A node, as a child of another unless it is the root; returns its number."""
        self.nodes.append(_Node(fields))
        if parent is not None:
            self.nodes[parent].children.append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def accessor(self, array: np.ndarray, target: int | None = None, bounds: bool = False) -> int:
        """An array in the bytes; returns its number."""
        array = np.ascontiguousarray(array)
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": array.nbytes})
        if target is not None:
            self.views[-1]["target"] = target
        self.bytes += array.tobytes()
        about: Table = {
            "bufferView": len(self.views) - 1, "count": len(array), "type": KINDS[array.shape[1]],
            "componentType": FLOAT if array.dtype == np.float32 else UNSIGNED_INT,
        }  # fmt: skip
        if bounds:
            about |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        self.accessors.append(about)
        return len(self.accessors) - 1

    def mesh(self, mesh: Mesh, paint: str) -> int:
        """A mesh of a colour; equal ones are kept once."""
        content = mesh.vertices.tobytes() + mesh.triangles.tobytes()
        key = (content, paint)
        if key not in self._known:
            if content not in self._shapes:
                self._shapes[content] = self._surface(mesh)
            self._known[key] = len(self.meshes)
            self.meshes.append({"primitives": [self._shapes[content] | {"material": self._material(paint)}]})
        return self._known[key]

    def _surface(self, mesh: Mesh) -> Table:
        return {
            "attributes": {
                "POSITION": self.accessor(mesh.vertices.astype(np.float32), VERTICES, bounds=True),
                "NORMAL": self.accessor(_unit_normals(mesh), VERTICES),
            },
            "indices": self.accessor(mesh.triangles.astype(np.uint32).reshape(-1, 1), INDICES),
        }

    def bending_mesh(self, bend: DrawnBend, paint: str) -> int:
        """The surface of a flexible body with a target for each coordinate that moves."""
        surface = self._surface(bend.mesh) | {"material": self._material(paint)}
        shapes = bend.shapes.reshape(len(bend.mesh.vertices), 3, -1)
        targets = []
        for j in np.flatnonzero(_bent(bend)):
            moved = np.abs(bend.eta[:, j]).max() * shapes[:, :, j]
            turned = _unit_normals(Mesh(bend.mesh.vertices + moved, bend.mesh.triangles)) - _unit_normals(bend.mesh)
            targets.append({
                "POSITION": self.accessor(moved.astype(np.float32), VERTICES, bounds=True),
                "NORMAL": self.accessor(turned, VERTICES),
            })  # fmt: skip
        if targets:
            self.meshes.append({"primitives": [surface | {"targets": targets}], "weights": _weights(bend)[0].tolist()})
        else:
            self.meshes.append({"primitives": [surface]})
        return len(self.meshes) - 1

    def _material(self, paint: str) -> int:
        names = [material["name"] for material in self.materials]
        if paint not in names:
            shade, metal = [*map(_linear, rgb(paint)), 1.0], 0.8 if paint == PAINTS[STEEL] else 0.2
            surface = {"baseColorFactor": shade, "metallicFactor": metal, "roughnessFactor": 0.45}
            self.materials.append({"name": paint, "pbrMetallicRoughness": surface})
            return len(names)
        return names.index(paint)

    def animate(self, node: int, times: int, path: str, values: np.ndarray) -> None:
        """A property of a node over the times, straight between the samples."""
        output = self.accessor(values.astype(np.float32))
        self.samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def written(self, root: int) -> bytes:
        """Header, JSON chunk, binary chunk."""
        nodes = [{**node.fields, **({"children": node.children} if node.children else {})} for node in self.nodes]
        tables: Table = {
            "asset": {"version": "2.0", "generator": f"linkwork {__version__}"}, "scene": 0,
            "scenes": [{"nodes": [root]}], "nodes": nodes, "meshes": self.meshes, "materials": self.materials,
            "accessors": self.accessors, "bufferViews": self.views, "buffers": [{"byteLength": len(self.bytes)}],
            "animations": [{"name": "motion", "samplers": self.samplers, "channels": self.channels}],
        }  # fmt: skip
        if not self.channels:
            del tables["animations"]
        text = json.dumps({key: value for key, value in tables.items() if value != []}, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        body = bytes(self.bytes) + b"\0" * (-len(self.bytes) % 4)
        size = 12 + 8 + len(text) + 8 + len(body)
        return b"".join((
            struct.pack("<4sII", b"glTF", 2, size), struct.pack("<I4s", len(text), b"JSON"), text,
            struct.pack("<I4s", len(body), b"BIN\0"), body,
        ))  # fmt: skip


def _bent(bend: DrawnBend) -> np.ndarray:
    """Which coordinates of a flexible body can be seen to move in this run."""
    shapes = np.abs(bend.shapes.reshape(-1, bend.eta.shape[1])).max(axis=0)
    reach = np.abs(bend.eta).max(axis=0, initial=0.0) * shapes
    visible: np.ndarray = reach > INVISIBLE * np.ptp(bend.mesh.vertices, axis=0).max()
    return visible


def _weights(bend: DrawnBend) -> np.ndarray:
    """Of the coordinates that move [sample, target], -1 to 1."""
    eta = bend.eta[:, _bent(bend)]
    weights: np.ndarray = eta / np.abs(eta).max(axis=0)
    return weights


def _unit_normals(mesh: Mesh) -> np.ndarray:
    """Normals in single precision; z for a vertex that no triangle uses."""
    normals = mesh.normals.copy()
    normals[np.linalg.norm(normals, axis=1) < 0.5] = (0.0, 0.0, 1.0)
    return normals.astype(np.float32)


def _linear(value: float) -> float:
    """sRGB to linear light (IEC 61966-2-1)."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
