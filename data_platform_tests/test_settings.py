"""Limits of requests are numbers of bytes; anything else is an error, not the default."""

import pytest

from data_platform.errors import DataPlatformError
from data_platform.settings import read_settings


def test_an_event_may_have_16_mib_and_a_batch_64_by_default() -> None:
    default = read_settings({})
    said = read_settings({"DATA_PLATFORM_MAX_EVENT_BYTES": "1000", "DATA_PLATFORM_MAX_BATCH_BYTES": "2000"})

    assert (default.max_event_bytes, default.max_batch_bytes) == (16 * 1_048_576, 64 * 1_048_576)
    assert (said.max_event_bytes, said.max_batch_bytes) == (1000, 2000)


@pytest.mark.parametrize("text", ["0", "-1", "1e6", "16MB", "１６", "9" * 30])
def test_what_is_no_number_of_bytes_is_refused(text: str) -> None:
    with pytest.raises(DataPlatformError, match=r"DATA_PLATFORM_MAX_EVENT_BYTES is .*: expected a number of bytes"):
        read_settings({"DATA_PLATFORM_MAX_EVENT_BYTES": text})
