// The page: reads its content, builds stage, plots, time line and list, and keeps them at one time.

import * as THREE from "three";
import { readContent } from "lw/data";
import { Mechanism } from "lw/mechanism";
import { ModePicker } from "lw/modes";
import { Pace } from "lw/pace";
import { Panel } from "lw/panel";
import { make, numberText, Plots } from "lw/plots";
import { Stage } from "lw/stage";
import { Timeline } from "lw/timeline";

const $ = (id) => document.getElementById(id);
const BEST_SECONDS = 8; // a run that is much shorter or longer is first played at another speed
const MODE_SECONDS = 2; // for a period of a mode of vibration

const content = await readContent();
const mechanisms = content.runs.map((run, place) => new Mechanism(run, place));
const first = mechanisms[0];
const span = [Math.min(...mechanisms.map((m) => m.motion.start)), Math.max(...mechanisms.map((m) => m.motion.end))];
const state = { time: span[0], playing: false, speed: firstSpeed(), repeat: true, theme: content.theme, followed: 0, selected: 0, labels: false, frames: 0 };
let dirty = true;

const stage = new Stage($("canvas"), together(content.runs));
stage.scene.add(...mechanisms.map((m) => m.group));
const pace = new Pace(stage);
const actions = { onTime: setTime, tip };
const plots = new Plots($("plots"), mechanisms.map((m) => m.motion), actions);
const timeline = new Timeline($("timeline"), span, first.run.events, actions);
const panel = new Panel($("panel"), first, { follow, trace, select, changed: renew });
const labels = new Map();
const modes = first.run.modes.length ? new ModePicker($("modes"), first, modeChanged) : null;
if (modes) stage.covered = 40;

header();
transport();
keys();
plotsHeight();
for (const names of first.run.plots) names.forEach((name) => plots.show(name));
setTheme(state.theme);
new ResizeObserver(resize).observe($("stage"));
resize();
stage.frame();
setTime(span[0]);
if (first.run.follow) follow(first.run.follow);
stage.controls.addEventListener("change", () => (dirty = true));
$("canvas").addEventListener("click", pick);

// What tests and notebooks may use.
window.linkwork = { state, setTime, play, pause, setTheme, plots, stage, mechanisms, follow, trace, showArrows, frame, modes, pace, ready: true };
requestAnimationFrame(loop);

// -- time -----------------------------------------------------------------------------------------------------------
let before = 0;
function loop(now) {
  const passed = (now - before) / 1000;
  before = now;
  if (state.playing) advance(Math.min(passed, 0.1));
  stage.controls.update();
  if (pace.due(passed, dirty)) frame();
  requestAnimationFrame(loop);
}

function advance(passed) {
  let time = state.time + passed * state.speed;
  if (time >= span[1]) {
    if (state.repeat) time = span[0];
    else pause();
  }
  setTime(Math.min(time, span[1]));
}

function frame() {
  dirty = false;
  state.frames += 1;
  stage.render(mechanisms);
  if (state.labels) placeLabels();
}

function setTime(time) {
  state.time = Math.min(Math.max(time, span[0]), span[1]);
  const at = state.followed ? first.centre(state.followed, new THREE.Vector3()) : null;
  for (const mechanism of mechanisms) mechanism.update(state.time);
  if (at) stage.shift(first.centre(state.followed, new THREE.Vector3()).sub(at));
  timeline.setTime(state.time);
  plots.setTime(state.time);
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(span[1] - span[0] || 1))));
  $("clock").textContent = `${state.time.toFixed(digits)} s`;
  dirty = true;
}

// What is shown has changed, the time has not.
function renew() {
  for (const mechanism of mechanisms) mechanism.update(state.time);
  dirty = true;
}

function play() {
  if (span[1] <= span[0]) return;
  if (state.time >= span[1]) setTime(span[0]);
  state.playing = true;
  $("play").classList.add("on");
}

function pause() {
  state.playing = false;
  $("play").classList.remove("on");
}

function firstSpeed() {
  const length = span[1] - span[0];
  if (length <= 0) return 1;
  if (first.run.modes.length) return length / MODE_SECONDS;
  if (length >= 2 && length <= 60) return 1;
  return 10 ** (Math.round(20 * Math.log10(length / BEST_SECONDS)) / 20);
}

