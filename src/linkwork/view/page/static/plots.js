// Plots below the stage: channels of one unit in one card, one time axis for all, a cursor that moves with the motion.

import { roundNumber } from "lw/stage";

const CURVES = {
  dark: ["#5aa9ff", "#ff9f5a", "#4fd1a5", "#e57fc4", "#f2d15c", "#a3a1ff"],
  light: ["#2066b4", "#d5651a", "#138563", "#b43e8e", "#a87f00", "#4f4dc0"],
};
const DASHES = [[], [6, 4], [2, 3]]; // one a run
const QUANTITIES = { m: "length", "m/s": "velocity", "m/s2": "acceleration", rad: "angle", "rad/s": "angular velocity", "rad/s2": "angular acceleration", J: "energy", N: "force", "": "Euler parameter" };
const NOISE = 1e-12; // of the largest value of a channel: shown as 0
const ROOM = { left: 62, right: 14, top: 8, bottom: 24 };

export class Plots {
  constructor(element, motions, { onTime, tip }) {
    Object.assign(this, { element, motions, onTime, tip, cards: [], theme: "dark", time: 0 });
    this.reset([Math.min(...motions.map((m) => m.start)), Math.max(...motions.map((m) => m.end))]);
    this.names = [...new Set(motions.flatMap((m) => [...m.channels.keys()]))];
    this.row = make("div", "cards", element);
    this.#chooser();
    new ResizeObserver(() => this.draw()).observe(element);
  }

  // The time axis from here on.
  reset([low, high]) {
    this.whole = [low, high > low ? high : low + 1];
    this.range = [...this.whole];
  }

  unit(name) {
    return this.motions.map((m) => m.channels.get(name)).find(Boolean).unit;
  }

  shown() {
    return this.cards.flatMap((card) => card.names);
  }

  show(name) {
    if (!this.names.includes(name) || this.shown().includes(name)) return;
    const unit = this.unit(name);
    const card = this.cards.find((c) => c.unit === unit) ?? this.#card(unit);
    card.names.push(name);
    this.#legend(card);
    this.draw();
  }

  hide(name) {
    for (const card of this.cards) {
      card.names = card.names.filter((other) => other !== name);
      if (!card.names.length) card.box.remove();
      else this.#legend(card);
    }
    this.cards = this.cards.filter((card) => card.names.length);
    this.draw();
  }

  toggle(name) {
    this.shown().includes(name) ? this.hide(name) : this.show(name);
  }

  setTheme(theme) {
    this.theme = theme;
    this.cards.forEach((card) => this.#legend(card));
    this.draw();
  }

  setTime(time) {
    this.time = time;
    for (const card of this.cards) this.#cursor(card);
  }

  zoom(low, high) {
    const least = (this.whole[1] - this.whole[0]) * 1e-5;
    if (high - low < least) return;
    this.range = [Math.max(low, this.whole[0]), Math.min(high, this.whole[1])];
    this.draw();
  }

  // -- cards --------------------------------------------------------------------------------------------------------
  #card(unit) {
    const box = make("div", "card", this.row);
    const legend = make("div", "names", box);
    const frame = make("div", "frame", box);
    const canvas = make("canvas", "", frame);
    const cursor = make("canvas", "cursor", frame);
    const card = { unit, box, legend, frame, canvas, cursor, names: [] };
    this.#listen(card);
    this.cards.push(card);
    return card;
  }

  #legend(card) {
    card.legend.replaceChildren();
    make("span", "quantity", card.legend).textContent = `${QUANTITIES[card.unit] ?? ""} [${card.unit.replace("s2", "s²") || "-"}]`;
    card.values = card.names.map((name, k) => {
      const chip = make("button", "curve", card.legend);
      chip.title = "Click to remove it";
      chip.style.setProperty("--color", this.#color(k));
      make("i", "", chip);
      make("span", "", chip).textContent = name;
      const value = make("b", "", chip);
      chip.onclick = () => this.hide(name);
      return value;
    });
  }

