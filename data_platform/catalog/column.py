"""Column types that mean the same on SQLite, PostgreSQL and DB2."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, DateTime, Integer, String, Text
from sqlalchemy.types import TypeDecorator

from data_platform.errors import UsageError
from data_platform.model.partition_key import PartitionKey

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect
    from sqlalchemy.types import TypeEngine

# SQLite autoincrements only a plain INTEGER key.
ROW_ID = BigInteger().with_variant(Integer(), "sqlite")


class UtcTime(TypeDecorator[datetime]):
    """A time stored as UTC and read back with its zone, also on SQLite, which stores no zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        if value.tzinfo is None:
            raise UsageError("the catalog was given a time without a zone: expected an aware one, datetime.now(UTC)")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class JsonText(TypeDecorator[Any]):
    """JSON in a text column: it keeps the order of keys, and NaN, which PostgreSQL's JSON type refuses."""

    impl = Text()
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:  # noqa: ARG002
        return json.dumps(value, default=str)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        return None if value is None else json.loads(value)


def name_of(length: int) -> TypeEngine[str]:
    """A text type for keys and indexes. DB2 requires a length in bytes; SQLite and PostgreSQL do not."""
    return Text().with_variant(String(length), "ibm_db_sa")


class PartitionText(TypeDecorator[PartitionKey]):
    """A partition's key, stored as its text."""

    impl = name_of(50)
    cache_ok = True

    def process_bind_param(self, value: PartitionKey | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> PartitionKey | None:  # noqa: ARG002
        return None if value is None else _partition(value)


@lru_cache(maxsize=10_000)
def _partition(text: str) -> PartitionKey:
    """Many rows have the same few partitions."""
    return PartitionKey(text)
