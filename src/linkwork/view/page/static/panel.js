// The list at the side: bodies, joints, springs and links by name, to show and hide, to follow, to trace.

import { make } from "lw/plots";

export class Panel {
  constructor(element, mechanism, actions) {
    Object.assign(this, { element, mechanism, actions, rows: new Map() });
    const whole = mechanism.run.bodies.map((body, k) => k > 0 && !body.of); // nodes of flexible bodies are not listed
    const bodies = this.#section("bodies", whole.filter((listed) => listed).length);
    mechanism.bodies.forEach((body, k) => whole[k] && this.#body(bodies, body, k));
    const extra = mechanism.trails.filter((trail) => !mechanism.bodies.some((body) => body.name === trail.name));
    if (extra.length) {
      const frames = this.#section("points", extra.length);
      extra.forEach((trail) => this.#trace(this.#row(frames, trail.name, trail.body), trail));
    }
    if (mechanism.joints.length) {
      const joints = this.#section("joints", mechanism.joints.length);
      mechanism.joints.forEach((joint) => this.#joint(joints, joint));
    }
    if (mechanism.links.length) {
      const links = this.#section("springs and links", mechanism.links.length);
      mechanism.links.forEach((link) => {
        const row = this.#row(links, link.name);
        make("i", "kind", row).textContent = link.kind;
        this.#eye(row, () => (link.shown = !link.shown));
      });
    }
  }

  #section(title, count) {
    const section = make("details", "", this.element);
    section.open = count <= 60;
    const head = make("summary", "", section);
    head.append(title);
    make("i", "", head).textContent = count;
    return section;
  }

  #row(section, name, body) {
    const row = make("div", "row", section);
    row.dataset.name = name;
    const chip = make("span", body ? "swatch" : "swatch none", row);
    if (body) chip.dataset.body = body;
    make("span", "name", row).textContent = name;
    return row;
  }

  #body(section, body, k) {
    const row = this.#row(section, body.name, k);
    this.rows.set(k, row);
    row.querySelector(".name").onclick = () => this.actions.select(k);
    const follow = this.#button(row, "◎", "Follow with the camera", () => this.actions.follow(k));
    follow.classList.add("follow");
    const trail = this.mechanism.trails.find((entry) => entry.name === body.name);
    if (trail) this.#trace(row, trail);
    this.#eye(row, () => (body.shown = !body.shown));
  }

  #trace(row, trail) {
    const button = this.#button(row, "∿", "Trace its path", () => {
      this.actions.trace(trail.name, !trail.shown);
      button.classList.toggle("on", trail.shown);
    });
    button.classList.toggle("on", trail.shown);
  }

  #joint(section, joint) {
    const row = this.#row(section, joint.name);
    make("i", "kind", row).textContent = joint.kind;
    this.#eye(row, () => (joint.shown = !joint.shown));
  }

  #eye(row, toggle) {
    const button = this.#button(row, "●", "Show or hide", () => {
      const shown = toggle();
      button.classList.toggle("on", shown);
      row.classList.toggle("off", !shown);
      this.actions.changed();
    });
    button.classList.add("on", "eye");
  }

  #button(row, sign, title, action) {
    const button = make("button", "", row);
    button.textContent = sign;
    button.title = title;
    button.onclick = action;
    return button;
  }

  mark({ selected, followed }) {
    for (const [k, row] of this.rows) {
      row.classList.toggle("selected", k === selected);
      row.querySelector(".follow").classList.toggle("on", k === followed);
    }
  }

  setTheme(theme) {
    for (const chip of this.element.querySelectorAll(".swatch[data-body]")) {
      chip.style.background = this.mechanism.color(Number(chip.dataset.body), theme);
    }
  }
}
