// From where one looks: a camera in perspective or without it, turned by the pointer; frames the motion so that it fills
// the view.

import * as THREE from "three";
import { OrbitControls } from "three/orbit";

const FIELD = 30; // degrees, from bottom to top
const TALL = Math.tan(THREE.MathUtils.degToRad(FIELD / 2)); // half the height of what is seen, at a metre
const FILLED = 0.92; // of the view, by the motion

export class Viewpoint {
  // `outline`: the outermost points of all that is to be seen.
  constructor(canvas, outline, up, look, size) {
    Object.assign(this, { canvas, outline, up, size, home: look.clone().normalize(), aspect: 1, covered: 0, carried: new THREE.Vector3() });
    const near = size / 200;
    this.perspective = new THREE.PerspectiveCamera(FIELD, 1, near, size * 60);
    this.parallel = new THREE.OrthographicCamera(-1, 1, 1, -1, -size * 30, size * 60);
    for (const camera of [this.perspective, this.parallel]) camera.up.copy(up);
    this.camera = this.perspective;
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, { enableDamping: true, dampingFactor: 0.12, maxDistance: 25 * size, minDistance: size / 50, minZoom: 0.02, maxZoom: 100 });
    this.direction = this.home; // from which everything was framed, until the user or a body takes the camera along
    this.controls.addEventListener("start", () => (this.direction = null));
  }

  // Directions to the right and towards the eye, both level.
  across() {
    const front = this.home.clone().addScaledVector(this.up, -this.home.dot(this.up));
    if (front.length() < 1e-6) front.set(this.up.y, this.up.z, this.up.x);
    front.normalize();
    return [new THREE.Vector3().crossVectors(this.up, front), front];
  }

  views() {
    const [side, front] = this.across();
    return { home: this.home, front, side, top: this.up };
  }

  resize(width, height) {
    this.aspect = width / Math.max(height, 1);
    this.perspective.aspect = this.aspect;
    this.perspective.updateProjectionMatrix();
    this.#setParallel(this.parallel.top);
  }

  // Pixels that something laid on the view covers above: the motion is framed below them.
  #shares() {
    const hidden = Math.min(this.covered / Math.max(this.canvas.clientHeight, 1), 0.4);
    return [FILLED * TALL * this.aspect, FILLED * (1 - hidden) * TALL, hidden * TALL];
  }

  // Look from a direction so that the outline fills the view.
  //
  // With x the place of a point along the right, n that towards the eye, w the tangent of half the width that may be
  // filled: |x - c| <= w (D - n) for all points, so D = (A + B) / 2w, c = (A - B) / 2 with A, B the largest w n +- x.
  frame(direction = this.home) {
    this.direction = direction;
    const eye = direction.clone().normalize();
    if (Math.abs(eye.dot(this.up)) > 0.999) eye.addScaledVector(this.across()[1], 0.002).normalize();
    const right = new THREE.Vector3().crossVectors(this.up, eye).normalize();
    const over = new THREE.Vector3().crossVectors(eye, right);
    const [w, h, down] = this.#shares();
    const parallel = this.camera === this.parallel;
    const fitted = (axis, share) => {
      const [a, b] = [1, -1].map((sign) => Math.max(...this.outline.map((p) => sign * p.dot(axis) + (parallel ? 0 : share * p.dot(eye)))));
      return [(a + b) / (2 * share), (a - b) / 2];
    };
    const [[wide, x], [tall, y]] = [fitted(right, w), fitted(over, h)];
    const nearest = Math.max(...this.outline.map((p) => p.dot(eye)));
    const middle = (nearest + Math.min(...this.outline.map((p) => p.dot(eye)))) / 2;
    const distance = parallel ? Math.max(wide, tall) : Math.max(wide, tall, nearest + 2 * this.perspective.near);
    const depth = parallel ? distance : distance - middle;
    const target = new THREE.Vector3().addScaledVector(right, x).addScaledVector(over, y + down * depth).addScaledVector(eye, middle);
    target.add(this.carried);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(eye, parallel ? 3 * this.size : depth);
    if (parallel) this.#setParallel(distance * TALL, 1);
    this.controls.update();
  }

  // Whether all of the outline is in the view.
  holds() {
    this.camera.updateMatrixWorld();
    const seen = new THREE.Vector3();
    return this.outline.every((point) => {
      seen.copy(point).add(this.carried).project(this.camera);
      return Math.max(Math.abs(seen.x), Math.abs(seen.y)) <= 1;
    });
  }

  #setParallel(half, zoom = this.parallel.zoom) {
    Object.assign(this.parallel, { top: half, bottom: -half, left: -half * this.aspect, right: half * this.aspect, zoom });
    this.parallel.updateProjectionMatrix();
  }

  // The other kind of camera, with what is at the target as large as it was.
  setParallel(on) {
    const [from, to] = on ? [this.perspective, this.parallel] : [this.parallel, this.perspective];
    if (this.camera !== from) return;
    const away = from.position.clone().sub(this.controls.target);
    if (on) this.#setParallel(away.length() * TALL, 1);
    else away.setLength(this.parallel.top / this.parallel.zoom / TALL);
    to.position.copy(this.controls.target).add(away);
    to.quaternion.copy(from.quaternion);
    this.camera = this.controls.object = to;
    this.controls.update();
  }

  // Size of a pixel, m: at a metre from the eye, or everywhere.
  pixel() {
    const half = this.camera === this.parallel ? this.parallel.top / this.parallel.zoom : TALL;
    return (2 * half) / this.canvas.height;
  }

  // With a body that is followed.
  carry(by) {
    this.carried.add(by);
    this.camera.position.add(by);
    this.controls.target.add(by);
  }

  // To a point, from the same side.
  aim(point) {
    this.direction = null;
    this.camera.position.add(point).sub(this.controls.target);
    this.controls.target.copy(point);
  }
}
