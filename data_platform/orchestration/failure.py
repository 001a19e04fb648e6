"""Our errors as Dagster's failures: in words, and with the answer to whether a retry helps."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from data_platform.errors import DataPlatformError


@contextmanager
def as_dagster_failure() -> Iterator[None]:
    """Raises: dagster.Failure in place of an error of ours; Dagster retries it only if a rerun can help."""
    try:
        yield
    except DataPlatformError as error:
        raise dg.Failure(
            description=str(error),
            metadata={"error": type(error).__name__, "retryable": error.retryable},
            allow_retries=error.retryable,
        ) from error
