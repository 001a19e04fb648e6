"""The opened platform of a run: one Spark session and one catalog for all its assets, let go at its end."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from data_platform.errors import DataPlatformError
from data_platform.pipeline.platform import Platform
from data_platform.pipeline.telling import end_runs
from data_platform.settings import Settings

PLATFORM = "platform"


def platform_resource(settings: Settings, session: Any = None) -> dg.ResourceDefinition:
    """``session`` is a Spark session that outlives the run; without one the run opens its own when it needs it."""

    def opened(context: dg.InitResourceContext) -> Iterator[Platform]:
        log = context.log

        def tell(step: str, told: dict[str, Any]) -> None:
            if log is not None:
                place = " ".join(str(told[k]) for k in ("stage", "dataset", "partition") if told.get(k))
                log.info(f"{step}: {place}")

        platform = Platform(settings, on_step=tell, session=session)
        try:
            yield platform
        finally:
            try:
                end_runs(platform)
            except DataPlatformError as error:  # the run's own result counts, and is not changed by this
                if log is not None:
                    log.warning(f"the end of this run is not in the catalog: {error}")
            platform.close()

    return dg.ResourceDefinition(
        resource_fn=opened, description="Settings, policies, catalog, and the Spark session of this run"
    )
