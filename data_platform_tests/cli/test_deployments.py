"""The commands of deployments: recorded once, listed newest first."""

from data_platform_tests.cli.shop import Shop


def test_a_deployment_is_recorded_once_and_listed(shop: Shop) -> None:
    add = ["deployments", "add", "4f1c9e2", "AUTOSYS/NIGHT/LOAD", "--at", "2025-01-06T03:00:00+01:00", "--by", "ann"]

    first, again = shop.run(*add), shop.run(*add)
    [listed] = shop.json("deployments", "list", "AUTOSYS/NIGHT/LOAD")

    assert first.stdout == "recorded 4f1c9e2 of AUTOSYS/NIGHT/LOAD at 2025-01-06 02:00 UTC\n"
    assert again.stdout.startswith("was recorded before: 4f1c9e2")
    assert (listed["at"], listed["by"]) == ("2025-01-06T02:00:00+00:00", "ann")
    assert "4f1c9e2" in shop.run("deployments", "list").stdout
    assert shop.run("deployments", "list", "AUTOSYS").stdout == "no deployment is recorded\n"


def test_a_time_without_its_zone_is_refused(shop: Shop) -> None:
    result = shop.run("deployments", "add", "4f1c9e2", "AUTOSYS", "--at", "2025-01-06")

    assert result.exit_code == 2
    assert "no time with its zone" in result.stderr
