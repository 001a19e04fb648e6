"""Wrong use is 2, an error is 1, and both are one JSON document where JSON was asked for."""

import subprocess
import sys

import pytest

from data_platform.cli.guard import guarded
from data_platform.errors import LeaseHeldError, UsageError
from data_platform_tests.cli.shop import QUARANTINE, Shop, certify, hold, set_aside

WRONG = [
    pytest.param(("run", "--select", "nothing_like_it"), "is not a dataset", id="unknown dataset"),
    pytest.param(("run", "--select", "ordrs"), "did you mean orders?", id="misspelt dataset"),
    pytest.param(("run", "--select", " "), "the selection names no dataset", id="empty selection"),
    pytest.param(("run", "--select", "tag:none"), "tag:none matches no dataset", id="tag of nothing"),
    pytest.param(("run", "--select", "orders"), "name one, such as 2025-01-01", id="no partition"),
    pytest.param(("run", "-s", "orders", "-p", "6/1/2025"), "is not a partition; expected a day", id="no day"),
    pytest.param(("run", "-s", "orders", "-p", "2024-12-31"), "before the first partition", id="too early"),
    pytest.param(("run", "-s", "orders", "-p", "2999-01-01"), "is not over yet", id="too late", marks=pytest.mark.slow),
    pytest.param(("run", "-s", "customers", "-p", "2025-01-06"), "omit --partition", id="needless partition"),
    pytest.param(("run",), "Missing option '--select'", id="no selection"),
    pytest.param(("certified", "ordrs"), "did you mean orders?", id="certified"),
    pytest.param(("quarantine", "list", "ordrs"), "did you mean orders?", id="quarantine"),
    pytest.param(("evidence", "list", "ordrs"), "did you mean orders?", id="evidence"),
    pytest.param(("reconcile", "ordrs"), "did you mean orders?", id="reconcile"),
    pytest.param(("status", "--no-such"), "No such option: --no-such", id="unknown option"),
    pytest.param(("statsu",), "No such command 'statsu'", id="unknown command"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_wrong_use_exits_with_2_and_a_reason(shop: Shop, arguments: tuple[str, ...], said: str) -> None:
    result = shop.run(*arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_wrong_use_is_a_json_document_too(shop: Shop, arguments: tuple[str, ...], said: str) -> None:
    document = shop.json(*arguments, exit_code=2)

    assert document["exit_code"] == 2
    assert said in document["error"]


def test_no_command_at_all_shows_help_and_is_wrong_use(shop: Shop) -> None:
    result = shop.run()

    assert result.exit_code == 2
    assert "quarantine" in result.output


def test_an_unknown_setting_is_wrong_use_and_lists_the_existing_ones(shop: Shop) -> None:
    result = shop.run("status", DATA_PLATFORM_LAEK="/tmp")  # noqa: S108 - never used

    assert result.exit_code == 2
    assert "DATA_PLATFORM_LAEK is not a setting; allowed: " in result.stderr
    assert "DATA_PLATFORM_LAKE" in result.stderr


def test_a_catalog_that_cannot_be_used_is_an_error_without_a_stack_trace(new_shop: Shop) -> None:
    (new_shop.root / "home").mkdir()
    (new_shop.root / "home" / "catalog.db").write_text(
        "this is no database, and long enough to be looked at as one" * 9
    )

    result = new_shop.run("status")

    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        pytest.param(UsageError("no such thing"), 2, "error: no such thing\n", id="wrong use"),
        pytest.param(LeaseHeldError("another run"), 1, "error: another run\n", id="an error of ours"),
        pytest.param(
            KeyError("key"),
            1,
            "error: unexpected KeyError: 'key' (use --debug to see where)\n",
            id="an error of a library",
        ),
        pytest.param(
            ValueError(), 1, "error: unexpected ValueError (use --debug to see where)\n", id="an error without words"
        ),
        pytest.param(
            KeyboardInterrupt(), 130, "stopped; the next run rolls back writes that no gate has judged\n", id="Ctrl-C"
        ),
    ],
)
def test_the_kind_of_an_error_is_its_exit_code(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Exception) as ended, guarded(as_json=False, debug=False):  # noqa: PT011 - typer.Exit
        raise error

    assert ended.value.exit_code == code  # type: ignore[attr-defined]
    assert capsys.readouterr() == ("", said)


def test_debug_shows_where_an_error_comes_from(shop: Shop) -> None:
    result = shop.run("certified", "ordrs", "--debug")

    assert result.exit_code == 2
    assert "Traceback (most recent call last)" in result.stderr
    assert "error: 'ordrs' is not a dataset" in result.stderr


@pytest.mark.slow
def test_a_command_that_needs_no_spark_does_not_load_it(shop: Shop) -> None:
    certify(shop)
    set_aside(hold(shop))
    commands = ["validate --no-spark", "status", "certified orders", "quarantine list", f"quarantine show {QUARANTINE}",
                "evidence list", "reconcile", "run --help", "legacy --help", "legacy compare --help",
                "run -s ordrs"]  # fmt: skip
    program = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from data_platform.cli.main import app\n"
        "for command in sys.argv[1:]:\n"
        "    code = CliRunner().invoke(app, command).exit_code\n"
        "    print(command, code, sorted({'pyspark', 'delta'} & set(sys.modules)), sep=' | ')\n"
    )
    environment = {name: value for name, value in shop.environment.items() if value is not None}

    ended = subprocess.run(  # noqa: S603 - our own interpreter and program
        [sys.executable, "-c", program, *commands], env=environment, capture_output=True, text=True, check=True
    )

    assert ended.stdout.splitlines() == [
        *(f"{command} | 0 | []" for command in commands[:-1]), f"{commands[-1]} | 2 | []"
    ]  # fmt: skip
