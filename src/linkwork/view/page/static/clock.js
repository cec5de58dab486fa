// Time as text: seconds of a run, or the phase of a mode of vibration in degrees.

import { roundNumber, ticks } from "lw/numbers";

export class Seconds {
  constructor(span) {
    Object.assign(this, { span, label: "", unit: " s" });
  }

  text(time) {
    const [start, end] = this.span;
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(end - start || 1))));
    return `${time.toFixed(digits)} s`;
  }

  ticks(low, high, count) {
    return ticks(low, high, count);
  }
}

const TURN = 360; // degrees
const STEPS = [1, 2, 5, 10, 15, 30, 45, 90, 180];

export class Phase {
  constructor(span) {
    Object.assign(this, { span, label: "phase ", unit: "" });
  }

  #degrees(time) {
    return (TURN * (time - this.span[0])) / (this.span[1] - this.span[0] || 1);
  }

  text(time) {
    return `${this.#degrees(time).toFixed(0)}°`;
  }

  ticks(low, high, count) {
    const [from, to] = [this.#degrees(low), this.#degrees(high)];
    const least = (to - from) / count;
    const step = STEPS.find((size) => size >= least * 0.999) ?? roundNumber(least);
    const found = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) {
      found.push([this.span[0] + (k * step * (this.span[1] - this.span[0])) / TURN, `${k * step}°`]);
    }
    return found;
  }
}
