"""The versions of a secret key, each in a file of its own beside the first: ``pii.key``, ``pii.key.v2`` and so on.

The highest version is the current one: making its file is the whole rotation, in one step that a crash cannot divide.
A retired version is renamed to ``pii.key.v1.retired``, and is read no more. No number is used for two versions.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem, PolicyError
from data_platform.model.key_file import KEY_BYTES, id_of, make_key, read_key, sync_folder
from data_platform.model.private_path import keep_file_private
from data_platform.model.token_text import MOST_VERSION

if TYPE_CHECKING:
    from pathlib import Path

RETIRED = ".retired"


@dataclass(frozen=True)
class KeyVersion:
    secret: bytes = field(repr=False)
    number: int = 1

    @property
    def id(self) -> str:
        return id_of(self.secret)


@dataclass(frozen=True)
class KeyRing:
    """The keys in and beside ``file``."""

    file: Path

    def versions(self) -> tuple[KeyVersion, ...]:
        """Oldest first, the current one last; none before the first is made. Files that others may read are tightened.

        Raises:
            PolicyError: A key is too short, or two versions hold the same one.
            EnvironmentProblem: A file or their folder cannot be read.
        """
        keys: dict[str, KeyVersion] = {}
        for number in sorted(set(self._numbers("")) - set(self.retired())):
            key = self._read(number)
            if key is None:  # retired just now
                continue
            if (same := keys.get(key.id)) is not None:
                raise PolicyError(
                    f"{self.path(same.number)} and {self.path(number)} hold the same key: remove the newer file, and "
                    "run `data-platform pii rotate`"
                )
            keys[key.id] = key
        return tuple(keys.values())

    def retired(self) -> tuple[int, ...]:
        return self._numbers(RETIRED)

    def path(self, number: int) -> Path:
        return self.file if number == 1 else self.file.with_name(f"{self.file.name}.v{number}")

    def retired_path(self, number: int) -> Path:
        return self.file.with_name(f"{self.file.name}.v{number}{RETIRED}")

    def make(self, number: int) -> tuple[KeyVersion, bool]:
        """Returns the new key of this version and True, or that of another process that was first and False.

        Raises:
            PolicyError: There can be no further version.
            EnvironmentProblem: The file cannot be made.
        """
        if number > MOST_VERSION:
            raise PolicyError(f"v{MOST_VERSION} is the last version of a key that a token can name")
        file = self.path(number)
        try:
            secret, is_new = make_key(file)
        except OSError as error:
            raise EnvironmentProblem(
                f"no key for tokens can be made in {file} ({error.strerror}): put {KEY_BYTES} random bytes in a file "
                "that only you can read, and name it in DATA_PLATFORM_PII_KEY_FILE"
            ) from None
        return KeyVersion(secret, number), is_new

    def make_next(self) -> KeyVersion:
        """The next version, which is current from now on; of two processes at once, both get the same one.

        Raises:
            PolicyError, EnvironmentProblem: As ``make``; or there is no key to replace.
        """
        numbers = [*self._numbers(""), *self.retired()]
        if not numbers:
            raise PolicyError(f"there is no key in {self.file} to replace: the first run that tokenizes makes one")
        return self.make(max(numbers) + 1)[0]

    def retire(self, number: int) -> Path:
        """Returns where the file is now. From its first step on the version is read no more.

        Raises:
            EnvironmentProblem: It cannot be renamed.
        """
        file = self.path(number)
        to = self.retired_path(number)
        try:
            if number not in self.retired():  # else a process died after this step
                os.link(file, to)  # unlike a rename it replaces no other file
            file.unlink(missing_ok=True)
            sync_folder(file.parent)
        except OSError as error:
            raise EnvironmentProblem(f"{file} cannot be renamed to {to.name}: {error.strerror}") from None
        return to

    def _numbers(self, ending: str) -> tuple[int, ...]:
        """The versions whose files have this ending, in order."""
        pattern = re.compile(rf"{re.escape(self.file.name)}\.v([1-9]\d{{0,2}}){re.escape(ending)}", re.ASCII)
        try:
            names = os.listdir(self.file.parent)
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise EnvironmentProblem(f"the PII keys in {self.file.parent} cannot be read: {error.strerror}") from None
        found = {int(match[1]) for match in map(pattern.fullmatch, names) if match} - ({1} if not ending else set())
        return tuple(sorted(found | ({1} if not ending and self.file.name in names else set())))

    def _read(self, number: int) -> KeyVersion | None:
        file = self.path(number)
        secret = read_key(file, "the PII key")
        if secret is None:
            return None
        keep_file_private(file)
        if len(secret) < KEY_BYTES:
            raise PolicyError(
                f"{file} has {len(secret)} bytes, expected a key of {KEY_BYTES} or more: put the right key there, or "
                "remove the file and the next run makes one"
            )
        return KeyVersion(secret, number)
