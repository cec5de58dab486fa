// The page: reads its content, builds stage, plots, time line and list, and keeps them at one time.

import * as THREE from "three";
import { Phase, Seconds } from "lw/clock";
import { readContent } from "lw/data";
import { $, make, mark } from "lw/dom";
import { Inspector } from "lw/inspector";
import { Keys, keyTable } from "lw/keys";
import { Live } from "lw/live";
import { Hover, Labels } from "lw/labels";
import { Mechanism, same } from "lw/mechanism";
import { ModePicker } from "lw/modes";
import { quantity } from "lw/numbers";
import { Pace } from "lw/pace";
import { Panel } from "lw/panel";
import { Player } from "lw/player";
import { Plots } from "lw/plots";
import { Saving } from "lw/saving";
import { Stage } from "lw/stage";
import { Timeline } from "lw/timeline";
import { Toolbar } from "lw/toolbar";

const NARROW = 720; // pixels: the list then lies over the view
const CLICK = 4; // pixels: a press that moves more turns the view
const DARK = window.matchMedia("(prefers-color-scheme: dark)");

const content = await readContent();
const mechanisms = content.runs.map((run, place) => new Mechanism(run, place));
let first = mechanisms[0];
const isMode = first.run.modes.length > 0;
const span = [Math.min(...mechanisms.map((m) => m.motion.start)), Math.max(...mechanisms.map((m) => m.motion.end))];
const state = { time: span[0], playing: false, speed: 1, repeat: true, theme: content.theme === "auto" ? preferredTheme() : content.theme, followed: 0, selected: null, frames: 0, recording: false };
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

const live = content.live ? new Live($("live"), content.live, { exchange, keep }) : null;
const player = new Player(state, span, isMode, { setTime, paused: () => timeline.announce(), ended });
const keys = new Keys(keyTable(player, () => first.motion, () => select(null)), $("help-toggle"), $("help"));

hints();
plotsHeight();
for (const names of first.run.plots) plots.open(names);
setTheme(state.theme);
new ResizeObserver(resize).observe($("stage"));
resize();
setTime(span[0]);
state.followed = first.run.follow;
panel.mark(state);
stage.controls.addEventListener("change", () => (dirty = true));
$("theme").onclick = () => setTheme((content.theme = state.theme === "dark" ? "light" : "dark"));
DARK.addEventListener("change", () => content.theme === "auto" && setTheme(preferredTheme()));
pointer();
if (isMode && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();

// What tests and notebooks may use.
window.linkwork = { state, setTime, play: () => player.play(), pause: () => player.pause(), player, setTheme, plots, stage, mechanisms, follow, select, trace, show, frame, modes, pace, saving, picture, video, keys, live, ready: true };
requestAnimationFrame(loop);

// -- time -----------------------------------------------------------------------------------------------------------
let before = null;
document.addEventListener("visibilitychange", () => (before = null)); // what is not seen does not play
function loop(now) {
  const passed = before === null ? 0 : (now - before) / 1000;
  before = now;
  if (state.playing) player.advance(passed);
  stage.controls.update();
  if (pace.due(passed, dirty)) frame();
  requestAnimationFrame(loop);
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
  $("clock").textContent = `${timeText.label}${timeText.text(state.time)}`;
  dirty = true;
}

// What is shown has changed, the time has not.
function renew() {
  for (const mechanism of mechanisms) mechanism.update(state.time);
  dirty = true;
}

// Another mode of vibration, or another amplitude of it, has become the motion.
function modeChanged(another) {
  span[1] = first.motion.end;
  if (another) {
    const { headline, status } = first.run.modes[modes.chosen];
    toolbar.setState(status, headline);
    plots.reset(span);
    player.setSpeed(player.firstSpeed());
  }
  plots.setTheme(state.theme);
  inspector.show(state.selected, state.time);
  setTime(another ? span[0] : state.time);
}

// -- other runs of the model ----------------------------------------------------------------------------------------
// Another run of the same parts takes the place of the first.
function exchange(run) {
  const old = first;
  first = mechanisms[0] = new Mechanism(run, 0);
  first.takeOver(old);
  old.dispose();
  stage.scene.add(first.group);
  for (const part of [panel, inspector, labels]) part.mechanism = first;
  toolbar.setState(run.status, run.headline);
  toolbar.about(run);
  timeline.events = run.events;
  labels.renew();
  motionsChanged();
  inspector.show(state.selected, state.time);
}

// The present run stays in the view, as one to compare with; or it goes again.
function keep(on) {
  if (on) {
    mechanisms.push(new Mechanism(first.run, 1));
    stage.scene.add(mechanisms[1].group);
    mechanisms[1].setTheme(state.theme);
  } else mechanisms.pop().dispose();
  motionsChanged();
}

function motionsChanged() {
  span[0] = Math.min(...mechanisms.map((m) => m.motion.start));
  span[1] = Math.max(...mechanisms.map((m) => m.motion.end));
  const { outline, floor } = together(mechanisms.map((m) => m.run));
  stage.viewpoint.outline = outline;
  stage.setFloor(floor);
  if (stage.viewpoint.direction && !stage.viewpoint.holds()) stage.frame(stage.viewpoint.direction);
  plots.use(mechanisms.map((m) => m.motion));
  plots.draw();
  const { clientWidth, clientHeight } = $("stage");
  for (const mechanism of mechanisms) for (const trail of mechanism.trails) trail.setRoom(clientWidth, clientHeight);
  setTime(state.time);
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

function preferredTheme() {
  return DARK.matches ? "dark" : "light";
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
  const on = [first.joints.length && "on the second body of each joint", first.tyres && "on tyres", first.arrows.length > first.joints.length + first.tyres && "on contacts"];
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
  return `${first.run.name}   ${timeText.label || "t = "}${timeText.text(state.time)}`;
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
  player.play();
}

function ended() {
  if (state.recording) setTimeout(stopVideo, 100); // after the last frame
}

async function stopVideo() {
  if (!state.recording) return null;
  state.recording = mark($("save-video"), false);
  player.pause();
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
  const key = ["method", "integrator", "formulation"].find((each) => differs((run) => run.facts[each]));
  return runs.map((run, r) => `${run.name} (${key ? run.facts[key] : `run ${r + 1}`})`);
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
