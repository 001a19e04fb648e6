"""A name within a text is replaced in accepted and in quarantined rows alike, and counted."""

from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate
from data_platform_tests.flows.estate import DAY, Estate, declare_orders, ids_at, orders, set_aside


def test_names_in_texts_are_replaced_in_accepted_and_in_quarantined_rows(estate: Estate) -> None:
    rule = {"pattern": "PERSON_NAME", "action": "redact", "fields": ["note"], "in_text": True}
    declare_orders(estate, {"pii": {"detection": [rule]}})
    orders(estate, "1,10.50,please call John Smith today", "2,-1,Mr John Smith was here", "3,4,late flight")

    reports = estate.run("orders")

    silver = next(report for report in reports if report.stage is Stage.SILVER)
    verdict = next(one for one in silver.verdicts if one.gate is Gate.G5_PII)
    assert reports[-1].stage is Stage.CERTIFIED
    assert [row["note"] for row in estate.certified_rows("orders")] == [
        "please call [REDACTED:PERSON_NAME] today",
        "late flight",
    ]
    [quarantined] = set_aside(estate, silver)
    assert "Smith" not in quarantined["note"]
    assert "[REDACTED:PERSON_NAME]" in quarantined["note"]
    assert verdict.metadata["findings"] == {"PII:PERSON_NAME:note": 2}
    assert verdict.metadata["classifier"]
    assert ids_at(estate, Stage.SILVER, DAY) == [1, 3]