// Another mode of vibration, or another amplitude of it, has become the motion.
function modeChanged(another) {
  span[1] = first.motion.end;
  if (another) {
    const { headline, status } = first.run.modes[modes.chosen];
    $("facts").textContent = headline;
    $("status").textContent = $("status").dataset.status = status;
    plots.reset(span);
    setSpeed(firstSpeed());
  }
  plots.draw();
  setTime(another ? span[0] : state.time);
}

// -- what is shown -----------------------------------------------------------------------------------------------
function together(runs) {
  const corner = (key, pick) => [0, 1, 2].map((k) => pick(...runs.map((run) => run[key][k])));
  return { low: corner("low", Math.min), high: corner("high", Math.max), up: runs[0].up, look: runs[0].look, unit: runs[0].unit };
}

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
  stage.setTheme(theme);
  for (const mechanism of mechanisms) mechanism.setTheme(theme);
  plots.setTheme(theme);
  panel.setTheme(theme);
  timeline.draw();
  dirty = true;
}

function resize() {
  const [width, height] = stage.resize();
  for (const mechanism of mechanisms) for (const trail of mechanism.trails) trail.setRoom(width, height);
  if (stage.view) stage.frame(stage.view);
  dirty = true;
  frame();
}

function follow(k) {
  state.followed = state.followed === k ? 0 : k;
  if (state.followed) stage.shift(first.centre(k, new THREE.Vector3()).sub(stage.controls.target));
  panel.mark(state);
  dirty = true;
}

function select(k) {
  state.selected = state.selected === k ? 0 : k;
  first.select(state.selected);
  panel.mark(state);
  dirty = true;
}

function trace(name, shown) {
  for (const mechanism of mechanisms) mechanism.trails.filter((trail) => trail.name === name).forEach((trail) => trail.show(shown));
  dirty = true;
}

function showArrows(shown) {
  first.showArrows(shown);
  renew();
  const on = [first.joints.length && "on the second body of each joint", first.tyres && "on tyres", first.arrows.length > first.joints.length + first.tyres && "on contacts"];
  const notes = [...new Set(first.arrows.map((arrow) => arrow.note).filter(Boolean))];
  const longest = `longest arrow about ${numberText(Number((first.largestForce ?? 0).toPrecision(2)))} N`;
  $("legend").textContent = shown && first.largestForce ? [`${longest}, ${on.filter(Boolean).join(", ")}`, ...notes].join("; ") : "";
  dirty = true;
}

function pick(event) {
  const box = $("canvas").getBoundingClientRect();
  const spot = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
  const ray = new THREE.Raycaster();
  ray.setFromCamera(spot, stage.camera);
  const k = first.hit(ray);
  if (k) select(k);
}

// Names at their points; one that would cover another goes below it.
function placeLabels() {
  const point = new THREE.Vector3();
  const { clientWidth: width, clientHeight: height } = $("stage");
  const taken = [];
  const put = (key, text, kind, shown) => {
    if (!labels.has(key)) {
      const element = Object.assign(make("span", kind, $("labels")), { textContent: text });
      labels.set(key, { element, wide: element.offsetWidth, tall: element.offsetHeight });
    }
    const { element, wide, tall } = labels.get(key);
    point.project(stage.camera);
    element.hidden = !shown || point.z > 1;
    if (element.hidden) return;
    const [x, y] = [(0.5 + point.x / 2) * width, (0.5 - point.y / 2) * height - tall];
    const covered = (at) => taken.some((other) => Math.abs(other.x - x) < (other.wide + wide) / 2 && Math.abs(other.y - at) < tall);
    let [place, tries] = [y, 0];
    while (covered(place) && tries++ < 8) place += tall;
    taken.push({ x, y: place, wide });
    element.style.transform = `translate(-50%, -50%) translate(${x}px, ${place}px)`;
  };
  first.bodies.forEach((body, k) => k && !first.run.bodies[k].of && (first.worldPoint(k, body.label, point), put(`b${k}`, body.name, "body", body.shown)));
  first.joints.forEach((joint, k) => (first.jointPoint(joint, point), put(`j${k}`, joint.name, "joint", joint.shown)));
}

