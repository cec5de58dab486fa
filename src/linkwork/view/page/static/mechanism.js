// One run's mechanism in three dimensions: bodies, joints, springs and links, force arrows; placed at a time by `update`.

import * as THREE from "three";
import { Motion } from "lw/motion";
import { material, Pools } from "lw/pools";
import { Trail } from "lw/trails";

const PALETTE = {
  dark: ["#5aa9ff", "#ff9f5a", "#4fd1a5", "#e57fc4", "#f2d15c", "#8d8bff", "#ff7b7b", "#79d7ee", "#b4d45f", "#c9a27e"],
  light: ["#2f78c9", "#e07a2c", "#1f9e79", "#c4529f", "#d0a215", "#5d5bd0", "#d24d4d", "#2b9cb8", "#7a9e23", "#9a6f47"],
};
const PAINTS = {
  dark: { steel: "#c3cad6", ground: "#5b6576", rubber: "#353b45", arrow: "#ff5d73" },
  light: { steel: "#8a94a3", ground: "#9aa5b4", rubber: "#3d434c", arrow: "#d1213c" },
};
const ARROW_SHARE = 0.16; // of the mechanism's size: the longest arrow
const ARROW_UNIT = 0.006; // likewise: the least unit in which arrows are drawn
const GLOW = 1.8; // times its colour: what is selected
const Z = new THREE.Vector3(0, 0, 1);

