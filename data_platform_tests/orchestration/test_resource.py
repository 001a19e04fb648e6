"""A run has one platform: every asset of it works with the same, and its end lets go of it."""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
from dagster_pyspark import LazyPySparkResource

from data_platform.installation import Platform
from data_platform.orchestration import pyspark_resource
from data_platform.orchestration.resource import PLATFORM, platform_resource
from data_platform.orchestration.spark import SPARK, spark_resource
from data_platform_tests.flows.estate import Estate
from data_platform_tests.orchestration.shop import QUIET


class Session:
    """As much of a Spark session as letting go of one needs."""

    stopped = False

    def stop(self) -> None:
        self.stopped = True


def users(seen: list[Platform], *, fail: bool = False) -> Iterator[dg.AssetsDefinition]:
    """Two assets that open the catalog of their platform."""
    for name in ("first", "second"):

        @dg.asset(name=name, required_resource_keys={PLATFORM})
        def use(context: dg.AssetExecutionContext) -> None:
            platform = getattr(context.resources, PLATFORM)
            assert platform.catalog.registry.datasets() == ()
            seen.append(platform)
            if fail:
                raise ValueError("as planned")

        yield use


def use(estate: Estate, instance: dg.DagsterInstance, session: Any, *, fail: bool = False) -> list[Platform]:
    seen: list[Platform] = []
    resources = {SPARK: spark_resource(estate.settings, session), PLATFORM: platform_resource(estate.settings)}
    found = dg.materialize(
        list(users(seen, fail=fail)),
        resources=resources,
        instance=instance,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        raise_on_error=False,
    )
    assert found.success is not fail
    return seen


def test_assets_of_a_run_share_one_platform_and_its_session(declared: Estate, instance: dg.DagsterInstance) -> None:
    session = Session()

    first, second = use(declared, instance, session)

    assert first is second
    assert first.spark is session


def test_two_runs_have_two_platforms(declared: Estate, instance: dg.DagsterInstance) -> None:
    assert use(declared, instance, Session())[0] is not use(declared, instance, Session())[0]


def test_the_end_of_a_run_closes_the_catalog_and_leaves_a_session_that_was_lent(
    declared: Estate, instance: dg.DagsterInstance
) -> None:
    session = Session()

    platform, _ = use(declared, instance, session)

    assert "catalog" not in vars(platform)
    assert not session.stopped


def test_a_run_that_fails_lets_go_too(declared: Estate, instance: dg.DagsterInstance) -> None:
    platform, *_ = use(declared, instance, Session(), fail=True)

    assert "catalog" not in vars(platform)


def resources_of(estate: Estate) -> Any:
    return dg.build_resources({SPARK: spark_resource(estate.settings), PLATFORM: platform_resource(estate.settings)})


def test_a_session_that_the_run_has_opened_is_stopped(declared: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Session] = []
    monkeypatch.setattr(pyspark_resource, "open_session", lambda _: opened.append(Session()) or opened[-1])

    with resources_of(declared) as resources:
        platform, pyspark = getattr(resources, PLATFORM), getattr(resources, SPARK)
        assert opened == []  # lazily: nothing has asked for it
        assert platform.spark is pyspark.spark_session

    assert [session.stopped for session in opened] == [True]


def test_a_run_that_needs_no_session_opens_none(declared: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark_resource, "open_session", lambda _: pytest.fail("a session was opened"))

    with resources_of(declared) as resources:
        assert getattr(resources, PLATFORM).catalog.registry.datasets() == ()


def test_the_resource_is_dagster_pysparks_and_has_the_settings_of_every_session(declared: Estate) -> None:
    with resources_of(declared) as resources:
        pyspark = getattr(resources, SPARK)

    assert isinstance(pyspark, LazyPySparkResource)
    assert pyspark.spark_config["spark.sql.session.timeZone"] == "UTC"
    assert pyspark.spark_config["spark.master"] == declared.settings.spark_master
    assert pyspark.spark_config["spark.sql.extensions"] == "io.delta.sql.DeltaSparkSessionExtension"


def test_a_users_own_asset_takes_the_session_of_the_run(declared: Estate, instance: dg.DagsterInstance) -> None:
    session, seen = Session(), []

    @dg.asset
    def mine(pyspark: LazyPySparkResource) -> None:
        seen.append(pyspark.spark_session)

    resources = {SPARK: spark_resource(declared.settings, session)}

    assert dg.materialize([mine], resources=resources, instance=instance, run_config=QUIET).success
    assert seen == [session]
    assert not session.stopped
