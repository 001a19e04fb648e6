"""Every command answers with one JSON document if it is asked to, also when it cannot do what it should."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from data_platform.cli.main import app
from data_platform.lake.class_archive import archive_file
from data_platform.legacy.spark_listener import DEFAULT
from data_platform_tests.cli.shop import CUSTOMERS, DAY, ORDERS, QUARANTINE, Shop, certify, hold, set_aside

NO_JSON = {("serve",), ("mcp",), ("up",), ("dev",), ("legacy", "run")}
"""Four run until they are stopped; one passes a job's own output on."""

COMMANDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("validate",): ("--no-spark",),
    ("lint",): (),
    ("run",): ("--select", "none"),
    ("reconcile",): ("none",),
    ("rekey",): ("none",),
    ("restore",): ("none",),
    ("demo",): ("--home", "policies"),
    ("init",): ("policies",),
    ("onboard",): ("none", "--as", "ds://sales/returns", "--team", "sales"),
    ("prepare",): (),
    ("status",): (),
    ("certified",): (),
    ("history",): ("orders",),
    ("why",): ("orders",),
    ("rca",): ("77",),
    ("backup", "create"): ("backups",),
    ("backup", "list"): ("backups",),
    ("backup", "verify"): ("none",),
    ("backup", "restore"): ("none",),
    ("catalog", "show"): ("orders",),
    ("catalog", "lineage"): ("orders",),
    ("catalog", "impact"): ("orders",),
    ("catalog", "diff"): ("orders", "v1"),
    ("catalog", "emit"): (),
    ("catalog", "search"): ("orders",),
    ("catalog", "register"): ("ds://sales/returns", "--by", "ann"),
    ("catalog", "registrations"): (),
    ("catalog", "approve"): ("77", "--by", "bob"),
    ("catalog", "reject"): ("77", "--by", "bob"),
    ("catalog", "archive"): ("--older-than", "90d"),
    ("catalog", "ddl"): ("--dialect", "sqlite"),
    ("catalog", "move"): ("--to", "oracle://none"),
    ("contract", "import"): ("none.yaml",),
    ("contract", "export"): ("orders",),
    ("pii", "detokenize"): ("none", "--reason", "a test"),
    ("pii", "keys"): (),
    ("pii", "rotate"): ("--plan",),
    ("pii", "retire"): ("1", "--reason", "a test"),
    ("policy", "accept-drift"): ("orders",),
    ("policy", "learn-enums"): ("orders",),
    ("policy", "submit"): ("orders",),
    ("quarantine", "list"): (),
    ("quarantine", "show"): ("orders",),
    ("quarantine", "assign"): ("none", "--to", "ann"),
    ("quarantine", "discard"): ("none", "--reason", "test records"),
    ("quarantine", "release"): ("none",),
    ("quarantine", "diff"): ("none",),
    ("quarantine", "replay"): ("none",),
    ("signals", "backtest"): ("orders",),
    ("signals", "at-risk"): (),
    ("signals", "events"): (),
    ("signals", "replay"): (),
    ("signals", "freshness"): (),
    ("signals", "health"): (),
    ("alerts", "send"): ("--once",),
    ("alerts", "list"): (),
    ("alerts", "test"): ("none",),
    ("signals", "list"): (),
    ("incidents", "list"): (),
    ("incidents", "show"): ("77",),
    ("incidents", "history"): ("77",),
    ("incidents", "acknowledge"): ("77", "--by", "bob"),
    ("incidents", "resolve"): ("77", "--reason", "FIXED", "--by", "bob"),
    ("faultlab", "run"): ("--fault", "none"),
    ("faultlab", "write"): ("cases", "--seeds", "none"),
    ("faultlab", "score"): ("none.jsonl", "none.jsonl"),
    ("watch",): ("--once",),
    ("maintenance", "add"): ("none", "--for", "1h", "--reason", "a test"),
    ("maintenance", "list"): (),
    ("maintenance", "end"): ("77",),
    ("kpi",): (),
    ("evidence", "list"): (),
    ("evidence", "show"): ("none",),
    ("evidence", "verify"): (),
    ("evidence", "checkpoint"): (),
    ("evidence", "rekey"): (),
    ("evidence", "relay"): (),
    ("waiver", "request"): ("orders", "DQ", "EMPTY_BATCH", "--reason", "a holiday", "--until", "2025-01-31"),
    ("waiver", "approve"): ("77", "--by", "bob"),
    ("waiver", "list"): (),
    ("waiver", "revoke"): ("77", "--by", "bob"),
    ("deployments", "add"): ("4f1c9e2", "AUTOSYS/NIGHT", "--by", "ann"),
    ("deployments", "list"): (),
    ("token", "create"): ("ann", "--role", "DATA_OWNER"),
    ("token", "list"): (),
    ("token", "revoke"): ("nobody",),
    ("legacy", "forward"): (),
    ("legacy", "process"): ("A/B", "nonsense"),
    ("legacy", "spark-listener"): (),
    ("legacy", "dataset"): ("orders", "v1"),
    ("legacy", "markers"): (),
    ("legacy", "compare"): ("--legacy", "none", "--new", "none"),
    ("legacy", "scan"): ("none.jil",),
}


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def test_each_command_is_run_here_or_has_a_reason_why_not() -> None:
    assert {path for path, _ in commands(typer.main.get_command(app))} == COMMANDS.keys() | NO_JSON


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_command_prints_one_document_and_nothing_else(
    shop: Shop, path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.root)  # where policies is a folder that is not empty
    if path == ("legacy", "spark-listener"):  # which downloads nothing if the jar is there
        monkeypatch.setenv("HOME", str(shop.root))
        jar = Path(DEFAULT).expanduser()
        jar.parent.mkdir(parents=True)
        jar.touch()
    if path == ("prepare",):  # which makes no archive if it is there
        monkeypatch.setenv("HOME", str(shop.root))
        archive = archive_file()
        assert archive is not None
        archive.touch()

    result = shop.run(*path, *COMMANDS[path], "--json")

    document = json.loads(result.stdout)
    assert "Traceback" not in result.output
    # what legacy forward could not send is no error of the command, and its document says so
    done = {0, 1} if path == ("legacy", "forward") else {0}
    assert result.exit_code in ({document["exit_code"]} if "error" in document else done)


