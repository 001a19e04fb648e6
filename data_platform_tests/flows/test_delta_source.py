"""A Delta table that others write is read through bronze to the certified view, one version at a time."""

from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame

from data_platform.errors import SourceError
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.registration import Actor
from data_platform.onboarding.proposal.proposed_policy import Owner
from data_platform.onboarding.request import Request
from data_platform.onboarding.steps import Steps
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.flows.source_table import PARTITION, TRADES, bronze, constraints

TYPES = {"id": "INT", "changed_at": "TIMESTAMP"}


def trades(estate: Estate, *ids: int, hour: int = 10) -> DataFrame:
    moment = datetime(2025, 1, 6, hour, tzinfo=UTC)
    return estate.spark.createDataFrame([(one, moment) for one in ids], "id int, changed_at timestamp").coalesce(1)


def write(estate: Estate, rows: DataFrame, mode: str = "append") -> None:
    rows.write.format("delta").mode(mode).save(str(estate.root / "landing" / "trades"))


def ids(estate: Estate) -> list[int]:
    return [row["id"] for row in estate.certified_rows("core/trades")]


def declare(estate: Estate, **source: Any) -> None:
    partition = {"partition": PARTITION} if "rows" in source else {}
    named = {"format": "delta", "path": "trades", "producer": "lakehouse", **source}
    estate.declare(TRADES, constraints(**TYPES), source=named, **partition)


def test_the_latest_version_is_certified_with_its_number(estate: Estate) -> None:
    declare(estate)
    write(estate, trades(estate, 1, 2))
    write(estate, trades(estate, 3))

    estate.run("core/trades", None)

    with estate.platform().catalog as catalog:
        run = catalog.runs.latest(TRADES, Stage.BRONZE, None)
    assert ids(estate) == [1, 2, 3]
    assert run is not None
    assert run.metadata["source"] == {"table": "trades", "version": 1, "rows": "all", "count": 3}


def test_changes_of_a_delta_table_are_read_once_and_days_by_their_watermark(estate: Estate) -> None:
    declare(estate, rows="changes", watermark="changed_at")
    write(estate, trades(estate, 1, 2))
    assert bronze(estate, DAY).rows.read == 2
    write(estate, trades(estate, 3, hour=11))

    counts = [bronze(estate, day).rows.read for day in (DAY, DAY.next)]
    declare(estate, rows="day", watermark="changed_at")
    counts.append(bronze(estate, DAY).rows.read)

    assert counts == [2, 1, 3]


def test_what_is_no_table_of_others_is_refused(estate: Estate) -> None:
    declare(estate)
    with pytest.raises(SourceError, match="there is no Delta table at trades"):
        bronze(estate)

    declare(estate, path=f"{estate.settings.lake}/bronze/core/trades")
    with pytest.raises(SourceError, match="is in the platform's own lake"):
        bronze(estate)


def test_a_delta_table_is_onboarded(estate: Estate) -> None:
    write(estate, trades(estate, *range(1, 121)))
    request = Request(path="trades", owner=Owner(dataset=DatasetId.parse(TRADES), team="treasury"))
    with closing(estate.platform()) as platform:
        steps = Steps(platform, request, Actor(name="ann", role="PLATFORM_ADMIN"))
        proposal = steps.propose()
        [tried] = steps.try_last_days(proposal)
        dataset = steps.dataset()

    types = {column.name: column.type for column in dataset.bundle.schema_.declared.columns}
    assert types == {"id": "int", "changed_at": "timestamp"}
    assert (proposal["rows"], tried["accepted"], tried["certified"]) == (120, 120, True), tried
