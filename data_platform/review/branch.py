"""Hands the proposed files over for review: a commit on a branch of its own, or a folder if there is no repository.

The commit is made from texts by ``git fast-import``, which reads and changes neither the index nor the work tree: what
somebody is editing there stays as it is. A repetition with the same texts makes no second commit.
"""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem, UsageError
from data_platform.review.folder import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SECONDS = 60


@dataclass(frozen=True)
class Review:
    """Where the files wait: ``branch`` with its ``commit``, or ``folder`` and ``why`` there is no branch."""

    branch: str = ""
    commit: str = ""
    folder: str = ""
    why: str = ""

    @property
    def place(self) -> str:
        return f"git branch {self.branch} ({self.commit[:12]})" if self.branch else f"folder {self.folder}"


class GitError(Exception):
    """git refused; the text is its own."""


def hand_over(policies: Path, texts: Mapping[str, str], *, name: str, author: str, fallback: Path) -> Review:
    """Commits ``texts``, by their places below ``policies``, to branch ``onboard/<name>``; else writes ``fallback``.

    Raises:
        UsageError: The branch is checked out, so that a commit would change what somebody works with.
        EnvironmentProblem: git is there, and cannot make the commit.
    """
    try:
        prefix = _prefix(policies)
    except (GitError, OSError) as error:
        for place, text in texts.items():
            target = fallback / place
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, text)
        return Review(folder=str(fallback), why=str(error))
    branch = f"onboard/{name}"
    try:
        return Review(branch=branch, commit=_committed(policies, prefix, texts, branch, author))
    except (GitError, OSError) as error:
        raise EnvironmentProblem(f"git could not make branch {branch}: {error}") from None


def _prefix(policies: Path) -> str:
    """The path of ``policies`` in its repository."""
    if not policies.is_dir():
        raise GitError(f"{policies} does not exist")
    prefix = _git(policies, "rev-parse", "--show-prefix").strip()
    if _answers(policies, "check-ignore", "-q", "."):
        raise GitError(f"the repository around {policies} ignores it")
    return prefix


def _committed(policies: Path, prefix: str, texts: Mapping[str, str], branch: str, author: str) -> str:
    """The commit of the branch that has ``texts``: the present one, if it has them already."""
    ref = f"refs/heads/{branch}"
    if f"branch {ref}\n" in _git(policies, "worktree", "list", "--porcelain"):
        raise UsageError(f"the branch {branch} is checked out: check out another one, and run this again")
    parent = next((one for one in (ref, "HEAD") if _answers(policies, "rev-parse", "-q", "--verify", one)), "")
    paths = {f"{prefix}{place}": text for place, text in texts.items()}
    if parent == ref and all(_text_at(policies, ref, path) == text for path, text in paths.items()):
        return _git(policies, "rev-parse", ref).strip()
    base = _git(policies, "rev-parse", parent).strip() if parent else ""
    _git(policies, "fast-import", "--quiet", stdin=_stream(ref, base, _identity(policies, author), paths))
    return _git(policies, "rev-parse", ref).strip()


def _stream(ref: str, base: str, identity: str, paths: Mapping[str, str]) -> bytes:
    name = ref.rpartition("onboard/")[2]
    message = f"Onboard {name}: its policy as proposed from a profile of its deliveries\n".encode()
    lines = [f"commit {ref}\ncommitter {identity}\ndata {len(message)}\n".encode(), message]
    if base:
        lines.append(f"from {base}\n".encode())
    for path, text in paths.items():
        content = text.encode()
        lines += [f"M 100644 inline {path}\ndata {len(content)}\n".encode(), content, b"\n"]
    return b"".join([*lines, b"\n", b"done\n"])


def _identity(policies: Path, author: str) -> str:
    """The identity that git is configured with; else the name of who onboards."""
    try:
        return _git(policies, "var", "GIT_COMMITTER_IDENT").strip()
    except GitError:
        plain = "".join(sign for sign in author if sign.isalnum() or sign in " ._-") or "data-platform"
        return f"{plain} <{plain.replace(' ', '.')}@localhost> {int(time.time())} +0000"


def _text_at(policies: Path, ref: str, path: str) -> str | None:
    try:
        return _git(policies, "show", f"{ref}:{path}")
    except GitError:
        return None


def _answers(policies: Path, *words: str) -> bool:
    try:
        _git(policies, *words)
    except GitError:
        return False
    return True


def _git(policies: Path, *words: str, stdin: bytes | None = None) -> str:
    command = ("git", "-C", str(policies), *words)
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603
    if done.returncode:
        raise GitError(done.stderr.decode(errors="replace").strip() or f"git {words[0]} failed")
    return done.stdout.decode(errors="replace")
