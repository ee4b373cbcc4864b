# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check what is refused in a macOS profile, where, and that hostile ones are cheap."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sbpl_profiles import HEAD, refusal

from stockade.proof.sbpl.context import TooCostlyError, context_of
from stockade.proof.sbpl.place import ProfileRefusedError
from stockade.proof.sbpl.profile import read_profile


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (
            '(allow file-read-data (sysctl-name "a"))',
            "`sysctl-name` does not apply to `file-read-data`",
        ),
        (
            '(allow process-fork (literal "/a"))',
            "`path` does not apply to `process-fork`",
        ),
        ('(allow default (literal "/a"))', "`path` does not apply to `default`"),
        ("(deny file* (with no-log) (with no-report))", "`no-report` stands twice"),
        ("(deny file* (with report))", "`deny` does not take `report`"),
        ("(allow file* (with no-log))", "`allow` does not take `no-report`"),
        ("(allow file* (with no-sandbox))", "`file*` does not take `no-sandbox`"),
        ("(deny file* (with send-signal))", "`send-signal` takes 1 argument"),
        ("(allow file-reed)", "`file-reed` is not defined"),
        ("(allow)", "names no operation"),
        ("(allow file* 123)", "123 is neither operation, filter nor modifier"),
        ("(allow file* (literal #f))", "not an undefined parameter"),
        ("(allow file* (literal))", "needs a string"),
        (
            '(allow network* (remote ip "203.0.113.7:80"))',
            "neither `*` nor `localhost`",
        ),
        ('(allow network* (remote ip "localhost:0"))', "port 0 does not compile"),
        ('(allow network* (remote ip "localhost:65536"))', "port 65536 does not"),
        ('(allow network* (remote ip "localhost"))', "is no address"),
        ("(allow network* (remote icmp))", "`icmp` is not defined"),
        ("(allow file* (vnode-type PIPE))", "`PIPE` is not defined"),
        ("(deny file-ioctl (ioctl-command TIOCSTI))", "`TIOCSTI` is not defined"),
        ('(allow file* (regex #"(a"))', "group has no end"),
        ('(allow file* (regex #"a{2}"))', "whether `{` repeats"),
        ('(allow file* (regex #"\\d"))', "what `\\d` means"),
        ("(version 2)", "only one version may be specified"),
        ("(version 4)", "the version is not 1, 2 or 3"),
        ("(trace 1)", "needs a string"),
        ('(trace "a")(trace "b")', "only one trace path"),
        ("(with-operations (file*) (allow))", "known by name only"),
        ('(error "no")', "gives up: no"),
        ('(string-append "a" 1)', "needs a string, not 1"),
        ('(string-append (param "P"))', "needs a string, not #f"),
        ("((lambda (a) a))", "takes 1 arguments, not 0"),
        ('("a")', "is no procedure"),
        ("()", "an empty list calls nothing"),
        ("(if)", "`if` is not written like this"),
        ("(set! never 1)", "`never` is not defined"),
        ("(quotient 1 0)", "another than 0"),
        ("(allow file*", "never closed"),
        (")", "closes nothing"),
        ('"abc', "string has no end"),
        ("#| abc", "comment has no end"),
        ("`a", "is not read here"),
        ("\0", "zero byte"),
        ('"\\0"', "character 0"),
    ],
)
def test_a_refusal_says_why_and_where(rule: str, why: str) -> None:
    found = refusal(f"{HEAD}\n  {rule}")
    assert why in found.why
    assert found.place.line == 2
    assert found.place.column >= 3
    assert str(found).startswith("line 2, column ")


def test_the_place_is_that_of_the_innermost_call() -> None:
    found = refusal('(version 1)\n(allow file*\n  (subpath "/ok")\n  (literal 3))')
    assert str(found.place) == "line 4, column 3"


def test_version_2_has_no_debug() -> None:
    with pytest.raises(ProfileRefusedError, match="`debug` is not defined"):
        read_profile("(version 2)(debug deny)")
    assert read_profile("(version 1)(debug deny)").rules == ()


def test_a_rule_has_room_for_so_many_bytes() -> None:
    paths = [f'(literal "/{"p" * 80}/{number:04}")' for number in range(1000)]
    whole = f"(allow file-read* {' '.join(paths)})"
    assert "write several rules" in refusal(HEAD + whole).why
    half = f"(allow file-read* {' '.join(paths[:500])})"
    assert len(read_profile(HEAD + half, strict=True).rules) == 2


