// The page: reads its content, builds stage, plots, time line and list, and keeps them at one time.

import * as THREE from "three";
import { Phase, Seconds } from "lw/clock";
import { readContent } from "lw/data";
import { $, make, mark } from "lw/dom";
import { Inspector } from "lw/inspector";
import { Keys } from "lw/keys";
import { Hover, Labels } from "lw/labels";
import { Mechanism, same } from "lw/mechanism";
import { ModePicker } from "lw/modes";
import { quantity, roundNumber } from "lw/numbers";
import { Pace } from "lw/pace";
import { Panel } from "lw/panel";
import { Plots } from "lw/plots";
import { Saving } from "lw/saving";
import { Stage } from "lw/stage";
import { Timeline } from "lw/timeline";
import { Toolbar } from "lw/toolbar";

const BEST_SECONDS = 8; // a run that is much shorter or longer is first played at another speed
const CYCLE_SECONDS = 4; // for a period of a mode of vibration
const NARROW = 720; // pixels: the list then lies over the view
const CLICK = 4; // pixels: a press that moves more turns the view

const content = await readContent();
const mechanisms = content.runs.map((run, place) => new Mechanism(run, place));
const first = mechanisms[0];
const isMode = first.run.modes.length > 0;
const span = [Math.min(...mechanisms.map((m) => m.motion.start)), Math.max(...mechanisms.map((m) => m.motion.end))];
const state = { time: span[0], playing: false, speed: firstSpeed(), repeat: true, theme: content.theme, followed: first.run.follow, selected: null, frames: 0, recording: false };
let dirty = true;

const stage = new Stage($("canvas"), together(content.runs));
stage.scene.add(...mechanisms.map((m) => m.group));
const pace = new Pace(stage);
const timeText = isMode ? new Phase(span) : new Seconds(span);
const actions = { onTime: setTime, tip, timeText };
const plots = new Plots($("plots"), mechanisms.map((m) => m.motion), actions);
const timeline = new Timeline($("timeline"), span, first.run.events, actions);
const panel = new Panel($("panel"), first, { follow, trace, select, changed: renew });
const inspector = new Inspector($("inspector"), first, { plot, close: () => select(null), isMode });
const labels = new Labels($("labels"), stage, first);
const saving = new Saving(stage, first.run.name, { caption, redraw: frame });
const modes = isMode ? new ModePicker($("modes"), first, modeChanged) : null;
const toolbar = new Toolbar(first.run, stage, { show, look, parallel, picture, video, hasForces: first.arrows.length > 0 });

hints();
transport();
const keys = new Keys(keyTable(), $("help-toggle"), $("help"));
plotsHeight();
for (const names of first.run.plots) plots.open(names);
setTheme(state.theme);
panel.mark(state);
new ResizeObserver(resize).observe($("stage"));
resize();
setTime(span[0]);
stage.controls.addEventListener("change", () => (dirty = true));
pointer();

// What tests and notebooks may use.
window.linkwork = { state, setTime, play, pause, setTheme, setSpeed, plots, stage, mechanisms, follow, select, trace, show, frame, modes, pace, saving, picture, video, keys, ready: true };
requestAnimationFrame(loop);

// -- time -----------------------------------------------------------------------------------------------------------
let before = null;
document.addEventListener("visibilitychange", () => (before = null)); // what is not seen does not play
function loop(now) {
  const passed = before === null ? 0 : (now - before) / 1000;
  before = now;
  if (state.playing) advance(passed);
  stage.controls.update();
  if (pace.due(passed, dirty)) frame();
  requestAnimationFrame(loop);
}

// Frames that come late are left out: the motion keeps its time.
function advance(passed) {
  const time = state.time + passed * state.speed;
  if (time < span[1]) setTime(time);
  else if (state.repeat && !state.recording) setTime(span[0] + ((time - span[0]) % (span[1] - span[0])));
  else {
    pause();
    setTime(span[1]);
    if (state.recording) setTimeout(stopVideo, 100); // after the last frame
  }
}

function frame() {
  dirty = false;
  state.frames += 1;
  stage.render(mechanisms);
  if (labels.shown) labels.place();
  saving.frame();
}

function setTime(time) {
  state.time = Math.min(Math.max(time, span[0]), span[1]);
  const at = state.followed ? first.centre(state.followed, new THREE.Vector3()) : null;
  for (const mechanism of mechanisms) mechanism.update(state.time);
  if (at) stage.carry(first.centre(state.followed, new THREE.Vector3()).sub(at));
  timeline.setTime(state.time);
  plots.setTime(state.time);
  inspector.setTime(state.time);
  $("clock").textContent = timeText.text(state.time);
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
  state.playing = mark($("play"), true);
}

function pause() {
  state.playing = mark($("play"), false);
  timeline.announce();
}

function firstSpeed() {
  const length = span[1] - span[0];
  if (isMode) return length / CYCLE_SECONDS;
  if (!(length > 0) || (length >= BEST_SECONDS / 4 && length <= 4 * BEST_SECONDS)) return 1;
  return 10 ** (Math.round(20 * Math.log10(length / BEST_SECONDS)) / 20);
}

