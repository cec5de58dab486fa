// Coarser copies of a mesh, for things that are small on the screen: the corners within a cell of a grid become one.

import * as THREE from "three";

const CELLS = [2, 3, 4, 6, 10]; // along each axis, coarsest first
const TINY = new THREE.Vector3(1e-12, 1e-12, 1e-12);
const NOTHING = new THREE.BufferGeometry();
NOTHING.setAttribute("position", new THREE.Float32BufferAttribute([], 3));
NOTHING.setAttribute("normal", new THREE.Float32BufferAttribute([], 3));
NOTHING.setIndex([]);

// Coarsest (nothing) first, the mesh itself last: { geometry, error }, with error the farthest that a corner has moved.
export function levels(geometry) {
  const own = { geometry, error: 0 };
  const coarser = CELLS.map((cells) => coarse(geometry, cells)).filter((level) => size(level) < 0.6 * size(own));
  return [{ geometry: NOTHING, error: 2 * geometry.boundingSphere.radius }, ...coarser, own];
}

const size = ({ geometry }) => geometry.getIndex().count;

// One corner a cell, the outermost, so that the outline stays; a normal for each of the six ways that its surfaces look.
function coarse(geometry, cells) {
  geometry.computeBoundingBox();
  const { min, max } = geometry.boundingBox;
  const position = geometry.getAttribute("position");
  const normal = geometry.getAttribute("normal");
  const [point, way] = [new THREE.Vector3(), new THREE.Vector3()];
  const room = new THREE.Vector3().subVectors(max, min).max(TINY);
  const corners = new Map(); // cell -> its outermost corner
  const sides = new Map(); // cell and way -> place among the new corners, sum of the normals
  const places = new Array(position.count);
  for (let n = 0; n < position.count; n++) {
    point.fromBufferAttribute(position, n).sub(min).divide(room); // 0 to 1 along each axis
    const along = (share) => Math.min(Math.floor(share * cells), cells - 1);
    const cell = (along(point.x) * cells + along(point.y)) * cells + along(point.z);
    const out = (point.x - 0.5) ** 2 + (point.y - 0.5) ** 2 + (point.z - 0.5) ** 2;
    if (!(corners.get(cell)?.out >= out)) corners.set(cell, { out, point: new THREE.Vector3().fromBufferAttribute(position, n) });
    const side = 6 * cell + facing(way.fromBufferAttribute(normal, n));
    if (!sides.has(side)) sides.set(side, { place: sides.size, cell, normal: new THREE.Vector3() });
    sides.get(side).normal.add(way);
    places[n] = sides.get(side);
  }
  let error = 0;
  places.forEach(({ cell }, n) => (error = Math.max(error, point.fromBufferAttribute(position, n).distanceTo(corners.get(cell).point))));
  const positions = new Float32Array(3 * sides.size);
  const normals = new Float32Array(3 * sides.size);
  for (const { place, cell, normal: sum } of sides.values()) {
    corners.get(cell).point.toArray(positions, 3 * place);
    sum.normalize().toArray(normals, 3 * place);
  }
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  made.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  made.setIndex(triangles(geometry.getIndex().array, places, cells ** 3));
  return { geometry: made, error };
}

// The triangles that are left, each once.
function triangles(index, places, count) {
  const found = new Map();
  for (let n = 0; n < index.length; n += 3) {
    const [a, b, c] = [places[index[n]], places[index[n + 1]], places[index[n + 2]]];
    if (a.cell === b.cell || b.cell === c.cell || c.cell === a.cell) continue;
    const key = (p, q, r) => (p.cell * count + q.cell) * count + r.cell;
    found.set(Math.min(key(a, b, c), key(b, c, a), key(c, a, b)), [a.place, b.place, c.place]);
  }
  return [...found.values()].flat();
}

// The axis along which a direction points most, and which way: 0 to 5.
function facing({ x, y, z }) {
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  if (ax >= ay && ax >= az) return x > 0 ? 0 : 1;
  if (ay >= az) return y > 0 ? 2 : 3;
  return z > 0 ? 4 : 5;
}
