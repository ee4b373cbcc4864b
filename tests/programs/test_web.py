# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Serve pages with nginx; fetch them with curl and git; all of them confined."""

from __future__ import annotations

import contextlib
import http.client
import shutil
import signal
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from place import EXAMPLES, Place, errors, program, succeeded
from server import Server, free_port, serve

PAGE = b"<h1>a page</h1>\n"


class Site:
    """What nginx serves in a place: a page, a repository, a link that leads out."""

    def __init__(self, place: Place) -> None:
        self.place = place
        place.file("public/index.html", PAGE)
        place.folder("scratch")
        (place.root / "public" / "out").symlink_to("../secret")
        certificate(place)

    @contextlib.contextmanager
    def served(
        self, bundle: Path | None, *changes: tuple[str, str]
    ) -> Iterator[tuple[Server, int]]:
        """Run nginx, under a bundle or outside; gives its server and its TLS port."""
        settings = self.place.here((EXAMPLES / "nginx.conf").read_text())
        with free_port() as plain, free_port() as tls:
            ports = ((":8080", f":{plain}"), (":8443", f":{tls}"))
            for before, after in (*ports, *changes):
                assert before in settings
                settings = settings.replace(before, after)
            path = self.place.file("nginx.conf", settings.encode())
            command = (program("nginx"), "-e", "stderr", "-c", path)
            with serve(self.place, bundle, plain, *command) as server:
                yield server, tls


