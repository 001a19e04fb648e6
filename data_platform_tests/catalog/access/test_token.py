"""A token is shown once and kept as a hash; it opens nothing when it is unknown, expired or revoked."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from data_platform.catalog import Catalog
from data_platform.catalog.access_table import ACCESS_TOKEN
from data_platform.catalog.database import open_database
from data_platform.errors import UsageError
from data_platform.model.access import AccessToken, Role
from data_platform_tests.catalog.example import NOW, later


def create(catalog: Catalog, name: str = "airflow", **changes: object) -> tuple[AccessToken, str]:
    given: dict[str, object] = {"role": Role.DATA_OWNER, "teams": ("sales",), "now": NOW, **changes}
    return catalog.access.create_token(name, actor="ann", actor_role="PLATFORM_ADMIN", **given)  # type: ignore[arg-type]


def test_a_token_is_found_with_its_role_and_teams(catalog: Catalog) -> None:
    kept, token = create(catalog, teams=("stock", "sales", "sales"))

    found = catalog.access.token(token, now=NOW)

    assert found == kept
    assert (found.name, found.role, found.teams, found.created_by) == (
        "airflow",
        Role.DATA_OWNER,
        ("sales", "stock"),
        "ann",
    )


def test_the_token_itself_is_nowhere_in_the_catalog(catalog: Catalog, catalog_url: str) -> None:
    _, token = create(catalog)
    database = open_database(catalog_url)

    with database.reading() as connection:
        (row,) = connection.execute(select(ACCESS_TOKEN)).all()
    database.close()

    assert token not in str(row)
    assert token not in str(catalog.access.audit())
    assert len(row.token_hash) == 64


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(lambda token: token[:0], id="empty"),
        pytest.param(lambda token: token[:-1], id="cut"),
        pytest.param(lambda token: token + "x", id="longer"),
        pytest.param(lambda token: token.swapcase(), id="other case"),
        pytest.param(lambda token: token * 1_000, id="very long"),
        pytest.param(lambda token: token[:-1] + "\ud800", id="half a surrogate pair"),
    ],
)
def test_what_is_not_the_token_opens_nothing(catalog: Catalog, wrong: object) -> None:
    _, token = create(catalog)

    assert catalog.access.token(wrong(token), now=NOW) is None  # type: ignore[operator]


def test_a_token_ends_in_the_moment_it_expires(catalog: Catalog) -> None:
    _, token = create(catalog, expires_at=NOW + timedelta(hours=1))

    assert catalog.access.token(token, now=later(59)) is not None
    assert catalog.access.token(token, now=later(60)) is None


def test_a_revoked_token_opens_nothing_and_stays_on_the_list(catalog: Catalog) -> None:
    _, token = create(catalog)

    first = catalog.access.revoke_token("airflow", actor="bob", actor_role="PLATFORM_ADMIN", now=later(1))
    again = catalog.access.revoke_token("airflow", actor="bob", actor_role="PLATFORM_ADMIN", now=later(2))

    assert (first, again) == (True, False)
    assert catalog.access.token(token, now=later(1)) is None
    assert [kept.revoked_at for kept in catalog.access.tokens()] == [later(1)]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"name": "taken"}, "there is a token 'taken' already", id="name taken"),
        pytest.param({"name": " "}, "printable characters", id="no name"),
        pytest.param({"name": "a\nb"}, "printable characters", id="two lines"),
        pytest.param({"name": "n" * 201}, "1 to 200", id="long name"),
        pytest.param({"name": "late", "expires_at": NOW}, "expired before it is made", id="expired"),
    ],
)
def test_a_token_that_cannot_be_is_refused_and_not_audited(
    catalog: Catalog, changes: dict[str, object], said: str
) -> None:
    create(catalog, "taken")

    with pytest.raises(UsageError, match=said):
        create(catalog, **changes)  # type: ignore[arg-type]
    assert [entry.subject for entry in catalog.access.audit().items] == ["taken"]


def test_the_name_of_a_revoked_token_is_not_given_again(catalog: Catalog) -> None:
    create(catalog)
    catalog.access.revoke_token("airflow", actor="ann", actor_role="PLATFORM_ADMIN", now=NOW)

    with pytest.raises(UsageError, match="or there was"):
        create(catalog)


def test_revoking_what_is_not_there_is_an_error(catalog: Catalog) -> None:
    with pytest.raises(UsageError, match="there is no token 'nobody'"):
        catalog.access.revoke_token("nobody", actor="ann", actor_role="PLATFORM_ADMIN", now=NOW)


@pytest.mark.parametrize(
    ("role", "teams", "own", "other"),
    [
        pytest.param(Role.PLATFORM_ADMIN, (), True, True, id="admin"),
        pytest.param(Role.DATA_STEWARD, (), True, True, id="steward"),
        pytest.param(Role.DATA_STEWARD, ("sales",), True, False, id="steward of a team"),
        pytest.param(Role.DATA_OWNER, ("sales",), True, False, id="owner of a team"),
        pytest.param(Role.DATA_OWNER, (), False, False, id="owner of no team"),
        pytest.param(Role.DATA_CONSUMER, ("sales",), False, False, id="consumer"),
    ],
)
def test_who_may_edit_a_dataset_goes_by_role_and_team(
    catalog: Catalog, role: Role, teams: tuple[str, ...], own: bool, other: bool
) -> None:
    kept, _ = create(catalog, role=role, teams=teams)

    assert (kept.may_edit("sales"), kept.may_edit("stock")) == (own, other)
    assert kept.may_edit(None) is other
