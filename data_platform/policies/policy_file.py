"""Reads and replaces the files of one dataset's policy as text, for commands that edit them.

A change is validated with all other policies before it is written. A file is replaced as a whole, and only if it is
still the one that was read: what somebody else edits meanwhile is never overwritten.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.errors import PolicyError, UsageError
from data_platform.model.baseline import Baseline
from data_platform.model.policy_bundle import PolicyBundle
from data_platform.policies.document import parse_document
from data_platform.policies.load import load_policies
from data_platform.policies.shape import Model, validate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.model.dataset import DatasetId
    from data_platform.policies.problem import Problem

_BOM = b"\xef\xbb\xbf"
BUNDLE, BASELINE = "policy_bundle.yaml", "baseline.json"


@dataclass(frozen=True)
class PolicyFiles:
    """The folder of one dataset, and the content of its files when they were read; a missing file is not in it."""

    root: Path
    folder: Path
    contents: dict[str, bytes]

    def text(self, name: str) -> str | None:
        """The text of a file, without a byte order mark, line ends as they are; None if there is no such file."""
        content = self.contents.get(name)
        return None if content is None else content.removeprefix(_BOM).decode("utf-8")

    def bundle(self) -> PolicyBundle:
        return self._parsed(BUNDLE, PolicyBundle) or PolicyBundle()

    def baseline(self) -> Baseline | None:
        return self._parsed(BASELINE, Baseline)

    def _parsed(self, name: str, model: type[Model]) -> Model | None:
        text = self.text(name)
        problems: list[Problem] = []
        if text is None:
            return None
        document = parse_document(text, name, problems)
        parsed = validate(document, model, problems) if document else None
        if problems:
            raise PolicyError([str(problem) for problem in problems])
        return parsed


def read_files(root: Path, dataset: DatasetId) -> PolicyFiles:
    """Raises: UsageError, if a file of the dataset cannot be read."""
    folder = root / "datasets" / dataset.zone / dataset.name
    contents = {}
    for name in (BUNDLE, BASELINE):
        try:
            contents[name] = (folder / name).read_bytes()
            contents[name].decode("utf-8")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8"
            raise UsageError(f"{folder / name} cannot be read: {why}") from None
    return PolicyFiles(root, folder, contents)


def require_valid(files: PolicyFiles, texts: Mapping[str, str]) -> None:
    """Validates all policies with ``texts`` in place of the files.

    Raises:
        PolicyError: With every problem; nothing has been written.
    """
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / files.root.resolve().name
        shutil.copytree(files.root, copy, ignore_dangling_symlinks=True)
        for name, text in texts.items():
            (copy / files.folder.relative_to(files.root) / name).write_bytes(text.encode())
        load_policies(copy)


def write_files(files: PolicyFiles, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Replaces the files whose text has changed. Returns their paths.

    Raises:
        UsageError: A file is no longer the one that was read, or cannot be written.
    """
    changed = {name: text for name, text in texts.items() if text != files.text(name)}
    for name in changed:
        _require_unchanged(files, name)
    for name, text in changed.items():
        mark = _BOM if files.contents.get(name, b"").startswith(_BOM) else b""
        _require_unchanged(files, name)
        try:
            _replace((files.folder / name).resolve(), mark + text.encode())
        except OSError as error:
            raise UsageError(f"{files.folder / name} cannot be written: {error.strerror}") from None
    return tuple(files.folder / name for name in changed)


def _require_unchanged(files: PolicyFiles, name: str) -> None:
    path = files.folder / name
    now = path.read_bytes() if path.exists() else None
    if now != files.contents.get(name):
        raise UsageError(f"{path} was edited meanwhile, and is left as it is: run the command again")


def _replace(path: Path, content: bytes) -> None:
    """Readers see the old or the new content, also after a crash."""
    number, name = tempfile.mkstemp(prefix=".", suffix=f".{path.name}", dir=path.parent)
    partial = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
