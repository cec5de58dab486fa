// Where bodies are at any time, and the channels by name.

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

  // Pose of body k (ground is 0): cubic through both samples with the velocities there, so that joints stay together.
  pose(k, time, position, quaternion) {
    if (k === 0) {
      position.set(0, 0, 0);
      quaternion.set(0, 0, 0, 1);
      return;
    }
    const [n, s] = this.at(time);
    const { position: p, velocity: v, orientation: e, angular_velocity: w } = this.run;
    const i = 3 * (k - 1);
    const j = 4 * (k - 1);
    const m = Math.min(n + 1, this.t.length - 1);
    const h = this.t[m] - this.t[n];
    const cubic = hermite(s, h);
    const x = (c) => blend(cubic, p.columns[i + c][n], v.columns[i + c][n], p.columns[i + c][m], v.columns[i + c][m]);
    position.set(x(0), x(1), x(2));
    const a = [0, 1, 2, 3].map((c) => e.columns[j + c][n]);
    const b = [0, 1, 2, 3].map((c) => e.columns[j + c][m]);
    const da = eulerRates(a, w.columns[i][n], w.columns[i + 1][n], w.columns[i + 2][n]);
    const db = eulerRates(b, w.columns[i][m], w.columns[i + 1][m], w.columns[i + 2][m]);
    const q = a.map((_, c) => blend(cubic, a[c], da[c], b[c], db[c]));
    quaternion.set(q[1], q[2], q[3], q[0]).normalize();
  }
}

function hermite(s, h) {
  const r = 1 - s;
  return [r * r * (1 + 2 * s), h * s * r * r, s * s * (3 - 2 * s), -h * s * s * r];
}

function blend([a, da, b, db], p, dp, q, dq) {
  return a * p + da * dp + b * q + db * dq;
}

// de/dt = 1/2 (0, w) o e, with w in world axes.
function eulerRates([e0, e1, e2, e3], x, y, z) {
  return [
    0.5 * (-x * e1 - y * e2 - z * e3),
    0.5 * (x * e0 + y * e3 - z * e2),
    0.5 * (y * e0 + z * e1 - x * e3),
    0.5 * (z * e0 + x * e2 - y * e1),
  ];
}