export class Mechanism {
  constructor(run, place) {
    this.run = run;
    this.ghost = place > 0;
    this.motion = new Motion(run);
    this.size = new THREE.Vector3(...run.high).distanceTo(new THREE.Vector3(...run.low));
    this.group = new THREE.Group();
    this.geometries = new Map();
    this.pools = new Pools(this.ghost);
    this.parts = [];
    this.theme = "dark";
    this.selected = null;
    this.arrowsShown = false;
    this.jointsShown = true;
    this.bodies = run.bodies.map((body, k) => this.#body(body, k));
    this.joints = run.joints.map((joint, k) => this.#joint(joint, k));
    this.links = run.links.map((link, k) => ({ ...link, thing: this.#thing(link.mesh, "steel", 0, { kind: "link", k }, true), shown: true }));
    this.tyres = run.tyres;
    this.bends = run.bends.map((bend) => this.#bend(bend));
    this.arrows = this.ghost ? [] : this.#arrows(run.arrows);
    this.trails = run.traces.map((trace) => this.#trail(trace));
    this.pools.build(this.group);
    this.scratch = { p: new THREE.Vector3(), q: new THREE.Quaternion(), s: new THREE.Vector3(), from: new THREE.Vector3(), m: new THREE.Matrix4() };
  }

  // What was shown and selected of another with the same parts.
  takeOver(other) {
    for (const kind of ["bodies", "joints", "links", "trails"]) {
      this[kind].forEach((element, k) => kind === "trails" ? element.show(other.trails[k].shown) : (element.shown = other[kind][k].shown));
    }
    Object.assign(this, { jointsShown: other.jointsShown, selected: other.selected, theme: other.theme });
    this.showArrows(other.arrowsShown);
    this.setTheme(this.theme);
  }

  // Out of the scene, and out of the memory of the graphics card.
  dispose() {
    this.group.removeFromParent();
    this.group.traverse((thing) => {
      thing.geometry?.dispose();
      thing.material?.dispose();
      thing.dispose?.();
    });
  }

  // The body to which k belongs: k, or the flexible body whose node it is.
  whole(k) {
    return this.run.bodies[k].of || k;
  }

  // -- colours --------------------------------------------------------------------------------------------------------
  color(k, theme) {
    return PALETTE[theme][(this.whole(k) - 1 + PALETTE[theme].length) % PALETTE[theme].length];
  }

  setTheme(theme) {
    this.theme = theme;
    for (const { things } of this.pools.pools.values()) for (const thing of things) this.pools.paint(thing, this.#shade(thing.owner));
    for (const bend of this.bends) bend.mesh.material.color.copy(this.#shade({ body: bend.body, paint: "body", what: { kind: "body", k: bend.body } }));
    this.trails.forEach((trail) => trail.setColor(this.color(trail.body, theme), theme));
  }

  // What is selected, a body, joint or link, is brighter.
  select(what) {
    this.selected = what;
    this.setTheme(this.theme);
  }

  #shade({ body, paint, what }) {
    const common = paint.startsWith("#") ? paint : PAINTS[this.theme][paint] ?? PAINTS[this.theme].ground;
    const own = paint === "body" && body > 0;
    const color = new THREE.Color(own ? this.color(body, this.theme) : common);
    if (this.ghost) color.lerp(new THREE.Color(this.theme === "dark" ? "#ffffff" : "#000000"), 0.35);
    return same(what, this.selected) ? color.multiplyScalar(GLOW) : color;
  }

  // -- building -------------------------------------------------------------------------------------------------------
  #geometry(mesh) {
    if (!this.geometries.has(mesh)) {
      const [x, y, z] = mesh.vertices.columns;
      const positions = new Float32Array(3 * x.length);
      for (let n = 0; n < x.length; n++) positions.set([x[n], y[n], z[n]], 3 * n);
      const [a, b, c] = mesh.triangles.columns;
      const index = new Uint32Array(3 * a.length);
      for (let n = 0; n < a.length; n++) index.set([a[n], b[n], c[n]], 3 * n);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
      geometry.setIndex(new THREE.BufferAttribute(index, 1));
      geometry.computeVertexNormals();
      geometry.computeBoundingSphere();
      this.geometries.set(mesh, geometry);
    }
    return this.geometries.get(mesh);
  }

  #thing(mesh, paint, body, what, stretched = false) {
    return this.pools.add(this.#geometry(mesh), paint, { body: this.whole(body), paint, what }, stretched);
  }

  // Something fixed on a body; joints' parts are theirs, to be shown and hidden with them.
  #part({ mesh, at, turn, paint }, body, what, joint = null) {
    const local = new THREE.Matrix4().compose(new THREE.Vector3(...at), new THREE.Quaternion(turn[1], turn[2], turn[3], turn[0]), new THREE.Vector3(1, 1, 1));
    this.parts.push({ thing: this.#thing(mesh, paint, body, what), body, joint, local });
  }

  #body(body, k) {
    for (const part of body.parts) this.#part(part, k, { kind: "body", k: this.whole(k) });
    return { name: body.name, mass: body.mass, position: new THREE.Vector3(), quaternion: new THREE.Quaternion(), matrix: new THREE.Matrix4(), centre: new THREE.Vector3(...body.centre), label: new THREE.Vector3(...body.label), shown: true };
  }

  #joint(joint, k) {
    const made = { ...joint, shown: true };
    const what = { kind: "joint", k };
    for (const [parts, body] of [[joint.parts_a, joint.a], [joint.parts_b, joint.b], [joint.parts_ground, 0]]) {
      for (const part of parts) this.#part(part, body, what, made);
    }
    return made;
  }

  // A surface of its own for each flexible body: its vertices move with the modal coordinates.
  #bend(bend) {
    const relaxed = this.#geometry(bend.mesh);
    const mesh = new THREE.Mesh(relaxed.clone(), material("plain", this.ghost));
    mesh.castShadow = mesh.receiveShadow = !this.ghost;
    mesh.frustumCulled = false;
    mesh.userData.what = { kind: "body", k: bend.body };
    this.group.add(mesh);
    return { body: bend.body, mesh, start: relaxed.getAttribute("position").array, shapes: bend.shapes.columns, eta: bend.eta.columns };
  }

  #arrows(arrows) {
    if (!arrows.length) return [];
    const u = Math.max(this.run.unit, ARROW_UNIT * this.size);
    const shaft = new THREE.CylinderGeometry(0.3 * u, 0.3 * u, 1, 16).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const head = new THREE.ConeGeometry(0.85 * u, 2.2 * u, 20).translate(0, 1.1 * u, 0).rotateX(Math.PI / 2);
    const thing = (geometry) => this.pools.add(geometry, "arrow", { body: 0, paint: "arrow" }, true);
    return arrows.map(({ name, body, at, note, force, aside }) => ({ aside: aside?.columns, name, body, at: new THREE.Vector3(...at), note, force: force.columns, shaft: thing(shaft), head: thing(head), seen: false }));
  }

  #trail(trace) {
    const local = new THREE.Vector3(...trace.at);
    const path = () => {
      const { t } = this.motion;
      const points = new Float32Array(3 * t.length);
      const [p, q, r] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3()];
      t.forEach((time, n) => {
        this.motion.seek(time);
        this.motion.pose(trace.body, p, q);
        p.add(r.copy(local).applyQuaternion(q)).toArray(points, 3 * n);
      });
      return [points, t];
    };
    return new Trail(trace, path, this.group, this.ghost);
  }

  // -- at a time ------------------------------------------------------------------------------------------------------
  update(time) {
    this.motion.seek(time);
    const { s } = this.scratch;
    this.bodies.forEach((body, k) => {
      this.motion.pose(k, body.position, body.quaternion);
      body.matrix.compose(body.position, body.quaternion, s.set(1, 1, 1));
    });
    for (const part of this.parts) this.#carry(part);
    for (const link of this.links) this.#stretch(link);
    for (const arrow of this.arrows) this.#push(arrow);
    this.pools.placed();
    for (const bend of this.bends) this.#deform(bend);
    for (const trail of this.trails) trail.setTime(time);
  }

  worldPoint(k, local, target) {
    const { position, quaternion } = this.bodies[k];
    return target.copy(local).applyQuaternion(quaternion).add(position);
  }

  centre(k, target) {
    return this.worldPoint(k, this.bodies[k].centre, target);
  }

  jointPoint(joint, target) {
    return this.worldPoint(joint.b, target.set(...joint.at_b), target);
  }

  #carry({ thing, body, joint, local }) {
    const there = body === 0 || this.bodies[this.whole(body)].shown;
    const seen = there && (joint === null || (joint.shown && this.jointsShown));
    if (seen) this.pools.place(thing, this.scratch.m.multiplyMatrices(this.bodies[body].matrix, local));
    else this.pools.hide(thing);
  }

  #stretch({ a, at_a, b, at_b, thing, shown }) {
    if (!shown) return this.pools.hide(thing);
    const { p, q, s, from, m } = this.scratch;
    this.worldPoint(a, from.set(...at_a), from);
    this.worldPoint(b, p.set(...at_b), p).sub(from);
    const length = p.length() || 1e-9;
    this.pools.place(thing, m.compose(from, q.setFromUnitVectors(Z, p.divideScalar(length)), s.set(1, 1, length)));
  }

