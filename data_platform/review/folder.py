"""The folder of one onboarding below the home: the proposed files and what is known of them, step by step.

A step writes its result at once, by renaming a finished file; so a step that was stopped leaves nothing, and a step
that is done is not done again. Only the user of the platform can read the folder, since a trial keeps raw data in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

from data_platform.model.private_path import private_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from data_platform.model.dataset import DatasetId

FOLDER = "onboarding"
FILES = ("dataset.yaml", "policy_bundle.yaml", "baseline.json")
PROPOSAL, TRIAL, REQUEST = "proposal", "trial", "request"
"""The steps whose results the folder has; ``REQUEST`` is what somebody asked for."""
OWN_KEYS = ("key", "stamp")
"""What a step writes beside its result, to know whether it is still the result of the same."""


class OnboardingFolder:
    """``<home>/onboarding/<zone>__<name>``."""

    def __init__(self, home: Path, dataset: DatasetId) -> None:
        self.id = dataset
        self.root = home / FOLDER / dataset.identifier
        self._place = f"datasets/{dataset.zone}/{dataset.name}"

    @property
    def policies(self) -> Path:
        """A policies folder with the proposed dataset alone."""
        return self.root / "policies"

    @property
    def trial(self) -> Path:
        """The home of the trial."""
        return self.root / "trial"

    @property
    def dataset(self) -> Path:
        return self.policies / self._place

    def make(self) -> None:
        private_folder(self.root)
        self.dataset.mkdir(parents=True, exist_ok=True)

    def forget(self) -> None:
        """Removes all but the lock, which this process may hold."""
        for one in self.root.glob("[!.]*"):
            shutil.rmtree(one) if one.is_dir() else one.unlink()

    def forget_trial(self) -> None:
        shutil.rmtree(self.trial, ignore_errors=True)

    def texts(self) -> dict[str, str]:
        """The proposed files by their places in a policies folder, as they are now: people may edit them."""
        return {f"{self._place}/{name}": (self.dataset / name).read_text(encoding="utf-8") for name in FILES}

    def stamp(self) -> str:
        """Changes if somebody edits a proposed file."""
        return digest_of(self.texts())

    def write_texts(self, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            write_whole(self.dataset / name, text)

    def read(self, step: str) -> dict[str, Any] | None:
        """The result of a step; None if it is not done."""
        try:
            return dict(json.loads((self.root / f"{step}.json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None

    def write(self, step: str, result: Mapping[str, Any]) -> None:
        write_whole(self.root / f"{step}.json", json.dumps(result, indent=2, sort_keys=True, default=str))


def digest_of(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


def write_whole(file: Path, text: str) -> None:
    """The file has the whole text or none of it, whenever the process is stopped."""
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    with partial.open("w", encoding="utf-8") as target:
        target.write(text)
        target.flush()
        os.fsync(target.fileno())
    partial.replace(file)
