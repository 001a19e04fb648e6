"""A run has one platform: every asset of it works with the same, and its end lets go of it."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from data_platform.installation import Platform
from data_platform.orchestration.resource import PLATFORM, platform_resource
from data_platform_tests.flows.estate import Estate


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
    resources = {PLATFORM: platform_resource(estate.settings, session)}
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
    assert first.session is session


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


def test_a_session_that_the_run_has_opened_is_stopped(declared: Estate) -> None:
    session = Session()
    with dg.build_resources({PLATFORM: platform_resource(declared.settings)}) as resources:
        platform = getattr(resources, PLATFORM)
        vars(platform)["spark"] = session  # as if it had been asked for

    assert session.stopped
