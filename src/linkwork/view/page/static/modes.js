// Modes of vibration: one to choose, and its amplitude.  The motion of the page becomes that of the mode, scaled about
// its place at rest, which is its mean over the period: p = p0 + a (p1 - p0), and turns by a times the angle.

import * as THREE from "three";
import { button, make } from "lw/dom";
import { mean } from "lw/motion";

const LARGEST = 4; // times the amplitude that is clearly visible

export class ModePicker {
  constructor(element, mechanism, changed) {
    Object.assign(this, { mechanism, changed, modes: mechanism.run.modes, amplitude: 1 });
    this.chosen = this.modes.findIndex((mode) => mode.shown);
    const step = (sign, by, about) => button(element, sign, about, () => this.choose((this.chosen + by + this.modes.length) % this.modes.length));
    step("‹", -1, "Previous mode");
    this.list = make("select", "", element);
    this.list.setAttribute("aria-label", "Mode of vibration");
    this.modes.forEach((mode, k) => this.list.append(new Option(mode.name, k)));
    this.list.onchange = () => this.choose(Number(this.list.value));
    step("›", 1, "Next mode");
    const label = make("label", "", element);
    label.append("amplitude");
    this.slider = Object.assign(make("input", "", label), { type: "range", min: 0, max: LARGEST, step: 0.05, value: 1 });
    this.text = make("output", "", label);
    this.slider.oninput = () => this.choose(this.chosen, Number(this.slider.value));
    this.list.value = this.chosen;
    this.text.textContent = "×1";
  }

  choose(k, amplitude = this.amplitude) {
    const another = k !== this.chosen;
    Object.assign(this, { chosen: k, amplitude });
    const { run, motion, trails } = this.mechanism;
    const mode = this.modes[k];
    for (const what of ["position", "velocity", "angular_velocity"]) scaled(mode[what].columns, run[what].columns, amplitude);
    mode.eta.forEach((eta, b) => scaled(eta.columns, run.bends[b].eta.columns, amplitude));
    for (let c = 0; c < run.orientation.columns.length; c += 4) turned(mode.orientation.columns.slice(c, c + 4), run.orientation.columns.slice(c, c + 4), amplitude);
    motion.t.set(mode.t.columns[0]);
    motion.end = motion.t[motion.t.length - 1];
    motion.displace();
    for (const trail of trails) trail.renew();
    this.list.value = k;
    this.slider.value = amplitude;
    this.text.textContent = `×${amplitude}`;
    this.changed(another);
  }
}

function scaled(from, to, a) {
  from.forEach((column, c) => {
    const rest = mean(column);
    column.forEach((value, n) => (to[c][n] = rest + a * (value - rest)));
  });
}

function turned(from, to, a) {
  const [w, x, y, z] = from.map(mean);
  const rest = new THREE.Quaternion(x, y, z, w).normalize();
  const [now, q] = [new THREE.Quaternion(), new THREE.Quaternion()];
  from[0].forEach((_, n) => {
    now.set(from[1][n], from[2][n], from[3][n], from[0][n]);
    q.copy(rest).slerp(now, a);
    [q.w, q.x, q.y, q.z].forEach((value, c) => (to[c][n] = value));
  });
}