def test_the_version_is_printed(shop: Shop) -> None:
    result = shop.run("--version")

    assert (result.exit_code, result.stdout.split()[0]) == (0, "data-platform")


@pytest.mark.parametrize("name", ["orders", ORDERS, "sales/orders", "gold_certified.orders"])
def test_what_status_and_certified_print_is_a_name_everywhere(shop: Shop, name: str) -> None:
    certify(shop)
    set_aside(hold(shop))
    with shop.catalog() as catalog:
        for urn in (ORDERS, CUSTOMERS):
            catalog.registry.save_dataset(
                urn, table="orders", owner_team="sales", tier="TIER_3", description="", policy_fingerprint="f",
                now=catalog.certifications.all()[0].certified_at,
            )  # fmt: skip

    assert shop.json("certified", name)["version"] == 4
    assert shop.json("catalog", "show", name)["dataset"]["full_name"] == ORDERS
    assert shop.json("evidence", "list", name, "--partition", DAY)
    assert shop.json("evidence", "list", name, "--partition", "2025-01-01") == []
    assert [entry["name"] for entry in shop.json("quarantine", "list", name, "-p", DAY)] == [QUARANTINE]
    (table,) = shop.json("quarantine", "show", name, "--partition", DAY)["tables"]
    assert (table["entry"]["name"], len(table["rows"])) == (QUARANTINE, 2)


def test_a_day_without_quarantine_is_reported(shop: Shop) -> None:
    set_aside(hold(shop))

    document = shop.json("quarantine", "show", "orders", "-p", "2025-01-02", exit_code=2)

    assert document["error"].startswith(f"nothing of 2025-01-02 of {ORDERS} is in quarantine")
