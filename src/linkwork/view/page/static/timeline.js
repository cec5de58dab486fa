// The time line: drag to set the time; singular positions, switches of the method and events are marked.

const COLORS = ["--track", "--accent", "--singular", "--switch", "--bad", "--knob"];
const QUIET = 500; // ms between announcements

export class Timeline {
  constructor(element, span, events, { onTime, tip, timeText }) {
    Object.assign(this, { element, span, events, onTime, tip, timeText, time: span[0], announced: -Infinity });
    this.canvas = element.querySelector("canvas");
    const at = (event) => {
      const box = element.getBoundingClientRect();
      return this.span[0] + Math.min(Math.max((event.clientX - box.left - 8) / (box.width - 16), 0), 1) * (this.span[1] - this.span[0]);
    };
    let held = false;
    element.onpointerdown = (event) => {
      held = true;
      element.setPointerCapture(event.pointerId);
      onTime(at(event));
    };
    element.onpointermove = (event) => {
      if (held) onTime(at(event));
      this.#about(event, at(event));
    };
    element.onpointerup = () => (held = false);
    element.onpointerleave = () => tip();
    this.setTheme();
    new ResizeObserver(() => this.draw()).observe(element);
  }

  setTheme() {
    const style = getComputedStyle(document.documentElement);
    this.colors = Object.fromEntries(COLORS.map((name) => [name, style.getPropertyValue(name)]));
    this.draw();
  }

  #about(event, time) {
    const near = (5 / this.element.clientWidth) * (this.span[1] - this.span[0]);
    const found = this.events.filter((e) => Math.abs(e.t - time) < near);
    const more = found.length > 4 ? ` and ${found.length - 4} more` : "";
    const text = found.slice(0, 4).map((e) => `t = ${Number(e.t.toPrecision(5))} s: ${e.text}`).join("\n");
    this.tip(event, (text || this.timeText.text(time)) + more);
  }

  setTime(time) {
    this.time = time;
    if (performance.now() - this.announced > QUIET) this.announce();
    this.draw();
  }

  // For those who do not see it.
  announce() {
    this.announced = performance.now();
    const aria = { valuemin: this.span[0], valuemax: this.span[1], valuenow: this.time, valuetext: this.timeText.text(this.time) };
    for (const [key, value] of Object.entries(aria)) this.element.setAttribute(`aria-${key}`, value);
  }

  draw() {
    const ratio = window.devicePixelRatio;
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (!width) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const color = (name) => this.colors[name];
    const x = (t) => 8 + ((t - this.span[0]) / (this.span[1] - this.span[0] || 1)) * (width - 16);
    const y = height / 2;
    bar(pen, 8, width - 8, y, color("--track"));
    bar(pen, 8, x(this.time), y, color("--accent"));
    for (const event of this.events) {
      if (event.kind === "singular") {
        pen.fillStyle = color("--singular");
        pen.beginPath();
        pen.moveTo(x(event.t), y - 13);
        pen.lineTo(x(event.t) + 4.5, y - 8);
        pen.lineTo(x(event.t), y - 3);
        pen.lineTo(x(event.t) - 4.5, y - 8);
        pen.fill();
      } else {
        pen.fillStyle = color(event.kind === "event" ? "--bad" : "--switch");
        pen.fillRect(x(event.t) - 0.75, y + 4, event.kind === "event" ? 3 : 1.5, 8);
      }
    }
    pen.fillStyle = color("--knob");
    pen.strokeStyle = color("--accent");
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.arc(x(this.time), y, 6.5, 0, 7);
    pen.fill();
    pen.stroke();
  }
}

function bar(pen, from, to, y, color) {
  pen.strokeStyle = color;
  pen.lineWidth = 4;
  pen.lineCap = "round";
  pen.beginPath();
  pen.moveTo(from, y);
  pen.lineTo(Math.max(from, to), y);
  pen.stroke();
}
