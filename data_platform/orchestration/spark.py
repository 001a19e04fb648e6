"""The Spark session of a run as dagster-pyspark's resource: one session, opened at its first use, for all assets.

The platform's own stages and a user's assets share it. dagster-pyspark imports Spark, so it is imported when a run
needs the resource, and not when the code location is loaded.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import dagster as dg

from data_platform.installation import spark_options
from data_platform.lake.session import close_session
from data_platform.settings import Settings

if TYPE_CHECKING:
    from dagster_pyspark import LazyPySparkResource

SPARK = "pyspark"


def spark_resource(settings: Settings, session: Any = None) -> dg.ResourceDefinition:
    """``session`` outlives the run; without one the run opens its own on first use, and ends it."""

    def opened(_: dg.InitResourceContext) -> Iterator["LazyPySparkResource"]:
        from data_platform.orchestration.pyspark_resource import RunPySparkResource

        resource = RunPySparkResource.of(spark_options(settings), session)
        try:
            yield resource
        finally:
            if session is None and resource.opened is not None:
                close_session(resource.opened)

    return dg.ResourceDefinition(resource_fn=opened, description="The Spark session of this run (dagster-pyspark)")
