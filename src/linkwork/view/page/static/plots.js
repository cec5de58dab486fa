// Plots below the stage: channels of one unit in one card, one time axis for all, a cursor that moves with the motion.

import { Chooser } from "lw/chooser";
import { button, make } from "lw/dom";
import { rounded, scaled, ticks } from "lw/numbers";

const CURVES = {
  dark: ["#5aa9ff", "#ff9f5a", "#4fd1a5", "#e57fc4", "#f2d15c", "#a3a1ff"],
  light: ["#1f66b5", "#b24f0d", "#0e7a57", "#a93583", "#7d6000", "#4f4dc0"],
};
const DASHES = [[], [6, 4], [2, 3]]; // one a run
const QUANTITIES = { m: "length", "m/s": "velocity", "m/s2": "acceleration", rad: "angle", "rad/s": "angular velocity", "rad/s2": "angular acceleration", J: "energy", N: "force", "N m": "torque", W: "power", "": "no unit" };
const MARGINS = { left: 54, right: 14, top: 8, bottom: 24 };
const CLICK = 5; // pixels: a press that moves less sets the time, one that moves more zooms

export class Plots {
  constructor(element, motions, { onTime, timeText }) {
    Object.assign(this, { element, motions, onTime, timeText, cards: [], theme: "dark", time: 0 });
    this.use(motions);
    this.row = make("div", "cards", element);
    const tools = make("div", "plot-tools", element);
    this.resetButton = button(tools, "↔", "Show the whole time in the plots (double click)", () => this.zoom(...this.whole));
    this.chooser = new Chooser(tools, this);
    this.resetButton.hidden = true;
    new ResizeObserver(() => this.draw()).observe(element);
  }

  // Plots these motions from here on; the span of time that is shown stays where it can.
  use(motions) {
    const shown = this.range && this.range.some((t, k) => t !== this.whole[k]) ? this.range : null;
    this.motions = motions;
    this.names = [...new Set(motions.flatMap((m) => [...m.channels.keys()]))];
    this.reset([Math.min(...motions.map((m) => m.start)), Math.max(...motions.map((m) => m.end))]);
    if (shown && shown[1] <= this.whole[1]) this.range = shown;
    this.cards.forEach((card) => this.#legend(card));
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

  // A card of its own for channels of one unit.
  open(names) {
    const known = names.filter((name) => this.names.includes(name));
    if (known.length) this.#add(this.#card(this.unit(known[0])), known);
    this.draw();
  }

  // In the card that has their unit.
  show(...names) {
    for (const name of names) {
      if (!this.names.includes(name) || this.shown().includes(name)) continue;
      const unit = this.unit(name);
      this.#add(this.cards.findLast((card) => card.unit === unit) ?? this.#card(unit), [name]);
    }
    this.draw();
  }

  #add(card, names) {
    card.names.push(...names);
    this.#legend(card);
  }

  hide(...names) {
    for (const card of this.cards) {
      card.names = card.names.filter((name) => !names.includes(name));
      if (!card.names.length) card.box.remove();
      else this.#legend(card);
    }
    this.cards = this.cards.filter((card) => card.names.length);
    this.draw();
  }

  toggle(name) {
    this.shown().includes(name) ? this.hide(name) : this.show(name);
  }

  // Brings a channel that is shown into view.
  reveal(name) {
    this.cards.find((card) => card.names.includes(name))?.box.scrollIntoView({ block: "nearest", inline: "nearest" });
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
    canvas.setAttribute("role", "img");
    cursor.setAttribute("aria-hidden", "true");
    const card = { unit, box, legend, frame, canvas, cursor, names: [] };
    this.#listen(card);
    this.cards.push(card);
    return card;
  }

  // The names of the curves and their values now: one of each run.
  #legend(card) {
    const largest = Math.max(...card.names.map((name) => this.#largest(name)));
    card.scale = scaled(card.unit, largest);
    card.legend.replaceChildren();
    const quantity = QUANTITIES[card.unit] ?? "";
    make("span", "quantity", card.legend, { textContent: `${quantity} [${card.scale.unit || "-"}]` });
    card.values = card.names.map((name, k) => {
      const chip = button(card.legend, "", `${name}: remove from the plot`, () => this.hide(name), "curve");
      chip.style.setProperty("--color", this.#color(k));
      make("i", "", chip);
      make("span", "", chip, { textContent: name });
      return this.motions.map((_, r) => make("b", r ? "other" : "", chip));
    });
    card.canvas.setAttribute("aria-label", `Plot of ${card.names.join(", ")} over the time`);
  }

  #largest(name) {
    return Math.max(...this.motions.map((motion) => motion.largest(name)));
  }

  #color(k) {
    return CURVES[this.theme][k % CURVES[this.theme].length];
  }

  draw() {
    const style = getComputedStyle(document.documentElement);
    this.colors = Object.fromEntries(["dim", "line", "accent"].map((name) => [name, style.getPropertyValue(`--${name}`)]));
    for (const card of this.cards) this.#drawCard(card);
    if (this.resetButton) this.resetButton.hidden = this.range.every((t, k) => t === this.whole[k]);
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
    const [x0, x1, y0, y1] = [MARGINS.left, width - MARGINS.right, height - MARGINS.bottom, MARGINS.top];
    card.x = (t) => x0 + ((t - this.range[0]) / (this.range[1] - this.range[0])) * (x1 - x0);
    card.y = (v) => y0 + ((v - limits[0]) / (limits[1] - limits[0])) * (y1 - y0);
    card.time = (px) => this.range[0] + ((px - x0) / (x1 - x0)) * (this.range[1] - this.range[0]);
    card.area = [x0, x1, y1, y0];
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
      const rounding = this.#largest(name) === 0;
      for (const motion of this.motions) {
        const values = motion.channels.get(name)?.values ?? [];
        const [first, last] = [motion.at(this.range[0])[0], Math.min(motion.at(this.range[1])[0] + 1, values.length - 1)];
        for (let n = first; n <= last; n++) {
          const value = rounding ? 0 : values[n];
          if (value < low) low = value;
          if (value > high) high = value;
        }
      }
    }
    if (!(high >= low)) return [0, 1];
    const least = 1e-3 * Math.max(Math.abs(low), Math.abs(high)) || 1;
    const margin = high - low < least ? least : 0.07 * (high - low); // rounding is not motion
    return [low - margin, high + margin];
  }

