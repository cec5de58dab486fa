"""A server for a live session: on this machine alone, for who knows the token in its address.

Nothing but the page and its runs is served, to requests that name this machine as their host (a page from elsewhere
that a browser is made to send here does not), and the page may load nothing from anywhere else.
"""

from __future__ import annotations

import json
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer

from linkwork.view.live.session import Session

LOOPBACK = "127.0.0.1"
MOST_BYTES = 65_536  # of a request
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline' data: blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class LiveServer(HTTPServer):
    """Serves one session until it is closed; `address` has the token."""

    def __init__(self, session: Session, port: int = 0) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.session, self.token = session, secrets.token_urlsafe(18)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    server_version, sys_version = "linkwork", ""

    def do_GET(self) -> None:
        """The page."""
        if self._admitted(""):
            self._send("text/html; charset=utf-8", self.server.session.page("run").encode())

    def do_POST(self) -> None:
        """A run for the values that are sent."""
        if not self._admitted("run"):
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            request = json.loads(self.rfile.read(int(length)))
        except ValueError:
            return self._refuse(HTTPStatus.BAD_REQUEST)
        answer = json.dumps(self.server.session.answer(request), separators=(",", ":"))
        self._send("application/json", answer.encode())

    def _admitted(self, place: str) -> bool:
        """Whether the request has the token and names this server as its host; refused otherwise."""
        hosts = {f"{name}:{self.server.server_port}" for name in (LOOPBACK, "localhost")}
        wanted = f"/{self.server.token}/{place}"
        if self.headers.get("Host") in hosts and secrets.compare_digest(self.path.encode(), wanted.encode()):
            return True
        self._refuse(HTTPStatus.NOT_FOUND)
        return False

    def _refuse(self, status: HTTPStatus) -> None:
        self.send_error(status)

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal is the user's."""
