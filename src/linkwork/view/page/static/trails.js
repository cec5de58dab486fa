// The path of a point: a ribbon of constant width on the screen, bright behind the point, faint elsewhere.

import * as THREE from "three";

const VERTEX = `
  attribute vec3 before, after;
  attribute float side, when;
  uniform vec2 room;
  uniform float width, now, tail;
  varying float shade;
  void main() {
    vec4 here = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec4 a = projectionMatrix * modelViewMatrix * vec4(before, 1.0);
    vec4 b = projectionMatrix * modelViewMatrix * vec4(after, 1.0);
    vec2 along = (b.xy / b.w - a.xy / a.w) * room;
    along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
    float age = now - when;
    shade = age < 0.0 ? 0.0 : exp(-age / tail);
    float wide = width * (0.45 + 0.55 * shade);
    here.xy += side * wide * vec2(-along.y, along.x) / room * here.w;
    gl_Position = here;
  }`;
const FRAGMENT = `
  uniform vec3 color;
  uniform float faint;
  varying float shade;
  void main() {
    gl_FragColor = vec4(color, faint + (0.95 - faint) * shade);
    #include <colorspace_fragment>
  }`;

export class Trail {
  // `path` gives the points (x, y, z, x, ...) and their times; called when the trail is first shown.
  constructor(trace, path, group, ghost) {
    Object.assign(this, { name: trace.name, body: trace.body, shown: trace.shown, path, mesh: null });
    this.group = group;
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        room: { value: new THREE.Vector2(1, 1) },
        width: { value: ghost ? 2.2 : 3.2 },
        now: { value: 0 },
        tail: { value: 1 },
        color: { value: new THREE.Color() },
        faint: { value: 0.2 },
      },
    });
    this.show(trace.shown);
  }

  #ribbon() {
    const [points, times] = this.path();
    this.material.uniforms.tail.value = 0.12 * (times[times.length - 1] - times[0] || 1);
    const count = times.length;
    const at = (n) => points.subarray(3 * Math.min(Math.max(n, 0), count - 1), 3 * Math.min(Math.max(n, 0), count - 1) + 3);
    const [here, before, after] = [0, 0, 0].map(() => new Float32Array(6 * count));
    const side = new Float32Array(2 * count);
    const when = new Float32Array(2 * count);
    const index = [];
    for (let n = 0; n < count; n++) {
      for (const [k, s] of [[2 * n, 1], [2 * n + 1, -1]]) {
        here.set(at(n), 3 * k);
        before.set(at(n - 1), 3 * k);
        after.set(at(n + 1), 3 * k);
        side[k] = s;
        when[k] = times[n];
      }
      if (n + 1 < count) index.push(2 * n, 2 * n + 1, 2 * n + 2, 2 * n + 2, 2 * n + 1, 2 * n + 3);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(here, 3));
    geometry.setAttribute("before", new THREE.BufferAttribute(before, 3));
    geometry.setAttribute("after", new THREE.BufferAttribute(after, 3));
    geometry.setAttribute("side", new THREE.BufferAttribute(side, 1));
    geometry.setAttribute("when", new THREE.BufferAttribute(when, 1));
    geometry.setIndex(index);
    const mesh = new THREE.Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    return mesh;
  }

  setTime(time) {
    this.material.uniforms.now.value = time;
  }

  setColor(color, theme) {
    this.material.uniforms.color.value.set(color);
    this.material.uniforms.faint.value = theme === "dark" ? 0.22 : 0.3;
  }

  setRoom(width, height) {
    this.material.uniforms.room.value.set(width, height);
  }

  show(shown) {
    this.shown = shown;
    if (shown && !this.mesh) this.group.add((this.mesh = this.#ribbon()));
    if (this.mesh) this.mesh.visible = shown;
  }

  // After the motion has changed.
  renew() {
    this.mesh?.geometry.dispose();
    this.mesh?.removeFromParent();
    this.mesh = null;
    this.show(this.shown);
  }
}
