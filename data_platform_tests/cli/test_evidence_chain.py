"""``evidence verify`` says whether the log is whole, ``checkpoint`` makes the proof, ``show`` shows one record."""

import json
from pathlib import Path

from data_platform.model.evidence import FIELDS
from data_platform_tests.catalog.evidence.tampering import tamper
from data_platform_tests.cli.shop import HELD_RUN, ORDERS, RUN, Shop, certify, hold


def edit(shop: Shop, statement: str) -> None:
    tamper(f"sqlite:///{shop.root / 'home' / 'catalog.db'}", statement)


def test_an_empty_log_and_a_filled_one_are_whole(shop: Shop) -> None:
    assert shop.run("evidence", "verify").stdout == "whole: 0 records in 0 chains, 0 stored checkpoints\n"

    certify(shop)
    hold(shop)

    assert shop.run("evidence", "verify", "orders").stdout == "whole: 2 records in 1 chain, 1 stored checkpoint\n"
    assert shop.json("evidence", "verify")["whole"] is True


def test_older_records_are_counted_and_sealed_by_the_first_checkpoint(shop: Shop) -> None:
    with shop.catalog():
        edit(
            shop,
            "INSERT INTO evidence (dataset_urn, run_id, gate, result, certified_view_status, timestamp, stage) VALUES "
            "('ds://sales/orders', 'old', 'DQ', 'PASS', 'UNCERTIFIED', '2024-01-01 00:00:00.000000', 'gold')",
        )

    before = shop.run("evidence", "verify").stdout
    shop.run("evidence", "checkpoint")
    after = shop.run("evidence", "verify").stdout

    assert "1 record is older than the chains: not sealed yet" in before
    assert "1 record is older than the chains: sealed as a whole by the first checkpoint" in after


def test_an_edited_record_is_named_with_its_run(shop: Shop) -> None:
    certify(shop)
    hold(shop)
    edit(shop, f"UPDATE evidence SET result = 'PASS' WHERE run_id = '{HELD_RUN}'")  # noqa: S608

    result, document = shop.run("evidence", "verify"), shop.json("evidence", "verify", exit_code=1)

    assert result.exit_code == 1
    assert f"edited: {ORDERS}, position 2, evidence " in result.stderr
    assert f"of run {HELD_RUN}: its content is not what its MAC was made for" in result.stderr
    assert [(found["kind"], found["position"]) for found in document["breaks"]] == [("edited", 2)]


def test_a_checkpoint_outside_finds_what_was_cut_with_everything_that_names_it(shop: Shop, tmp_path: Path) -> None:
    certify(shop)
    file = tmp_path / "checkpoint.json"
    made = shop.run("evidence", "checkpoint", "--output", str(file))
    for table in ("evidence", "evidence_head", "evidence_checkpoint"):
        edit(shop, f"DELETE FROM {table}")  # noqa: S608

    alone = shop.run("evidence", "verify")
    against = shop.run("evidence", "verify", "--checkpoint", str(file))

    assert made.stdout == f"checkpoint 2 of 1 record is in {file}: keep it outside this machine\n"
    assert (alone.exit_code, against.exit_code) == (0, 1)
    assert f"cut: {ORDERS}, position 1: the record at position 1, which the checkpoint of" in against.stderr


def test_a_checkpoint_is_never_overwritten_and_another_file_is_none(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.json"
    file.write_text("{}")

    again = shop.run("evidence", "checkpoint", "--output", str(file))

    assert "exists, and a checkpoint is never overwritten" in again.stderr
    assert "is not a checkpoint" in shop.run("evidence", "verify", "--checkpoint", str(file)).stderr
    assert file.read_text() == "{}"


def test_one_record_is_shown_with_its_place_in_the_chain(shop: Shop) -> None:
    certify(shop)
    hold(shop)
    newest, first = shop.json("evidence", "list")

    shown = shop.json("evidence", "show", first["evidence_id"])

    assert {name: shown[name] for name in FIELDS} == {name: first[name] for name in FIELDS}
    assert (shown["run_id"], shown["position"], shown["previous_mac"], shown["mac_matches"]) == (RUN, 1, "", True)
    assert shop.json("evidence", "show", newest["evidence_id"])["previous_mac"] == shown["mac"]
    assert shop.run("evidence", "show", "none").exit_code == 2


def test_a_record_that_cannot_be_read_any_more_is_an_error_and_not_a_stack_trace(shop: Shop) -> None:
    certify(shop)
    (record,) = shop.json("evidence", "list")
    edit(shop, "UPDATE evidence SET timestamp = 'yesterday'")

    result = shop.run("evidence", "show", record["evidence_id"])

    assert result.exit_code == 1
    assert "was changed by another program and cannot be read" in result.stderr
    assert "holds a value that is none of its column" in shop.run("evidence", "verify").stderr


def test_a_replaced_key_is_kept_beside_the_new_one(shop: Shop) -> None:
    certify(shop)
    before = (shop.root / "home" / "evidence.key").read_bytes()

    key_id = shop.json("evidence", "rekey")["key_id"]
    hold(shop)

    documents = [shop.json("evidence", "show", item["evidence_id"]) for item in shop.json("evidence", "list")]
    assert [document["mac_matches"] for document in documents] == [True, True]
    assert documents[0]["key_id"] == key_id
    (kept,) = (shop.root / "home").glob("evidence.key.*")
    assert (kept.read_bytes(), kept.stat().st_mode & 0o077) == (before, 0)
    assert shop.run("evidence", "rekey", "--lost").exit_code == 2


def test_a_lost_key_stops_whoever_needs_it_until_it_is_given_up(shop: Shop) -> None:
    certify(shop)
    (shop.root / "home" / "evidence.key").unlink()

    refused = shop.run("evidence", "checkpoint")
    given_up = shop.json("evidence", "rekey", "--lost")
    result = shop.run("evidence", "verify")

    assert refused.exit_code == 1
    assert "run `data-platform evidence rekey --lost`" in refused.stderr
    assert len(given_up["lost"]) == 1
    assert (result.exit_code, "1 record was sealed with a key that is lost" in result.stdout) == (0, True)
    assert json.dumps(given_up).count(given_up["key_id"]) == 1
