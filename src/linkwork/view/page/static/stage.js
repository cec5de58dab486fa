// The stage: renderer, lights, floor with grid, and from where one looks; knows sizes and directions, not mechanisms.

import * as THREE from "three";
import { roundNumber } from "lw/numbers";
import { GRADES } from "lw/pace";
import { Viewpoint } from "lw/viewpoint";

const LOOK = {
  dark: { line: "#9fb4d4", axis: 0.42, shadow: 0.5, sky: 0.55, key: 2.6, fill: "#7d93b8", exposure: 1.0 },
  light: { line: "#51627c", axis: 0.42, shadow: 0.24, sky: 0.95, key: 2.4, fill: "#ffffff", exposure: 1.05 },
};
const GRID_VERTEX = `
  varying vec2 place;
  void main() {
    place = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const GRID_FRAGMENT = `
  uniform vec3 color;
  uniform float spacing, radius, strength;
  uniform vec2 middle;
  varying vec2 place;
  float lines(vec2 x) {
    vec2 wide = fwidth(x);
    vec2 near = abs(fract(x - 0.5) - 0.5) / max(wide, 1e-6);
    float seen = 1.0 - min(min(near.x, near.y), 1.0);
    return seen * (1.0 - smoothstep(0.25, 0.6, max(wide.x, wide.y)));
  }
  void main() {
    vec2 x = place / spacing;
    float fade = 1.0 - smoothstep(0.25, 1.0, length(place - middle) / radius);
    float shade = max(0.3 * lines(x), 0.75 * lines(x / 5.0));
    gl_FragColor = vec4(color, strength * shade * fade * fade);
    #include <colorspace_fragment>
  }`;

export class Stage {
  constructor(canvas, { outline, floor, up, look, unit }) {
    Object.assign(this, { canvas, unit, height: floor });
    this.up = new THREE.Vector3(...up);
    const room = new THREE.Box3().setFromPoints(outline);
    this.middle = room.getCenter(new THREE.Vector3());
    this.size = Math.max(room.getSize(new THREE.Vector3()).length(), 1e-6);
    this.scene = new THREE.Scene();
    this.software = drawsInSoftware();
    this.grade = GRADES[0];
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, alpha: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.viewpoint = new Viewpoint(canvas, outline, this.up, new THREE.Vector3(...look), this.size);
    this.#lights();
    this.#floor();
  }

  get camera() {
    return this.viewpoint.camera;
  }

  get controls() {
    return this.viewpoint.controls;
  }

  #lights() {
    const room = new THREE.Scene();
    const panel = (color, strength, x, y, z, w, h) => {
      const light = new THREE.Mesh(new THREE.PlaneGeometry(w, h), new THREE.MeshBasicMaterial({ color: new THREE.Color(color).multiplyScalar(strength), side: THREE.DoubleSide }));
      light.position.set(x, y, z);
      light.lookAt(0, 0, 0);
      room.add(light);
    };
    room.add(new THREE.Mesh(new THREE.SphereGeometry(20), new THREE.MeshBasicMaterial({ color: "#8a93a3", side: THREE.BackSide })));
    panel("#ffffff", 7, 0, 9, 0, 9, 9);
    panel("#dbe8ff", 4, -9, 3, 4, 6, 8);
    panel("#fff1de", 4, 9, 2, 5, 6, 8);
    panel("#ffffff", 2, 0, 2, -10, 14, 5);
    const maker = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = maker.fromScene(room).texture;
    this.scene.environmentRotation.setFromQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up).invert());
    const [side, front] = this.viewpoint.across();
    this.key = new THREE.DirectionalLight("#ffffff", 2.5);
    this.keyOffset = this.up.clone().multiplyScalar(1.5).addScaledVector(front, 0.9).addScaledVector(side, -0.75).multiplyScalar(1.5 * this.size);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 5;
    this.key.shadow.normalBias = Math.max(0.25 * this.unit, 0.0015 * this.size);
    this.key.shadow.bias = -0.0004;
    const half = 0.85 * this.size;
    Object.assign(this.key.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.1 * this.size, far: 6 * this.size });
    this.fill = new THREE.HemisphereLight("#ffffff", "#404652", 0.4);
    this.fill.position.copy(this.up);
    this.scene.add(this.key, this.key.target, this.fill);
    this.#aimLight(this.middle);
  }

  #aimLight(point) {
    this.key.target.position.copy(point);
    this.key.position.copy(point).add(this.keyOffset);
  }

  #floor() {
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
    const radius = 2.6 * this.size;
    this.spacing = roundNumber(this.size / 8);
    const middle = this.middle.clone().applyQuaternion(turn.clone().invert());
    const geometry = new THREE.PlaneGeometry(2 * radius, 2 * radius).translate(middle.x, middle.y, 0);
    this.gridMaterial = new THREE.ShaderMaterial({
      vertexShader: GRID_VERTEX,
      fragmentShader: GRID_FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        color: { value: new THREE.Color() },
        spacing: { value: this.spacing },
        radius: { value: radius },
        strength: { value: 0.5 },
        middle: { value: new THREE.Vector2(middle.x, middle.y) },
      },
    });
    this.shadowMaterial = new THREE.ShadowMaterial({ opacity: 0.3 });
    this.floor = new THREE.Group();
    this.shade = new THREE.Mesh(geometry, this.shadowMaterial);
    this.shade.receiveShadow = true;
    const grid = new THREE.Mesh(geometry, this.gridMaterial);
    grid.renderOrder = -1;
    grid.position.z = -1e-4 * this.size;
    this.floor.add(grid, this.shade);
    this.floor.quaternion.copy(turn);
    this.setFloor(this.height);
    this.scene.add(this.floor);
  }

  setFloor(height) {
    this.height = height;
    this.floor.position.copy(this.up).multiplyScalar(height - 1e-4 * this.size);
  }

  setTheme(theme) {
    const look = LOOK[theme];
    this.gridMaterial.uniforms.color.value.set(look.line);
    this.gridMaterial.uniforms.strength.value = look.axis;
    this.shadowMaterial.opacity = look.shadow;
    this.scene.environmentIntensity = look.sky;
    this.key.intensity = look.key;
    this.fill.color.set(look.fill);
    this.renderer.toneMappingExposure = look.exposure;
  }

  // How finely to draw from here on (lw/pace).
  setGrade(grade) {
    this.grade = grade;
    this.key.castShadow = this.shade.visible = grade.shadows;
    this.resize();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    this.renderer.setPixelRatio(this.grade.sharp * Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.viewpoint.resize(width, height);
    return [width, height];
  }

  // Look from a direction at everything that moves.
  frame(direction) {
    this.viewpoint.frame(direction);
  }

  // The view and the light go with a body.
  carry(by) {
    this.viewpoint.carry(by);
    this.#aimLight(this.key.target.position.clone().add(by));
  }

  render(mechanisms) {
    const off = this.grade.off * this.viewpoint.pixel();
    const eye = this.camera.isPerspectiveCamera ? this.camera.position : null;
    for (const mechanism of mechanisms) mechanism.pools.chooseLevels(eye, off);
    this.renderer.render(this.scene, this.camera);
  }
}

// No graphics card, or none that the browser uses: what smooths edges elsewhere is too slow there.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
