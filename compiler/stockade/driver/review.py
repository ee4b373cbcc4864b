# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare policies and bundles: read each side, build what is missing, judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.targets import SYSTEM_OF
from stockade.artifact import listing
from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.layout import MAGIC
from stockade.artifact.write import write_all
from stockade.diagnostics import quote
from stockade.driver.compile import back_end
from stockade.driver.targets import chosen_targets
from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import Artifact, Filter, Probe
from stockade.model.key_rows import KeyRowsError
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.path_family import places_on, policy_on
from stockade.model.place import Places
from stockade.model.policy import Policy
from stockade.model.request import CallRequest
from stockade.model.windows_artifact import WindowsArtifact
from stockade.policy.read import read_placed
from stockade.proof.comparison import compare_filters
from stockade.proof.interpreter import NotAProgramError, call_data, run
from stockade.proof.macos_evaluator import MacosEvaluator
from stockade.proof.prover import ProofRefusedError
from stockade.proof.sbpl.place import ProfileRefusedError
from stockade.proof.windows_evaluator import WindowsEvaluator
from stockade.review.calls import answer
from stockade.review.change import Finding
from stockade.review.difference import differences
from stockade.review.judges import Decide, Judges
from stockade.review.page import difference_page, report_page
from stockade.review.page_text import Document
from stockade.review.report import Entry
from stockade.review.sheet_difference import lone_target
from stockade.review.subject import AnySubject, Subject
from stockade.source.visible import visible


class NothingInCommonError(Exception):
    """Two sides have no target that both are for."""


class ClaimRefusedError(Exception):
    """A bundle holds what no policy means, so that nothing can be said of it."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: what it is, and its artifact for each target."""

    document: Document
    subjects: dict[str, AnySubject]

    @property
    def is_policy(self) -> bool:
        """Tell a policy from a bundle, of which there is no text."""
        return self.document.text is not None


def read_side(data: bytes, name: str, wanted: Iterable[str] = ()) -> Side:
    """Read a bundle, or a policy for every target that is wanted, all by default.

    `name` is what the text is called where rules are placed. Raises BundleRefused,
    ClaimRefusedError, PolicyRejected, or TargetsRefusedError where a target cannot
    hold the policy.
    """
    if data.startswith(MAGIC):
        artifact = decode(data)
        _refuse_unreadable(artifact)
        subject = _subject(artifact, _claimed(artifact), Places())
        return Side(Document(name), {artifact.target: subject})
    policy, where = read_placed(data, name)
    return Side(
        # What was read is UTF-8.
        Document(name, data.decode()),
        {
            target: _subject(_built(policy, target), policy, where)
            for target in chosen_targets(policy, wanted, where, name)
        },
    )


def _subject(artifact: AnyArtifact, policy: Policy, where: Places) -> AnySubject:
    system = SYSTEM_OF[artifact.target]
    return Subject(artifact, policy_on(policy, system), places_on(where, system))


def _claimed(artifact: AnyArtifact) -> Policy:
    """Rebuild a bundle's policy; the launcher goes by index where we go by name."""
    if isinstance(artifact, Artifact):
        _refuse_equal_names("classes", [row.name for row in artifact.classes])
        _refuse_equal_names("levels", [level.name for level in artifact.levels])
    try:
        return back_end(artifact.target).claimed(artifact)
    except KeyError as unknown:
        name = quote(str(unknown.args[0]))
        raise ClaimRefusedError(f"class {name} of a grant is no policy's") from None
    except KeyRowsError as fault:
        reason = visible(str(fault))
        raise ClaimRefusedError(f"no policy has these keys: {reason}") from None


def _refuse_unreadable(artifact: AnyArtifact) -> None:
    if isinstance(artifact, MacosArtifact):
        try:
            MacosEvaluator(artifact)
        except ProfileRefusedError as fault:
            reason = visible(str(fault))
            raise ClaimRefusedError(f"the profile cannot be read: {reason}") from None


def _refuse_equal_names(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ClaimRefusedError(f"two {what} are called {quote(name)}")


def _built(policy: Policy, target: str) -> AnyArtifact:
    # One name for both sides: what a policy is called decides nothing.
    made = back_end(target).build(policy, "policy", target, frozenset())
    found: AnyArtifact = canonical(made)
    return found


def load_filter(program: Filter) -> Callable[[CallRequest], str]:
    """Make a filter ready to answer calls: `allow`, or the name of an error.

    What comes back raises ProofRefusedError where the kernel would have refused the
    program.
    """
    code = [(insn.code, insn.jt, insn.jf, insn.k) for insn in program.instructions]
    own = [one.insn for one in program.relocations if one.kind == "own-pid"]

    def answers(request: CallRequest) -> str:
        arch = AUDIT_ARCH.get(request.arch)
        number = int(request.arch, 16) if arch is None else arch
        for at in own:
            code[at] = (*code[at][:3], request.own_pid)
        data = call_data(request.number, number, request.args, 0)
        try:
            return answer(run(code, data))
        except NotAProgramError as fault:
            raise ProofRefusedError(f"not comparable: {fault}", None) from fault

    return answers


def _probe_text(arch: str, probe: Probe) -> str:
    return listing.probe(arch, probe).removeprefix(f"{probe.name}: ")


def decide_by(artifact: AnyArtifact) -> Decide:
    """Make an artifact without kinds of hosts ready to answer requests."""
    match artifact:
        case MacosArtifact():
            return MacosEvaluator(artifact).decide
        case WindowsArtifact():
            return WindowsEvaluator(artifact).decide
        case Artifact():
            raise TypeError("an artifact of Linux answers host by host")


JUDGES = Judges(compare_filters, load_filter, _probe_text, decide_by)


def difference(old: Side, new: Side) -> tuple[Finding, ...]:
    """List what changes between two sides, for every target that both are for.

    A target that one policy has and the other lacks is a change of its own.

    Raises NothingInCommonError, ProofRefusedError where filters cannot be compared,
    and TooManyHostsError.
    """
    shared = [target for target in old.subjects if target in new.subjects]
    if not shared:
        raise NothingInCommonError(
            f"one is for {_list(old)}, the other for {_list(new)}"
        )
    found = [
        finding
        for target in sorted(shared)
        for finding in differences(old.subjects[target], new.subjects[target], JUDGES)
    ]
    if old.is_policy and new.is_policy:
        # A bundle is for one target, and says nothing of others.
        for target in sorted({**old.subjects, **new.subjects}):
            if target not in shared:
                found += lone_target(target, starts=target in new.subjects)
    return tuple(found)


def difference_html(old: Side, new: Side, found: tuple[Entry, ...]) -> str:
    """Make the page of what `difference` found."""
    return difference_page(old.document, new.document, found)


def report_html(side: Side) -> str:
    """Make the page of what one side means."""
    return report_page(side.document, tuple(side.subjects.values()), decide_by)


def write_page(path: Path, text: str) -> None:
    """Write a page, whole or not at all; raise OSError."""
    write_all(path.parent, {path.name: text.encode()})


def _list(side: Side) -> str:
    return " and ".join(f"`{target}`" for target in sorted(side.subjects))
