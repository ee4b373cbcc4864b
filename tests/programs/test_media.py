# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Convert pictures and sounds confined, also such as try to reach beyond."""

from __future__ import annotations

from pathlib import Path

from place import Place, errors, program, succeeded

PICTURE = "P3 4 2 255\n" + "255 0 0 " * 4 + "0 0 255 " * 4 + "\n"


def convert(place: Place, bundle: Path) -> None:
    """Scale a picture and change its format, within ImageMagick's own limits."""
    source = place.file("pictures/one.ppm", PICTURE.encode())
    target = place.folder("converted") / "one.png"
    tool = program("convert")
    succeeded(place.launch(bundle, tool, source, "-sample", "2x2", target))
    size = succeeded(place.outside(program("identify"), "-format", "%m %wx%h", target))
    assert size.stdout == b"PNG 2x1"
    # Debian's settings refuse PostScript, since drawing it runs another program.
    refused = place.launch(bundle, tool, source, f"{place.root}/converted/one.ps")
    assert "not allowed by the security policy `PS'" in errors(refused)


def test_imagemagick(place: Place) -> None:
    convert(place, place.bundle("imagemagick"))
    place.tight("imagemagick", lambda bundle: convert(place, bundle))


def test_imagemagick_reads_nothing_beside_the_pictures(place: Place) -> None:
    """A picture that draws in another file: the file is shown outside, not inside."""
    bundle, tool = place.bundle("imagemagick"), program("convert")
    beside = place.file("beside/private.ppm", PICTURE.encode())
    drawing = f"viewbox 0 0 4 2 image Over 0,0 4,2 '{beside}'\n"
    hostile = place.file("pictures/hostile.mvg", drawing.encode())
    target = place.folder("converted") / "shown.ppm"
    plain = ("-depth", "8", "-compress", "none")

    succeeded(place.outside(tool, f"mvg:{hostile}", *plain, target))
    assert "255 0 0" in target.read_text()
    target.unlink()
    refused = place.launch(bundle, tool, f"mvg:{hostile}", *plain, target)
    assert refused.returncode == 1
    assert "255 0 0" not in target.read_text()
    directly = place.launch(bundle, tool, beside, target)
    beside.chmod(0)
    # Its messages get another error number, the same as for a mode that forbids it.
    message = errors(place.outside(tool, beside, target))
    assert f"unable to open image `{beside}'" in message
    assert errors(directly) == message
    assert f"unable to open image `{beside}'" in errors(refused)

    onto = place.launch(bundle, tool, "xc:red", f"mvg:{hostile}")
    assert f"unable to open image `{hostile}'" in errors(onto)
    assert hostile.read_text() == drawing


def resample(place: Place, bundle: Path) -> None:
    """Halve the rate of a recording."""
    sox = program("sox")
    source = place.folder("recordings") / "one.wav"
    if not source.exists():
        tone = ("-r", "8000", "-n", source, "synth", "1", "sine", "440")
        succeeded(place.outside(sox, *tone))
    target = place.folder("converted") / "one.wav"
    succeeded(place.launch(bundle, sox, "-D", source, "-r", "4000", target))
    rate = succeeded(place.outside(sox, "--i", "-r", target))
    assert rate.stdout == b"4000\n"
    target.unlink()


def test_sox(place: Place) -> None:
    resample(place, place.bundle("sox"))
    place.tight("sox", lambda bundle: resample(place, bundle))


def test_sox_runs_no_command(place: Place) -> None:
    """A file name may be a command; outside it is run, inside it is not started."""
    bundle, sox = place.bundle("sox"), program("sox")
    place.folder("recordings")
    target = place.folder("converted") / "raw.raw"
    raw = ("-t", "raw", "-r", "8000", "-b", "8", "-e", "unsigned", "-c", "1")
    command = (*raw, f"|cat {place.secret}", *raw, target)
    succeeded(place.outside(sox, "-D", *command))
    assert target.read_bytes() == place.secret.read_bytes()
    target.unlink()

    refused = place.launch(bundle, sox, "-D", *command)
    assert refused.returncode == 2
    # The C library reports every failure of its `posix_spawn` here as this one.
    assert "can't open input pipe" in errors(refused)
    assert not target.exists()
    beside = place.launch(bundle, sox, "-D", *raw, place.secret, *raw, target)
    assert f"`{place.secret}': Permission denied" in errors(beside)
