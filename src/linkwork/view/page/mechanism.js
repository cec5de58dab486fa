// One run's mechanism in three dimensions: bodies, joints, springs and links, force arrows; placed at a time by `update`.

import * as THREE from "three";
import { Motion } from "lw/motion";
import { Trail } from "lw/trails";

const PALETTE = {
  dark: ["#5aa9ff", "#ff9f5a", "#4fd1a5", "#e57fc4", "#f2d15c", "#8d8bff", "#ff7b7b", "#79d7ee", "#b4d45f", "#c9a27e"],
  light: ["#2f78c9", "#e07a2c", "#1f9e79", "#c4529f", "#d0a215", "#5d5bd0", "#d24d4d", "#2b9cb8", "#7a9e23", "#9a6f47"],
};
const PAINTS = {
  dark: { steel: "#c3cad6", ground: "#5b6576", rubber: "#353b45" },
  light: { steel: "#8a94a3", ground: "#9aa5b4", rubber: "#3d434c" },
};
const ARROW_SHARE = 0.22; // of the mechanism's size: the longest arrow
const Z = new THREE.Vector3(0, 0, 1);

export class Mechanism {
  constructor(run, place) {
    this.run = run;
    this.ghost = place > 0;
    this.motion = new Motion(run);
    this.size = new THREE.Vector3(...run.high).distanceTo(new THREE.Vector3(...run.low));
    this.group = new THREE.Group();
    this.geometries = new Map();
    this.materials = [];
    this.bodies = run.bodies.map((body, k) => this.#body(body, k));
    this.joints = run.joints.map((joint) => this.#joint(joint));
    this.links = run.links.map((link) => this.#link(link));
    this.tyres = run.tyres;
    this.bends = run.bends.map((bend) => this.#bend(bend));
    this.arrows = this.ghost ? [] : run.arrows.map((arrow) => this.#arrow(arrow));
    this.trails = run.traces.map((trace) => this.#trail(trace));
    this.points = { p: new THREE.Vector3(), q: new THREE.Quaternion() };
  }

  color(k, theme) {
    const body = this.run.bodies[k].of || k; // nodes have the colour of their body
    return PALETTE[theme][(body - 1 + PALETTE[theme].length) % PALETTE[theme].length];
  }

  setTheme(theme) {
    for (const { material, paint, body } of this.materials) {
      const common = paint.startsWith("#") ? paint : PAINTS[theme][paint] ?? PAINTS[theme].ground;
      material.color.set(paint === "body" && body > 0 ? this.color(body, theme) : common);
      if (this.ghost) material.color.lerp(new THREE.Color(theme === "dark" ? "#ffffff" : "#000000"), 0.35);
    }
    this.trails.forEach((trail) => trail.setColor(this.color(trail.body, theme), theme));
    for (const arrow of this.arrows) arrow.material.color.set(theme === "dark" ? "#ff5d73" : "#d1213c");
  }

  // -- building -------------------------------------------------------------------------------------------------
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
      this.geometries.set(mesh, geometry);
    }
    return this.geometries.get(mesh);
  }

  #material(paint, body) {
    const known = this.materials.find((entry) => entry.paint === paint && (paint !== "body" || entry.body === body));
    if (known) return known.material;
    const metal = { steel: 0.85, ground: 0.1, rubber: 0 }[paint] ?? 0.25;
    const material = new THREE.MeshStandardMaterial({ metalness: metal, roughness: { steel: 0.32, rubber: 0.85 }[paint] ?? 0.48 });
    if (this.ghost) Object.assign(material, { transparent: true, opacity: 0.32, depthWrite: false });
    this.materials.push({ material, paint, body });
    return material;
  }

  #part(part, body) {
    const mesh = new THREE.Mesh(this.#geometry(part.mesh), this.#material(part.paint, body));
    mesh.position.set(...part.at);
    mesh.quaternion.set(part.turn[1], part.turn[2], part.turn[3], part.turn[0]);
    mesh.castShadow = mesh.receiveShadow = !this.ghost;
    mesh.userData.body = body;
    return mesh;
  }

  #body(body, k) {
    const group = new THREE.Group();
    const own = new THREE.Group();
    for (const part of body.parts) own.add(this.#part(part, k));
    group.add(own);
    this.group.add(group);
    return { name: body.name, group, own, centre: new THREE.Vector3(...body.centre), label: new THREE.Vector3(...body.label), shown: true };
  }

  #joint(joint) {
    const meshes = [];
    for (const [parts, k] of [[joint.parts_a, joint.a], [joint.parts_b, joint.b], [joint.parts_ground, 0]]) {
      for (const part of parts) {
        const mesh = this.#part(part, k);
        this.bodies[k].group.add(mesh);
        meshes.push({ mesh, body: k });
      }
    }
    return { ...joint, meshes, shown: true };
  }

  #link(link) {
    const mesh = new THREE.Mesh(this.#geometry(link.mesh), this.#material("steel", 0));
    mesh.castShadow = !this.ghost;
    this.group.add(mesh);
    return { ...link, mesh, from: new THREE.Vector3(), to: new THREE.Vector3(), shown: true };
  }

  // A surface of its own for each flexible body: its vertices move with the modal coordinates.
  #bend(bend) {
    const relaxed = this.#geometry(bend.mesh);
    const mesh = new THREE.Mesh(relaxed.clone(), this.#material("body", bend.body));
    mesh.castShadow = mesh.receiveShadow = !this.ghost;
    mesh.userData.body = bend.body;
    mesh.frustumCulled = false;
    this.bodies[bend.body].own.add(mesh);
    return { mesh, start: relaxed.getAttribute("position").array, shapes: bend.shapes.columns, eta: bend.eta.columns };
  }

  #arrow(arrow) {
    const u = this.run.unit;
    const material = new THREE.MeshStandardMaterial({ metalness: 0.1, roughness: 0.5, depthTest: false, transparent: true });
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.3 * u, 0.3 * u, 1, 16).translate(0, 0.5, 0).rotateX(Math.PI / 2), material);
    const head = new THREE.Mesh(new THREE.ConeGeometry(0.85 * u, 2.2 * u, 20).translate(0, 1.1 * u, 0).rotateX(Math.PI / 2), material);
    const group = new THREE.Group();
    shaft.renderOrder = head.renderOrder = 5;
    group.add(shaft, head);
    group.visible = false;
    this.group.add(group);
    return { body: arrow.body, at: new THREE.Vector3(...arrow.at), note: arrow.note, force: arrow.force.columns, group, shaft, head, material };
  }

  #trail(trace) {
    const path = this.motion.t.map((_, n) => n);
    const points = new Float32Array(3 * path.length);
    const p = new THREE.Vector3();
    const q = new THREE.Quaternion();
    const local = new THREE.Vector3(...trace.at);
    path.forEach((n) => {
      this.motion.pose(trace.body, this.motion.t[n], p, q);
      p.add(local.clone().applyQuaternion(q)).toArray(points, 3 * n);
    });
    const trail = new Trail(trace, points, this.motion.t, this.ghost);
    this.group.add(trail.mesh);
    return trail;
  }

  // -- at a time ----------------------------------------------------------------------------------------------------
  update(time) {
    this.bodies.forEach((body, k) => {
      if (k > 0) this.motion.pose(k, time, body.group.position, body.group.quaternion);
    });
    for (const bend of this.bends) this.#deform(bend, time);
    for (const link of this.links) this.#stretch(link);
    for (const trail of this.trails) trail.setTime(time);
    if (this.arrowsShown) for (const arrow of this.arrows) this.#push(arrow, time);
  }

  worldPoint(k, local, target) {
    const { group } = this.bodies[k];
    return target.copy(local).applyQuaternion(group.quaternion).add(group.position);
  }

  centre(k, target) {
    return this.worldPoint(k, this.bodies[k].centre, target);
  }

  jointPoint(joint, target) {
    return this.worldPoint(joint.b, target.set(...joint.at_b), target);
  }

  #deform({ mesh, start, shapes, eta }, time) {
    const [n, s] = this.motion.at(time);
    const m = Math.min(n + 1, eta[0].length - 1);
    const now = eta.map((values) => values[n] + s * (values[m] - values[n]));
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

  #stretch(link) {
    this.worldPoint(link.a, link.from.set(...link.at_a), link.from);
    this.worldPoint(link.b, link.to.set(...link.at_b), link.to);
    const { p, q } = this.points;
    p.subVectors(link.to, link.from);
    const length = p.length() || 1e-9;
    link.mesh.position.copy(link.from);
    link.mesh.quaternion.copy(q.setFromUnitVectors(Z, p.divideScalar(length)));
    link.mesh.scale.set(1, 1, length);
  }

  #push(arrow, time) {
    const [n, s] = this.motion.at(time);
    const m = Math.min(n + 1, arrow.force[0].length - 1);
    const { p, q } = this.points;
    p.set(...[0, 1, 2].map((c) => arrow.force[c][n] + s * (arrow.force[c][m] - arrow.force[c][n])));
    const length = p.length() * this.metresPerNewton;
    arrow.group.visible = this.arrowsShown && length > 1e-3 * this.size;
    if (!arrow.group.visible) return;
    arrow.group.quaternion.copy(q.setFromUnitVectors(Z, p.normalize()));
    this.worldPoint(arrow.body, arrow.at, arrow.group.position);
    arrow.shaft.scale.set(1, 1, length);
    arrow.head.position.set(0, 0, length);
  }

  showArrows(shown) {
    if (shown && !this.metresPerNewton) {
      const sizes = this.arrows.flatMap((a) => Array.from(a.force[0], (x, n) => Math.hypot(x, a.force[1][n], a.force[2][n])));
      sizes.sort((a, b) => a - b);
      this.largestForce = sizes[Math.floor(0.98 * (sizes.length - 1))] || 1;
      this.metresPerNewton = (ARROW_SHARE * this.size) / this.largestForce;
    }
    this.arrowsShown = shown;
    if (!shown) for (const arrow of this.arrows) arrow.group.visible = false;
  }

  showBody(k, shown) {
    this.bodies[k].shown = shown;
    this.bodies[k].own.visible = shown;
    for (const joint of this.joints) this.showJoint(joint, joint.shown);
  }

  showJoint(joint, shown, all = this.jointsShown ?? true) {
    joint.shown = shown;
    for (const { mesh, body } of joint.meshes) mesh.visible = shown && all && (body === 0 || this.bodies[body].shown);
  }

  showJoints(all) {
    this.jointsShown = all;
    for (const joint of this.joints) this.showJoint(joint, joint.shown);
  }
}
