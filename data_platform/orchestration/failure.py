"""Translates our errors and held candidates into Dagster's failures, with the reason, and whether a retry helps."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from data_platform.errors import DataPlatformError
from data_platform.model.run import StageReport


@contextmanager
def as_dagster_failure() -> Iterator[None]:
    """Raises: dagster.Failure in place of one of our errors; Dagster retries it only if a rerun can help."""
    try:
        yield
    except DataPlatformError as error:
        raise dg.Failure(
            description=str(error),
            metadata={"error": type(error).__name__, "retryable": error.retryable},
            allow_retries=error.retryable,
        ) from error


class HeldByGate(dg.Failure):
    """A gate held the candidate. The failed step has the reason; a retry of the same delivery would be held again."""

    def __init__(self, report: StageReport) -> None:
        place = " ".join(text for text in (report.dataset.urn, report.partition) if text)
        reasons = [
            f"{v.gate}: {line}" for v in report.verdicts if not v.passed for line in v.explanation() or ("held",)
        ]
        metadata = {"quarantine_table": report.quarantine_table} if report.quarantine_table else {}
        super().__init__(
            description="\n".join((f"{report.stage} of {place} was held", *reasons)),
            metadata=metadata,
            allow_retries=False,
        )
