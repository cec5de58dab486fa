// The numbers of what is selected, at the present time: of a body, a joint, a spring or link.  Each can be plotted.

import { button, make } from "lw/dom";
import { quantity, rounded, scaled } from "lw/numbers";

const AXES = ["x", "y", "z"];

export class Inspector {
  constructor(element, mechanism, { plot, close, isMode }) {
    Object.assign(this, { element, mechanism, plot, close, isMode, rows: [] });
    element.setAttribute("role", "region");
    element.hidden = true;
  }

  show(what, time) {
    this.element.hidden = !what;
    this.rows = [];
    this.what = what;
    if (!what) return;
    this.element.replaceChildren();
    const { name, kind } = this.mechanism.element(what);
    this.element.setAttribute("aria-label", `Numbers of ${name}`);
    const head = make("header", "", this.element);
    make("b", "", head, { textContent: name, title: name });
    make("i", "", head, { textContent: what.kind === "body" ? "body" : what.kind === "joint" ? `${kind} joint` : kind });
    button(head, "×", "Close", this.close, "close");
    this.table = make("div", "numbers", this.element);
    this[`_${what.kind}`](this.mechanism.element(what));
    this.setTime(time);
  }

  _body({ name, mass }) {
    if (mass > 0) this.#fixed("mass", quantity(mass, "kg"));
    if (this.isMode) return this.#vibration(name);
    this.#vector(name, "position");
    this.#vector(name, "velocity");
    this.#vector(name, "angular_velocity", "angular velocity");
  }

  // Of a mode: where the body is, and amplitude and phase of each direction.
  #vibration(name) {
    this.#vector(name, "displacement");
    const { motion } = this.mechanism;
    const found = AXES.map((axis) => motion.harmonic(`${name}.displacement.${axis}`));
    const largest = Math.max(...AXES.map((axis) => motion.largest(`${name}.displacement.${axis}`)));
    const { factor, unit } = scaled("m", largest);
    const moves = ({ amplitude }) => amplitude > 1e-6 * largest;
    this.#three("amplitude", found.map(({ amplitude }) => rounded(amplitude * factor, largest * factor)), unit);
    this.#three("phase", found.map((each) => (moves(each) ? `${Math.round(each.phase)}°` : "–")), "");
  }

  #three(label, texts, unit) {
    const cell = this.#fixed(label, "");
    AXES.forEach((axis, k) => {
      make("i", "", cell, { textContent: axis });
      make("b", "", cell, { textContent: texts[k] });
    });
    make("i", "", cell, { textContent: unit });
  }

  _joint({ name, a, b, numbers }) {
    const [first, second] = [a, b].map((k) => this.mechanism.bodies[this.mechanism.whole(k)].name);
    this.#fixed("between", `${first} and ${second}`);
    for (const channel of numbers) this.#channel(channel, channel.startsWith(`${name}.`) ? channel.slice(name.length + 1) : channel);
    this.#channel(`${name}.force`, "reaction force");
    this.#channel(`${name}.torque`, "reaction torque");
    const { note } = this.mechanism.arrows.find((arrow) => arrow.name === name) ?? {};
    if (note) make("p", "", this.element, { textContent: note });
  }

  _link(link) {
    const [first, second] = [link.a, link.b].map((k) => this.mechanism.bodies[this.mechanism.whole(k)].name);
    this.#fixed("between", `${first} and ${second}`);
    const cell = this.#fixed("length", "");
    this.rows.push({ update: () => (cell.textContent = quantity(this.mechanism.linkLength(link), "m")) });
  }

  #fixed(label, text) {
    make("span", "", this.table, { textContent: label });
    const cell = make("span", "value", this.table, { textContent: text, title: text });
    make("span", "", this.table);
    return cell;
  }

  #vector(name, what, label = what) {
    const names = AXES.map((axis) => `${name}.${what}.${axis}`);
    this.#row(label, names, AXES);
  }

  #channel(name, label) {
    if (this.mechanism.motion.channels.has(name)) this.#row(label, [name], [""]);
  }

  // A label, numbers in one unit, and a button that plots them.
  #row(label, names, axes) {
    const { motion } = this.mechanism;
    const largest = Math.max(...names.map((name) => motion.largest(name)));
    const { factor, unit } = scaled(motion.channels.get(names[0]).unit, largest);
    make("span", "", this.table, { textContent: label });
    const cell = make("span", "value", this.table);
    const values = names.map((_, k) => {
      if (axes[k]) make("i", "", cell, { textContent: axes[k] });
      return make("b", "", cell);
    });
    make("i", "", cell, { textContent: unit });
    button(this.table, "plot", `Plot ${label} of ${this.mechanism.element(this.what).name}`, () => this.plot(names), "plot");
    const text = (name, time) => rounded(motion.largest(name) ? motion.value(name, time) * factor : 0, largest * factor);
    this.rows.push({ update: (time) => names.forEach((name, k) => (values[k].textContent = text(name, time))) });
  }

  setTime(time) {
    for (const row of this.rows) row.update(time);
  }
}
