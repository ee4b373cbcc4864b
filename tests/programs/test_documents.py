# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Convert documents and run a pipeline, confined."""

from __future__ import annotations

import zipfile
from pathlib import Path

from place import Place, errors, program, succeeded

DOCUMENT = "% A title\n\nSome *text*.\n\n![a picture](../{name})\n"
PIPELINE = (
    'cut -d" " -f1 logs/access.log | sort | uniq -c | sort -rn | head -n 2'
    " >reports/visitors"
)


def word(place: Place, bundle: Path) -> None:
    """Make a page and a Word document of a text."""
    source = place.file("documents/one.md", DOCUMENT.format(name="no").encode())
    page, document = (
        place.folder("converted") / f"one.{kind}" for kind in ("html", "docx")
    )
    pandoc = program("pandoc")
    succeeded(place.launch(bundle, pandoc, "-s", source, "-o", page))
    assert "Some <em>text</em>." in page.read_text()
    succeeded(place.launch(bundle, pandoc, source, "-o", document))
    with zipfile.ZipFile(document) as parts:
        assert b"a picture" in parts.read("word/document.xml")


def test_pandoc(place: Place) -> None:
    word(place, place.bundle("pandoc"))
    place.tight("pandoc", lambda bundle: word(place, bundle))


def test_pandoc_includes_nothing_from_beside(place: Place) -> None:
    """A document that includes a secret as a picture: it is in the result outside."""
    bundle, pandoc = place.bundle("pandoc"), program("pandoc")
    source = place.file("documents/two.md", DOCUMENT.format(name="secret").encode())
    target = place.folder("converted") / "two.docx"

    def media() -> list[bytes]:
        with zipfile.ZipFile(target) as parts:
            return [
                parts.read(n) for n in parts.namelist() if n.startswith("word/media")
            ]

    command = ("--resource-path", source.parent, source, "-o", target)
    succeeded(place.outside(pandoc, *command))
    assert media() == [place.secret.read_bytes()]
    inside = succeeded(place.launch(bundle, pandoc, *command))
    assert "Could not fetch resource ../secret" in errors(inside)
    assert media() == []
    directly = place.launch(bundle, pandoc, place.secret)
    assert "secret: openBinaryFile: permission denied" in errors(directly)
    started = place.launch(bundle, pandoc, source, "--filter", "/usr/bin/true")
    assert "permission" in errors(started).lower()


def count(place: Place, bundle: Path) -> None:
    """Count visitors with four programs in a row."""
    place.file(
        "logs/access.log", b"a GET /\nb GET /\na GET /x\na GET /y\nc GET /\nb GET /\n"
    )
    report = place.folder("reports") / "visitors"
    succeeded(place.launch(bundle, program("sh"), "-c", PIPELINE))
    lines = [line.split() for line in report.read_text().splitlines()]
    assert lines == [["3", "a"], ["2", "b"]]
    report.unlink()


def test_pipeline(place: Place) -> None:
    count(place, place.bundle("pipeline"))
    place.tight("pipeline", lambda bundle: count(place, bundle))


def test_pipeline_goes_nowhere_else(place: Place) -> None:
    """S2-156 S2-181: what other commands in the same line would do."""
    log = place.file("logs/access.log", b"a GET /\n")
    place.folder("reports")
    bundle, shell = place.bundle("pipeline"), program("sh")
    for line, refusal in (
        (f"cut -c1- {place.secret}", f"{place.secret}: Permission denied"),
        ("cat reports/none", "cat: Permission denied"),
        ("/usr/bin/env", "/usr/bin/env: Permission denied"),
        ("echo >>logs/access.log", "cannot create logs/access.log: Permission denied"),
        ("kill -0 $PPID", "kill: Operation not permitted"),
    ):
        # A shell of the user's is the parent outside, as the launcher is inside.
        place.file("reports/none", b"")
        outside = place.outside(shell, "-c", f"{shell} -c '{line}'; exit $?")
        assert outside.returncode == 0, (line, errors(outside))
        log.write_bytes(b"a GET /\n")
        inside = place.launch(bundle, shell, "-c", line)
        assert inside.returncode != 0, line
        assert refusal in errors(inside), line
    assert log.read_bytes() == b"a GET /\n"
