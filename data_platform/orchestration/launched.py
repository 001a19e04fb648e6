"""What a launched run reports. Needs no Dagster, so a command can start Spark before it imports Dagster."""

from dataclasses import dataclass, field

from data_platform.model.run import StageReport

RUN = "run"
"""The key of an error that belongs to no asset; keys of assets are step names, which contain ``__``."""


@dataclass
class Launched:
    """``errors`` maps each asset to the error that ended it, unless a gate did; ``RUN`` to why no step was started."""

    success: bool
    reports: list[StageReport] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
