"""Where this installation keeps its things. The one module that reads the environment.

Every setting has a default below one folder, ``DATA_PLATFORM_HOME``, so that a laptop needs none of
them; each can be moved elsewhere by itself.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem, UsageError
from data_platform.model.key_ring import KeyRing
from data_platform.model.private_path import private_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PREFIX = "DATA_PLATFORM_"
_OF_LEGACY_JOBS = frozenset({"URL", "TOKEN", "SPOOL", "RUN", "SPARK_LISTENER", "DEPLOY_REF"})
"""Read by ``legacy.client`` at each call, since it imports the standard library alone; the URL is also what
Dagster's UI links to."""
_ALERT_URL = "ALERT_URL_"
_KNOWN = _OF_LEGACY_JOBS | {
    "HOME", "LAKE", "LANDING", "POLICIES", "CATALOG_URL", "SPARK_MASTER", "SPARK_MEMORY", "PII_KEY_FILE",
    "EVIDENCE_KEY_FILE", "KAFKA_BOOTSTRAP", "KAFKA_TOPIC", "KAFKA_CONFIG_FILE", "OPENLINEAGE_URL", "OPENLINEAGE_TOKEN",
    "DAGSTER_URL", "MAX_EVENT_BYTES", "MAX_BATCH_BYTES", "LEASE_SECONDS", "LEASE_WAIT_SECONDS", "ALERTS_FILE",
    f"{_ALERT_URL}CHANNEL", "GUARD",
}  # fmt: skip
EVIDENCE_TOPIC = "signal_factory.evidence"
MEBIBYTE = 1_048_576
_MOST_BYTES = 1024 * MEBIBYTE
_DAY_SECONDS = 86_400
_LOCK_SECONDS = 120
_LOCK_POLL_SECONDS = 0.05
_MOST_DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class Settings:
    """``lake`` may be any URI that Spark can write; ``landing`` is a folder (a mounted one, if it is remote).

    ``openlineage_url`` is another OpenLineage service, which receives every event: the address that events are
    posted to, such as ``https://lineage.example/api/v1/lineage``. ``kafka_bootstrap`` is one or more ``host:port`` of
    the brokers that receive the evidence; ``kafka_config_file`` has their other properties, such as passwords.
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
    kafka_bootstrap: str | None = None
    kafka_topic: str = EVIDENCE_TOPIC
    kafka_config_file: Path | None = None
    evidence_key_file: Path | None = None  # the default is below ``home``: see ``evidence_key``
    openlineage_url: str | None = None
    service_url: str | None = None
    dagster_url: str | None = None
    openlineage_token: str | None = field(default=None, repr=False)
    access_token: str | None = field(default=None, repr=False)  # of the user of a command that asks for a role
    alert_urls: Mapping[str, str] = field(default_factory=dict, repr=False)  # by the name of the channel
    alerts_file: Path | None = None  # has more of them
    max_event_bytes: int = 16 * MEBIBYTE
    max_batch_bytes: int = 64 * MEBIBYTE
    lease: timedelta = timedelta(minutes=2)
    lease_wait: timedelta = timedelta(minutes=10)
    guards: bool = True  # whether data_platform.guard judges frames

    @property
    def evidence_key(self) -> Path:
        """The file of the key with which evidence is sealed."""
        return self.evidence_key_file or self.home / "evidence.key"

    @property
    def pii_keys(self) -> KeyRing:
        """The versions of the secret that tokens are made with."""
        return KeyRing(self.pii_key_file)


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings of the environment, ``DATA_PLATFORM_*``; of this process if none is given.

    Raises:
        UsageError: A variable of that prefix is not known; a typo must not become a default.
    """
    environment = os.environ if environment is None else environment
    given = {name[len(PREFIX) :]: value for name, value in environment.items() if name.startswith(PREFIX) and value}
    if unknown := sorted(name for name in given if name not in _KNOWN and not name.startswith(("TEST_", _ALERT_URL))):
        allowed = ", ".join(PREFIX + name for name in sorted(_KNOWN))
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
        evidence_key_file=Path(given["EVIDENCE_KEY_FILE"]).absolute() if "EVIDENCE_KEY_FILE" in given else None,
        kafka_bootstrap=given.get("KAFKA_BOOTSTRAP"),
        kafka_topic=given.get("KAFKA_TOPIC", EVIDENCE_TOPIC),
        kafka_config_file=Path(given["KAFKA_CONFIG_FILE"]).absolute() if "KAFKA_CONFIG_FILE" in given else None,
        openlineage_url=given.get("OPENLINEAGE_URL"),
        service_url=given.get("URL"),
        dagster_url=given.get("DAGSTER_URL"),
        openlineage_token=given.get("OPENLINEAGE_TOKEN"),
        access_token=given.get("TOKEN"),
        alert_urls=_alert_urls(given),
        alerts_file=Path(given["ALERTS_FILE"]).absolute() if "ALERTS_FILE" in given else None,
        max_event_bytes=_count(given, "MAX_EVENT_BYTES", 16 * MEBIBYTE),
        max_batch_bytes=_count(given, "MAX_BATCH_BYTES", 64 * MEBIBYTE),
        lease=timedelta(seconds=_count(given, "LEASE_SECONDS", 120, of="seconds", most=_DAY_SECONDS, least=10)),
        lease_wait=timedelta(seconds=_count(given, "LEASE_WAIT_SECONDS", 600, of="seconds", most=_DAY_SECONDS)),
        dagster_home=Path(environment.get("DAGSTER_HOME") or home / "dagster").absolute(),
        guards=_switch(given, "GUARD"),
    )


def _alert_urls(given: Mapping[str, str]) -> dict[str, str]:
    return {name[len(_ALERT_URL) :].lower(): url for name, url in given.items() if name.startswith(_ALERT_URL)}


def _switch(given: Mapping[str, str], name: str) -> bool:
    """Raises: UsageError, if it is neither on nor off."""
    text = given.get(name, "on")
    if text not in ("on", "off"):
        raise UsageError(f"{PREFIX}{name} is {text!r}: expected on or off")
    return text == "on"


def _count(
    given: Mapping[str, str], name: str, default: int, *, of: str = "bytes", most: int = _MOST_BYTES, least: int = 1
) -> int:
    text = given.get(name, str(default))
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS or not least <= int(text) <= most:
        raise UsageError(f"{PREFIX}{name} is {text!r}: expected a number of {of} from {least} to {most}")
    return int(text)


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """One process at a time in ``folder``, which is made.

    Raises:
        EnvironmentProblem: The folder cannot be made or written, or another process holds it for too long.
    """
    try:
        private_folder(folder)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise EnvironmentProblem(
            f"{folder} cannot be written: {error.strerror}; set DATA_PLATFORM_HOME (and DAGSTER_HOME, if it is set) to "
            "a folder that can be"
        ) from None
    with lock:
        until = time.monotonic() + _LOCK_SECONDS
        while not _locked(lock.fileno()):
            if time.monotonic() > until:
                raise EnvironmentProblem(
                    f"{folder}/.lock has been held for {_LOCK_SECONDS} seconds: see who, and end it"
                )
            time.sleep(_LOCK_POLL_SECONDS)
        yield


def _locked(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