  #push(arrow) {
    const { p, q, s, from, m } = this.scratch;
    p.set(...arrow.force.map((column) => this.motion.between(column)));
    const length = this.arrowsShown ? p.length() * this.metresPerNewton : 0;
    arrow.seen = length > 1e-3 * this.size;
    if (!arrow.seen) return [arrow.shaft, arrow.head].forEach((thing) => this.pools.hide(thing));
    this.worldPoint(arrow.body, arrow.at, from);
    if (arrow.aside) from.add(s.set(...arrow.aside.map((column) => this.motion.between(column))));
    q.setFromUnitVectors(Z, p.normalize());
    this.pools.place(arrow.shaft, m.compose(from, q, s.set(1, 1, length)));
    this.pools.place(arrow.head, m.compose(from.addScaledVector(p, length), q, s.set(1, 1, 1)));
  }

  #deform({ body, mesh, start, shapes, eta }) {
    const { position, quaternion, shown } = this.bodies[body];
    mesh.position.copy(position);
    mesh.quaternion.copy(quaternion);
    mesh.visible = shown;
    const now = eta.map((column) => this.motion.between(column));
    const positions = mesh.geometry.getAttribute("position");
    for (let k = 0; k < positions.count; k++) {
      for (let c = 0; c < 3; c++) {
        let x = start[3 * k + c];
        for (let j = 0; j < now.length; j++) x += shapes[c * now.length + j][k] * now[j];
        positions.array[3 * k + c] = x;
      }
    }
    positions.needsUpdate = true;
    mesh.geometry.computeVertexNormals();
  }

  // The length of a link now, m.
  linkLength({ a, at_a, b, at_b }) {
    const { p, from } = this.scratch;
    return this.worldPoint(b, p.set(...at_b), p).distanceTo(this.worldPoint(a, from.set(...at_a), from));
  }

  // What a ray meets first: { kind: "body", "joint" or "link", k }; null: nothing, or ground.
  hit(ray) {
    for (const mesh of this.pools.meshes) mesh.computeBoundingSphere();
    for (const { mesh } of this.bends) mesh.geometry.computeBoundingSphere();
    const met = ray.intersectObjects([...this.pools.meshes, ...this.bends.map((bend) => bend.mesh)], false);
    const found = met.map(({ object: { userData }, instanceId }) => userData.what ?? userData.things[instanceId].owner.what);
    return found.find((what) => what && !(what.kind === "body" && what.k === 0)) ?? null;
  }

  // A body, joint or link that was hit or chosen.
  element({ kind, k }) {
    return { body: this.bodies, joint: this.joints, link: this.links }[kind][k];
  }

  showArrows(shown) {
    if (shown && !this.metresPerNewton) {
      const sizes = this.arrows.flatMap((a) => Array.from(a.force[0], (x, n) => Math.hypot(x, a.force[1][n], a.force[2][n]))).filter(Boolean);
      sizes.sort((a, b) => a - b);
      this.largestForce = sizes[Math.floor(0.98 * (sizes.length - 1))] || 1;
      this.metresPerNewton = (ARROW_SHARE * this.size) / this.largestForce;
    }
    this.arrowsShown = shown;
  }
}

// Are two the same body, joint or link?
export function same(one, other) {
  return Boolean(one && other && one.kind === other.kind && one.k === other.k);
}