def test_equal_neighbours_may_be_one_rule() -> None:
    """Two files with half of a list each did not compile either (NixOS/nix#4119)."""
    paths = [f'(literal "/{"p" * 80}/{number:04}")' for number in range(1000)]
    halves = [
        f"(allow file-read* {' '.join(half)})" for half in (paths[:500], paths[500:])
    ]
    assert "some compilers of Apple's join them" in refusal(HEAD + "".join(halves)).why
    parted = '(deny file-read* (literal "/p"))'.join(halves)
    assert len(read_profile(HEAD + parted, strict=True).rules) == 4


_NESTED = '(define f (literal "/a"))'
HOSTILE = {
    "deep lists": "(" * 5000,
    "deep quotes": "'" * 5000 + "a",
    "endless loop": "(let loop () (loop))",
    "endless recursion": "(define (f) (+ 1 (f)))(f)",
    "recursion by map": "(define (f x) (map f (list x)))(f 1)",
    "long strings": '(let loop ((s "aaaaaaaa")) (loop (string-append s s)))',
    "long lists": "(let loop ((l (list 1 2))) (loop (append l l)))",
    "large numbers": "(let loop ((n 10)) (loop (* n n)))",
    "large literal": "9" * 19 + "9",
    "deep filters": f"{_NESTED}(let loop () (set! f (require-not f)) (loop))",
    "wide filters": f"{_NESTED}(let loop () (set! f (require-all f f)) (loop))",
    "paths of itself": '(define a (literal "/a"))'
    + "(define a (require-any a a))" * 40,
    "long way": '(define p "' + "/a" * 900_000 + '")(allow file* (path-ancestors p))',
    "many ways": '(define p "'
    + "/a" * 900
    + '")(list'
    + " (path-ancestors p)" * 80
    + ")",
    "many rules": f"{_NESTED}(let loop () (allow file* f) (loop))",
    "many expressions": '(let loop () (regex "%s") (loop))' % ("a" * 2000),
    "own import": '(import "me.sb")',
    "long expression": '(allow file* (regex "' + "a" * 5000 + '"))',
    "deep expression": '(allow file* (regex "' + "(" * 900 + '"))',
    "many escapes": '"' + "\\n" * 100_000,
    "shared lists": "(let loop ((l (list 1))) (loop (list l l)))",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_profiles_are_refused_in_bounded_time(name: str) -> None:
    text = HOSTILE[name]
    before = time.process_time()
    with pytest.raises(ProfileRefusedError) as caught:
        read_profile(HEAD + text, imports={"me.sb": text})
    assert str(caught.value)
    # Generous: the slowest takes a second where nothing else runs.
    assert time.process_time() - before < 20


def test_a_decision_has_a_limit() -> None:
    """A profile of ours never meets it: what a path begins with is compared at once."""
    rules = "".join(f'(deny file* (regex "(a|b)*c{number}"))' for number in range(2000))
    profile = read_profile(HEAD + rules)
    with pytest.raises(TooCostlyError):
        profile.decide("file-read-data", context_of({"path": "ab" * 2000}))
    assert not profile.decide("file-read-data", context_of({"path": "/a"})).allowed


@pytest.mark.parametrize("text", ["(a*)*b", "(a|a)*b", "(a|aa)+$", "a*a*a*a*a*a*b"])
def test_no_expression_makes_a_decision_slow(text: str) -> None:
    profile = read_profile(f'{HEAD}(allow file* (regex "^{text}$"))')
    context = context_of({"path": "a" * 4000 + "c"})
    before = time.process_time()
    assert not profile.decide("file-read-data", context).allowed
    assert time.process_time() - before < 5


def test_a_name_longer_than_any_real_one_is_no_context() -> None:
    with pytest.raises(ValueError, match="4096"):
        context_of({"path": "/" + "a" * 5000})


_PIECES = st.sampled_from(
    [
        *("(", ")", "'", '"', '#"', "\\", ";", "\n", " ", "#|", "|#", "#t", "#f", "."),
        *("(allow ", "(deny ", "file*", "default", "(version 1)", '(literal "/a")'),
        *("(define ", "(lambda ", "(let ", "(if ", "(with ", "no-log", "(regex ", "a"),
        *("(require-all ", "(map ", "(apply ", "(list ", "1", "-", "(param ", '"P"'),
    ]
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(_PIECES, max_size=40).map("".join))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    try:
        profile = read_profile(text, {"P": "/p"})
    except ProfileRefusedError as fault:
        assert fault.place.line >= 1
        assert fault.place.column >= 1
    else:
        profile.decide("file-read-data", context_of({"path": "/a"}))
