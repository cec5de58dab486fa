// Playing: the time goes on with the clock, at a speed; frames that come late are left out.

import { $, mark } from "lw/dom";
import { roundNumber } from "lw/numbers";

const BEST_SECONDS = 8; // a run that is much shorter or longer is first played at another speed
const CYCLE_SECONDS = 4; // for a period of a mode of vibration

export class Player {
  // `state`: time, playing, speed, repeat, recording; `span`: first and last time, which may change.
  constructor(state, span, isMode, { setTime, paused, ended }) {
    Object.assign(this, { state, span, isMode, setTime, paused, ended });
    $("play").onclick = () => this.toggle();
    $("first").onclick = () => setTime(span[0]);
    $("repeat").onclick = () => (state.repeat = mark($("repeat"), !state.repeat));
    $("play").disabled = span[1] <= span[0];
    $("speed").oninput = () => this.setSpeed(10 ** Number($("speed").value), true);
    this.setSpeed(this.firstSpeed());
  }

  get length() {
    return this.span[1] - this.span[0];
  }

  firstSpeed() {
    if (this.isMode) return this.length / CYCLE_SECONDS;
    if (!(this.length > 0) || (this.length >= BEST_SECONDS / 4 && this.length <= 4 * BEST_SECONDS)) return 1;
    return 10 ** (Math.round(20 * Math.log10(this.length / BEST_SECONDS)) / 20);
  }

  play() {
    if (this.length <= 0) return;
    if (this.state.time >= this.span[1]) this.setTime(this.span[0]);
    this.state.playing = mark($("play"), true);
  }

  pause() {
    this.state.playing = mark($("play"), false);
    this.paused();
  }

  toggle() {
    this.state.playing ? this.pause() : this.play();
  }

  // Some seconds have passed.
  advance(passed) {
    const { state, span } = this;
    const time = state.time + passed * state.speed;
    if (time < span[1]) return this.setTime(time);
    if (state.repeat && !state.recording) return this.setTime(span[0] + ((time - span[0]) % this.length));
    this.pause();
    this.setTime(span[1]);
    this.ended();
  }

  setSpeed(speed, dragged = false) {
    this.state.speed = speed;
    const text = this.isMode ? `${Number((this.length / speed).toPrecision(2))} s a cycle` : `×${Number(speed.toPrecision(2))}`;
    $("speed-value").textContent = text;
    $("speed").setAttribute("aria-valuetext", text);
    if (dragged) return;
    $("speed").min = Math.min(-3, Math.log10(speed) - 1);
    $("speed").max = Math.max(1, Math.log10(speed) + 1);
    $("speed").value = Math.log10(speed);
  }

  // The next speed of 1, 2 or 5 times a power of ten.
  faster() {
    const below = roundNumber(this.state.speed * 1.001);
    this.setSpeed(below * (Math.round(below / 10 ** Math.floor(Math.log10(below * 1.001))) === 2 ? 2.5 : 2));
  }

  slower() {
    this.setSpeed(roundNumber(this.state.speed * 0.999));
  }

  // A two-hundredth of the time, or to the next sample of a motion.
  step(way, motion) {
    const { state, span } = this;
    if (!motion) return this.setTime(state.time + (way * this.length) / 200);
    const [n, share] = motion.at(state.time);
    const sample = way < 0 ? (share > 1e-9 ? n : n - 1) : n + (share > 1 - 1e-9 ? 2 : 1);
    this.setTime(motion.t[Math.min(Math.max(sample, 0), motion.t.length - 1)] ?? span[0]);
  }
}
