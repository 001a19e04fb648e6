"""G5_PII: every finding is remediated and counted, nothing is done twice, and nothing raw gets to gold."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from data_platform.errors import PolicyError
from data_platform.gates import pii
from data_platform.gates.pii import PiiPlan
from data_platform.model.detector import PATTERNS
from data_platform.model.pii_policy import Pii
from data_platform.model.verdict import Outcome
from data_platform_tests.gates.personal import KEY, every_kind, left, rule, texts, through, told_apart

RAW = ["mail ann@example.com", "899-12-3456", "912-70-1234", "call 212-555-0147 now", None, "", "nothing here"]
PIECES = st.sampled_from([
    "899-12-3456", "899 12 3456", "912-70-1234", "212-555-0147", "(212) 555-0147", "1 212.555.0147", "2125550147",
    "899123456", "+44 20 7946 0958", "+44", "ann@example.com", "o'brien@x.co", "a@b.com@c.com", "@c.org", "@", "x",
    "ssn", "SSN: ", "phone: ", "1", "12", "212", "0147", "899", "-", ".", " ", "/", "(", ")", "+", "_", "'", "*", ",",
    "0490 75 40 81", "(08) 8747 6301", "467 3395", " office", "call me at ", " x12", "+1-984-182-0190", "0147 ",
    "é", "\x1e", "***-**-3456", "***@b.com", "[REDACTED:SSN]", "tok_v1_phone_2125550147abcdef2125550147abcdef",
])  # fmt: skip


def planned(policy: Pii, kinds: str = "contact string, `a.b` string, qty int") -> PiiPlan:
    return pii.plan(StructType.fromDDL(kinds), policy, KEY)


@pytest.mark.parametrize(
    ("action", "after"),
    [
        pytest.param(
            "mask", ["mail ***@example.com", "***-**-3456", "***-**-1234", "call ***-***-0147 now"], id="mask"
        ),
        pytest.param(
            "redact",
            ["mail [REDACTED:EMAIL]", "[REDACTED:SSN]", "[REDACTED:ITIN]", "call [REDACTED:PHONE] now"],
            id="redact",
        ),
    ],
)
def test_findings_are_replaced_within_the_text_and_the_rest_stays(
    spark: SparkSession, action: str, after: list[str]
) -> None:
    found = through(spark, RAW, every_kind(action))

    assert [value for value, _ in found] == [*after, None, "", "nothing here"]
    assert [kinds for _, kinds in found] == [["EMAIL"], ["SSN"], ["ITIN"], ["PHONE"], [], [], []]


@pytest.mark.parametrize("action", ["mask", "redact", "tokenize"])
def test_what_was_remediated_is_not_found_again(spark: SparkSession, action: str) -> None:
    after = [value for value, _ in through(spark, RAW, every_kind(action))]

    assert left(spark, RAW) == [True, True, True, True, False, False, False]
    assert left(spark, after) == [False] * len(RAW)


@pytest.mark.parametrize("column", ["x", "ssn", "phone"])
@pytest.mark.parametrize("action", ["mask", "redact", "tokenize"])
# Each example is three jobs, so a failure is not shrunk: its texts are short already.
@settings(max_examples=3, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(values=st.lists(st.lists(PIECES, max_size=7).map("".join), min_size=100, max_size=300))
def test_remediating_twice_changes_nothing(spark: SparkSession, action: str, column: str, values: list[str]) -> None:
    once = through(spark, values, every_kind(action), column)

    twice = through(spark, [value for value, _ in once], every_kind(action), column)

    assert twice == [(value, []) for value, _ in once]
    assert [value != raw for raw, (value, _) in zip(values, once, strict=True)] == [bool(kinds) for _, kinds in once]
    assert told_apart(spark, values, every_kind(action), column) == [kinds for _, kinds in once]


MADE = "tok_v1_ssn_0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("action", ["mask", "redact", "tokenize"])
def test_a_remediated_value_records_its_kinds(spark: SparkSession, action: str) -> None:
    values = [
        *RAW,
        "899-12-3456 912-70-1234",
        MADE,
        f"{MADE} 912-70-1234",
        "tok_v1_ssn_ 912-70-1234",
        "tok_v1_itin_899-12-3456",
    ]
    mixed = Pii(detection=(rule("SSN", action), rule("EMAIL", "mask")))

    for policy in (every_kind(action), mixed):
        assert told_apart(spark, values, policy) == [kinds for _, kinds in through(spark, values, policy)]


@pytest.mark.parametrize("action", ["mask", "redact", "tokenize"])
def test_a_number_within_groups_that_are_a_phone_as_a_whole_is_claimed_first(spark: SparkSession, action: str) -> None:
    values = ["12 912-70-1234", "212 899 12 3456", "12 345 67 8901"]

    found = through(spark, values, every_kind(action), "phone")

    assert [kinds for _, kinds in found] == [["ITIN", "PHONE"], ["SSN", "PHONE"], ["SSN", "PHONE"]]
    assert told_apart(spark, values, every_kind(action), "phone") == [kinds for _, kinds in found]
    assert through(spark, [value for value, _ in found], every_kind(action), "phone") == [(v, []) for v, _ in found]


def test_only_text_columns_that_a_rule_is_for_are_searched() -> None:
    everywhere = planned(every_kind())
    limited = planned(Pii(detection=(rule("EMAIL", "redact", "CONTACT"), rule("PHONE", "mask", "a.b"))))

    assert list(everywhere.remediated) == ["contact", "a.b"]
    assert limited.actions == {"PII:EMAIL:contact": "redact", "PII:PHONE:a.b": "mask"}
    assert list(limited.found) == list(limited.actions)


def test_a_rule_for_a_column_goes_before_one_for_all() -> None:
    plan = planned(Pii(detection=(rule("EMAIL", "mask"), rule("EMAIL", "redact", "contact"))))

    assert plan.actions == {"PII:EMAIL:contact": "redact", "PII:EMAIL:a.b": "mask"}


def test_columns_of_any_name_are_read_and_flags_are_never_null(spark: SparkSession) -> None:
    rows = texts(spark, ["ann@example.com", None], "a.b c")
    plan = pii.plan(rows.schema, every_kind(), KEY)

    flags = rows.select(*plan.found.values()).collect()

    assert [tuple(row) for row in flags] == [(True, False, False, False), (False, False, False, False)]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        pytest.param(Pii(detection=(rule("EMAIL", "mask", "mail"),)), "field mail is not a column", id="not there"),
        pytest.param(
            Pii(detection=(rule("SSN", "mask", "qty"),)), "field qty is of type int, expected a string", id="int"
        ),
        pytest.param(
            Pii(detection=(rule("SSN", "mask", "contact"), rule("SSN", "redact", "Contact"))),
            "two SSN rules are for field Contact",
            id="two for a column",
        ),
        pytest.param(
            Pii(detection=(rule("SSN", "mask"), rule("SSN", "redact"))),
            "two SSN rules are for every text",
            id="two for all",
        ),
    ],
)
def test_a_rule_that_cannot_be_kept_is_a_policy_error(policy: Pii, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        planned(policy)
    with pytest.raises(PolicyError, match=message):
        pii.leftover(StructType.fromDDL("contact string, qty int"), policy)


def test_in_a_record_as_delivered_bare_digits_count_anywhere(spark: SparkSession) -> None:
    rows = texts(spark, ["7,Ann,2125550147,899123456"], "_raw")
    plan = pii.plan(rows.schema, every_kind(), KEY, free_text=["_raw"])

    row = rows.select(plan.remediated["_raw"]).first()

    assert row is not None
    assert row[0] == "7,Ann,***-***-0147,***-**-3456"


def test_findings_pass_and_are_reported_with_their_action(spark: SparkSession) -> None:
    rows = texts(spark, RAW)
    plan = pii.plan(rows.schema, every_kind("redact"), KEY)
    counted = rows.agg(*(F.count_if(flag).alias(sign) for sign, flag in plan.found.items())).first()
    assert counted is not None

    verdict = pii.judge(plan, counted.asDict(), len(RAW))

    signs = ("PII:EMAIL:x", "PII:SSN:x", "PII:ITIN:x", "PII:PHONE:x")
    assert verdict.passed
    assert verdict.metadata["findings"] == dict.fromkeys(signs, 1)
    assert verdict.metadata["actions"] == dict.fromkeys(signs, "redact")
    assert (verdict.metadata["rows_searched"], verdict.metadata["detector"]) == (len(RAW), PATTERNS)
    assert verdict.compliance == pytest.approx(1 - 4 / 28)
    assert verdict.signatures == ()


@pytest.mark.parametrize(
    ("counts", "rows"),
    [
        pytest.param({}, 10, id="not counted"),
        pytest.param({"PII:EMAIL:contact": None}, 10, id="counted as NULL"),
        pytest.param({"PII:EMAIL:contact": 11}, 10, id="more than there are rows"),
        pytest.param({"PII:EMAIL:contact": 0}, None, id="rows not known"),
    ],
)
def test_an_unknown_producer_is_an_error_and_not_a_pass(counts: dict[str, int], rows: int | None) -> None:
    plan = planned(Pii(detection=(rule("EMAIL", "mask", "contact"),)))
    leaks = {sign.replace("PII:", "PII_LEAK:"): count for sign, count in counts.items()}

    for verdict in (pii.judge(plan, counts, rows), pii.judge_leftover(["PII_LEAK:EMAIL:contact"], leaks, rows)):
        assert verdict.outcome is Outcome.ERRORED
        assert verdict.compliance is None
        assert "run the batch again" in verdict.reason


def test_one_raw_value_left_fails_and_is_named_by_kind_and_column(spark: SparkSession) -> None:
    rows = texts(spark, ["***@example.com", "ann@example.com"])
    flags = pii.leftover(rows.schema, every_kind())
    counted = rows.agg(*(F.count_if(flag).alias(sign) for sign, flag in flags.items())).first()
    assert counted is not None

    verdict = pii.judge_leftover(list(flags), counted.asDict(), 2)

    assert verdict.outcome is Outcome.FAILED
    assert verdict.signatures == ("PII_LEAK:EMAIL:x",)
    assert "ann@example.com" not in repr(verdict)


def test_nothing_left_passes_and_no_rule_or_row_has_no_compliance() -> None:
    assert pii.judge_leftover(["PII_LEAK:EMAIL:x"], {"PII_LEAK:EMAIL:x": 0}, 5).compliance == 1.0
    for verdict in (pii.judge_leftover([], {}, 5), pii.judge(planned(Pii()), {}, 5), pii.judge(planned(Pii()), {}, 0)):
        assert (verdict.outcome, verdict.compliance) == (Outcome.PASSED, None)
