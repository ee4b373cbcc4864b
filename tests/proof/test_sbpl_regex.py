# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the matcher of profiles' expressions with Python's own."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stockade.proof.sbpl.place import UnreadableArgumentError
from stockade.proof.sbpl.regex import Expression

_ATOMS = st.sampled_from(
    ["a", "b", "/", ".", "[ab]", "[^a]", "[a-c/]", "\\.", "^", "$"]
)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from("*+?")).map(
            lambda pair: f"({pair[0]}){pair[1]}"
        ),
    )


_EXPRESSIONS = st.recursive(_ATOMS, _grown, max_leaves=8)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(_EXPRESSIONS, st.text("abc/.", max_size=8))
def test_expressions_match_what_they_match_elsewhere(
    expression: str, text: str
) -> None:
    # `\Z` is what `$` means where lines are not looked at.
    theirs = re.search(expression.replace("$", "\\Z"), text, re.DOTALL)
    assert Expression(expression).search(text) is bool(theirs)


@pytest.mark.parametrize(
    "expression",
    ["*a", "(", ")", "[a", "a\\", "[z-a]", "[[:alpha:]]", "a{1}", "\\w", "|*"],
)
def test_expressions_that_are_none_are_refused(expression: str) -> None:
    with pytest.raises(UnreadableArgumentError):
        Expression(expression)


@pytest.mark.parametrize("expression", ["", "a||b", "()", "[]a]", "[^]]", "a|"])
def test_odd_expressions_are_read(expression: str) -> None:
    assert not Expression(expression).is_void
