"""Every change of access is in the audit log, newest first, a page at a time."""

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import InputError
from data_platform.model.access import Role
from data_platform_tests.catalog.example import NOW, later


def fill(catalog: Catalog) -> None:
    for minute, name in enumerate(("a", "b", "c")):
        catalog.access.create_token(name, Role.DATA_CONSUMER, actor="ann", actor_role="LOCAL", now=later(minute))
    catalog.access.revoke_token("b", actor="bob", actor_role="PLATFORM_ADMIN", now=later(3))


def test_an_entry_records_actor_action_object_and_time(catalog: Catalog) -> None:
    fill(catalog)

    newest, *_, oldest = catalog.access.audit().items

    assert (newest.actor, newest.role, newest.action, newest.subject) == ("bob", "PLATFORM_ADMIN", "token.revoke", "b")
    assert (oldest.at, oldest.action, oldest.detail) == (
        NOW,
        "token.create",
        {"role": "DATA_CONSUMER", "teams": [], "expires_at": None},
    )


def test_pages_follow_each_other_without_a_gap(catalog: Catalog) -> None:
    fill(catalog)

    first = catalog.access.audit(limit=3)
    second = catalog.access.audit(limit=3, cursor=first.cursor)

    assert [entry.subject for entry in (*first.items, *second.items)] == ["b", "c", "b", "a"]
    assert second.cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "WyJhIl0", "bnVsbA", "WzEsMl0", "\ud800"])
def test_what_is_no_cursor_of_this_log_is_refused(catalog: Catalog, cursor: str) -> None:
    with pytest.raises(InputError, match="cursor"):
        catalog.access.audit(cursor=cursor)


def test_entries_are_found_by_subject_and_by_actor(catalog: Catalog) -> None:
    fill(catalog)

    assert [entry.action for entry in catalog.access.audit(subject="b").items] == ["token.revoke", "token.create"]
    assert [entry.subject for entry in catalog.access.audit(actor="bob").items] == ["b"]
