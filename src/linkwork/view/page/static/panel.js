// The list at the side: bodies, joints, springs and links by name, to select, to show and hide, to follow, to trace.

import { button, make, mark, toggle } from "lw/dom";
import { same } from "lw/mechanism";

const OPEN = 60; // a longer section is closed at first

export class Panel {
  constructor(element, mechanism, actions) {
    Object.assign(this, { element, mechanism, actions, rows: [], traces: new Map() });
    const whole = mechanism.run.bodies.map((body, k) => k > 0 && !body.of); // nodes of flexible bodies are not listed
    const bodies = this.#section("bodies", whole.filter((listed) => listed).length);
    mechanism.bodies.forEach((body, k) => whole[k] && this.#body(bodies, body, k));
    const extra = mechanism.trails.filter((trail) => !mechanism.bodies.some((body) => body.name === trail.name));
    if (extra.length) {
      const points = this.#section("points", extra.length);
      extra.forEach((trail) => this.#trace(this.#row(points, trail.name, null, trail.body), trail));
    }
    this.#elements("joints", "joint", mechanism.joints);
    this.#elements("springs and links", "link", mechanism.links);
  }

  #section(title, count) {
    const section = make("details", "", this.element, { open: count <= OPEN });
    const head = make("summary", "", section);
    head.append(title);
    make("i", "", head, { textContent: count });
    return section;
  }

  #elements(title, kind, elements) {
    if (!elements.length) return;
    const section = this.#section(title, elements.length);
    elements.forEach((element, k) => {
      const row = this.#row(section, element.name, { kind, k });
      make("i", "kind", row, { textContent: element.kind });
      this.#eye(row, element.name, { kind, k });
    });
  }

  #row(section, name, what, body) {
    const row = make("div", "row", section);
    row.dataset.name = name;
    const chip = make("span", body ? "swatch" : "swatch none", row);
    if (body) chip.dataset.body = body;
    if (what) {
      button(row, name, name, () => this.actions.select(what), "name");
      this.rows.push({ what, row });
    } else make("span", "name", row, { textContent: name, title: name });
    return row;
  }

  #body(section, body, k) {
    const row = this.#row(section, body.name, { kind: "body", k }, k);
    toggle(row, "◎", `Follow ${body.name} with the camera`, false, () => this.actions.follow(k), "follow");
    const trail = this.mechanism.trails.find((entry) => entry.name === body.name);
    if (trail) this.#trace(row, trail);
    this.#eye(row, body.name, { kind: "body", k });
  }

  #trace(row, trail) {
    const made = toggle(row, "∿", `Path of ${trail.name}`, trail.shown, (on) => this.actions.trace(trail.name, on));
    this.traces.set(trail.name, made);
  }

  #eye(row, name, what) {
    toggle(row, "●", `Show ${name}`, true, (on) => {
      this.mechanism.element(what).shown = on;
      row.classList.toggle("off", !on);
      this.actions.changed();
    }, "eye");
  }

  mark({ selected, followed }) {
    for (const { what, row } of this.rows) {
      const chosen = same(what, selected);
      row.classList.toggle("selected", chosen);
      row.querySelector(".name").setAttribute("aria-pressed", chosen);
      if (what.kind === "body") mark(row.querySelector(".follow"), what.k === followed);
    }
  }

  setTheme(theme) {
    for (const chip of this.element.querySelectorAll(".swatch[data-body]")) {
      chip.style.background = this.mechanism.color(Number(chip.dataset.body), theme);
    }
  }
}
