// The view as a file: a picture (PNG) at twice the size, or a video (WebM) of one passage of the motion.

import { download } from "lw/dom";

const SHARP = 2; // pixels of a picture for one of the view
const RATE = 30; // frames a second of a video, at most
const QUALITY = 8e6; // bits a second of it
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export class Saving {
  // `caption`: the line below; `redraw`: draws the view.
  constructor(stage, name, { caption, redraw }) {
    Object.assign(this, { stage, caption, redraw, recorder: null });
    this.name = name.replace(/[^\w.-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "") || "linkwork";
  }

  // The view over its background, with a caption, on a canvas.
  #copy(sheet) {
    const pen = sheet.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name);
    const { width, height } = sheet;
    const shade = pen.createRadialGradient(0.5 * width, 0.38 * height, 0, 0.5 * width, 0.38 * height, 0.6 * Math.max(width, height));
    shade.addColorStop(0, color("--back-2"));
    shade.addColorStop(1, color("--back"));
    pen.fillStyle = shade;
    pen.fillRect(0, 0, width, height);
    pen.drawImage(this.stage.canvas, 0, 0, width, height);
    const line = Math.max(12, height / 45);
    pen.font = `${line}px system-ui, sans-serif`;
    pen.fillStyle = color("--dim");
    pen.fillText(this.caption(), line, height - line);
  }

  async picture() {
    const { grade } = this.stage;
    this.stage.setGrade({ ...grade, sharp: SHARP / Math.min(window.devicePixelRatio, 2), shadows: true, off: 0.5 });
    this.redraw();
    const sheet = document.createElement("canvas");
    Object.assign(sheet, { width: this.stage.canvas.width, height: this.stage.canvas.height });
    this.#copy(sheet);
    this.stage.setGrade(grade);
    this.redraw();
    const blob = await new Promise((done) => sheet.toBlob(done, "image/png"));
    download(blob, `${this.name}.png`);
    return blob;
  }

  static get canRecord() {
    return Boolean(window.MediaRecorder && HTMLCanvasElement.prototype.captureStream);
  }

  // From now until `stop`; `frame` is to be called after each frame that was drawn.
  start() {
    const { clientWidth, clientHeight } = this.stage.canvas;
    const ratio = Math.min(window.devicePixelRatio, 2);
    this.sheet = document.createElement("canvas"); // even sizes: videos have colours for two by two pixels
    Object.assign(this.sheet, { width: 2 * Math.round((clientWidth * ratio) / 2), height: 2 * Math.round((clientHeight * ratio) / 2) });
    this.#copy(this.sheet);
    const kind = KINDS.find((type) => MediaRecorder.isTypeSupported(type));
    this.recorder = new MediaRecorder(this.sheet.captureStream(RATE), { mimeType: kind, videoBitsPerSecond: QUALITY });
    const pieces = [];
    this.recorder.ondataavailable = ({ data }) => pieces.push(data);
    this.done = new Promise((done) => {
      this.recorder.onstop = () => done(new Blob(pieces, { type: "video/webm" }));
    });
    this.recorder.start();
  }

  frame() {
    if (this.recorder) this.#copy(this.sheet);
  }

  async stop() {
    this.recorder.stop();
    this.recorder = null;
    const blob = await this.done;
    download(blob, `${this.name}.webm`);
    return blob;
  }
}
