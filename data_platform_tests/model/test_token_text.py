"""The text of a token is read strictly: what a person pastes may be anything, even a personal value."""

import pytest

from data_platform.model.token_text import Token, parse_token

TAG = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("text", "token"),
    [
        pytest.param(f"tok_v1_email_{TAG}", Token(1, "email", bytes.fromhex(TAG), b""), id="not reversible"),
        pytest.param(
            f"tok_v12_person_name_{TAG}{TAG}",
            Token(12, "person_name", bytes.fromhex(TAG), bytes.fromhex(TAG)),
            id="reversible, with a name of two words",
        ),
    ],
)
def test_a_token_is_its_version_its_kind_its_tag_and_the_encrypted_value(text: str, token: Token) -> None:
    assert parse_token(text) == token
    assert token.short == f"tok_v{token.version}_{token.label}_{TAG}"
    assert token.is_reversible is (len(text) > len(token.short))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("ann@example.com", id="a personal value"),
        pytest.param(f" tok_v1_email_{TAG}", id="a blank before"),
        pytest.param(f"tok_v1_email_{TAG}\n", id="a line break after"),
        pytest.param(f"tok_v0_email_{TAG}", id="no version is 0"),
        pytest.param(f"tok_v1000_email_{TAG}", id="a version of four digits"),
        pytest.param(f"tok_v١_email_{TAG}", id="a digit of another script"),
        pytest.param(f"tok_v1_{TAG}", id="no kind"),
        pytest.param(f"tok_v1_email_{TAG.upper()}", id="upper case"),
        pytest.param(f"tok_v1_email_{TAG[:-1]}", id="a digit is missing"),
        pytest.param(f"tok_v1_email_{TAG}ab", id="part of a block"),
        pytest.param(f"tok_v1_email_{TAG * 100}", id="longer than any token"),
        pytest.param(f"tok_v1_email_{TAG};DROP", id="more behind it"),
    ],
)
def test_everything_else_is_no_token(text: str) -> None:
    assert parse_token(text) is None
