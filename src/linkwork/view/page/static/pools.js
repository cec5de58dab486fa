// Many things in few draw calls: all that share a mesh and a finish are instances, each with its own place and colour.

import * as THREE from "three";
import { levels } from "lw/levels";

const FINISHES = {
  plain: { metalness: 0.25, roughness: 0.48 },
  steel: { metalness: 0.85, roughness: 0.32 },
  ground: { metalness: 0.1, roughness: 0.48 },
  rubber: { metalness: 0, roughness: 0.85 },
  arrow: { metalness: 0.1, roughness: 0.5, depthTest: false, transparent: true },
};
const GHOST = { transparent: true, opacity: 0.32, depthWrite: false };

export function material(kind, ghost) {
  return new THREE.MeshStandardMaterial({ ...FINISHES[kind], ...(ghost ? GHOST : {}) });
}

export class Pools {
  constructor(ghost) {
    Object.assign(this, { ghost, pools: new Map(), meshes: [] });
  }

  // A thing to draw, for its owner; it is placed and coloured after `build`.  One that is stretched has no coarser levels.
  add(geometry, finish, owner, stretched = false) {
    const kind = finish in FINISHES ? finish : "plain";
    const key = `${geometry.id} ${kind}`;
    if (!this.pools.has(key)) this.pools.set(key, { geometry, kind, things: [], stretched });
    const pool = this.pools.get(key);
    const thing = { pool, index: pool.things.length, owner };
    pool.things.push(thing);
    return thing;
  }

  build(group) {
    for (const pool of this.pools.values()) {
      pool.levels = pool.stretched ? [{ geometry: pool.geometry, error: 0 }] : levels(pool.geometry);
      const mesh = new THREE.InstancedMesh(pool.geometry, material(pool.kind, this.ghost), pool.things.length);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.castShadow = mesh.receiveShadow = !this.ghost && pool.kind !== "arrow";
      mesh.frustumCulled = false;
      if (pool.kind === "arrow") mesh.renderOrder = 5;
      Object.assign(pool, { mesh, places: mesh.instanceMatrix.array });
      mesh.userData.things = pool.things;
      this.meshes.push(mesh);
      group.add(mesh);
    }
  }

  place({ pool, index }, matrix) {
    matrix.toArray(pool.places, 16 * index);
  }

  hide({ pool, index }) {
    pool.places.fill(0, 16 * index, 16 * index + 16);
  }

  paint({ pool, index }, color) {
    pool.mesh.setColorAt(index, color);
    pool.mesh.instanceColor.needsUpdate = true;
  }

  // After things were placed; pools of which nothing is seen are not drawn.
  placed() {
    for (const { mesh, places } of this.pools.values()) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.visible = false;
      for (let n = 15; n < places.length && !mesh.visible; n += 16) mesh.visible = places[n] !== 0;
    }
  }

  // The coarsest level of each pool whose corners are off by less than `off` metres, at a metre from the eye; without an
  // eye (no perspective) everywhere.
  chooseLevels(eye, off) {
    for (const { mesh, places, levels: all } of this.pools.values()) {
      if (!mesh.visible || all.length < 2) continue;
      const distance = eye ? nearest(eye, places) - all.at(-1).geometry.boundingSphere.radius : 1;
      mesh.geometry = all.find(({ error }) => error <= off * distance)?.geometry ?? all.at(-1).geometry;
    }
  }
}

function nearest(eye, places) {
  let least = Infinity;
  for (let n = 0; n < places.length; n += 16) {
    if (places[n + 15] === 0) continue;
    least = Math.min(least, (places[n + 12] - eye.x) ** 2 + (places[n + 13] - eye.y) ** 2 + (places[n + 14] - eye.z) ** 2);
  }
  return Math.sqrt(least);
}
