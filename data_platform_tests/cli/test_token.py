"""``data-platform token``: shown once, listed without its text, revoked for good."""

import pytest

from data_platform.catalog import open_catalog
from data_platform.model.access import Role
from data_platform_tests.cli.shop import Shop


def test_a_token_is_printed_alone_so_that_a_shell_can_keep_it(shop: Shop) -> None:
    result = shop.run("token", "create", "airflow", "--role", "DATA_OWNER", "--team", "sales", "--team", "stock")

    token = result.stdout.strip()
    assert result.exit_code == 0
    assert "shown only this once" in result.stderr
    with open_catalog(f"sqlite:///{shop.root / 'home' / 'catalog.db'}") as catalog:
        [kept] = catalog.access.tokens()
        assert catalog.access.token(token, now=kept.created_at) == kept
        assert (kept.name, kept.role, kept.teams) == ("airflow", Role.DATA_OWNER, ("sales", "stock"))
        [entry] = catalog.access.audit().items
        assert (entry.action, entry.role, entry.actor) == ("token.create", "LOCAL", kept.created_by)


def test_json_has_the_token_too(shop: Shop) -> None:
    document = shop.json("token", "create", "dbt", "--role", "DATA_CONSUMER", "--expires-in", "12h")

    assert document["token"].startswith("dpt_")
    assert (document["role"], document["expires_at"] is None) == ("DATA_CONSUMER", False)


def test_the_list_shows_each_role_and_whether_it_is_valid(shop: Shop) -> None:
    assert "no tokens yet" in shop.run("token", "list").stdout
    token = shop.json("token", "create", "airflow", "--role", "DATA_OWNER", "--team", "sales")["token"]
    shop.run("token", "create", "dbt", "--role", "DATA_CONSUMER")
    shop.run("token", "revoke", "dbt")

    listed = shop.json("token", "list")

    assert [(row["name"], row["role"], row["teams"], row["state"]) for row in listed] == [
        ("airflow", "DATA_OWNER", ["sales"], "valid"),
        ("dbt", "DATA_CONSUMER", [], "revoked"),
    ]
    assert token not in shop.run("token", "list").output
    assert "revoked" in shop.run("token", "list").stdout


def test_revoking_again_reports_that_it_was_revoked(shop: Shop) -> None:
    shop.run("token", "create", "dbt", "--role", "DATA_CONSUMER")

    assert shop.json("token", "revoke", "dbt") == {"name": "dbt", "revoked": True}
    assert "was already revoked" in shop.run("token", "revoke", "dbt").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("create", "x"), "Missing option '--role'", id="no role"),
        pytest.param(("create", "x", "--role", "ROOT"), "DATA_STEWARD", id="no such role"),
        pytest.param(("create", "x", "--role", "DATA_OWNER", "--expires-in", "90"), "such as 90d", id="no unit"),
        pytest.param(("create", "x", "--role", "DATA_OWNER", "--expires-in", "0d"), "such as 90d", id="no time"),
        pytest.param(("create", "  ", "--role", "DATA_OWNER"), "printable characters", id="no name"),
        pytest.param(("revoke", "nobody"), "there is no token 'nobody'", id="no such token"),
    ],
)
def test_wrong_use_is_reported_and_nothing_is_created(shop: Shop, arguments: tuple[str, ...], said: str) -> None:
    result = shop.run("token", *arguments)

    assert result.exit_code == 2
    assert said in result.stderr
    assert shop.json("token", "list") == []
