# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check the Scheme that macOS profiles are written in, and its strings and numbers."""

from __future__ import annotations

import pytest
from sbpl_profiles import HEAD, allows, refusal

from stockade.proof.sbpl.context import context_of
from stockade.proof.sbpl.profile import read_profile

READ = "file-read-data"


def _worth(expression: str, **parameters: str) -> bool:
    """Tell whether an expression is true, by a rule that depends on it."""
    profile = read_profile(
        f"{HEAD}(if {expression} (allow file-read*))", parameters, strict=True
    )
    return profile.decide(READ, context_of({"path": "/a"})).allowed


@pytest.mark.parametrize(
    "expression",
    [
        "(and 1 (not #f) (or #f 2))",
        "0",
        '""',
        "(let ((a 1) (b 2)) (= (+ a b) 3))",
        "(let* ((a 1) (b (+ a 1))) (= b 2))",
        "(letrec ((f (lambda (n) (if (= n 0) #t (f (- n 1)))))) (f 1000))",
        "(let loop ((i 0)) (if (< i 2000) (loop (+ i 1)) (= i 2000)))",
        "(cond ((= 1 2) #f) ((= 1 1) #t) (else #f))",
        "(cond (#f #t) (else #t))",
        '(string=? (string-append "a" "b") "ab")',
        '(string=? (substring "abcd" 1 3) "bc")',
        '(string=? (substring "abcd" 2) "cd")',
        '(= (string-length "abc") 3)',
        '(= (string->number "14") 14)',
        '(not (string->number "x"))',
        '(string=? (number->string 14) "14")',
        "(= (* 2 3) 6)",
        "(= (quotient -7 2) -3)",
        "(= (modulo -7 2) 1)",
        "(< 1 2 3)",
        '(equal? "a" "a")',
        "(equal? 'a 'a)",
        '(not (equal? 1 "1"))',
        "(= (length (list 1 2 3)) 3)",
        "(null? (cdr (list 1)))",
        "(= (apply + 1 (list 2 3)) 6)",
        "(= (car (map (lambda (x) (+ x 1)) (list 1))) 2)",
        "(= ((lambda args (length args)) 1 2 3) 3)",
        "(= #o10 8)",
        "(= #x10 16)",
        "(defined? 'path)",
        "(not (defined? 'no-such-name))",
        "(begin (define x 1) (set! x 2) (= x 2))",
        "(begin (define (f a . rest) (length rest)) (= (f 1 2 3) 2))",
        '(string=? "a\\"b" (string-append "a" "\\"" "b"))',
        '(string=? "\\x41;\\101" "A;A")',
        '(= (string-length "\\n\\t\\r\\\\") 4)',
        '(string=? #"a\\b" "a\\\\b")',
    ],
)
def test_expressions_have_the_worth_they_should(expression: str) -> None:
    assert _worth(expression)


@pytest.mark.parametrize("expression", ["#f", "(and 1 #f)", "(= 1 2)", "(or #f #f)"])
def test_only_false_is_false(expression: str) -> None:
    assert not _worth(expression)


def test_parameters_are_texts_and_false_where_they_are_missing() -> None:
    assert _worth('(string=? (param "A") "x")', A="x")
    assert not _worth('(param "A")')
    profile = read_profile('(version 1)(if (param "A") (param "B"))', {"A": ""})
    assert profile.parameters == ("A", "B")


def test_parameters_are_never_read_as_rules() -> None:
    evil = '/a")) (allow default) (literal "'
    profile = read_profile(
        f'{HEAD}(allow file-read* (subpath (param "A")))', {"A": evil}
    )
    assert not profile.decide(READ, context_of({"path": "/a"})).allowed
    assert profile.decide(READ, context_of({"path": evil})).allowed


def test_procedures_of_a_profile_make_rules() -> None:
    profile = (
        "(define (grant . paths)"
        " (allow file-read* (apply require-any (map literal paths))))"
        '(grant "/a" "/b")'
    )
    assert allows(profile, READ, "/b")
    assert not allows(profile, READ, "/c")


def test_names_of_the_language_may_be_defined_anew() -> None:
    assert allows(
        '(define (path x) (literal x))(allow file-read* (path "/a"))', READ, "/a"
    )


def test_a_quoted_part_of_an_expression_is_literal() -> None:
    profile = '(allow file-read* (regex (string-append "^" (regex-quote "/a.b+") "/")))'
    assert allows(profile, READ, "/a.b+/x")
    assert not allows(profile, READ, "/aXbb/x")


def test_comments_and_lines_are_nothing() -> None:
    assert allows('; (deny file*)\n(allow file-read*) ;"', READ, "/a")


def test_an_imported_text_adds_its_rules() -> None:
    text = f'{HEAD}(import "more.sb")'
    profile = read_profile(text, imports={"more.sb": "(version 1)(allow file-read*)"})
    found = profile.decide(READ, context_of({"path": "/a"}))
    assert str(found) == "`more.sb`, line 1, column 12: (allow file-read*)"
    assert profile.remarks == ()


@pytest.mark.parametrize(
    ("profile", "remark"),
    [
        ("(allow default)", "no version is specified"),
        ("(version 3)", "what version 3 allows"),
        ('(version 1)(import "system.sb")', "`system.sb` is not at hand"),
        ("(version 1)#| |#", "comments of several lines"),
        ('(version 1)(deny file* (subpath "/a/"))', "ends in a slash"),
        ('(version 1)(deny file* (regex #"(?i)a"))', "reported to match nothing"),
        ('(version 1)(deny file* (regex "[\\.]"))', "what `\\.` stands for"),
        ('(version 1)(deny file* (path-ancestors "/"))', "nothing lies above"),
        ("(version 1)(deny syscall-unix (syscall-number SYS_x))", "`SYS_x` exists"),
    ],
)
def test_what_nobody_can_be_sure_of_is_remarked(profile: str, remark: str) -> None:
    """Public profiles do it, so it is read; `strict` refuses it."""
    found = read_profile(profile).remarks
    assert len(found) == 1
    assert remark in found[0].text
    assert refusal(profile).place == found[0].place
