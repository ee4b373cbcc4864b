# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Change policies as their authors and their enemies might: by lines, keys, values.

Half of the changes keep the text TOML, so that they reach what lies behind the
reader of TOML; a byte fuzzer alone stays in front of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from stockade.policy.format import FALLBACK, KEYS, LEVEL_WORDS, TABLES, Key, Kind

_ROOT = Path(__file__).resolve().parents[2]

_PATHS = (
    *('"/"', '"/usr/lib"', '"/srv/in"', '"/srv/in/below"', '"/srv/in/"', '"//srv"'),
    *('"/srv/../etc"', '"relative"', '"~/x"', '""', '"/a\\u0000b"', '"/\\u202Ex"'),
    *('"/proc/self"', '"/dev/null"', '"/srv/*"', "'/it''s'", '"/é"', '"/a\\nb"'),
    *("'C:\\srv'", "'c:/SRV/x'", "'C:x'", "'\\\\server\\x'", "'C:\\nul'", "'C:\\a:b'"),
)
_TEXTS = ('"127.0.0.1:1"', '"[::1]:2"', '"0.0.0.0:1"', '"127.0.0.1"', '"example.app"')
_PORTS = ("1", "2", "65535", "65536", "0")
_SCALARS = (
    *("1", "0", "-1", "65536", "9223372036854775808", "1e400", "nan", "0x_1", "1_0"),
    *("true", "false", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", '"none"'),
    *('"""\na"""', "''''''", '"\\uD800"', '"\\U0010FFFF"', "[]", "{}", "[[]]"),
    *("[1, 'a']", "{a = 1}", "{a.b = 1}", '"A=B"', '"1x"', '"PATH"', "{PATH = '/'}"),
)
_LINES = (
    *("version = 1", "version = 2", "[filesystem]", "[[filesystem]]", "[[fallback]]"),
    *("[process]", "[environment.set]", "[a.b.c]", "# note", "", "[", "]", "=", '"'),
    *("name = 'strict'", "[fallback.process]", "filesystem.read = []", "\ufeff", "\r"),
)

# Sound policies of what the golden cases, which are for Linux, do not have.
OF_SYSTEMS = (
    """version = 1
[filesystem]
read = ["/srv/in", 'C:\\srv\\in']
read_exec = ["/opt/tools", 'C:\\tools']
read_write = ["/srv/out", 'C:\\srv\\out']
project_files = "protected"
project_write = ["/srv/out"]
[network]
ip = "private"
expose = [{ listen = "127.0.0.1:18080", port = 8080 }]
forward = [{ port = 18081, to = "127.0.0.1:8081" }]
egress = { port = 1080, reach = "public" }
[process]
signals = "isolated"
children = "contained"
[macos]
relays = "ipv4"
""",
    """version = 1
[filesystem]
read_exec = ['/opt/tools', 'C:\\tools']
read_write = ['C:\\srv\\out', 'D:\\data']
[network]
ip = "client"
[process]
children = "none"
[environment]
pass = ["LANG"]
set = { HOME = 'C:\\srv\\out' }
[macos]
mach_services = ["com.apple.trustd.agent"]
[windows]
appcontainer_name = "example.app"
win32k = "deny"
junctions = "refuse"
""",
)


def seeds() -> list[bytes]:
    """Return the policies of the golden cases and the examples, in a fixed order."""
    found = [
        *sorted(_ROOT.glob("tests/golden/cases/*/policy.toml")),
        *sorted(_ROOT.glob("docs/examples/*.toml")),
    ]
    texts = [_everything(), *OF_SYSTEMS]
    return [path.read_bytes() for path in found] + [text.encode() for text in texts]


def dictionary() -> str:
    """Return words for a byte fuzzer, in libFuzzer's form."""
    words = [*TABLES, FALLBACK, *LEVEL_WORDS.values(), "version = 1", '"""', "'''"]
    for key in KEYS.values():
        words += [key.name, key.path, *key.words, *(key.members or {})]
    return "".join(f'"{_escaped(word)}"\n' for word in dict.fromkeys(words))


def changed(data: bytes, chance: random.Random) -> bytes:
    """Return a policy with one to four changes."""
    lines = data.decode(errors="surrogateescape").split("\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        chance.choice(_CHANGES)(lines, chance)
    return "\n".join(lines).encode(errors="surrogateescape")


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace('"', '\\"')


def _everything() -> str:
    """Return a policy that names every key with its strictest value."""
    chance = random.Random(1)
    parts = ["version = 1"]
    for table, keys in TABLES.items():
        parts += [f"[{table}]", *(_assignment(key, chance) for key in keys.values())]
    return "\n".join(parts) + "\n"


def _value(key: Key, chance: random.Random) -> str:
    """Return a value of the key's kind, as TOML."""
    if key.kind is Kind.WORD:
        return f'"{chance.choice(key.words)}"'
    if key.kind in {Kind.PATHS, Kind.NAMES}:
        pool = _PATHS if key.kind is Kind.PATHS else ('"LANG"', '"A"', '"A=B"', '""')
        return f"[{', '.join(chance.choices(pool, k=chance.randrange(4)))}]"
    if key.kind is Kind.VALUES:
        return chance.choice(('{ HOME = "/" }', "{ A = 1 }", "{}", '{ "" = "" }'))
    if key.members:
        pairs = (f"{name} = {_value(one, chance)}" for name, one in key.members.items())
        entry = "{ " + ", ".join(pairs) + " }"
        return f"[{entry}]" if key.kind is Kind.ENTRIES else entry
    pools = {Kind.FLAG: ("true", "false"), Kind.PORT: _PORTS, Kind.TEXT: _TEXTS}
    return chance.choice(pools[key.kind])


def _assignment(key: Key, chance: random.Random) -> str:
    value = _value(key, chance) if chance.random() < 0.8 else chance.choice(_SCALARS)
    return f"{key.name} = {value}"


def _add_key(lines: list[str], chance: random.Random) -> None:
    key = chance.choice(list(KEYS.values()))
    if chance.random() < 0.3:
        lines.insert(1, f"{key.path} = {_value(key, chance)}")
        return
    headers = [n for n, line in enumerate(lines) if line == f"[{key.table}]"]
    at = headers[0] + 1 if headers else len(lines)
    lines[at:at] = ([] if headers else [f"[{key.table}]"]) + [_assignment(key, chance)]


def _change_value(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    name, equals, _ = lines[at].partition("=")
    if equals:
        lines[at] = f"{name}= {chance.choice((*_SCALARS, *_PATHS))}"


def _move_line(lines: list[str], chance: random.Random) -> None:
    line = lines[chance.randrange(len(lines))]
    lines.insert(chance.randrange(len(lines) + 1), line)


def _drop_line(lines: list[str], chance: random.Random) -> None:
    if len(lines) > 1:
        lines.pop(chance.randrange(len(lines)))


def _add_line(lines: list[str], chance: random.Random) -> None:
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(_LINES))


def _cut_line(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]


def _repeat_line(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    lines[at:at] = [lines[at]] * chance.choice((2, 40))


_CHANGES: Sequence[Callable[[list[str], random.Random], None]] = (
    _add_key,
    _add_key,
    _change_value,
    _move_line,
    _drop_line,
    _add_line,
    _cut_line,
    _repeat_line,
)
