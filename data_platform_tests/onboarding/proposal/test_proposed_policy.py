"""What a proposal says, what is left out once its rules are counted, and that its files are valid policies."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from data_platform.model.dataset import DatasetId
from data_platform.onboarding.place import Place
from data_platform.onboarding.profile.sketch import Sketch
from data_platform.onboarding.profile.stored_profile import stored_profile
from data_platform.onboarding.profile.table_profile import ColumnProfile, TableProfile
from data_platform.onboarding.proposal.proposed_policy import Owner, ProposedPolicy, propose, settled
from data_platform.onboarding.proposal.rule import ProposedRule, RuleKind
from data_platform.policies import load_policies
from data_platform_tests.onboarding.proposal.columns import of_numbers, of_texts

OWNER = Owner(dataset=DatasetId("sales", "orders"), team="sales")
PLACE = Place({"format": "csv", "path": "orders"})
ODD = 'nO "\n: #'
"""A name of a column as a hostile sender would have it."""


def profile_with(*columns: ColumnProfile) -> TableProfile:
    return TableProfile(columns=columns, rows={"all": max(one.rows for one in columns)})


def proposed(*columns: ColumnProfile) -> ProposedPolicy:
    return propose(OWNER, PLACE, profile_with(*columns), Sketch(len(columns)), {}, None)


def test_the_proposed_files_are_valid_policies(tmp_path: Path) -> None:
    columns = (
        of_texts("status", {"NO": 400, "1e3": 300}),
        of_numbers("amount", [float(n % 100) for n in range(700)]),
        of_texts("mail", {f"x{n}@y.de": 1 for n in range(700)}, personal=("EMAIL",)),
    )
    policy = proposed(*columns)
    folder = tmp_path / "policies" / "datasets" / "sales" / "orders"
    folder.mkdir(parents=True)
    (folder / "dataset.yaml").write_text(policy.dataset_text)
    (folder / "policy_bundle.yaml").write_text(policy.bundle_text)
    stored = stored_profile(profile_with(*columns), policy.nullable, policy.types)
    (folder / "baseline.json").write_text(stored.model_dump_json(by_alias=True, exclude_none=True))

    bundle = load_policies(tmp_path / "policies").dataset("orders").bundle

    by_name = {one.field: one for one in bundle.schema_.constraints}
    assert by_name["status"].enum == ("1e3", "NO")
    assert [rule.name for rule in bundle.contract_lite.invariants] == ["amount_is_possible", "mail_has_its_form"]
    assert [(rule.pattern, rule.fields) for rule in bundle.pii.detection] == [("EMAIL", ("mail",))]
    assert "y.de" not in "".join(path.read_text() for path in folder.iterdir())


def test_each_rule_has_its_reason_and_its_count_as_a_comment() -> None:
    policy = proposed(of_texts("status", {"OPEN": 400, "SHUT": 300}))
    policy = replace(policy, rules=tuple(replace(rule, would_reject=0) for rule in policy.rules))

    assert "# 2 codes, the rarest in 300 rows; would reject 0 rows\n      enum: " in policy.bundle_text


def test_a_name_of_a_column_that_is_no_word_breaks_no_line() -> None:
    columns = of_texts(ODD, {"OPEN": 400, "SHUT": 300}), of_numbers(f"{ODD}2", [float(n % 100) for n in range(700)])

    document = yaml.safe_load(proposed(*columns).bundle_text)

    assert [one["field"] for one in document["schema"]["constraints"]] == [ODD, f"{ODD}2"]
    assert document["contract_lite"]["invariants"][0]["rule"] == f"`{ODD}2` BETWEEN 0 AND 130"


@pytest.mark.parametrize(
    ("kind", "would_reject", "is_kept"),
    [
        pytest.param(RuleKind.RANGE, 0, True, id="rejects nothing"),
        pytest.param(RuleKind.RANGE, 1, True, id="rejects an error"),
        pytest.param(RuleKind.RANGE, 20, False, id="rejects a tail"),
    ],
)
def test_a_rule_that_rejects_more_than_errors_is_left_out(kind: RuleKind, would_reject: int, *, is_kept: bool) -> None:
    column = of_numbers("amount", [float(n % 100) for n in range(2_000)])
    policy = proposed(column)
    counted = [replace(rule, would_reject=would_reject if rule.kind is kind else 0) for rule in policy.rules]

    result = settled(policy, counted, profile_with(column))

    assert (kind in {rule.kind for rule in result.rules}) is is_kept
    assert bool(result.considered) is not is_kept


def test_a_type_that_many_values_do_not_have_becomes_text_and_loses_its_range() -> None:
    column = of_numbers("amount", [float(n % 100) for n in range(2_000)])
    policy = proposed(column)
    counted = [replace(rule, would_reject=100 if rule.kind is RuleKind.TYPE else 0) for rule in policy.rules]

    result = settled(policy, counted, profile_with(column))

    assert result.types == {"amount": "string"}
    assert RuleKind.RANGE not in {rule.kind for rule in result.rules}


def test_the_first_key_without_a_repetition_is_kept() -> None:
    column = of_texts("id", {str(n): 1 for n in range(700)})
    keys = [
        ProposedRule(kind=RuleKind.KEY, fields=(name,), value=[name], reason="unique", would_reject=repeated)
        for name, repeated in (("id", 3), ("code", 0), ("other", 0))
    ]

    result = settled(proposed(column), keys, profile_with(column))

    assert [rule.fields for rule in result.rules] == [("code",)]
    assert result.considered == (
        "id as a key: 3 rows repeat it",
        "other as a key: another key has fewer columns or clearer names",
    )
