# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Drive a real browser without a window, through the pipe of its debugging protocol.

The pipe needs no library: messages are JSON, each ended by a zero byte, read by the
browser from its descriptor 3 and written to its descriptor 4.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = "chromium-headless-shell"
_SECONDS = 60


class BrowserError(Exception):
    """The browser says no, or nothing."""


@dataclass
class Browser:
    """One browser with one page; `events` is all that it told, in order."""

    to: int
    back: int
    events: list[dict[str, Any]] = field(default_factory=list)
    session: str = ""
    _sent: int = 0
    _rest: bytes = b""

    def call(self, method: str, **arguments: object) -> dict[str, Any]:
        """Ask for one thing and wait for its answer."""
        self._sent += 1
        message: dict[str, object] = {
            "id": self._sent,
            "method": method,
            "params": arguments,
        }
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data) :]
        while True:
            answer = self._message()
            if answer.get("id") != self._sent:
                self.events.append(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def wait_for(self, method: str) -> None:
        """Wait until an event was told since the last `open_file`."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._message())

    def _message(self) -> dict[str, Any]:
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._rest:
            if not select.select([self.back], [], [], end - time.monotonic())[0]:
                raise BrowserError(f"nothing in {_SECONDS} s")
            data = os.read(self.back, 1 << 20)
            if not data:
                raise BrowserError("the browser has gone")
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def open_file(self, path: Path, *, width: int = 1280, scripts: bool = True) -> None:
        """Load a page from a file, and wait until all of it is there."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        self.wait_for("Page.loadEventFired")

    def value(self, expression: str) -> Any:
        """Evaluate an expression in the page, whether or not it may run scripts."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise BrowserError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def key(self, key: str, text: str = "") -> None:
        """Press a key and let it go."""
        more = {"text": text} if text else {}
        code = {"Escape": 27, "Tab": 9}.get(key, ord(key[0].upper()))
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind, key=key, windowsVirtualKeyCode=code,
                **(more if kind == "keyDown" else {}),
            )  # fmt: skip

    def write(self, text: str) -> None:
        """Write text at the caret."""
        self.call("Input.insertText", text=text)

    def use_colours(self, scheme: str) -> None:
        """Prefer `light` or `dark`."""
        wanted = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[wanted])

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """Write a picture of the page as a PNG file."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def requests(self) -> list[str]:
        """List what the page asked for since `open_file`."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """List errors, warnings and uncaught exceptions since `open_file`."""
        told = {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
        return [
            json.dumps(event["params"])
            for event in self.events
            if event.get("method") in told
        ]


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[Browser]:
    """Start a browser that keeps its files in a folder; end it with its children."""
    # The sandbox of the browser needs namespaces or a set-user-ID helper, which a
    # container may lack; it shows this test's own files only.
    command = [
        PROGRAM, "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu",
        "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
        f"--user-data-dir={folder}", "about:blank",
    ]  # fmt: skip
    (there, to), (back, here) = _high_pipe(), _high_pipe()
    process = os.posix_spawnp(
        PROGRAM,
        command,
        {"HOME": str(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, there, 3),
            (os.POSIX_SPAWN_DUP2, here, 4),
        ],
        setsid=True,
    )
    os.close(there)
    os.close(here)
    try:
        browser = Browser(to, back)
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        answer = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        browser.session = answer["sessionId"]
        for room in ("Page", "Network", "Runtime", "Log"):
            browser.call(f"{room}.enable")
        yield browser
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(to)
        os.close(back)


def _high_pipe() -> tuple[int, int]:
    """Make a pipe whose numbers are none of those that the browser is to get."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 10) for one in ends)
    for one in ends:
        os.close(one)
    return high[0], high[1]
