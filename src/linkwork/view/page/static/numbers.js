// Numbers as text: rounded to the scale of what they belong to, in a unit of fitting size.

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]];
const LARGER = new Set(["m", "J", "N", "N m", "W", "Pa", "V", "A", "Hz", "N/m", "N m/rad"]); // units with kilo and mega
const SMALLER = new Set(["m", "m/s", "m/s2", "rad", "rad/s", "rad/s2", "J", "N", "N m", "W", "V", "A"]); // milli and micro
const DIGITS = 4; // shown of the largest value
export const NOISE = 1e-7; // of the largest value of a unit in a run: below it a channel is rounding

// By what to multiply values of a unit so that the largest is between 0.1 and 1000, and the unit's name then.
export function scaled(unit, largest) {
  const fits = ([size, prefix]) => largest >= size * (prefix === "" ? 0.1 : 1) && (size >= 1 || SMALLER.has(unit)) && (size <= 1 || LARGER.has(unit));
  const [size, prefix] = (largest > 0 && PREFIXES.find(fits)) || (largest > 0 && SMALLER.has(unit) ? PREFIXES.at(-1) : [1, ""]);
  return { factor: 1 / size, unit: prefix + written(unit) };
}

// m/s2 as m/s², kg/m3 as kg/m³.
export function written(unit) {
  return unit.replace(/([a-z])([23])\b/g, (_, letter, power) => letter + (power === "2" ? "²" : "³"));
}

// A number with as many digits as the largest of its kind deserves; nothing below them is shown.
export function rounded(value, largest) {
  if (!Number.isFinite(value)) return "-";
  const size = Math.floor(Math.log10(largest || 1));
  if (size > 6 || size < -3) return powers(value, size);
  const digits = Math.max(0, DIGITS - 1 - size);
  const text = value.toFixed(digits);
  return Number(text) === 0 ? "0" : text;
}

// All of one scale with one power of ten.
function powers(value, size) {
  const text = (value / 10 ** size).toFixed(DIGITS - 1);
  return Number(text) === 0 ? "0" : `${text}e${size}`;
}

// A number on its own, with its unit.
export function quantity(value, unit) {
  const { factor, unit: name } = scaled(unit, Math.abs(value));
  return `${Number((value * factor).toPrecision(DIGITS))} ${name}`.trim();
}

// Round values for an axis from low to high, about `count` of them: [value, text].
export function ticks(low, high, count) {
  const least = (high - low) / count;
  const step = [1, 2, 5, 10].map((digit) => digit * 10 ** Math.floor(Math.log10(least))).find((size) => size >= least * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push([k * step, tickText(k * step, step, Math.max(Math.abs(low), Math.abs(high)))]);
  return found;
}

function tickText(value, step, largest) {
  if (value === 0) return "0";
  if (largest >= 1e6 || largest < 1e-3) return value.toExponential(Math.max(0, Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step) + 1e-9))).replace("e+", "e");
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

// 1, 2 or 5 times a power of ten, at or below a number.
export function roundNumber(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const digit = x / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}
