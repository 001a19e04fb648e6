"""A shop for each test; and an installation with Spark for the few that run something."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.testing
from pyspark.sql import SparkSession
from typer.main import get_command

from data_platform_tests.catalog.template import copy_template
from data_platform_tests.cli.shop import Shop
from data_platform_tests.flows.estate import Estate


@pytest.fixture(scope="session", autouse=True)
def commands_built_once() -> Iterator[None]:
    """The runner would build all commands of the program for each call, which takes longer than most of them run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(get_command))
        yield


@pytest.fixture
def new_shop(tmp_path: Path) -> Shop:
    """Without a catalog."""
    return Shop(tmp_path)


@pytest.fixture
def shop(new_shop: Shop) -> Shop:
    copy_template(new_shop.catalog_file)
    return new_shop


@pytest.fixture
def estate(tmp_path: Path, spark: SparkSession) -> Estate:
    return Estate(tmp_path, spark)
