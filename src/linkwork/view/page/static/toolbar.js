// The line at the top: name and state of the run, what is shown, views, and files to save.

import { $, button, make, Popover, toggle } from "lw/dom";
import { quantity } from "lw/numbers";
import { Saving } from "lw/saving";

export class Toolbar {
  constructor(run, stage, actions) {
    Object.assign(this, { stage, actions });
    $("title").textContent = $("title").title = run.name;
    document.title = `${run.name} - linkwork`;
    $("canvas").setAttribute("aria-label", `${run.name}: the mechanism in motion`);
    this.setState(run.status, run.headline);
    this.about(run);
    new Popover($("status"), $("about"));
    this.#switches();
    this.#views();
    this.#saves();
    new Popover($("tools-toggle"), $("tools"));
    $("scale").textContent = `grid ${quantity(stage.spacing, "m")}`;
    $("panel-toggle").onclick = () => $("app").classList.toggle("no-panel");
    if (innerWidth < 900) $("app").classList.add("no-panel");
  }

  setState(status, headline) {
    $("status").textContent = $("status").dataset.status = status;
    $("facts").textContent = $("facts").title = headline;
  }

  // How it was computed and how well: on request.
  about({ name, status, facts, headline }) {
    const entries = Object.entries(facts);
    const box = $("about");
    box.replaceChildren();
    make("h2", "", box, { textContent: name });
    const list = make("dl", "", box);
    for (const [key, value] of entries.length ? entries : [["status", status], ["", headline]]) {
      make("dt", "", list, { textContent: key });
      make("dd", "", list, { textContent: value });
    }
    $("status").title = facts.warnings ?? "About this run: method, accuracy, warnings";
  }

  #switches() {
    const { show } = this.actions;
    const add = (id, text, about, on) => {
      toggle($("switches"), text, about, on, (shown) => show(id, shown)).id = `toggle-${id}`;
    };
    add("floor", "floor", "Floor and grid (G)", true);
    add("joints", "joints", "Joints (J)", true);
    add("names", "names", "Names (N)", false);
    if (this.actions.hasForces) add("forces", "forces", "Forces of joints, tyres and contacts as arrows (F)", false);
  }

  #views() {
    const { look, parallel } = this.actions;
    Object.entries(this.stage.viewpoint.views()).forEach(([name, direction], k) => {
      button($("views"), name, `${name === "home" ? "Initial view" : `View from the ${name}`} (${k + 1})`, () => look(direction));
    });
    toggle($("views"), "parallel", "Without perspective: parallel (orthographic) projection (O)", false, parallel).id = "toggle-parallel";
  }

  #saves() {
    const { picture, video } = this.actions;
    button($("saves"), "picture", "Save the view as a picture, PNG (P)", picture).id = "save-picture";
    if (Saving.canRecord) toggle($("saves"), "video", "Save one passage of the motion as a video, WebM (V)", false, video).id = "save-video";
  }
}