// Another mode of vibration, or another amplitude of it, has become the motion.
function modeChanged(another) {
  span[1] = first.motion.end;
  if (another) {
    const { headline, status } = first.run.modes[modes.chosen];
    toolbar.setState(status, headline);
    plots.reset(span);
    setSpeed(firstSpeed());
  }
  plots.setTheme(state.theme);
  inspector.show(state.selected, state.time);
  setTime(another ? span[0] : state.time);
}

// -- what is shown -----------------------------------------------------------------------------------------------
function together(runs) {
  const points = ({ outline: { columns: [x, y, z] } }) => Array.from(x, (_, n) => new THREE.Vector3(x[n], y[n], z[n]));
  const { up, look, unit } = runs[0];
  return { outline: runs.flatMap(points), floor: Math.min(...runs.map((run) => run.floor)), up, look, unit };
}

function show(what, shown) {
  if (what === "floor") stage.floor.visible = shown;
  if (what === "joints") for (const mechanism of mechanisms) mechanism.jointsShown = shown;
  if (what === "names") labels.show(shown);
  if (what === "forces") showArrows(shown);
  renew();
}

function look(direction) {
  stage.frame(direction);
  dirty = true;
}

function parallel(on) {
  stage.viewpoint.setParallel(on);
  if (stage.viewpoint.direction) stage.frame(stage.viewpoint.direction);
  dirty = true;
}

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
  stage.setTheme(theme);
  for (const mechanism of mechanisms) mechanism.setTheme(theme);
  plots.setTheme(theme);
  panel.setTheme(theme);
  timeline.setTheme();
  dirty = true;
}

function resize() {
  const [width, height] = stage.resize();
  for (const mechanism of mechanisms) for (const trail of mechanism.trails) trail.setRoom(width, height);
  stage.viewpoint.covered = $("top").offsetHeight;
  if (stage.viewpoint.direction) stage.frame(stage.viewpoint.direction);
  dirty = true;
  frame();
}

function follow(k) {
  state.followed = state.followed === k ? 0 : k;
  if (state.followed) stage.viewpoint.aim(first.centre(k, new THREE.Vector3()));
  panel.mark(state);
  dirty = true;
}

function select(what) {
  state.selected = same(what, state.selected) ? null : what;
  first.select(state.selected);
  panel.mark(state);
  inspector.show(state.selected, state.time);
  if (what && innerWidth < NARROW) $("app").classList.add("no-panel");
  dirty = true;
}

function trace(name, shown) {
  for (const mechanism of mechanisms) mechanism.trails.filter((trail) => trail.name === name).forEach((trail) => trail.show(shown));
  dirty = true;
}

function plot(names) {
  plots.show(...names);
  plots.reveal(names[0]);
}

function showArrows(shown) {
  first.showArrows(shown);
  const on = [first.joints.length && "on the second body of each joint", first.tyres && "on tyres", first.arrows.length > first.joints.length + first.tyres && "on bodies in contact"];
  const notes = [...new Set(first.arrows.map((arrow) => arrow.note).filter(Boolean))];
  const longest = `longest arrow about ${quantity(Number((first.largestForce ?? 0).toPrecision(2)), "N")}`;
  $("legend").textContent = shown && first.largestForce ? [`${longest}, ${on.filter(Boolean).join(", ")}`, ...notes].join("; ") : "";
}

// -- pointer --------------------------------------------------------------------------------------------------------
function under(event) {
  const box = $("canvas").getBoundingClientRect();
  const spot = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
  const ray = new THREE.Raycaster();
  ray.setFromCamera(spot, stage.camera);
  return first.hit(ray);
}

function pointer() {
  let press = null;
  $("canvas").addEventListener("pointerdown", (event) => (press = event));
  $("canvas").addEventListener("click", (event) => {
    const moved = press && Math.hypot(event.clientX - press.clientX, event.clientY - press.clientY) > CLICK;
    const what = moved ? null : under(event);
    if (what) select(what);
  });
  new Hover($("canvas"), under, (event, what) => {
    $("canvas").style.cursor = what ? "pointer" : "";
    tip(event, what ? first.element(what).name : "");
  });
}

