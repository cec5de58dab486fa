// Sliders for the parameters of the model: each move asks for a new run, which takes the place of the present one.

import { button, make, toggle } from "lw/dom";
import { decoded } from "lw/data";
import { written } from "lw/numbers";

const DIGITS = 4; // of a value beside its slider

export class Live {
  // `about`: the sliders, and the address that computes (null: the page that holds this one does);
  // `exchange(run)` shows another run; `keep(on)` leaves the present one beside those to come.
  constructor(box, { sliders, address }, { exchange, keep }) {
    Object.assign(this, { box, address, exchange, asked: 0, answered: 0, waiting: false });
    box.hidden = false;
    this.rows = sliders.map((slider) => this.#slider(slider));
    const tools = make("div", "live-tools", box);
    button(tools, "reset", "All parameters as at first", () => this.#reset());
    toggle(tools, "keep", "Keep this run in the view, to compare others with it (K)", false, keep).id = "toggle-keep";
    this.message = make("span", "live-message", tools);
    this.message.setAttribute("role", "status");
  }

  #slider({ name, unit, low, high, step, value }) {
    const label = make("label", "slider", this.box, { title: `${name}: ${text(low)} to ${text(high)} ${unit}`.trim() });
    make("span", "", label, { textContent: name });
    const input = make("input", "", label, { type: "range", min: low, max: high, step, value });
    const shown = make("output", "", label);
    const row = { name }; // its value is its own: an input rounds to its steps
    row.set = (number) => {
      row.value = number;
      shown.textContent = `${text(number)} ${written(unit)}`.trim();
    };
    row.reset = () => {
      input.value = value;
      row.set(value);
    };
    input.oninput = () => {
      row.set(Number(input.value));
      this.#ask();
    };
    row.set(value);
    return row;
  }

  get values() {
    return Object.fromEntries(this.rows.map(({ name, value }) => [name, value]));
  }

  #reset() {
    for (const row of this.rows) row.reset();
    this.#ask();
  }

  // One run at a time; what is moved meanwhile is asked for afterwards, the latest alone.
  async #ask() {
    this.asked += 1;
    if (this.waiting) return;
    this.waiting = true;
    this.box.setAttribute("aria-busy", "true");
    while (this.answered < this.asked) {
      const number = this.asked;
      await this.#take(await this.#run(this.values));
      this.answered = number;
    }
    this.box.setAttribute("aria-busy", "false");
    this.waiting = false;
  }

  async #run(values) {
    try {
      return this.address ? await posted(this.address, { values }) : await told({ values });
    } catch {
      return { error: "the program that computes does not answer; start it again" };
    }
  }

  async #take(answer) {
    this.message.textContent = answer.error ?? `computed in ${answer.seconds.toPrecision(2)} s`;
    this.message.classList.toggle("bad", Boolean(answer.error));
    if (answer.error) return;
    if (answer.other) return this.address ? location.reload() : parent.postMessage({ linkwork: "reload" }, "*");
    const { runs } = await decoded(answer.content, answer.block);
    this.exchange(runs[0]);
  }
}

function text(value) {
  return String(Number(value.toPrecision(DIGITS)));
}

async function posted(address, request) {
  const answer = await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) });
  return answer.json();
}

// In a notebook: the widget around this page passes it on.
let count = 0;
function told(request) {
  count += 1;
  const number = count;
  return new Promise((done) => {
    const listen = ({ data }) => {
      if (data?.linkwork !== "answer" || data.number !== number) return;
      removeEventListener("message", listen);
      done(data.answer);
    };
    addEventListener("message", listen);
    parent.postMessage({ linkwork: "run", number, request }, "*");
  });
}
