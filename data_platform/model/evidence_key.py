"""The secret key with which evidence is sealed: the first record makes it, and it is never replaced silently.

The file holds the key of new records. A key that was replaced is kept beside it as ``<file>.<key id>``, and still
verifies what it sealed. ``<file>.<key id>.lost`` notes that somebody gave a key up.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem
from data_platform.model.key_file import KEY_BYTES, id_of, make_key, read_key, sync_folder
from data_platform.model.private_path import private_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class EvidenceKey:
    id: str
    secret: bytes = field(repr=False)

    def mac(self, text: str) -> str:
        """HMAC-SHA256 of ``text``, in hexadecimal digits."""
        return hmac.digest(self.secret, text.encode(), hashlib.sha256).hex()

    def matches(self, text: str, mac: str) -> bool:
        return hmac.compare_digest(self.mac(text), mac)


@dataclass(frozen=True)
class EvidenceKeys:
    """The keys in and beside ``file``."""

    file: Path

    def current(self, in_use: Iterable[str]) -> EvidenceKey:
        """The key of new records. ``in_use`` are the ids of keys that the catalog needs; if there is none, one is made.

        Raises:
            EnvironmentProblem: A key in use is not there, or the file cannot be read or made.
        """
        key = self._read(self.file)
        missing = sorted(set(in_use) - ({key.id} if key else set()))
        missing = [key_id for key_id in missing if self.find(key_id) is None and not self.is_lost(key_id)]
        if missing:
            state = f"holds key {key.id}" if key else "does not exist"
            raise EnvironmentProblem(
                f"the evidence was sealed with key {missing[0]}, and {self.file} {state}: put that key back there, or "
                f"in {self._beside(missing[0])} if it was replaced, or name its file in "
                "DATA_PLATFORM_EVIDENCE_KEY_FILE. If it is lost, run `data-platform evidence rekey --lost`"
            )
        return key or self._make()

    def find(self, key_id: str) -> EvidenceKey | None:
        """The key with this id; None if it is neither in the file nor beside it.

        Raises:
            EnvironmentProblem: A file cannot be read.
        """
        for file in (self.file, self._beside(key_id)):
            if (key := self._read(file)) is not None and key.id == key_id:
                return key
        return None

    def is_lost(self, key_id: str) -> bool:
        return self._lost(key_id).exists()

    def replace(self) -> EvidenceKey:
        """Makes a new key, and keeps the present one beside it.

        Raises:
            EnvironmentProblem: There is no key yet, or a file cannot be made.
        """
        key = self._read(self.file)
        if key is None:
            raise EnvironmentProblem(f"there is no key in {self.file} to replace: the next run makes one")
        try:
            if self._read(self._beside(key.id)) is None:
                os.link(self.file, self._beside(key.id))
            self.file.unlink()
            sync_folder(self.file.parent)
        except OSError as error:
            raise self._cannot_be_made(error) from None
        return self._make()

    def give_up(self, key_ids: Iterable[str]) -> None:
        """Notes that these keys are lost: runs go on, and what they sealed can never be verified again."""
        try:
            for key_id in key_ids:
                private_file(self._lost(key_id))
        except OSError as error:
            raise self._cannot_be_made(error) from None

    def _beside(self, key_id: str) -> Path:
        return self.file.with_name(f"{self.file.name}.{key_id}")

    def _lost(self, key_id: str) -> Path:
        return self.file.with_name(f"{self.file.name}.{key_id}.lost")

    def _read(self, file: Path) -> EvidenceKey | None:
        secret = read_key(file, "the key of evidence")
        if secret is None:
            return None
        if len(secret) < KEY_BYTES:
            raise EnvironmentProblem(
                f"{file} has {len(secret)} bytes, expected a key of {KEY_BYTES} or more: put the right key there"
            )
        private_file(file)
        return EvidenceKey(id_of(secret), secret)

    def _make(self) -> EvidenceKey:
        try:
            secret, is_new = make_key(self.file)
        except OSError as error:
            raise self._cannot_be_made(error) from None
        if is_new:
            LOG.warning("made a key for evidence, %s: back it up, without it no record can be verified", self.file)
        return EvidenceKey(id_of(secret), secret)

    def _cannot_be_made(self, error: OSError) -> EnvironmentProblem:
        return EnvironmentProblem(
            f"no key for evidence can be made in {self.file} ({error.strerror}): name a file in a folder that can be "
            "written in DATA_PLATFORM_EVIDENCE_KEY_FILE"
        )