  #color(k) {
    return CURVES[this.theme][k % CURVES[this.theme].length];
  }

  draw() {
    for (const card of this.cards) this.#drawCard(card);
    this.setTime(this.time);
  }

  #drawCard(card) {
    const ratio = window.devicePixelRatio;
    const [width, height] = [card.frame.clientWidth, card.frame.clientHeight];
    if (width < 80 || height < 50) return;
    for (const canvas of [card.canvas, card.cursor]) {
      canvas.width = width * ratio;
      canvas.height = height * ratio;
    }
    const pen = card.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const limits = this.#limits(card);
    const [x0, x1, y0, y1] = [ROOM.left, width - ROOM.right, height - ROOM.bottom, ROOM.top];
    card.x = (t) => x0 + ((t - this.range[0]) / (this.range[1] - this.range[0])) * (x1 - x0);
    card.y = (v) => y0 + ((v - limits[0]) / (limits[1] - limits[0])) * (y1 - y0);
    card.time = (px) => this.range[0] + ((px - x0) / (x1 - x0)) * (this.range[1] - this.range[0]);
    card.room = [x0, x1, y1, y0];
    this.#axes(pen, card, limits);
    pen.save();
    pen.beginPath();
    pen.rect(x0, y1 - 2, x1 - x0, y0 - y1 + 4);
    pen.clip();
    card.names.forEach((name, k) => this.motions.forEach((motion, r) => this.#curve(pen, card, motion, name, k, r)));
    pen.restore();
  }

  #limits(card) {
    let [low, high] = [Infinity, -Infinity];
    for (const name of card.names) {
      for (const motion of this.motions) {
        const values = motion.channels.get(name)?.values ?? [];
        const [first, last] = [motion.at(this.range[0])[0], Math.min(motion.at(this.range[1])[0] + 1, values.length - 1)];
        for (let n = first; n <= last; n++) {
          if (values[n] < low) low = values[n];
          if (values[n] > high) high = values[n];
        }
      }
    }
    if (!(high >= low)) return [0, 1];
    const least = 1e-3 * Math.max(Math.abs(low), Math.abs(high)) || 1;
    const margin = high - low < least ? least : 0.07 * (high - low); // rounding is not motion
    return [low - margin, high + margin];
  }

  #axes(pen, card, limits) {
    const style = getComputedStyle(document.documentElement);
    const [x0, x1, top, bottom] = card.room;
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = style.getPropertyValue("--dim");
    pen.strokeStyle = style.getPropertyValue("--line");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const [value, text] of ticks(...limits, Math.max(2, (bottom - top) / 26))) {
      const y = Math.round(card.y(value)) + 0.5;
      line(pen, x0, y, x1, y);
      pen.fillText(text, x0 - 7, y);
    }
    pen.textBaseline = "top";
    const marks = ticks(...this.range, Math.max(2, (x1 - x0) / 80));
    marks.forEach(([value, text], k) => {
      const x = Math.round(card.x(value)) + 0.5;
      line(pen, x, top, x, bottom);
      pen.textAlign = x > x1 - 14 ? "right" : "center";
      pen.fillText(k === marks.length - 1 ? `${text} s` : text, x, bottom + 7);
    });
  }

  #curve(pen, card, motion, name, k, r) {
    const values = motion.channels.get(name)?.values;
    if (!values) return;
    const t = motion.t;
    const first = motion.at(this.range[0])[0];
    const last = Math.min(motion.at(this.range[1])[0] + 1, t.length - 1);
    pen.strokeStyle = this.#color(k);
    pen.setLineDash(DASHES[r % DASHES.length]);
    pen.lineWidth = r ? 1.4 : 1.8;
    pen.lineJoin = "round";
    pen.beginPath();
    let [column, low, high] = [NaN, 0, 0];
    for (let n = first; n <= last; n++) {
      const x = card.x(t[n]);
      const y = card.y(values[n]);
      if (Math.round(x) === column) { // many samples in one column of pixels: their span
        [low, high] = [Math.min(low, y), Math.max(high, y)];
        if (n < last) continue;
      }
      if (column === column && high - low > 1.5) {
        pen.moveTo(column, low);
        pen.lineTo(column, high);
        pen.moveTo(column, y);
      }
      n === first ? pen.moveTo(x, y) : pen.lineTo(x, y);
      [column, low, high] = [Math.round(x), y, y];
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  #cursor(card) {
    if (!card.x) return;
    const ratio = window.devicePixelRatio;
    const pen = card.cursor.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, card.cursor.width, card.cursor.height);
    const [x0, x1, top, bottom] = card.room;
    if (card.drag) {
      pen.fillStyle = "rgba(120,160,220,0.22)";
      pen.fillRect(Math.min(...card.drag), top, Math.abs(card.drag[1] - card.drag[0]), bottom - top);
    }
    const motion = this.motions[0];
    const x = card.x(this.time);
    if (x >= x0 - 1 && x <= x1 + 1) {
      pen.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
      pen.lineWidth = 1.5;
      line(pen, x, top, x, bottom);
    }
    card.names.forEach((name, k) => {
      if (!motion.channels.has(name)) return;
      const value = motion.value(name, this.time);
      card.values[k].textContent = numberText(Math.abs(value) > NOISE * motion.largest(name) ? value : 0);
      if (x < x0 - 1 || x > x1 + 1) return;
      pen.fillStyle = this.#color(k);
      pen.beginPath();
      pen.arc(x, card.y(value), 3.6, 0, 7);
      pen.fill();
    });
  }

  // -- mouse --------------------------------------------------------------------------------------------------------
  #listen(card) {
    const place = (event) => event.clientX - card.frame.getBoundingClientRect().left;
    card.frame.onpointerdown = (event) => {
      card.frame.setPointerCapture(event.pointerId);
      card.drag = [place(event), place(event)];
    };
    card.frame.onpointermove = (event) => {
      if (!card.drag) return;
      card.drag[1] = place(event);
      this.#cursor(card);
    };
    card.frame.onpointerup = () => {
      if (!card.drag) return;
      const [a, b] = card.drag.map(card.time).sort((p, q) => p - q);
      const far = Math.abs(card.drag[1] - card.drag[0]) > 5;
      card.drag = null;
      far ? this.zoom(a, b) : this.onTime(a);
    };
    card.frame.ondblclick = () => this.zoom(...this.whole);
    card.frame.onwheel = (event) => {
      event.preventDefault();
      const middle = card.time(place(event));
      const factor = Math.exp(0.0015 * event.deltaY);
      this.zoom(middle + (this.range[0] - middle) * factor, middle + (this.range[1] - middle) * factor);
    };
  }

  // -- choosing -----------------------------------------------------------------------------------------------------
  #chooser() {
    const button = make("button", "add", this.element);
    button.id = "choose";
    button.textContent = "+ channel";
    const box = make("div", "chooser", document.body);
    box.hidden = true;
    const search = make("input", "", box);
    search.placeholder = "search channels ...";
    const list = make("div", "list", box);
    const fill = () => {
      const words = search.value.toLowerCase().split(/\s+/);
      const found = this.names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
      list.replaceChildren(
        ...found.slice(0, 400).map((name) => {
          const row = document.createElement("button");
          row.className = this.shown().includes(name) ? "on" : "";
          row.dataset.channel = name;
          row.append(name, Object.assign(document.createElement("i"), { textContent: this.unit(name) || "-" }));
          row.onclick = () => {
            this.toggle(name);
            row.className = this.shown().includes(name) ? "on" : "";
          };
          return row;
        }),
      );
    };
    search.oninput = fill;
    button.onclick = () => {
      box.hidden = !box.hidden;
      if (!box.hidden) {
        fill();
        search.focus();
      }
    };
    document.addEventListener("pointerdown", (event) => {
      if (!box.contains(event.target) && event.target !== button) box.hidden = true;
    });
  }
}

export function make(tag, className, parent) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  parent.append(element);
  return element;
}

export function numberText(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e6 || size < 1e-3 ? powers(value.toExponential(3)) : Number(value.toPrecision(5)).toString();
}

// 1.5e+6 as 1.5e6
function powers(text) {
  return text.replace("e+", "e");
}

function ticks(low, high, count) {
  const least = (high - low) / count;
  const size = [1, 2, 5, 10].map((digit) => digit * 10 ** Math.floor(Math.log10(least))).find((step) => step >= least * 0.999);
  const found = [];
  for (let k = Math.ceil(low / size - 1e-9); k * size <= high + 1e-9 * size; k++) found.push([k * size, tickText(k * size, size)]);
  return found;
}

function tickText(value, step) {
  const largest = Math.max(Math.abs(value), step);
  if (largest >= 1e6 || step < 1e-4) return value === 0 ? "0" : powers(value.toExponential(1));
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

function line(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}
