// The page's data: the inverse of linkwork/view/page/packing.py.

const UNKNOWN = 2 ** 24; // a count that stands for no number

export function readContent() {
  const text = (id) => document.getElementById(id).textContent;
  return decoded(JSON.parse(text("content")), text("block"));
}

// `block`: all arrays, as base64.
export async function decoded(content, block) {
  const bytes = new Uint8Array(await (await inflated(block)).arrayBuffer()); // page.html
  let place = 0;
  const arrays = content.arrays.map((about) => {
    const size = 4 * about.rows * about.columns;
    place += size;
    return unpacked(about, bytes.subarray(place - size, place));
  });
  const meshes = content.meshes.map((mesh) => ({
    vertices: arrays[mesh.vertices.array],
    triangles: arrays[mesh.triangles.array],
  }));
  return { ...content, runs: content.runs.map((run) => filled(run, arrays, meshes)) };
}

// Columns of numbers from the four runs of bytes of their second differences.
function unpacked({ rows, columns, low, step }, bytes) {
  const count = rows * columns;
  const values = [];
  for (let c = 0; c < columns; c++) {
    const column = new Float64Array(rows);
    let first = 0;
    let value = 0;
    for (let r = 0; r < rows; r++) {
      const k = c * rows + r;
      const word = bytes[k] | (bytes[k + count] << 8) | (bytes[k + 2 * count] << 16) | (bytes[k + 3 * count] << 24);
      first = (first + ((word >>> 1) ^ -(word & 1))) | 0;
      value = (value + first) | 0;
      column[r] = value === UNKNOWN ? NaN : low[c] + value * step[c];
    }
    values.push(column);
  }
  return { rows, columns: values };
}

// The same description with its arrays and meshes in place of their numbers.
function filled(thing, arrays, meshes) {
  if (Array.isArray(thing)) return thing.map((entry) => filled(entry, arrays, meshes));
  if (thing === null || typeof thing !== "object") return thing;
  if (Object.keys(thing).length === 1) {
    if (typeof thing.array === "number") return arrays[thing.array];
    if (typeof thing.mesh === "number") return meshes[thing.mesh];
  }
  return Object.fromEntries(Object.entries(thing).map(([key, value]) => [key, filled(value, arrays, meshes)]));
}
