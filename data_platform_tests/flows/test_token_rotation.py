"""Tokens from delivery to certified rows: before and after a rotation, in quarantine too, and opened by a steward."""

from pathlib import Path

from pyspark.sql import SparkSession

from data_platform.model.access import AccessToken, Role
from data_platform.model.registration import Actor
from data_platform.model.run import StageReport
from data_platform.model.token_text import parse_token
from data_platform.stage import key_rotation
from data_platform_tests.flows.estate import DAY, Estate, declare_orders, orders, set_aside

REVERSIBLE = {"pii": {"detection": [{"pattern": "EMAIL", "action": "tokenize", "reversible": True}]}}
ANN = Actor(name="ann", role="PLATFORM_ADMIN")
SUM = "SELECT note, CAST(COUNT(*) AS BIGINT) AS orders FROM orders GROUP BY note"


def tokens_of(estate: Estate, silver: StageReport) -> list[str]:
    """Of the certified row, of the two rows in quarantine, and of what a process made of the first."""
    kept = [row["note"] for row in estate.certified_rows("orders")]
    broken = sorted(row["note"] for row in set_aside(estate, silver))
    return [*kept, *broken, *(row["note"] for row in estate.certified_rows("counts"))]


def test_a_rotated_day_that_is_run_again_has_tokens_of_the_new_key_everywhere(
    tmp_path: Path, spark: SparkSession
) -> None:
    estate = Estate(tmp_path, spark)
    declare_orders(estate, REVERSIBLE)
    columns = [{"field": "note", "type": "STRING"}, {"field": "orders", "type": "BIGINT"}]
    counts = "ds://sales/counts"
    estate.declare(counts, {"schema": {"constraints": columns}}, process="counts")
    step = {"name": "counted", "sql": SUM}
    estate.process("counts", output=counts, inputs=[{"dataset": "ds://sales/orders"}], steps=[step])
    orders(estate, "1,10.50,Ann@Example.com", "2,-1,ann@example.com", "3,x,ann@example.com", "4,2.00,", "5,2.00,")
    found: dict[int, list[str]] = {}

    for version in (1, 2):
        if version == 2:
            platform = estate.platform()
            key_rotation.rotate(platform, "yearly", ANN)
            assert [item.dataset for item in key_rotation.outdated(platform)] == ["ds://sales/orders", counts]
            platform.close()
        _, silver, *_ = estate.run("orders", DAY)
        estate.run("counts", None)
        found[version] = tokens_of(estate, silver)

    platform = estate.platform()
    assert key_rotation.outdated(platform) == ()
    for version, texts in found.items():
        assert {token and token.version for token in map(parse_token, filter(None, texts))} == {version}
        assert len(set(filter(None, texts))) == 1  # one person, whatever happened to the row
    steward = AccessToken(
        token_id=1, name="cy", role=Role.DATA_STEWARD, teams=(), created_by="root", created_at=platform.now()
    )
    given = [text for texts in found.values() for text in texts if text]
    opened = platform.catalog.access.detokenize(
        given, "a test", caller=steward, keys=platform.settings.pii_keys.versions(), now=platform.now()
    )
    assert {item.value for item in opened} == {"ann@example.com"}
    platform.close()
