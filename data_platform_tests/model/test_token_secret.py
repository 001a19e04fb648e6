"""A reversible token is opened with its own key alone, and any change of it is noticed."""

import hmac

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from data_platform.model.token_secret import opened
from data_platform.model.token_text import Token, parse_token

SECRET = bytes(range(32))
VALUE = "jürgen@example.com"
KNOWN = "tok_v1_email_e145d86784bfc8272c34ce94c7a6af2f502b813b1033d43293132994ea3737b5ca9566490b11da1a9175be8cc20c3008"


def sealed(value: str, secret: bytes = SECRET) -> Token:
    """Made by hand, from the two primitives."""
    text = value.encode()
    tag = hmac.digest(hmac.digest(secret, b"data-platform token v1", "sha256"), text, "sha256")[:16]
    key = hmac.digest(secret, b"data-platform token value v1", "sha256")
    encryptor = Cipher(algorithms.AES(key), modes.CBC(tag)).encryptor()
    missing = 16 - len(text) % 16
    return Token(1, "email", tag, encryptor.update(text + bytes([missing]) * missing) + encryptor.finalize())


@pytest.mark.parametrize("value", [VALUE, "x", "0123456789abcdef", "a" * 1024, "\N{FAMILY}\u0301 नाम"])
def test_the_value_comes_back(value: str) -> None:
    assert opened(sealed(value), SECRET) == value


def test_a_token_that_is_stored_somewhere_is_opened_by_every_later_version_of_this_code() -> None:
    token = parse_token(KNOWN)

    assert token is not None
    assert opened(token, SECRET) == VALUE


@pytest.mark.parametrize("place", range(0, 48, 5))
def test_a_changed_token_is_not_opened(place: int) -> None:
    token = sealed(VALUE)
    digits = bytearray(token.tag + token.sealed)
    digits[place] ^= 1

    assert opened(Token(1, "email", bytes(digits[:16]), bytes(digits[16:])), SECRET) is None


def test_a_token_of_another_installation_or_without_its_value_is_not_opened() -> None:
    token = sealed(VALUE)

    assert opened(token, SECRET[::-1]) is None
    assert opened(Token(1, "email", token.tag, b""), SECRET) is None
    assert opened(Token(1, "email", token.tag, token.sealed[:16]), SECRET) is None


def test_the_encrypted_value_is_in_no_repr() -> None:
    token = sealed(VALUE)

    assert repr(token.sealed) not in repr(token)