  #axes(pen, card, limits) {
    const [x0, x1, top, bottom] = card.area;
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = this.colors.dim;
    pen.strokeStyle = this.colors.line;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const { factor } = card.scale;
    for (const [value, text] of ticks(limits[0] * factor, limits[1] * factor, Math.max(2, (bottom - top) / 26))) {
      const y = Math.round(card.y(value / factor)) + 0.5;
      line(pen, x0, y, x1, y);
      pen.fillText(text, x0 - 7, y);
    }
    pen.textBaseline = "top";
    const marks = this.timeText.ticks(...this.range, Math.max(2, (x1 - x0) / 80));
    marks.forEach(([value, text], k) => {
      const x = Math.round(card.x(value)) + 0.5;
      line(pen, x, top, x, bottom);
      pen.textAlign = x > x1 - 14 ? "right" : "center";
      pen.fillText(k === marks.length - 1 ? `${text}${this.timeText.unit}` : text, x, bottom + 7);
    });
  }

  #curve(pen, card, motion, name, k, r) {
    const values = motion.channels.get(name)?.values;
    if (!values) return;
    const t = motion.t;
    const first = motion.at(this.range[0])[0];
    const last = Math.min(motion.at(this.range[1])[0] + 1, t.length - 1);
    const rounding = this.#largest(name) === 0;
    pen.strokeStyle = this.#color(k);
    pen.setLineDash(DASHES[r % DASHES.length]);
    pen.lineWidth = r ? 1.4 : 1.8;
    pen.lineJoin = "round";
    pen.beginPath();
    let [column, low, high, before, drawn] = [NaN, 0, 0, 0, false];
    for (let n = first; n <= last; n++) {
      if (Number.isNaN(values[n])) {
        [column, drawn] = [NaN, false]; // a gap
        continue;
      }
      const x = card.x(t[n]);
      const y = card.y(rounding ? 0 : values[n]);
      if (Math.round(x) === column) { // many samples in one column of pixels: their span
        [low, high, before] = [Math.min(low, y), Math.max(high, y), y];
        if (n < last) continue;
      }
      if (column === column && high - low > 1.5) {
        pen.moveTo(column, low);
        pen.lineTo(column, high);
        pen.moveTo(column, before);
      }
      drawn ? pen.lineTo(x, y) : pen.moveTo(x, y);
      [column, low, high, before, drawn] = [Math.round(x), y, y, y, true];
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
    const [x0, x1, top, bottom] = card.area;
    if (card.drag) {
      pen.fillStyle = "rgba(120,160,220,0.22)";
      pen.fillRect(Math.min(...card.drag), top, Math.abs(card.drag[1] - card.drag[0]), bottom - top);
    }
    const x = card.x(this.time);
    const inside = x >= x0 - 1 && x <= x1 + 1;
    if (inside) {
      pen.strokeStyle = this.colors.accent;
      pen.lineWidth = 1.5;
      line(pen, x, top, x, bottom);
    }
    card.names.forEach((name, k) => this.motions.forEach((motion, r) => this.#value(pen, card, motion, name, k, r, inside && x)));
  }

  #value(pen, card, motion, name, k, r, x) {
    if (!motion.channels.has(name)) return;
    const largest = motion.largest(name);
    const value = largest ? motion.value(name, this.time) : 0;
    card.values[k][r].textContent = rounded(value * card.scale.factor, largest * card.scale.factor);
    if (x === false || Number.isNaN(value)) return;
    pen.fillStyle = this.#color(k);
    pen.beginPath();
    pen.arc(x, card.y(value), r ? 2.6 : 3.6, 0, 7);
    pen.fill();
  }

  // -- pointer ------------------------------------------------------------------------------------------------------
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
      const far = Math.abs(card.drag[1] - card.drag[0]) > CLICK;
      card.drag = null;
      far ? this.zoom(a, b) : this.onTime(a);
    };
    card.frame.onpointercancel = () => {
      card.drag = null;
      this.#cursor(card);
    };
    card.frame.ondblclick = () => this.zoom(...this.whole);
    card.frame.onwheel = (event) => {
      event.preventDefault();
      const middle = card.time(place(event));
      const factor = Math.exp(0.0015 * event.deltaY);
      this.zoom(middle + (this.range[0] - middle) * factor, middle + (this.range[1] - middle) * factor);
    };
  }
}

function line(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}
