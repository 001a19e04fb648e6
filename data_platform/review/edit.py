"""Stores an edit of proposed files, once they are a valid policy of the same dataset."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from data_platform.errors import ConflictError, PolicyError
from data_platform.policies import load_policies
from data_platform.settings import exclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from data_platform.policies import Dataset
    from data_platform.review.folder import OnboardingFolder


def store_edit(
    folder: OnboardingFolder, texts: Mapping[str, str], *, stamp: str, check: Callable[[Dataset], None]
) -> bool:
    """Whether ``texts``, by names of files, changed anything. ``check`` may refuse the edited dataset.

    Raises:
        ConflictError: The files are not those of ``stamp`` any more.
        PolicyError: They are wrong; nothing is stored.
    """
    with exclusive(folder.root):
        before = folder.texts()
        if stamp != folder.stamp():
            raise ConflictError(
                "the proposed files were changed since you opened the page, perhaps in another tab: open it again, and "
                "edit them there"
            )
        with TemporaryDirectory(dir=folder.root, prefix=".edit-") as draft:
            check(_read(folder, Path(draft), texts))
        folder.write_texts(texts)
        return folder.texts() != before


def _read(folder: OnboardingFolder, draft: Path, texts: Mapping[str, str]) -> Dataset:
    """Raises: PolicyError."""
    shutil.copytree(folder.policies, draft, dirs_exist_ok=True)
    target = draft / folder.dataset.relative_to(folder.policies)
    for name, text in texts.items():
        (target / name).write_text(text, encoding="utf-8")
    try:
        return load_policies(draft).dataset(folder.id.urn)
    except PolicyError as error:
        raise PolicyError([problem.replace(f"{draft}/", "") for problem in error.problems]) from None
