"""A change and its row in the audit log are kept together or not at all, and a row stays as it is."""

import pytest
from sqlalchemy import delete, select, update

from data_platform.catalog import Catalog
from data_platform.catalog.access_table import AUDIT
from data_platform.catalog.audit import add_audit
from data_platform.catalog.database import Database, open_database
from data_platform.errors import DataPlatformError
from data_platform_tests.catalog.example import NOW, ORDERS


def add(database: Database) -> None:
    with database.writing() as connection:
        add_audit(
            connection,
            actor="ann",
            role="DATA_STEWARD",
            action="dataset.deprecate",
            subject=ORDERS,
            detail={"comment": "replaced"},
            now=NOW,
        )


@pytest.mark.usefixtures("catalog")
def test_a_row_records_actor_action_object_and_time(catalog_url: str) -> None:
    database = open_database(catalog_url)

    add(database)

    with database.reading() as connection:
        (row,) = connection.execute(select(AUDIT)).all()
    assert (row.actor, row.role, row.action, row.subject) == ("ann", "DATA_STEWARD", "dataset.deprecate", ORDERS)
    assert (row.at, row.detail) == (NOW, {"comment": "replaced"})
    database.close()


@pytest.mark.parametrize("change", [update(AUDIT).values(actor="bob"), delete(AUDIT)], ids=["changed", "deleted"])
def test_a_row_cannot_be_changed_or_deleted(catalog: Catalog, catalog_url: str, change: object) -> None:  # noqa: ARG001
    database = open_database(catalog_url)
    add(database)

    with pytest.raises(DataPlatformError), database.writing() as connection:
        connection.execute(change)  # type: ignore[call-overload]
    with database.reading() as connection:
        assert connection.execute(select(AUDIT.c.actor)).scalars().all() == ["ann"]
    database.close()
