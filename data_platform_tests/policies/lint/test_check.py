"""Policies that are valid and promise too little are found, at their line, with the level that their mode allows."""

from pathlib import Path

import pytest

from data_platform.model.finding_level import Level
from data_platform.policies.lint import LintFinding, check_policies
from data_platform.policies.lint.dataset_check import is_always_true
from data_platform_tests.policies.tree import ORDERS, bundle_yaml, dataset_yaml, derived, write

SOURCE = "source: {format: csv, path: orders, producer: shop}"
WHOLE = (SOURCE, "owner_email: shop@example.com", "slo: {freshness: {expected_update_by: '06:00 UTC daily'}}")
GOOD = "contract: {unique: [order_id]}"


def found(
    folder: Path, *lines: str, bundle: str = "", platform: str = "", columns: str = "order_id INT"
) -> list[LintFinding]:
    files = {
        f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", *(lines or WHOLE)),
        f"{ORDERS}/policy_bundle.yaml": bundle_yaml(columns, *(bundle or GOOD).splitlines()),
        **({"platform.yaml": platform} if platform else {}),
    }
    return check_policies(write(folder, files))


def codes(findings: list[LintFinding]) -> list[str]:
    return [finding.code for finding in findings]


def test_a_dataset_with_owner_deadline_and_contract_has_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path) == []


def test_what_is_missing_is_found_at_its_file_and_line(tmp_path: Path) -> None:
    findings = found(tmp_path, SOURCE, bundle="dq: {min_rows: 1}")

    assert [(one.code, Path(one.file).name, one.line, one.level.value) for one in findings] == [
        ("DP001", "dataset.yaml", 1, "error"),
        ("DP006", "dataset.yaml", 1, "warning"),
        ("DP003", "dataset.yaml", 2, "warning"),
    ]
    assert findings[0].text.endswith(
        "dataset.yaml:1: error DP001 ds://shop/orders promises nothing about its rows;"
        " declare invariants, required_fields, unique, references or enum"
    )


@pytest.mark.parametrize(
    ("bundle", "code", "line"),
    [
        pytest.param("contract_lite: {invariants: ['order_id > 0 OR TRUE']}", "DP008", 4, id="a tautology"),
        pytest.param(
            "contract_lite: {invariants: [order_id IS NULL OR order_id IS NOT NULL]}", "DP008", 4, id="NULL or not NULL"
        ),
        pytest.param(f"{GOOD}\ncontract_lite: {{min_compliance: 0}}", "DP009", 5, id="no row has to keep a rule"),
        pytest.param(f"{GOOD}\ndq: {{min_rows: 0}}", "DP009", 5, id="an empty batch is enough"),
        pytest.param(
            f"{GOOD}\ndq:\n  metrics:\n    - field: order_id\n      max_null_rate: 1", "DP009", 8, id="100 % NULL"
        ),
        pytest.param(f"{GOOD}\ndq:\n  metrics:\n    - field: order_id", "DP010", 7, id="a metric without a bound"),
    ],
)
def test_what_can_never_fail_is_found(tmp_path: Path, bundle: str, code: str, line: int) -> None:
    [finding] = found(tmp_path, bundle=bundle)

    assert (finding.code, finding.line) == (code, line)


@pytest.mark.parametrize(
    ("column", "rule", "expected"),
    [
        pytest.param("customer_email", "", ["DP007"], id="a mail address by its name"),
        pytest.param("home_phone", "", ["DP007"], id="a phone by its name"),
        pytest.param("custSSN", "", ["DP007"], id="an SSN by its name"),
        pytest.param("order_note", "", [], id="another name"),
        pytest.param("home_phone", "pii: {detection: [{pattern: PHONE, action: mask}]}", [], id="all are searched"),
        pytest.param(
            "home_phone",
            "pii: {detection: [{pattern: PHONE, action: mask, fields: [home_phone]}]}",
            [],
            id="its column",
        ),
        pytest.param("home_phone", "pii: {detection: [{pattern: EMAIL, action: mask}]}", ["DP007"], id="another kind"),
    ],
)
def test_a_column_that_is_personal_by_its_name_needs_a_rule(
    tmp_path: Path, column: str, rule: str, expected: list[str]
) -> None:
    assert codes(found(tmp_path, columns=f"order_id INT, {column} STRING", bundle=f"{GOOD}\n{rule}")) == expected


@pytest.mark.parametrize(
    ("mode", "platform", "level"),
    [
        pytest.param("HARD_FAIL", "", Level.ERROR, id="HARD_FAIL"),
        pytest.param("SOFT_FAIL", "environment: staging\n", Level.ERROR, id="SOFT_FAIL in staging"),
        pytest.param("SOFT_FAIL", "", Level.WARNING, id="SOFT_FAIL in production"),
        pytest.param("WARN", "", Level.WARNING, id="WARN"),
        pytest.param("VISIBILITY", "", Level.NOTE, id="VISIBILITY"),
    ],
)
def test_the_mode_caps_the_level(tmp_path: Path, mode: str, platform: str, level: Level) -> None:
    rules = f"{platform}enforcement: [{{mode: {mode}}}]\n"

    [finding] = found(tmp_path, bundle="dq: {min_rows: 1}", platform=rules)

    assert (finding.code, finding.level) == ("DP001", level)


def test_a_mode_that_is_weaker_than_the_tiers_is_found(tmp_path: Path) -> None:
    [weak] = found(tmp_path, *WHOLE, "enforcement: WARN")
    [typing] = found(tmp_path, *WHOLE, "enforcement: {prodution: HARD_FAIL}")

    assert (weak.code, weak.line) == ("DP011", 7)
    assert weak.message == "ds://shop/orders is on WARN in production, and TIER_2 on HARD_FAIL"
    assert typing.code == "DP012"
    assert typing.message == "ds://shop/orders has a mode for prodution, which is none of production, staging"


def test_a_weaker_mode_of_the_tier_is_no_finding(tmp_path: Path) -> None:
    rules = "enforcement: [{mode: WARN, tier: TIER_2}]\n"

    assert found(tmp_path, *WHOLE, "enforcement: WARN", platform=rules) == []


def test_problems_of_files_are_findings_with_the_place_that_validate_reports(tmp_path: Path) -> None:
    files = {**derived(inputs="ds://shop/unknown"), f"{ORDERS}/dataset.yaml": "urn: ds://shop/other\ntier: TIER_2\n"}

    findings = [one for one in check_policies(write(tmp_path, files)) if one.level is Level.ERROR]

    places = {(one.code, Path(one.file).name) for one in findings}
    assert {("DP002", "dataset.yaml"), ("DP005", "totals.yaml")} <= places


@pytest.mark.parametrize("rule", ["a > 0", "a = a", "a > 0 OR a <= 0", "length(a) >= 0", "((", "a IS NOT NULL"])
def test_a_rule_that_fails_for_some_row_or_cannot_be_parsed_is_no_tautology(rule: str) -> None:
    assert not is_always_true(rule)


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        pytest.param("shop", [], id="its own route"),
        pytest.param("nobody", [("DP014", Level.WARNING, 2)], id="a route of another team"),
    ],
)
def test_a_team_without_a_route_is_found_where_there_are_routes(
    tmp_path: Path, owner: str, expected: list[tuple[str, Level, int]]
) -> None:
    route = f"alerts: {{routes: [{{channels: [log], owner: {owner}}}]}}"

    findings = found(tmp_path, *WHOLE, platform=route)

    assert [(one.code, one.level, one.line) for one in findings] == expected
