"""A partition's key in a request."""

from data_platform.errors import InputError
from data_platform.model.partition_key import PartitionKey


def read_partition(field: str, text: str | None) -> PartitionKey | None:
    """Raises: InputError, if ``text``, which the request has as ``field``, is no key of a partition."""
    try:
        return None if text is None else PartitionKey(text)
    except ValueError as error:
        raise InputError(field, str(error)) from None
