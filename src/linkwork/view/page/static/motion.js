// Where bodies are at any time, and the channels by name.

import { NOISE } from "lw/numbers";

const BODY_CHANNELS = {
  position: { axes: ["x", "y", "z"], unit: "m" },
  velocity: { axes: ["x", "y", "z"], unit: "m/s" },
  angular_velocity: { axes: ["x", "y", "z"], unit: "rad/s" },
  orientation: { axes: ["e0", "e1", "e2", "e3"], unit: "" },
};

export class Motion {
  constructor(run) {
    this.run = run;
    this.t = run.t.columns[0];
    this.start = this.t[0];
    this.end = this.t[this.t.length - 1];
    this.channels = new Map();
    for (const { name, unit, values } of run.channels) this.channels.set(name, { name, unit, values: values.columns[0] });
    run.bodies.slice(1).forEach((body, k) => {
      for (const [what, { axes, unit }] of Object.entries(BODY_CHANNELS)) {
        axes.forEach((axis, i) => {
          const name = `${body.name}.${what}.${axis}`;
          if (!this.channels.has(name)) this.channels.set(name, { name, unit, values: run[what].columns[axes.length * k + i] });
        });
      }
    });
    for (const arrow of run.arrows) {
      const [x, y, z] = arrow.force.columns;
      const size = x.map((_, n) => Math.hypot(x[n], y[n], z[n]));
      this.channels.set(`${arrow.name}.force`, { name: `${arrow.name}.force`, unit: "N", values: size });
    }
    this.scales = new Map();
    if (run.modes.length) this.displace();
  }

  // Of a mode of vibration: how far each body is from its place at rest, its mean over the period.
  displace() {
    this.scales.clear();
    for (const channel of this.channels.values()) delete channel.largest;
    this.run.bodies.slice(1).forEach((body, k) => {
      BODY_CHANNELS.position.axes.forEach((axis, i) => {
        const column = this.run.position.columns[3 * k + i];
        const rest = mean(column);
        const name = `${body.name}.displacement.${axis}`;
        this.channels.set(name, { name, unit: "m", values: column.map((value) => value - rest) });
      });
    });
  }

  // The sample at or before a time, and how far from it to the next (0 to 1).
  at(time) {
    const t = this.t;
    if (t.length < 2 || time <= t[0]) return [0, 0];
    if (time >= this.end) return [t.length - 2, 1];
    let low = 0;
    let high = t.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle;
    }
    return [low, (time - t[low]) / (t[high] - t[low])];
  }

  value(name, time) {
    const { values } = this.channels.get(name);
    const [n, s] = this.at(time);
    return values.length < 2 ? values[0] : values[n] + s * (values[n + 1] - values[n]);
  }

  // The largest absolute value of a channel; 0 if it is nothing but rounding.
  largest(name) {
    const channel = this.channels.get(name);
    if (!channel) return 0;
    const most = size(channel);
    return most > NOISE * this.#scale(channel.unit) ? most : 0;
  }

  // The largest absolute value of all channels of a unit.
  #scale(unit) {
    if (!this.scales.has(unit)) {
      let most = 0;
      for (const channel of this.channels.values()) if (channel.unit === unit) most = Math.max(most, size(channel));
      this.scales.set(unit, most);
    }
    return this.scales.get(unit);
  }

  // Amplitude and phase (degrees) of a channel that goes through one period: A cos(angle + phase).
  harmonic(name) {
    const { values } = this.channels.get(name);
    const count = values.length - 1;
    let [re, im] = [0, 0];
    for (let n = 0; n < count; n++) {
      re += (2 / count) * values[n] * Math.cos((2 * Math.PI * n) / count);
      im -= (2 / count) * values[n] * Math.sin((2 * Math.PI * n) / count);
    }
    return { amplitude: Math.hypot(re, im), phase: (Math.atan2(im, re) * 180) / Math.PI };
  }

  // Sets the time for `pose`: the sample at or before it, and cubics from there to the next.
  seek(time) {
    const [n, s] = this.at(time);
    const m = Math.min(n + 1, this.t.length - 1);
    const [h, r] = [this.t[m] - this.t[n], 1 - s];
    this.now = { n, m, s, a: r * r * (1 + 2 * s), da: h * s * r * r, b: s * s * (3 - 2 * s), db: -h * s * s * r };
  }

  // Pose of body k (ground is 0): cubic through both samples with the velocities there, so that joints stay together.
  pose(k, position, quaternion) {
    if (k === 0) {
      position.set(0, 0, 0);
      quaternion.set(0, 0, 0, 1);
      return;
    }
    const { n, m, a, da, b, db } = this.now;
    const { position: p, velocity: v, orientation: e, angular_velocity: w } = this.run;
    const i = 3 * (k - 1);
    const j = 4 * (k - 1);
    const x = (c) => a * p.columns[c][n] + da * v.columns[c][n] + b * p.columns[c][m] + db * v.columns[c][m];
    position.set(x(i), x(i + 1), x(i + 2));
    quaternion.set(0, 0, 0, 0);
    turn(quaternion, e.columns, w.columns, i, j, n, a, 0.5 * da);
    turn(quaternion, e.columns, w.columns, i, j, m, b, 0.5 * db);
    quaternion.normalize();
  }

  // A history [column][sample] at the time sought, straight between the samples.
  between(column) {
    const { n, m, s } = this.now;
    return column[n] + s * (column[m] - column[n]);
  }
}

function size(channel) {
  channel.largest ??= channel.values.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
  return channel.largest;
}

// Over a period, whose last sample is its first.
export function mean(column) {
  let sum = 0;
  for (let n = 0; n + 1 < column.length; n++) sum += column[n];
  return sum / (column.length - 1);
}

// Adds a share of the Euler parameters e of sample n, and of twice their rates: de/dt = 1/2 (0, w) o e, w in world axes.
function turn(q, e, w, i, j, n, share, half) {
  const [e0, e1, e2, e3] = [e[j][n], e[j + 1][n], e[j + 2][n], e[j + 3][n]];
  const [wx, wy, wz] = [w[i][n], w[i + 1][n], w[i + 2][n]];
  q.w += share * e0 + half * (-wx * e1 - wy * e2 - wz * e3);
  q.x += share * e1 + half * (wx * e0 + wy * e3 - wz * e2);
  q.y += share * e2 + half * (wy * e0 + wz * e1 - wx * e3);
  q.z += share * e3 + half * (wz * e0 + wx * e2 - wy * e1);
}
