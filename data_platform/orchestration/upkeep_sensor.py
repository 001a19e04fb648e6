"""A sensor that mends records at an interval, and starts no run."""

from collections.abc import Callable, Sequence

import dagster as dg

from data_platform.errors import DataPlatformError
from data_platform.installation import Platform
from data_platform.settings import Settings


def upkeep_sensor(
    settings: Settings,
    work: Callable[[Platform, dg.DagsterInstance], Sequence[str]],
    *,
    name: str,
    description: str,
    interval_seconds: int,
    nothing: str,
    what: str,
) -> dg.SensorDefinition:
    """``work`` returns a message for each thing that it mended; ``nothing`` is shown if there are none.

    If the catalog cannot be read, the tick is skipped; ``what`` names in the reason what could not be read.
    """

    @dg.sensor(
        name=name,
        minimum_interval_seconds=interval_seconds,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=description,
    )
    def sensor(context: dg.SensorEvaluationContext) -> dg.SkipReason:
        platform = Platform(settings)
        try:
            messages = work(platform, context.instance)
        except DataPlatformError as error:
            return dg.SkipReason(f"{what} could not be read from the catalog: {error}")
        finally:
            platform.close()
        return dg.SkipReason("; ".join(messages) or nothing)

    return sensor
