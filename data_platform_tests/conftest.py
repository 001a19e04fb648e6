"""One Spark session for the whole run, opened by the first test that asks for it, and the profiles of Hypothesis."""

import gc
import logging
import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from pyspark.sql import SparkSession

from data_platform.catalog.unsynced import without_fsync
from data_platform.lake.session import SparkOptions, open_session

HERE = Path(__file__).parent
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For the JVM of a command, which runs for seconds: the second compiler would take half of the processor's time."""
OURS = ("DATA_PLATFORM_", "DAGSTER_")
LOGGERS = ("", "data_platform", "uvicorn", "uvicorn.access")
SLOW_FIXTURES = {"spark", "instance"}
SLOW_FILES = (
    "api/", "catalog/lineage/test_ingest", "catalog/retention/", "catalog/test_migration", "demo/", "faultlab/",
    "flows/", "lake/", "orchestration/", "parity/", "portal/", "starter/", "cli/test_environment",
    "cli/test_every_command", "cli/test_move", "cli/test_interruption", "cli/test_quarantine_killed", "cli/test_up",
    "gates/test_pii", "legacy/test_client", "legacy/test_end_to_end", "legacy/test_inherited", "legacy/test_spark_job",
    "legacy/test_three_ways", "legacy/test_wrapper", "mcp_service/test_server", "onboarding/test_branch",
    "proofs/test_group_publisher", "proofs/test_publisher", "test_bench", "test_definitions", "test_server",
)  # fmt: skip
NOT_SLOW = "not slow"

# Compiled modules are kept, whatever the environment says: every command that a test starts, and each of Spark's Python
# workers, would compile the platform again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No test asserts a duration, and neither does the tool that generates examples. test-fast takes the second profile.
settings.register_profile(
    "full", settings(), deadline=None, suppress_health_check=[*settings().suppress_health_check, HealthCheck.too_slow]
)
settings.register_profile("fast", settings.get_profile("full"), max_examples=20)
settings.load_profile("full")


def pytest_configure() -> None:
    """A shell starts what ends with ``&`` with SIGINT ignored, for children too: there Ctrl-C could not be tried."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("SPARK_SUBMIT_OPTS", SHORT_LIVED)  # inherited by the commands that tests start


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leaves the thousands of tests out of each collection of garbage, which would walk through them all again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Does not import files of slow tests if no slow test is wanted."""
    if config.option.markexpr == NOT_SLOW and is_slow(collection_path):
        return True
    return None


def is_slow(path: Path) -> bool:
    file = path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else ""
    return path.suffix == ".py" and path.name.startswith("test_") and file.startswith(SLOW_FILES)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what opens Spark, starts a server or a process, or waits as slow; ``make test-fast`` leaves it out.

    Files with slow tests come first, so that no worker has a long one left when the other has ended.
    """
    for item in items:
        names = set(getattr(item, "fixturenames", ()))
        if SLOW_FIXTURES & names or is_slow(item.path) or "[postgresql" in item.name:
            item.add_marker(pytest.mark.slow)
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(scope="session", autouse=True)
def sqlite_without_fsync() -> Iterator[None]:
    """A commit to SQLite waits some milliseconds for the disk, and no test cuts the power. The server's is off too."""
    with without_fsync():
        yield


@contextmanager
def process_state() -> Iterator[None]:
    """Removes what a command that runs in this process leaves: variables for Dagster, and handlers of the log."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(OURS)}
    handlers = {name: list(logging.getLogger(name).handlers) for name in LOGGERS}
    yield
    for name in [name for name in os.environ if name.startswith(OURS)]:
        del os.environ[name]
    os.environ.update(variables)
    for name, before in handlers.items():
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler for handler in logger.handlers if handler in before]


@pytest.fixture(scope="module", autouse=True)
def own_state_of_a_module() -> Iterator[None]:
    """Fixtures of a module run before those of its tests, and would leave theirs to every file after it."""
    with process_state():
        yield


@pytest.fixture(autouse=True)
def own_process_state() -> Iterator[None]:
    with process_state():
        yield


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    warehouse = str(tmp_path_factory.mktemp("warehouse"))
    with pytest.MonkeyPatch.context() as patch:
        if os.environ["SPARK_SUBMIT_OPTS"] == SHORT_LIVED:
            patch.delenv("SPARK_SUBMIT_OPTS")  # this JVM runs for half an hour, and needs its second compiler
        session = open_session(SparkOptions(master="local[2]", shuffle_partitions=1, warehouse=warehouse))
    yield session
    session.stop()
