// The stage: renderer, lights, floor with grid, camera; knows sizes and directions, not mechanisms.

import * as THREE from "three";
import { OrbitControls } from "three/orbit";
import { GRADES } from "lw/pace";

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
  constructor(canvas, { low, high, up, look, unit }) {
    this.canvas = canvas;
    this.unit = unit;
    this.low = new THREE.Vector3(...low);
    this.high = new THREE.Vector3(...high);
    this.up = new THREE.Vector3(...up);
    this.middle = this.low.clone().lerp(this.high, 0.5);
    this.size = Math.max(this.low.distanceTo(this.high), 1e-6);
    this.homeLook = new THREE.Vector3(...look);
    this.scene = new THREE.Scene();
    this.software = drawsInSoftware();
    this.grade = GRADES[0];
    this.covered = 0; // pixels above, by what lies on the picture
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, alpha: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.camera = new THREE.PerspectiveCamera(30, 1, this.size / 200, this.size * 60);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, { enableDamping: true, dampingFactor: 0.12, maxDistance: 25 * this.size, minDistance: this.size / 50 });
    this.view = this.homeLook; // from where everything was framed, until the user or a body takes the camera along
    this.controls.addEventListener("start", () => (this.view = null));
    this.#lights();
    this.#floor();
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
    this.scene.environment = maker.fromScene(room, 0.03).texture;
    this.scene.environmentRotation.setFromQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up).invert());
    const [side, front] = this.#across();
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

  // Directions to the right and towards the eye, both level.
  #across() {
    const front = this.homeLook.clone().addScaledVector(this.up, -this.homeLook.dot(this.up));
    if (front.length() < 1e-6) front.set(this.up.y, this.up.z, this.up.x);
    front.normalize();
    return [new THREE.Vector3().crossVectors(this.up, front), front];
  }

  #floor() {
    const height = Math.min(this.low.dot(this.up), this.high.dot(this.up));
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
    this.floor.position.copy(this.up).multiplyScalar(height - 1e-3 * this.size);
    this.scene.add(this.floor);
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
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    return [width, height];
  }

  // Look from a direction at everything that moves.
  frame(direction = this.homeLook) {
    this.view = direction;
    const eye = direction.clone().normalize();
    if (Math.abs(eye.dot(this.up)) > 0.999) eye.addScaledVector(this.#across()[1], 0.002).normalize();
    const right = new THREE.Vector3().crossVectors(this.up, eye).normalize();
    const over = new THREE.Vector3().crossVectors(eye, right);
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const room = 0.9 - (2 * this.covered) / Math.max(this.canvas.clientHeight, 4 * this.covered, 1);
    const [w, h] = [0.94 * tall * this.camera.aspect, room * tall];
    let distance = 0;
    const corner = new THREE.Vector3();
    for (let k = 0; k < 8; k++) {
      corner.set(...["x", "y", "z"].map((axis, i) => (k >> i & 1 ? this.high : this.low)[axis])).sub(this.middle);
      const near = corner.dot(eye);
      distance = Math.max(distance, near + Math.abs(corner.dot(right)) / w, near + Math.abs(corner.dot(over)) / h);
    }
    this.controls.target.copy(this.middle);
    this.camera.position.copy(this.middle).addScaledVector(eye, distance);
    this.controls.update();
  }

  views() {
    const [side, front] = this.#across();
    return { home: this.homeLook, front, side, top: this.up };
  }

  shift(by) {
    this.view = null;
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.#aimLight(this.key.target.position.clone().add(by));
  }

  render(mechanisms) {
    const pixel = (2 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2))) / this.canvas.height; // at a metre
    for (const mechanism of mechanisms) mechanism.pools.chooseLevels(this.camera.position, this.grade.off * pixel);
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

// 1, 2 or 5 times a power of ten, at or below a number.
export function roundNumber(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const digit = x / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}
