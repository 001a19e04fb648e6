"""``data-platform pii``: the versions of the key without the keys, and values for stewards only."""

import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from data_platform.catalog import Catalog, open_catalog
from data_platform.cli.main import app
from data_platform.cli.outdated_token import print_outdated
from data_platform.model.access import Role
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.model.test_token_secret import KNOWN, SECRET, VALUE

REASON = ("--reason", "case 4711")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with one key and no dataset."""
    (tmp_path / "policies").mkdir()
    (tmp_path / "pii.key").write_bytes(SECRET)
    copy_template(tmp_path / "catalog.db")
    for name, value in {"HOME": str(tmp_path), "POLICIES": str(tmp_path / "policies")}.items():
        monkeypatch.setenv(f"DATA_PLATFORM_{name}", value)
    return tmp_path


def run(*words: str, given: str | None = None) -> Result:
    return CliRunner().invoke(app, ["pii", *words], input=given)


def catalog_of(home: Path) -> Catalog:
    return open_catalog(f"sqlite:///{home / 'catalog.db'}")


def access_token(home: Path, role: Role) -> str:
    now = datetime.now(UTC)
    with catalog_of(home) as catalog:
        return catalog.access.create_token(role.lower(), role, actor="root", actor_role="LOCAL", now=now)[1]


def logged(home: Path) -> list[tuple[str, str]]:
    with catalog_of(home) as catalog:
        return [(entry.role, entry.action) for entry in catalog.access.audit(subject="pii tokens").items]


def test_a_steward_sees_the_values_of_arguments_and_of_standard_input(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_PLATFORM_TOKEN", access_token(home, Role.DATA_STEWARD))

    named, piped = run("detokenize", KNOWN, *REASON), run("detokenize", *REASON, given=f"{KNOWN}\n\n")

    assert (named.exit_code, named.stdout) == (0, f"{KNOWN[:45]}  {VALUE}\n")
    assert (piped.exit_code, piped.stdout) == (0, named.stdout)
    assert logged(home) == [("DATA_STEWARD", "pii.detokenize")] * 2


def test_what_is_no_token_is_not_repeated_and_gives_exit_code_1(home: Path) -> None:
    file = home / "ann.token"
    file.write_text(access_token(home, Role.DATA_STEWARD))

    answer = run("detokenize", "ann@example.com", KNOWN, *REASON, "--access-token-file", str(file), "--json")

    assert answer.exit_code == 1
    assert json.loads(answer.stdout)["opened"] == 1
    assert "ann@example.com" not in answer.output


@pytest.mark.parametrize("role", [None, Role.PLATFORM_ADMIN, Role.DATA_OWNER, Role.DATA_CONSUMER])
def test_without_the_role_it_is_refused_with_exit_code_2_and_recorded(
    home: Path, role: Role | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if role is not None:
        monkeypatch.setenv("DATA_PLATFORM_TOKEN", access_token(home, role))

    answer = run("detokenize", KNOWN, *REASON)

    assert (answer.exit_code, VALUE in answer.output) == (2, False)
    assert "DATA_STEWARD" in answer.output
    assert logged(home) == [(role or "LOCAL", "pii.detokenize.refused")]


@pytest.mark.parametrize("text", ["dpt_made_up", "", "\x00"])
def test_an_invalid_access_token_is_refused_and_recorded(home: Path, text: str) -> None:
    file = home / "ann.token"
    file.write_text(text)

    answer = run("detokenize", KNOWN, *REASON, "--access-token-file", str(file))

    assert answer.exit_code == 2
    assert logged(home) == [("LOCAL", "pii.detokenize.refused")]


def test_the_versions_are_listed_without_the_keys(home: Path) -> None:
    text, document = run("keys"), run("keys", "--json")

    (row,) = json.loads(document.stdout)
    assert (row["version"], row["state"], row["partitions"]) == (1, "CURRENT", 0)
    assert row["key_id"] in text.stdout
    assert SECRET.hex() not in text.output + document.output
    assert stat.S_IMODE((home / "pii.key").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(("rotate",), "needs a reason", id="no reason"),
        pytest.param(("rotate", *REASON), "no partition has tokens of v1", id="nothing was made with it"),
        pytest.param(("retire", "1", *REASON), "v1 is the current version", id="the current one"),
        pytest.param(("retire", "2", *REASON), "v2 is not a version", id="none"),
        pytest.param(("detokenize", KNOWN), "--reason", id="values without a reason"),
    ],
)
def test_what_makes_no_sense_is_refused(home: Path, words: tuple[str, ...], message: str) -> None:
    answer = run(*words)

    assert answer.exit_code == 2
    assert message in " ".join(answer.output.split())
    assert [path.name for path in home.glob("pii.key*")] == ["pii.key"]


@pytest.mark.usefixtures("home")
def test_a_plan_without_old_tokens_says_so() -> None:
    assert run("rotate", "--plan").stdout == "no partition has tokens of an older version\n"
    assert json.loads(run("rotate", "--plan", "--json").stdout) == []


def test_a_key_that_cannot_be_used_is_a_warning_of_status_and_an_error_of_keys(home: Path) -> None:
    (home / "pii.key.v2").write_bytes(SECRET)

    status, listed = CliRunner().invoke(app, ["status"]), run("keys")

    assert (status.exit_code, "hold the same key" in status.stderr) == (0, True)
    assert (listed.exit_code, "hold the same key" in listed.stderr) == (2, True)


@pytest.mark.parametrize(
    ("partitions", "line"),
    [
        pytest.param({}, "", id="none"),
        pytest.param({"ds://a/b": 1, "ds://a/c": 0}, "1 partition of 1 dataset has tokens", id="one"),
        pytest.param({"ds://a/b": 3, "ds://a/c": 1}, "4 partitions of 2 datasets have tokens", id="several"),
    ],
)
def test_status_counts_partitions_with_old_tokens(
    partitions: dict[str, int], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_outdated(partitions)

    printed = capsys.readouterr().out
    assert printed.startswith(line)
    assert bool(printed) is bool(line)
