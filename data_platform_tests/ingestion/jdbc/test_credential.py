"""A password comes from the place that the policy names, and its absence says which place that is."""

from pathlib import Path

import pytest

from data_platform.errors import EnvironmentProblem
from data_platform.ingestion.jdbc.credential import password_of
from data_platform.model.jdbc_source import Secret


def test_a_password_is_read_from_a_variable_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORE_PASSWORD", " s3cret ")
    file = tmp_path / "password"
    file.write_text("from a file\n")

    assert password_of(Secret(env="CORE_PASSWORD")) == " s3cret "
    assert password_of(Secret(file=str(file))) == "from a file"
    assert password_of(None) is None


def test_a_missing_password_names_its_place(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()

    for secret, message in (
        (Secret(env="NOT_SET_ANYWHERE"), "the variable NOT_SET_ANYWHERE, which source.password names, is not set"),
        (Secret(file=str(tmp_path / "gone")), "cannot be read \\(FileNotFoundError\\)"),
        (Secret(file=str(tmp_path / "empty")), "is empty"),
    ):
        with pytest.raises(EnvironmentProblem, match=message):
            password_of(secret)
