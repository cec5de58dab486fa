"""Headless Chromium, driven by its DevTools protocol: pages, scripts, elements, pointer, keys, pictures."""

from __future__ import annotations

import base64
import json
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--remote-allow-origins=*",
    "--remote-debugging-port=0",
)  # fmt: skip
KEYS = {
    "\ue003": "Backspace", "\ue004": "Tab", "\ue006": "Enter", "\ue00c": "Escape", "\ue010": "End", "\ue011": "Home",
    "\ue012": "ArrowLeft", "\ue013": "ArrowUp", "\ue014": "ArrowRight", "\ue015": "ArrowDown",
}  # fmt: skip
CODES = {"Backspace": 8, "Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
         "ArrowRight": 39, "ArrowDown": 40}  # fmt: skip
SHIFT, SHIFT_KEY = 8, "\ue008"
CONSOLE = {"warning": "WARNING", "error": "SEVERE", "assert": "SEVERE"}


class Chromium:
    """One browser with one page."""

    def __init__(self, program: str, folder: Path, width: int = 1200, height: int = 800) -> None:
        import websocket

        self._process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={folder}", f"--window-size={width},{height}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._socket = websocket.create_connection(self._address(folder), timeout=120)
        self._count, self._log, self._window = 0, [], (width, height)
        self._seconds = 30.0
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.execute_cdp_cmd(f"{domain}.enable", {})
        self.set_window_size(width, height)

    def _address(self, folder: Path) -> str:
        """Of the page, once the browser has started."""
        end = time.monotonic() + 60.0
        while time.monotonic() < end:
            try:
                port = (folder / "DevToolsActivePort").read_text().split()[0]
                pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5))
                return str(next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page"))
            except (OSError, StopIteration, IndexError):
                time.sleep(0.1)
        raise TimeoutError("Chromium did not start within a minute")

    # -- the protocol -------------------------------------------------------------------------------------------------
    def execute_cdp_cmd(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        """What the page complains of."""
        about = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            text = details.get("exception", {}).get("description", details["text"])
            self._log.append({"level": "SEVERE", "message": text})
        elif message.get("method") == "Runtime.consoleAPICalled" and about["type"] in CONSOLE:
            text = " ".join(str(part.get("value", part.get("description", ""))) for part in about["args"])
            self._log.append({"level": CONSOLE[about["type"]], "message": text})
        elif message.get("method") == "Log.entryAdded" and about["entry"]["level"] in ("warning", "error"):
            self._log.append({"level": CONSOLE[about["entry"]["level"]], "message": about["entry"]["text"]})

    def get_log(self, _: str = "browser") -> list[dict[str, str]]:
        self.execute_script("return 0")
        log, self._log = self._log, []
        return log

    # -- the page -----------------------------------------------------------------------------------------------------
    def get(self, address: str) -> None:
        self.execute_cdp_cmd("Page.navigate", {"url": address})
        self._loaded()

    def refresh(self) -> None:
        self.execute_script("window.before_refresh = true")
        self.execute_cdp_cmd("Page.reload", {})
        self._loaded()

    def _loaded(self) -> None:
        end = time.monotonic() + 60.0
        while time.monotonic() < end:
            try:
                if self.execute_script("return document.readyState === 'complete' && !window.before_refresh"):
                    return
            except RuntimeError:  # between two pages
                pass
            time.sleep(0.02)
        raise TimeoutError("the page did not load within a minute")

    def execute_script(self, text: str, *arguments: Any) -> Any:
        """The value that a script returns; `arguments` may be elements."""
        return self._call(f"function() {{ {text} }}", arguments)

    def execute_async_script(self, text: str, *arguments: Any) -> Any:
        """The value that a script gives to its last argument, a function."""
        wrapped = f"function(...given) {{ return new Promise((done) => (function() {{ {text} }})(...given, done)); }}"
        return self._call(wrapped, arguments)

    def _call(self, function: str, arguments: tuple[Any, ...]) -> Any:
        window = self.execute_cdp_cmd("Runtime.evaluate", {"expression": "window"})["result"]["objectId"]
        given = [{"objectId": one.handle} if isinstance(one, Found) else {"value": one} for one in arguments]
        answer = self.execute_cdp_cmd("Runtime.callFunctionOn", {
            "functionDeclaration": function, "objectId": window, "arguments": given, "returnByValue": True,
            "awaitPromise": True, "userGesture": True,
        })  # fmt: skip
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "script failed"))
        return answer["result"].get("value")

    def set_script_timeout(self, seconds: float) -> None:
        self._socket.settimeout(max(120.0, seconds))

    def set_window_size(self, width: int, height: int) -> None:
        self._window = (width, height)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def get_window_size(self) -> dict[str, int]:
        return {"width": self._window[0], "height": self._window[1]}

    def get_screenshot_as_png(self) -> bytes:
        return base64.b64decode(self.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])

    def find_element(self, by: str, name: str) -> Found:
        return self.find_elements(by, name)[0]

    def find_elements(self, by: str, name: str, within: Found | None = None) -> list[Found]:
        selector = f"#{name}" if by == "id" else name
        root = within.handle if within is not None else self._handle("document")
        many = self._handle_on(root, f"function() {{ return [...this.querySelectorAll({json.dumps(selector)})]; }}")
        entries = self.execute_cdp_cmd("Runtime.getProperties", {"objectId": many, "ownProperties": True})["result"]
        return [Found(self, entry["value"]["objectId"]) for entry in entries if entry["name"].isdigit()]

    def _handle(self, expression: str) -> str:
        return str(self.execute_cdp_cmd("Runtime.evaluate", {"expression": expression})["result"]["objectId"])

    def _handle_on(self, handle: str, function: str) -> str:
        asked = {"functionDeclaration": function, "objectId": handle}
        return str(self.execute_cdp_cmd("Runtime.callFunctionOn", asked)["result"]["objectId"])

    # -- pointer and keys ---------------------------------------------------------------------------------------------
    def mouse(self, kind: str, x: float, y: float, pressed: bool = False, clicks: int = 0) -> None:
        event = {"type": kind, "x": x, "y": y, "button": "left" if pressed or clicks else "none",
                 "buttons": int(pressed), "clickCount": clicks}  # fmt: skip
        self.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def press(self, text: str) -> None:
        """Keys, one after the other; those of KEYS by their sign, shift held from its sign on."""
        shift = 0
        for sign in text:
            if sign == SHIFT_KEY:
                shift = SHIFT
                continue
            key = KEYS.get(sign, sign)
            code = CODES.get(key, ord(key.upper()) if len(key) == 1 and key.isalnum() else 0)
            event = {"key": key, "modifiers": shift, "windowsVirtualKeyCode": code, "code": key if key in CODES else ""}
            typed = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
            self.execute_cdp_cmd(
                "Input.dispatchKeyEvent", {"type": "keyDown" if typed else "rawKeyDown"} | event | typed
            )
            self.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp"} | event)

    def quit(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait()


class Found:
    """An element of the page."""

    def __init__(self, browser: Chromium, handle: str) -> None:
        self.browser, self.handle = browser, handle

    def _of(self, expression: str) -> Any:
        return self.browser.execute_script(f"const it = arguments[0]; return {expression}", self)

    @property
    def text(self) -> str:
        return str(self._of("it.innerText ?? it.textContent"))

    def get_attribute(self, name: str) -> Any:
        return self._of(f"it[{name!r}] ?? it.getAttribute({name!r})")

    def is_displayed(self) -> bool:
        return bool(self._of("it.getClientRects().length > 0 && getComputedStyle(it).visibility !== 'hidden'"))

    def is_enabled(self) -> bool:
        return not self._of("it.disabled")

    def find_element(self, by: str, name: str) -> Found:
        return self.browser.find_elements(by, name, self)[0]

    def middle(self) -> tuple[float, float]:
        """On the screen, scrolled into view."""
        self._of("it.scrollIntoView({ block: 'nearest', inline: 'nearest' })")
        x, y = self._of("(({ x, y, width, height }) => [x + width / 2, y + height / 2])(it.getBoundingClientRect())")
        return x, y

    def click(self) -> None:
        if self._of("it.tagName") == "OPTION":
            self._of("(it.selected = true, it.closest('select').dispatchEvent(new Event('change', { bubbles: true })))")
            return
        Pointer(self.browser).move_to_element(self).click().perform()

    def send_keys(self, *texts: str) -> None:
        self._of("document.activeElement === it || it.focus()")
        self.browser.press("".join(texts))


class Pointer:
    """Moves and presses of the pointer, done by `perform`."""

    def __init__(self, browser: Chromium) -> None:
        self.browser, self.steps, self.at, self.held = browser, [], (0.0, 0.0), False

    def _then(self, step: Any) -> Pointer:
        self.steps.append(step)
        return self

    def _move(self, x: float, y: float) -> None:
        self.at = (x, y)
        self.browser.mouse("mouseMoved", x, y, self.held)

    def _press(self, clicks: int = 1) -> None:
        self.held = True
        self.browser.mouse("mousePressed", *self.at, True, clicks)

    def _release(self, clicks: int = 1) -> None:
        self.held = False
        self.browser.mouse("mouseReleased", *self.at, False, clicks)

    def move_to_element(self, element: Found) -> Pointer:
        return self._then(lambda: self._move(*element.middle()))

    def move_to_element_with_offset(self, element: Found, x: float, y: float) -> Pointer:
        """From the middle of the element."""
        return self._then(lambda: self._move(*(a + b for a, b in zip(element.middle(), (x, y), strict=True))))

    def move_by_offset(self, x: float, y: float) -> Pointer:
        return self._then(lambda: self._move(self.at[0] + x, self.at[1] + y))

    def click_and_hold(self) -> Pointer:
        return self._then(self._press)

    def release(self) -> Pointer:
        return self._then(self._release)

    def click(self) -> Pointer:
        return self._then(self._press)._then(self._release)

    def double_click(self, element: Found) -> Pointer:
        self.move_to_element(element).click()
        return self._then(lambda: self._press(2))._then(lambda: self._release(2))

    def perform(self) -> None:
        for step in self.steps:
            step()