def certificate(place: Place) -> None:
    """Make an authority of the test's own and a certificate of its for localhost."""
    openssl = program("openssl")
    place.folder("tls")
    key = ("-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
    authority = ("-keyout", "authority.key", "-out", "authority.pem")
    name = ("-addext", "subjectAltName=DNS:localhost")
    signed = ("-CA", "authority.pem", "-CAkey", "authority.key")
    leaf = ("-keyout", "tls/key.pem", "-out", "tls/cert.pem")
    request = ("req", "-x509", "-days", "2", *key)
    succeeded(place.outside(openssl, *request, *authority, "-subj", "/CN=authority"))
    leaf = (*leaf, *signed, "-subj", "/CN=localhost", *name)
    leaf = (*leaf, "-addext", "basicConstraints=critical,CA:FALSE")
    succeeded(place.outside(openssl, *request, *leaf))


def fetch(
    url: str, method: str = "GET", body: bytes | None = None
) -> tuple[int, bytes]:
    """Ask a server; gives status and content."""
    request = urllib.request.Request(url, data=body, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def serve_pages(site: Site, bundle: Path) -> None:
    """Fetch a page as text, and over TLS, and send a body too large for memory."""
    with site.served(bundle) as (server, tls):
        url = f"http://127.0.0.1:{server.port}"
        assert fetch(url) == (200, PAGE)
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert answer.headers["Content-Type"] == "text/html"
        trust = ssl.create_default_context(
            cafile=str(site.place.root / "authority.pem")
        )
        with urllib.request.urlopen(
            f"https://localhost:{tls}", context=trust
        ) as answer:
            assert answer.read() == PAGE
    assert server.process.returncode == 0, server.said


def test_nginx(place: Place) -> None:
    """S2-017: pages over HTTP and HTTPS, to clients outside."""
    site = Site(place)
    serve_pages(site, place.bundle("nginx"))
    place.tight("nginx", lambda bundle: serve_pages(site, bundle))


def test_nginx_serves_and_changes_nothing_else(place: Place) -> None:
    """A link that leads out; changes that the settings would let through."""
    site = Site(place)
    bundle = place.bundle("nginx")
    page = place.root / "public" / "index.html"
    changes = ("root ", "dav_methods DELETE MKCOL; root ")
    with site.served(None, changes) as (server, _):
        url = f"http://127.0.0.1:{server.port}"
        assert fetch(f"{url}/out") == (200, place.secret.read_bytes())
        assert fetch(f"{url}/new/", "MKCOL")[0] == 201
        assert fetch(f"{url}/index.html", "DELETE")[0] == 204
    assert not page.exists()
    (place.root / "public" / "new").rmdir()
    place.file("public/index.html", PAGE)
    with site.served(bundle, changes) as (server, _):
        url = f"http://127.0.0.1:{server.port}"
        assert fetch(f"{url}/out")[0] == 403
        assert fetch(f"{url}/new/", "MKCOL")[0] == 403
        assert fetch(f"{url}/index.html", "DELETE")[0] == 403
        assert fetch(url) == (200, PAGE)
    for name in ("out", "new", "index.html"):
        refused = f'"{place.root}/public/{name}" failed (13: Permission denied)'
        assert refused in server.said, server.said


def serve_by_python(place: Place, bundle: Path | None) -> tuple[int, int]:
    """Serve a page by Python's own server; gives how two requests for links ended."""
    python, public = program("python3"), place.root / "public"
    with free_port() as port:
        listen = ("-m", "http.server", "--bind", "127.0.0.1", "-d", public, str(port))
        command = (python, "-I", *listen)
        # It knows no other way to end than the interrupt of a terminal.
        with serve(place, bundle, port, *command, stop=signal.SIGINT) as server:
            url = f"http://127.0.0.1:{server.port}"
            assert fetch(f"{url}/index.html") == (200, PAGE)
            return fetch(f"{url}/out")[0], fetch(f"{url}/index.css")[0]


def test_http_server(place: Place) -> None:
    """S1-104 S2-017: Python's server, and a link that leads out of what it serves."""
    Site(place)
    place.file("public/index.css", b"")
    assert serve_by_python(place, None) == (200, 200)
    assert serve_by_python(place, place.bundle("http-server")) == (404, 200)

    def work(bundle: Path) -> None:
        assert serve_by_python(place, bundle) == (404, 200)

    place.tight("http-server", work)


def test_http_server_without_the_table_of_types(place: Place) -> None:
    """S1-344: each request ends in a refusal of the server's, which goes on."""
    Site(place)
    text = place.text("http-server")
    left_out = "".join(
        line for line in text.splitlines(keepends=True) if "/etc/mime.types" not in line
    )
    assert left_out != text
    bundle = place.stage.compile(left_out, "http-server")
    listen = ("--bind", "127.0.0.1", "-d", place.root / "public")
    with free_port() as port:
        command = (program("python3"), "-I", "-m", "http.server", *listen, str(port))
        with serve(place, bundle, port, *command, stop=signal.SIGINT) as server:
            for _ in range(2):
                with pytest.raises(http.client.RemoteDisconnected):
                    fetch(f"http://127.0.0.1:{port}/index.html")
            assert not server.ended()
    refused = "PermissionError: [Errno 13] Permission denied: '/etc/mime.types'"
    assert server.said.count(refused) == 2, server.said


def download(site: Site, bundle: Path) -> None:
    """Fetch a page from a server whose certificate an own authority has signed."""
    curl, root = program("curl"), site.place.root
    target = site.place.folder("fetched") / "page.html"
    with site.served(None) as (_, tls):
        url = f"https://localhost:{tls}"
        trust = ("-sS", "--cacert", root / "authority.pem")
        done = site.place.launch(bundle, curl, *trust, "-o", target, url)
        assert succeeded(done).stderr == b""
        assert target.read_bytes() == PAGE
        target.unlink()
        # Without that authority those of the host are asked, and know nothing of it.
        strange = site.place.launch(bundle, curl, "-sS", "-o", target, url)
        assert strange.returncode == 60, errors(strange)
        assert "unable to get local issuer certificate" in errors(strange)


def test_curl(place: Place) -> None:
    """S2-023: a certificate is judged by the authorities that may be read."""
    site = Site(place)
    place.folder("fetched")
    download(site, place.bundle("curl"))
    place.tight("curl", lambda bundle: download(site, bundle))


def test_curl_gives_nothing_away(place: Place) -> None:
    """Reading a file, sending one, and writing beside the folder."""
    site = Site(place)
    place.folder("fetched")
    curl, bundle, root = program("curl"), place.bundle("curl"), place.root
    beside = root / "beside.html"
    uploads = ("root ", "dav_methods PUT; root ")
    with site.served(None, uploads) as (server, _):
        url = f"http://127.0.0.1:{server.port}"
        for status, message, arguments in (
            (37, f"Couldn't open file {place.secret}", (f"file://{place.secret}",)),
            (26, f"Can't open '{place.secret}'", ("-T", place.secret, f"{url}/sent")),
            (23, "Failed to open the file", ("-o", beside, url)),
        ):
            command = ("--no-progress-meter", "--fail", *arguments)
            succeeded(place.outside(curl, *command))
            for made in (beside, root / "public" / "sent"):
                made.unlink(missing_ok=True)
            refused = place.launch(bundle, curl, *command)
            assert refused.returncode == status, (arguments, errors(refused))
            assert message in errors(refused)
            assert not beside.exists()
            assert not (root / "public" / "sent").exists()


def clone(site: Site, bundle: Path) -> None:
    """Clone a repository from a server, with its modes."""
    git, place = program("git"), site.place
    target = place.folder("work") / "clone"
    with site.served(None) as (server, _):
        url = f"http://localhost:{server.port}/source.git"
        done = place.launch(bundle, git, "clone", "-q", url, target)
        assert succeeded(done).stderr == b""
    assert (target / "file").read_text() == "text\n"
    assert (target / "run").stat().st_mode & 0o111
    log = succeeded(place.outside(git, "-C", target, "log", "--format=%s"))
    assert log.stdout == b"one\n"
    shutil.rmtree(target)


def repository(place: Place) -> None:
    """Make a repository with one commit and an executable file, as files to serve."""
    place.folder("origin")
    for line in (
        "git init -q -b main .",
        "echo text >file; echo exit >run; chmod +x run",
        "git add . && git -c user.name=a -c user.email=a@example.org commit -q -m one",
        "git clone -q --bare . ../public/source.git",
        "git -C ../public/source.git update-server-info",
    ):
        succeeded(place.outside("/bin/sh", "-c", f"cd origin && {line}"))


def test_git_clone(place: Place) -> None:
    """S2-023 S2-257: a clone over HTTP."""
    site = Site(place)
    place.folder("work")
    repository(place)
    clone(site, place.bundle("git-clone"))
    place.tight("git-clone", lambda bundle: clone(site, bundle))


def test_git_clone_changes_modes(place: Place) -> None:
    """S2-248: under the default a clone fails where it changes a mode by path."""
    site = Site(place)
    place.folder("work")
    repository(place)
    text = place.text("git-clone")
    denied = text.replace('path_metadata = "allow"', 'path_metadata = "deny"')
    assert denied != text
    with pytest.raises(AssertionError, match=r"chmod on .* failed: Operation not perm"):
        clone(site, place.stage.compile(denied, "git-clone"))


def test_git_clone_reaches_nothing_else(place: Place) -> None:
    """Other places, other repositories, and commands in place of an address."""
    Site(place)
    place.folder("work")
    repository(place)
    git, bundle, root = program("git"), place.bundle("git-clone"), place.root
    source = root / "public" / "source.git"
    local = ("clone", "-q", source, root / "work" / "local")
    succeeded(place.outside(git, *local))
    shutil.rmtree(root / "work" / "local")
    refused = place.launch(bundle, git, *local)
    assert refused.returncode == 128
    assert f"'{source}' does not exist" in errors(refused)
    assert not (root / "work" / "local").exists()

    copy = root / "work" / "copy"
    script = place.file("script", f"#!/bin/sh\ncat {place.secret} >{copy}".encode())
    script.chmod(0o755)
    command = ("-c", "protocol.ext.allow=always", "clone", f"ext::{script}")
    place.outside(git, *command, root / "work" / "ext")
    assert copy.read_bytes() == place.secret.read_bytes()
    copy.unlink()
    refused = place.launch(bundle, git, *command, root / "work" / "ext")
    assert refused.returncode == 128
    assert f"cannot exec '{script}': Permission denied" in errors(refused)
    assert not copy.exists()
