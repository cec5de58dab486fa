// Which channels are plotted: a list to search.

import { button, make, Popover } from "lw/dom";
import { written } from "lw/numbers";

const LONGEST = 400; // entries listed; a search shows the others

export class Chooser {
  constructor(tools, plots) {
    this.plots = plots;
    const opener = button(tools, "+", "Choose the channels to plot");
    opener.id = "choose";
    const box = make("div", "popover chooser", document.body);
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-label", "Channels");
    this.search = make("input", "", box, { type: "search", placeholder: "search channels ...", oninput: () => this.#fill() });
    this.search.setAttribute("aria-label", "Search channels");
    this.list = make("div", "list", box);
    new Popover(opener, box, () => {
      this.#fill();
      this.search.focus();
    });
  }

  #fill() {
    const words = this.search.value.toLowerCase().split(/\s+/);
    const found = this.plots.names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
    this.list.replaceChildren(...found.slice(0, LONGEST).map((name) => this.#row(name)));
    const more = found.length - LONGEST;
    if (more > 0) make("p", "more", this.list, { textContent: `and ${more} more; search to find them` });
    if (!found.length) make("p", "more", this.list, { textContent: "no channel has these words in its name" });
  }

  #row(name) {
    const row = make("button", "", null, { type: "button", title: name });
    const mark = () => {
      row.classList.toggle("on", this.plots.shown().includes(name));
      row.setAttribute("aria-pressed", this.plots.shown().includes(name));
    };
    row.dataset.channel = name;
    make("span", "", row, { textContent: name });
    make("i", "", row, { textContent: written(this.plots.unit(name)) || "-" });
    row.onclick = () => {
      this.plots.toggle(name);
      mark();
    };
    mark();
    return row;
  }
}
