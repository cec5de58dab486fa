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
    this.#three("", AXES, "");
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
    this.#three("phase", found.map((each) => (moves(each) ? `${Math.round(each.phase)}°` : "-")), "");
  }

  #three(label, texts, unit) {
    this.#label(label, unit);
    for (const text of texts) make("b", "", this.table, { textContent: text });
    make("span", "", this.table);
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

  #label(text, unit = "") {
    const cell = make("span", "label", this.table, { textContent: text });
    if (unit) make("i", "", cell, { textContent: ` ${unit}` });
  }

  #fixed(label, text) {
    this.#label(label);
    const cell = make("span", "wide", this.table, { textContent: text, title: text });
    make("span", "", this.table);
    return cell;
  }

  #vector(name, what, label = what) {
    this.#row(label, AXES.map((axis) => `${name}.${what}.${axis}`));
  }

  #channel(name, label) {
    if (this.mechanism.motion.channels.has(name)) this.#row(label, [name]);
  }

  // A label, one or three numbers in one unit, and a button that plots them.
  #row(label, names) {
    const { motion } = this.mechanism;
    const largest = Math.max(...names.map((name) => motion.largest(name)));
    const { factor, unit } = scaled(motion.channels.get(names[0]).unit, largest);
    this.#label(label, unit);
    const values = names.map(() => make("b", names.length === 1 ? "wide" : "", this.table));
    button(this.table, "plot", `Plot ${label} of ${this.mechanism.element(this.what).name}`, () => this.plot(names), "plot");
    const text = (name, time) => rounded(motion.largest(name) ? motion.value(name, time) * factor : 0, largest * factor);
    this.rows.push({ update: (time) => names.forEach((name, k) => (values[k].textContent = text(name, time))) });
  }

  setTime(time) {
    for (const row of this.rows) row.update(time);
  }
}
