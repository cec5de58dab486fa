// Keys, and a list of them.

import { $, make, Popover } from "lw/dom";

const POINTER = [
  ["drag", "turn the view; with the right button move it; wheel: nearer, farther"],
  ["click", "select a body or joint: its numbers, and what to plot"],
  ["plots", "drag: zoom to a span of time; double click: the whole time; click: go to that time"],
];
const OWN = new Set(["INPUT", "SELECT", "TEXTAREA"]); // take letters and arrows themselves
const PRESSED = new Set(["BUTTON", "SUMMARY"]); // take space and return

// `table`: [keys, what they do, action, text shown for the keys].
export class Keys {
  constructor(table, opener, box) {
    this.actions = new Map(table.flatMap(([keys, , action]) => keys.map((key) => [key, action])));
    this.help = new Popover(opener, box, () => box.focus());
    box.tabIndex = -1;
    make("h2", "", box, { textContent: "Keys" });
    this.#list(box, table.map(([keys, about, , text]) => [text ?? keys.join(" "), about]));
    make("h2", "", box, { textContent: "Pointer" });
    this.#list(box, POINTER);
    document.addEventListener("keydown", (event) => this.#press(event));
    document.addEventListener("click", (event) => event.detail > 0 && event.target.closest?.("button")?.blur()); // space then plays
  }

  #list(box, entries) {
    const list = make("dl", "", box);
    for (const [key, about] of entries) {
      make("dt", "", list, { textContent: key });
      make("dd", "", list, { textContent: about });
    }
  }

  #press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const { tagName, type } = event.target;
    if (OWN.has(tagName) && !(type === "range" && !event.key.startsWith("Arrow") && event.key !== "Home" && event.key !== "End")) return;
    if (PRESSED.has(tagName) && (event.key === " " || event.key === "Enter")) return;
    const action = this.actions.get(event.key);
    if (!action) return;
    event.preventDefault();
    action(event);
  }
}

export function keyTable(player, motion, unselect) {
  const press = (id) => () => $(id)?.click();
  const step = (way) => (event) => player.step(way, event.shiftKey ? motion() : null);
  const views = ["1", "2", "3", "4"];
  const letter = (key, about, id) => [[key, key.toUpperCase()], about, press(id), key.toUpperCase()];
  return [
    [[" "], "play or pause", () => player.toggle(), "space"],
    [["ArrowLeft"], "back a little; with shift by one sample", step(-1), "←"],
    [["ArrowRight"], "forward a little; with shift by one sample", step(1), "→"],
    [["Home"], "back to the start", () => player.setTime(player.span[0])],
    [["End"], "to the end", () => player.setTime(player.span[1])],
    [["-", "_", "<"], "slower", () => player.slower(), "-"],
    [["+", "=", ">"], "faster", () => player.faster(), "+"],
    [["0"], "first speed", () => player.setSpeed(player.firstSpeed())],
    letter("r", "repeat, or play once", "repeat"),
    [views, "views: home, front, side, top", (event) => $("views").children[views.indexOf(event.key)].click(), views.join(" ")],
    letter("o", "with or without perspective", "toggle-parallel"),
    letter("g", "floor and grid", "toggle-floor"),
    letter("j", "joints", "toggle-joints"),
    letter("n", "names", "toggle-names"),
    letter("f", "forces", "toggle-forces"),
    letter("l", "list of bodies and joints", "panel-toggle"),
    letter("t", "dark or light theme", "theme"),
    letter("p", "save a picture", "save-picture"),
    letter("v", "save a video", "save-video"),
    letter("k", "keep a live run to compare with", "toggle-keep"),
    [["Escape"], "close; select nothing", unselect, "Esc"],
    [["?"], "this list", press("help-toggle")],
  ];
}