function tip(event, text) {
  $("tip").hidden = !text;
  if (!text) return;
  $("tip").textContent = text;
  $("tip").style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - $("tip").offsetWidth - 4))}px`;
  $("tip").style.top = `${Math.max(4, event.clientY - $("tip").offsetHeight - 12)}px`;
}

// -- files ----------------------------------------------------------------------------------------------------------
function caption() {
  return `${first.run.name}   ${isMode ? "phase" : "t ="} ${timeText.text(state.time)}`;
}

function picture() {
  return saving.picture();
}

// One passage from the start at the present speed.
function video(on) {
  if (!on) return stopVideo();
  setTime(span[0]);
  frame();
  saving.start();
  state.recording = true;
  play();
}

async function stopVideo() {
  if (!state.recording) return null;
  state.recording = mark($("save-video"), false);
  pause();
  return (state.video = await saving.stop());
}

// -- controls -----------------------------------------------------------------------------------------------------
function hints() {
  $("modes").hidden = !isMode;
  if (content.runs.length > 1) runNames().forEach((name, r) => make("span", `chip run-${r}`, $("hint"), { textContent: name }));
  if (span[1] <= span[0]) make("span", "chip", $("hint"), { textContent: "this run has no motion: one sample" });
}

// What tells the runs apart: their models, otherwise how they were computed, otherwise their order.
function runNames() {
  const { runs } = content;
  const differs = (pick) => new Set(runs.map(pick)).size === runs.length;
  if (differs((run) => run.name)) return runs.map((run) => run.name);
  const key = ["method", "integrator", "formulation", "status"].find((each) => differs((run) => run.facts[each]));
  return runs.map((run, r) => `${run.name} (${key ? run.facts[key] : `run ${r + 1}`})`);
}

function transport() {
  $("play").onclick = () => (state.playing ? pause() : play());
  $("first").onclick = () => setTime(span[0]);
  $("repeat").onclick = () => (state.repeat = mark($("repeat"), !state.repeat));
  $("theme").onclick = () => setTheme(state.theme === "dark" ? "light" : "dark");
  $("play").disabled = span[1] <= span[0];
  $("speed").oninput = () => setSpeed(10 ** Number($("speed").value), true);
  setSpeed(state.speed);
}

function setSpeed(speed, dragged = false) {
  state.speed = speed;
  const text = isMode ? `${Number(((span[1] - span[0]) / speed).toPrecision(2))} s a cycle` : `×${Number(speed.toPrecision(2))}`;
  $("speed-text").textContent = text;
  $("speed").setAttribute("aria-valuetext", text);
  if (dragged) return;
  $("speed").min = Math.min(-3, Math.log10(speed) - 1);
  $("speed").max = Math.max(1, Math.log10(speed) + 1);
  $("speed").value = Math.log10(speed);
}

// The next round speed, 1, 2 or 5 times a power of ten.
function changeSpeed(faster) {
  const now = roundNumber(state.speed * 1.0001);
  const digit = Number((now / 10 ** Math.floor(Math.log10(now * 1.0001))).toPrecision(1));
  const [up, down] = [digit === 2 ? 2.5 : 2, digit === 5 ? 2.5 : 2];
  if (faster) setSpeed(now * up);
  else setSpeed(now < state.speed * 0.999 ? now : now / down);
}

function keyTable() {
  const step = (event, way) => {
    const [n, share] = first.motion.at(state.time);
    const sample = way < 0 ? (share > 1e-9 ? n : n - 1) : n + (share > 1 - 1e-9 ? 2 : 1);
    setTime(event.shiftKey ? first.motion.t[Math.min(Math.max(sample, 0), first.motion.t.length - 1)] : state.time + (way * (span[1] - span[0])) / 200);
  };
  const press = (id) => () => $(id)?.click();
  const views = ["1", "2", "3", "4"];
  return [
    [[" "], "play or pause", () => (state.playing ? pause() : play()), "space"],
    [["ArrowLeft"], "back a little; with shift by one sample", (event) => step(event, -1), "←"],
    [["ArrowRight"], "forward a little; with shift by one sample", (event) => step(event, 1), "→"],
    [["Home"], "to the start", () => setTime(span[0])],
    [["End"], "to the end", () => setTime(span[1])],
    [["-", "_", "<"], "slower", () => changeSpeed(false), "-"],
    [["+", "=", ">"], "faster", () => changeSpeed(true), "+"],
    [["0"], "real time", () => setSpeed(1)],
    [["r", "R"], "repeat or play once", press("repeat"), "R"],
    [views, "views: home, front, side, top", (event) => $("views").children[views.indexOf(event.key)].click(), "1 2 3 4"],
    [["o", "O"], "with or without perspective", press("toggle-parallel"), "O"],
    [["g", "G"], "floor and grid", press("toggle-floor"), "G"],
    [["j", "J"], "joints", press("toggle-joints"), "J"],
    [["n", "N"], "names", press("toggle-names"), "N"],
    [["f", "F"], "forces", press("toggle-forces"), "F"],
    [["l", "L"], "list of bodies and joints", press("panel-toggle"), "L"],
    [["t", "T"], "dark or light", press("theme"), "T"],
    [["p", "P"], "save a picture", press("save-picture"), "P"],
    [["v", "V"], "save a video", press("save-video"), "V"],
    [["Escape"], "close; select nothing", () => state.selected && select(null), "Esc"],
    [["?"], "this list", press("help-toggle")],
  ];
}

function plotsHeight() {
  const divider = $("divider");
  const set = (height) => $("app").style.setProperty("--plots", `${Math.min(Math.max(height, 0), innerHeight - 260)}px`);
  divider.onpointerdown = (event) => divider.setPointerCapture(event.pointerId);
  divider.onpointermove = (event) => divider.hasPointerCapture(event.pointerId) && set(innerHeight - event.clientY);
  divider.onkeydown = (event) => {
    const way = { ArrowUp: 20, ArrowDown: -20 }[event.key];
    if (way) set($("plots").offsetHeight + way);
  };
}
