// Small helpers for elements of the page.

export const $ = (id) => document.getElementById(id);

export function make(tag, className, parent, properties = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  parent?.append(element);
  return Object.assign(element, properties);
}

// A button with a short sign or word; what it does is its tooltip and its name for those who do not see it.
export function button(parent, sign, about, action, className = "") {
  const element = make("button", className, parent, { type: "button", textContent: sign, title: about, onclick: action });
  element.setAttribute("aria-label", about);
  return element;
}

// A button that is on or off.
export function toggle(parent, sign, about, on, action, className = "") {
  const element = button(parent, sign, about, () => {
    action(mark(element, element.getAttribute("aria-pressed") !== "true"));
  }, className);
  mark(element, on);
  return element;
}

export function mark(element, on) {
  element.classList.toggle("on", on);
  element.setAttribute("aria-pressed", on);
  return on;
}

// Something that a button opens and closes; Escape and a press elsewhere close it, too.
export class Popover {
  constructor(opener, box, opened = () => {}) {
    Object.assign(this, { opener, box, opened });
    box.hidden = true;
    opener.setAttribute("aria-haspopup", "dialog");
    opener.setAttribute("aria-expanded", "false");
    opener.addEventListener("click", () => this.show(box.hidden));
    document.addEventListener("pointerdown", (event) => {
      if (!box.contains(event.target) && !opener.contains(event.target)) this.show(false);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || box.hidden) return;
      event.preventDefault();
      this.show(false);
      opener.focus();
    });
  }

  show(shown) {
    if (shown === !this.box.hidden) return;
    this.box.hidden = !shown;
    this.opener.setAttribute("aria-expanded", shown);
    if (shown) this.opened();
  }
}

// Saves a blob under a name.
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", "", null, { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
