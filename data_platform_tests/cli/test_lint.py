"""The command for CI: its formats, its exit codes, and which codes count."""

import json
from pathlib import Path
from typing import Any

import pytest

from data_platform_tests.cli.shop import Shop


@pytest.fixture
def policies(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """Two datasets without owner_email and deadline; one has a column that is personal by its name."""
    monkeypatch.chdir(shop.root)
    file = shop.root / "policies" / "datasets" / "sales" / "orders" / "policy_bundle.yaml"
    file.write_text(file.read_text() + "    - {field: e_mail, type: STRING}\n    - {field: email, type: STRING}\n")
    return shop


def test_findings_are_listed_by_place_and_errors_fail(policies: Shop) -> None:
    result = policies.run("lint")

    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "2 errors, 4 warnings, 0 notes"
    assert (
        "policies/datasets/sales/orders/policy_bundle.yaml:6: error DP007 the name of column email indicates EMAIL,"
        " and no rule of pii searches it; add a rule to pii.detection that names the column"
    ) in result.stdout.splitlines()


def test_codes_are_selected_ignored_and_fail_by_level(policies: Shop) -> None:
    def ended(*options: str) -> tuple[int, str]:
        result = policies.run("lint", *options)
        return result.exit_code, result.stdout.splitlines()[-1]

    assert ended("--select", "DP007") == (1, "2 errors, 0 warnings, 0 notes")
    assert ended("--ignore", "DP007,DP006") == (0, "0 errors, 2 warnings, 0 notes")
    assert ended("--ignore", "DP007", "--fail-on", "warning") == (1, "0 errors, 4 warnings, 0 notes")
    unknown = policies.run("lint", "--select", "DP999")
    assert unknown.exit_code == 2
    assert unknown.stderr.startswith("error: 'DP999' is no code of lint; there are DP000, ")


def test_github_shows_each_finding_at_its_line(policies: Shop) -> None:
    lines = policies.run("lint", "--format", "github", "--select", "DP007").stdout.splitlines()

    assert lines[1] == (
        "::error file=policies/datasets/sales/orders/policy_bundle.yaml,line=6,title=DP007 personal data without a rule"
        "::the name of column email indicates EMAIL, and no rule of pii searches it;"
        " add a rule to pii.detection that names the column"
    )


def test_json_and_sarif_have_the_same_findings(policies: Shop) -> None:
    listed: list[dict[str, Any]] = json.loads(policies.run("lint", "--json").stdout)
    log = json.loads(policies.run("lint", "--format", "sarif").stdout)

    [run] = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    results = run["results"]
    assert (log["version"], len(results)) == ("2.1.0", len(listed) == 6 and 6)
    assert [rules[result["ruleIndex"]] for result in results] == [item["code"] for item in listed]
    assert {result["level"] for result in results} == {"error", "warning"}
    place = results[0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": listed[0]["file"]}, "region": {"startLine": listed[0]["line"]}}


def test_a_repository_is_checked_with_its_scripts(policies: Shop) -> None:
    (policies.root / "job.py").write_text('df.write.save("/lake/returns")\n')

    lines = policies.run("lint", ".", "--select", "DP013").stdout.splitlines()

    assert lines[0].startswith("job.py:1: warning DP013 writes /lake/returns, which no policy declares; ")


def test_wrong_policies_are_findings_and_a_missing_path_is_wrong_use(policies: Shop, tmp_path: Path) -> None:
    (policies.root / "policies" / "datasets" / "sales" / "orders" / "dataset.yaml").write_text("urn: 5\n")

    wrong = policies.run("lint", "--select", "DP004")
    missing = policies.run("lint", str(tmp_path / "nowhere"))

    assert (wrong.exit_code, missing.exit_code) == (1, 2)
    assert "dataset.yaml:1: error DP004 urn: expected text" in wrong.stdout
    assert "nowhere does not exist; name a folder of policies, a repository or a script" in missing.stderr
