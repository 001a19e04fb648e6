"""The one Dagster instance of an installation: its ``dagster.yaml`` and ``workspace.yaml``, and how to open it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from dagster._core.instance.ref import InstanceRef
from sqlalchemy.exc import SQLAlchemyError

from data_platform.catalog import open_catalog
from data_platform.environment import set_variables
from data_platform.errors import DataPlatformError, EnvironmentProblem
from data_platform.orchestration.job import LOCATION, MODULE
from data_platform.orchestration.storage import postgres_url
from data_platform.settings import Settings, exclusive

INSTANCE = """\
# Written by data-platform, and by it brought up to date. A file without this line is yours, and stays as it is.
storage: # with the catalog: SQLite below DAGSTER_HOME, or the PostgreSQL of DATA_PLATFORM_CATALOG_URL
  custom: {module: data_platform.orchestration.storage, class: PlatformStorage, config: {}}
telemetry: {enabled: false}
nux: {enabled: false}
run_retries: {enabled: true, max_retries: 2, retry_on_asset_or_op_failure: false} # a failed gate is an answer
run_monitoring: {enabled: true, max_runtime_seconds: 7200}
concurrency: {runs: {max_concurrent_runs: 2}} # one writer a dataset: the lease in the catalog, not a pool
freshness: {enabled: true}
code_servers: {wait_for_local_processes_on_shutdown: true}
"""
WORKSPACE = f"""\
# Written by data-platform, and by it brought up to date. A file without this line is yours, and stays as it is.
load_from:
  - python_module: {{module_name: {MODULE}, location_name: {LOCATION}}}
"""
_NO_OUTPUT_KEPT = {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
_EARLIER = (
    "telemetry: {enabled: false}\nnux: {enabled: false}\nconcurrency:\n  pools: {default_limit: 1, granularity: op}\n",
)
_OURS = ("# Written by data-platform,", "# Written by `data-platform up`")


def prepare_home(settings: Settings) -> Path:
    """Writes the files that Dagster needs into DAGSTER_HOME, and returns the workspace file, for ``-w``.

    Raises:
        EnvironmentProblem: The folder cannot be written.
    """
    home = settings.dagster_home
    with exclusive(home):
        for name, text in (("dagster.yaml", INSTANCE), ("workspace.yaml", WORKSPACE)):
            _write(home / name, text)
    return home / "workspace.yaml"


def environment_of(settings: Settings) -> dict[str, str]:
    """Environment variables by which Dagster finds this installation, in any process and working directory."""
    return {
        "DAGSTER_HOME": str(settings.dagster_home),
        "DATA_PLATFORM_HOME": str(settings.home),
        "DATA_PLATFORM_LAKE": settings.lake,
        "DATA_PLATFORM_LANDING": str(settings.landing),
        "DATA_PLATFORM_POLICIES": str(settings.policies),
        "DATA_PLATFORM_CATALOG_URL": settings.catalog_url,
        "DATA_PLATFORM_PII_KEY_FILE": str(settings.pii_key_file),
        "DATA_PLATFORM_EVIDENCE_KEY_FILE": str(settings.evidence_key),
    }


@contextmanager
def opened_instance(settings: Settings) -> Iterator[dg.DagsterInstance]:
    """The instance of this installation; its variables stay in the environment, because Dagster reads them again.

    Raises:
        EnvironmentProblem: DAGSTER_HOME or the storage cannot be used.
        SourceUnavailableError: PostgreSQL did not answer.
    """
    prepare_home(settings)
    if postgres_url(settings.catalog_url) is not None:
        open_catalog(settings.catalog_url).close()  # Dagster would retry for half a minute, and print each time
    set_variables(environment_of(settings))
    try:
        # to store what a step prints, Dagster puts a file and a second process between us and the terminal
        reference = InstanceRef.from_dir(str(settings.dagster_home), overrides={"compute_logs": _NO_OUTPUT_KEPT})
        instance = dg.DagsterInstance.from_ref(reference)
    except DataPlatformError:
        raise
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:300]
        raise EnvironmentProblem(
            f"Dagster's instance in {settings.dagster_home} (DAGSTER_HOME) cannot be opened: {reason}"
        ) from error
    with instance, _storage_errors(settings):
        yield instance


@contextmanager
def _storage_errors(settings: Settings) -> Iterator[None]:
    """Raises: EnvironmentProblem, if Dagster lets an error of its database through; ours are translated before."""
    try:
        yield
    except SQLAlchemyError as error:
        is_server = postgres_url(settings.catalog_url) is not None
        place = "in the catalog's database" if is_server else f"below {settings.dagster_home} (DAGSTER_HOME)"
        raise EnvironmentProblem(
            f"Dagster's storage {place} cannot be used: {str(error).splitlines()[0]}; free space there, and let this "
            "user write it"
        ) from None


def _write(file: Path, text: str) -> None:
    """Leaves a file that another program or a person wrote as it is."""
    try:
        existing = file.read_text() if file.exists() else None
        if existing == text or (existing is not None and existing not in _EARLIER and not existing.startswith(_OURS)):
            return
        new = file.with_name(f".{file.name}.{os.getpid()}")
        new.write_text(text)
        new.replace(file)
    except OSError as error:
        raise EnvironmentProblem(
            f"{file} cannot be written: {error.strerror}; set DAGSTER_HOME to a folder that can"
        ) from None


def dagster_command(*arguments: str) -> list[str]:
    """A Dagster command, run by this Python."""
    return [sys.executable, "-m", *arguments]
