# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the entries of `expose`, `forward` and `egress` into ports and addresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address

from stockade.diagnostics import Code, Note, Report, quote
from stockade.model.policy import Egress, Expose, Forward, Reach
from stockade.policy.settings import Setting, Settings
from stockade.policy.tree import Array, Node, Scalar, Table
from stockade.source import Span

# What the program's own ports are reached at, inside.
OWN_ADDRESS = "127.0.0.1"
_MOST = 65_535
_DIGITS_OF_MOST = 5
# RFC 1122 and RFC 4291; other addresses that lead back are not taken, mapped ones
# among them.
_LOOPBACK_V4 = IPv4Network("127.0.0.0/8")
_LOOPBACK_V6 = IPv6Address("::1")


@dataclass(frozen=True, slots=True)
class Ports:
    """What a policy says of ports, each list sorted."""

    expose: tuple[Expose, ...]
    forward: tuple[Forward, ...]
    egress: Egress | None


def read_ports(settings: Settings, report: Report) -> Ports:
    """Return the ports of a policy, reporting what cannot be or clashes."""
    exposed = list(_exposed(settings, report))
    forwarded = list(_forwarded(settings, report))
    egress = list(_egress(settings, report))
    _check_exposed(exposed, report)
    _check_forwarded(settings, forwarded, report)
    relayed = [(one.port, span) for one, span in forwarded]
    relayed += [(one.port, span) for one, span in egress]
    _check_own_ports([(one.port, span) for one, span in exposed], relayed, report)
    return Ports(
        tuple(sorted(one for one, _ in exposed)),
        tuple(sorted(one for one, _ in forwarded)),
        next((one for one, _ in egress), None),
    )


def _exposed(settings: Settings, report: Report) -> Iterator[tuple[Expose, Span]]:
    for entry in _entries(settings.get("network.expose")):
        listen = _address(entry, "listen", report)
        port = _port(entry, report)
        if listen and port:
            yield Expose(listen, port), entry.entries["listen"].node.span


def _forwarded(settings: Settings, report: Report) -> Iterator[tuple[Forward, Span]]:
    for entry in _entries(settings.get("network.forward")):
        port = _port(entry, report)
        to = _address(entry, "to", report)
        if port and to:
            yield Forward(port, to), entry.entries["port"].node.span


def _egress(settings: Settings, report: Report) -> Iterator[tuple[Egress, Span]]:
    setting = settings.get("network.egress")
    if setting is None or not isinstance(setting.node, Table):
        return
    port = _port(setting.node, report)
    if _text(setting.node, "auth") == "secret":
        report.add(
            Code.NOT_SUPPORTED_YET,
            "value `secret` of `auth` in `network.egress` is not supported yet",
            setting.node.entries["auth"].node.span,
            advice="this version builds a broker without a secret: leave `auth` out",
        )
    if port:
        reach = Reach(_text(setting.node, "reach") or Reach.PUBLIC)
        yield Egress(port, reach), setting.node.entries["port"].node.span


def _entries(setting: Setting | None) -> Iterator[Table]:
    if setting is not None and isinstance(setting.node, Array):
        yield from (item for item in setting.node.items if isinstance(item, Table))


def _node(entry: Table, name: str) -> Node | None:
    found = entry.entries.get(name)
    return found.node if found else None


def _text(entry: Table, name: str) -> str:
    node = _node(entry, name)
    return str(node.value) if isinstance(node, Scalar) else ""


def _port(entry: Table, report: Report) -> int | None:
    node = _node(entry, "port")
    if not isinstance(node, Scalar) or not isinstance(node.value, int):
        return None
    if 1 <= node.value <= _MOST:
        return node.value
    message = f"a port is a number from 1 to {_MOST}"
    report.add(Code.NOT_A_PORT, message, node.span)
    return None


def _address(entry: Table, name: str, report: Report) -> str | None:
    """Read `ADDRESS:PORT` with an address of the loopback network."""
    node = _node(entry, name)
    if not isinstance(node, Scalar):
        return None
    text = str(node.value)
    host, colon, port = text.rpartition(":")
    digits = port.isascii() and port.isdigit() and len(port) <= _DIGITS_OF_MOST
    if not colon or not digits or not 1 <= int(port) <= _MOST or port.startswith("0"):
        report.add(
            Code.NOT_A_PORT,
            f"{quote(text)} of `{name}` does not end with `:` and a port",
            node.span,
            advice=f"write `ADDRESS:PORT`, with a port from 1 to {_MOST}",
        )
        return None
    address = _loopback(host)
    if address is None:
        report.add(
            Code.NOT_A_LOOPBACK_ADDRESS,
            f"{quote(host)} of `{name}` is no loopback address",
            node.span,
            advice="write one of 127.0.0.0/8, or `[::1]`; names are not looked up",
        )
        return None
    return f"{address}:{port}"


def _loopback(host: str) -> str | None:
    """Write a loopback address in its shortest form, or give None for another."""
    bracketed = host.startswith("[") and host.endswith("]")
    try:
        found = ip_address(host[1:-1] if bracketed else host)
    except ValueError:
        return None
    if isinstance(found, IPv4Address):
        return None if bracketed or found not in _LOOPBACK_V4 else str(found)
    # A zone, as in `::1%lo`, makes it unequal.
    return f"[{found}]" if bracketed and found == _LOOPBACK_V6 else None


def _check_exposed(exposed: list[tuple[Expose, Span]], report: Report) -> None:
    seen: dict[str, Span] = {}
    for one, span in exposed:
        if one.listen == f"{OWN_ADDRESS}:{one.port}":
            report.add(
                Code.PORT_TAKEN,
                f"{quote(one.listen)} is the address that the program listens on",
                span,
                advice="expose it at another port",
            )
        elif one.listen in seen:
            report.add(
                Code.PORT_TAKEN,
                f"{quote(one.listen)} is exposed twice",
                span,
                Note("first here", seen[one.listen]),
            )
        seen.setdefault(one.listen, span)


def _check_forwarded(
    settings: Settings, forwarded: list[tuple[Forward, Span]], report: Report
) -> None:
    ip = settings.get("network.ip")
    relays = settings.get("macos.relays")
    for one, span in forwarded:
        # A private network has a loopback apart from the one it leads to.
        own = one.to == f"{OWN_ADDRESS}:{one.port}"
        if own and ip is not None and ip.word != "private":
            report.add(
                Code.PORT_TAKEN,
                f"port {one.port} would be forwarded to itself",
                span,
                advice="forward another port, or use a private network",
            )
        if relays is not None and relays.word == "ipv4" and one.to.startswith("["):
            report.add(
                Code.CONFLICTING_KEYS,
                f"{quote(one.to)} is no IPv4 address, as `macos.relays` asks for",
                span,
                Note("`macos.relays` is `ipv4` here", relays.node.span),
            )


def _check_own_ports(
    exposed: list[tuple[int, Span]], relayed: list[tuple[int, Span]], report: Report
) -> None:
    """Refuse a port inside that is to be held twice; exposed ones may share one."""
    seen: dict[int, Span] = {}
    for port, span in exposed:
        seen.setdefault(port, span)
    for port, span in relayed:
        if port in seen:
            report.add(
                Code.PORT_TAKEN,
                f"port {port} of the program is used twice",
                span,
                Note("first here", seen[port]),
            )
        seen.setdefault(port, span)
