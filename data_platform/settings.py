"""Where this installation keeps its things. The one module that reads the environment.

Every setting has a default below one folder, ``DATA_PLATFORM_HOME``, so that a laptop needs none of
them; each can be moved elsewhere by itself.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "DATA_PLATFORM_"
_OF_LEGACY_JOBS = frozenset({"URL", "TOKEN", "SPOOL", "RUN"})
"""Read by ``legacy.client`` at each call, since it imports the standard library alone; the URL is also what
Dagster's UI links to."""
MEBIBYTE = 1_048_576
_MOST_BYTES = 1024 * MEBIBYTE


@dataclass(frozen=True, kw_only=True)
class Settings:
    """``lake`` may be any URI that Spark can write; ``landing`` is a folder (a mounted one, if it is remote).

    ``openlineage_url`` is another OpenLineage service, which hears what the platform does: the address that events are
    posted to, such as ``https://lineage.example/api/v1/lineage``.
    """

    home: Path
    lake: str
    landing: Path
    policies: Path
    catalog_url: str
    spark_master: str = "local[*]"
    spark_memory: str = "2g"
    pii_key_file: Path
    dagster_home: Path
    openlineage_url: str | None = None
    service_url: str | None = None
    openlineage_token: str | None = field(default=None, repr=False)
    max_event_bytes: int = 16 * MEBIBYTE
    max_batch_bytes: int = 64 * MEBIBYTE
    lease: timedelta = timedelta(hours=2)
    lease_wait: timedelta = timedelta(minutes=10)

    def pii_key(self) -> bytes | None:
        """The secret that tokens are made with; None if there is none.

        Raises:
            EnvironmentProblem: The key file is there, and cannot be read.
        """
        try:
            return self.pii_key_file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise EnvironmentProblem(f"the PII key {self.pii_key_file} cannot be read: {error.strerror}") from None


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings of the environment, ``DATA_PLATFORM_*``; of this process if none is given.

    Raises:
        UsageError: A variable of that prefix is not known; a typo must not become a default.
    """
    environment = os.environ if environment is None else environment
    given = {name[len(PREFIX) :]: value for name, value in environment.items() if name.startswith(PREFIX) and value}
    known = {"HOME", "LAKE", "LANDING", "POLICIES", "CATALOG_URL", "SPARK_MASTER", "SPARK_MEMORY", "PII_KEY_FILE"}
    known |= {"OPENLINEAGE_URL", "OPENLINEAGE_TOKEN"}
    known |= {"MAX_EVENT_BYTES", "MAX_BATCH_BYTES"} | _OF_LEGACY_JOBS
    if unknown := sorted(name for name in given if name not in known and not name.startswith("TEST_")):
        allowed = ", ".join(PREFIX + name for name in sorted(known))
        raise UsageError(f"{PREFIX}{unknown[0]} is not a setting; allowed: {allowed}")
    home = Path(given.get("HOME", ".data_platform")).absolute()
    return Settings(
        home=home,
        lake=given.get("LAKE", str(home / "lake")).rstrip("/"),
        landing=Path(given.get("LANDING", home / "landing")).absolute(),
        policies=Path(given.get("POLICIES", "policies")).absolute(),
        catalog_url=given.get("CATALOG_URL", f"sqlite:///{home / 'catalog.db'}"),
        spark_master=given.get("SPARK_MASTER", "local[*]"),
        spark_memory=given.get("SPARK_MEMORY", "2g"),
        pii_key_file=Path(given.get("PII_KEY_FILE", home / "pii.key")).absolute(),
        openlineage_url=given.get("OPENLINEAGE_URL"),
        service_url=given.get("URL"),
        openlineage_token=given.get("OPENLINEAGE_TOKEN"),
        max_event_bytes=_count(given, "MAX_EVENT_BYTES", 16 * MEBIBYTE),
        max_batch_bytes=_count(given, "MAX_BATCH_BYTES", 64 * MEBIBYTE),
        dagster_home=Path(environment.get("DAGSTER_HOME") or home / "dagster").absolute(),
    )


def _count(given: Mapping[str, str], name: str, default: int) -> int:
    text = given.get(name, str(default))
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST_BYTES:
        raise UsageError(f"{PREFIX}{name} is {text!r}: expected a number of bytes from 1 to {_MOST_BYTES}")
    return int(text)