// -- controls -----------------------------------------------------------------------------------------------------
function header() {
  const { name, status, headline, facts } = first.run;
  $("title").textContent = name;
  document.title = `${name} - linkwork`;
  $("status").textContent = $("status").dataset.status = status;
  $("status").title = facts.warnings ?? facts.status ?? "";
  $("facts").textContent = headline;
  $("facts").title = Object.entries(facts).map(([key, value]) => `${key}: ${value}`).join("\n");
  const toggle = (text, title, on, action) => {
    const button = make("button", on ? "on" : "", $("switches"));
    Object.assign(button, { textContent: text, title });
    button.onclick = () => {
      action(button.classList.toggle("on"));
      dirty = true;
    };
    return button;
  };
  toggle("grid", "Floor and grid (G)", true, (on) => (stage.floor.visible = on)).id = "toggle-grid";
  toggle("joints", "Joints (J)", true, (on) => {
    for (const mechanism of mechanisms) mechanism.jointsShown = on;
    renew();
  }).id = "toggle-joints";
  toggle("names", "Names (N)", false, (on) => {
    state.labels = on;
    $("labels").hidden = !on;
  }).id = "toggle-names";
  if (first.arrows.length) toggle("forces", "Forces of joints, tyres, contacts (F)", false, showArrows).id = "toggle-forces";
  for (const [text, direction] of Object.entries(stage.views())) {
    const button = make("button", "", $("views"));
    Object.assign(button, { textContent: text, title: text === "home" ? "Initial view" : `View from the ${text}` });
    button.onclick = () => (stage.frame(direction), (dirty = true));
  }
  $("theme").onclick = () => setTheme(state.theme === "dark" ? "light" : "dark");
  $("panel-toggle").onclick = () => $("app").classList.toggle("no-panel");
  if (innerWidth < 900) $("app").classList.add("no-panel");
  const length = stage.spacing;
  $("scale").textContent = `grid ${length >= 1 ? `${numberText(length)} m` : length >= 1e-3 ? `${numberText(length * 1e3)} mm` : `${numberText(length * 1e6)} µm`}`;
  $("modes").hidden = !modes;
  if (content.runs.length > 1) make("span", "chip", $("hint")).textContent = `translucent and dashed: ${content.runs.slice(1).map((run) => `${run.name} (${run.facts.method ?? run.status})`).join(", ")}`;
  if (span[1] <= span[0]) make("span", "chip", $("hint")).textContent = "this run has no motion: one sample";
}

function transport() {
  $("play").onclick = () => (state.playing ? pause() : play());
  $("first").onclick = () => setTime(span[0]);
  $("repeat").onclick = () => (state.repeat = $("repeat").classList.toggle("on"));
  $("play").disabled = span[1] <= span[0];
  $("speed").oninput = () => setSpeed(10 ** Number($("speed").value), true);
  setSpeed(state.speed);
}

function setSpeed(speed, dragged = false) {
  state.speed = speed;
  $("speed-value").textContent = `×${Number(speed.toPrecision(2))}`;
  if (dragged) return;
  $("speed").min = Math.min(-3, Math.log10(speed) - 1);
  $("speed").max = Math.max(1, Math.log10(speed) + 1);
  $("speed").value = Math.log10(speed);
}

function keys() {
  const step = (span[1] - span[0]) / 200;
  const table = {
    " ": () => (state.playing ? pause() : play()),
    ArrowLeft: () => setTime(state.time - step),
    ArrowRight: () => setTime(state.time + step),
    Home: () => setTime(span[0]),
    End: () => setTime(span[1]),
    g: () => $("toggle-grid").click(),
    j: () => $("toggle-joints").click(),
    n: () => $("toggle-names").click(),
    f: () => $("toggle-forces")?.click(),
    l: () => $("panel-toggle").click(),
    r: () => $("repeat").click(),
    t: () => $("theme").click(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT" && event.target.type !== "range") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = table[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function plotsHeight() {
  const divider = $("divider");
  divider.onpointerdown = (event) => divider.setPointerCapture(event.pointerId);
  divider.onpointermove = (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    $("app").style.setProperty("--plots", `${Math.min(Math.max(innerHeight - event.clientY, 0), innerHeight - 260)}px`);
  };
}

function tip(event, text) {
  $("tip").hidden = !text;
  if (!text) return;
  $("tip").textContent = text;
  $("tip").style.left = `${Math.min(event.clientX + 12, innerWidth - 280)}px`;
  $("tip").style.top = `${event.clientY - 44}px`;
}
