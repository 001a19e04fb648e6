"""One Spark session for the whole run, opened by the first test that asks for it."""

import signal
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from data_platform.lake.session import SparkOptions, open_session


def pytest_configure() -> None:
    """A shell starts what ends with ``&`` with SIGINT ignored, for children too: there Ctrl-C could not be tried."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    warehouse = str(tmp_path_factory.mktemp("warehouse"))
    session = open_session(SparkOptions(master="local[2]", shuffle_partitions=1, warehouse=warehouse))
    yield session
    session.stop()
