// Names in the view: of everything, with lines to what they name, or of what is under the pointer.

import * as THREE from "three";
import { make } from "lw/dom";

const FAR = 30; // pixels from a point to its name
const WAYS = 8; // directions in which a name may stand
const PAUSE = 60; // ms between looks at what is under the pointer

export class Labels {
  constructor(element, stage, mechanism) {
    Object.assign(this, { element, stage, mechanism, shown: false, labels: [] });
    this.lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    element.append(this.lines);
    element.hidden = true;
  }

  show(shown) {
    this.shown = shown;
    this.element.hidden = !shown;
    if (shown && !this.labels.length) this.#make();
  }

  // After another mechanism with the same parts has come.
  renew() {
    for (const { name, line } of this.labels) [name, line].forEach((part) => part.remove());
    this.labels = [];
    if (this.shown) this.#make();
  }

  #make() {
    const { bodies, joints, run } = this.mechanism;
    bodies.forEach((body, k) => k && !run.bodies[k].of && this.#label(body, "body", (point) => this.mechanism.worldPoint(k, body.label, point)));
    joints.forEach((joint) => this.#label(joint, "joint", (point) => this.mechanism.jointPoint(joint, point)));
  }

  #label(of, kind, place) {
    const name = make("span", kind, this.element, { textContent: of.name });
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    this.lines.append(line);
    this.labels.push({ of, place, name, line, wide: name.offsetWidth, tall: name.offsetHeight, way: 0, x: 0, y: 0 });
  }

  // Every name near its point, where it covers no other: on the side away from the middle, or where it was.
  place() {
    const { clientWidth: width, clientHeight: height } = this.stage.canvas;
    const points = this.labels.map(({ place }) => place(new THREE.Vector3()).project(this.stage.camera));
    const seen = this.labels.map(({ of }, k) => of.shown && points[k].z <= 1);
    const at = points.map(({ x, y }) => [(0.5 + x / 2) * width, (0.5 - y / 2) * height]);
    const count = seen.filter(Boolean).length || 1;
    const middle = [0, 1].map((i) => at.reduce((sum, p, k) => sum + (seen[k] ? p[i] : 0), 0) / count);
    const taken = [];
    this.labels.forEach((label, k) => {
      label.name.hidden = !seen[k];
      label.line.style.display = seen[k] ? "" : "none";
      if (seen[k]) taken.push(this.#put(label, at[k], middle, taken, width, height));
    });
  }

  #put(label, [x, y], middle, taken, width, height) {
    const outward = Math.round((Math.atan2(y - middle[1], x - middle[0]) / (2 * Math.PI)) * WAYS) + WAYS;
    const ways = [label.way, outward, ...Array.from({ length: WAYS }, (_, k) => outward + (k % 2 ? -(k + 1) / 2 : k / 2 + 1))];
    const spot = (way) => {
      const angle = (2 * Math.PI * way) / WAYS;
      const box = { x: x + Math.cos(angle) * (FAR + label.wide / 2), y: y + Math.sin(angle) * FAR, wide: label.wide, tall: label.tall, way };
      box.x = Math.min(Math.max(box.x, box.wide / 2), width - box.wide / 2);
      box.y = Math.min(Math.max(box.y, box.tall / 2), height - box.tall / 2);
      return box;
    };
    const free = (box) => !taken.some((other) => Math.abs(other.x - box.x) < (other.wide + box.wide) / 2 && Math.abs(other.y - box.y) < (other.tall + box.tall) / 2);
    const box = ways.map(spot).find(free) ?? spot(outward);
    label.way = box.way;
    label.name.style.transform = `translate(-50%, -50%) translate(${box.x}px, ${box.y}px)`;
    const end = [Math.min(Math.max(x, box.x - box.wide / 2), box.x + box.wide / 2), Math.min(Math.max(y, box.y - box.tall / 2), box.y + box.tall / 2)];
    Object.entries({ x1: x, y1: y, x2: end[0], y2: end[1] }).forEach(([key, value]) => label.line.setAttribute(key, value));
    return box;
  }
}

// What is under the pointer, while no button is held: `found(event, what)`.
export class Hover {
  constructor(canvas, look, found) {
    let [last, timer] = [0, 0];
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch" || event.buttons) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        last = performance.now();
        found(event, look(event));
      }, Math.max(0, PAUSE - (performance.now() - last)));
    });
    canvas.addEventListener("pointerleave", () => {
      clearTimeout(timer);
      found(null, null);
    });
  }
}
