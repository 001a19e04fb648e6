"""Reads checksums as manifests write them: prefixed, in base64, in their own object, beside their algorithm."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

DIGITS = {"md5": 32, "sha1": 40, "sha224": 56, "sha256": 64, "sha384": 96, "sha512": 128}
"""Number of hexadecimal digits of a checksum, by algorithm."""


def with_digest(data: dict[str, Any]) -> dict[str, Any]:
    """Sets ``algorithm`` and ``digest`` from ``sha256: …``, ``checksum: SHA-256:…`` or ``checksum``, ``algorithm``."""
    named = [(key, data.pop(key)) for key in list(data) if key in DIGITS]
    named += [pair for value in (data.pop("digests", None), data.get("digest")) for pair in _listed(value)]
    if isinstance(data.get("digest"), dict | list):
        data.pop("digest")
    if "etag" in data:  # the etag of a file uploaded in parts, or by other means, is not a checksum
        tag = str(data.pop("etag")).strip().removeprefix("W/").strip('"')
        named += [("md5", tag)] if re.fullmatch("[0-9a-fA-F]{32}", tag) else []
    named = [(key, value) for key, value in named if value is not None]
    if data.get("digest") is not None:
        named.append((str(data.pop("algorithm", None) or ""), data.pop("digest")))
    data.pop("algorithm", None)
    data.pop("digest", None)
    if data.pop("crc", None) is not None and not named:
        raise ValueError(f"a CRC is not a supported checksum; expected one of {', '.join(DIGITS)}")
    best = max(named, key=lambda item: DIGITS.get(_algorithm(item[0]) or "", 0), default=None)
    if best is None:
        return data
    if not isinstance(best[1], str):
        raise ValueError(f"{best[0] or 'checksum'}: expected text of hexadecimal digits")
    data["algorithm"], data["digest"] = _digest(*best)
    return data


def _listed(value: Any) -> list[tuple[str, Any]]:
    """Pairs of algorithm and digest from ``{"sha256": …}``, ``{"algorithm": …, "value": …}`` and lists of these."""
    if isinstance(value, list):
        return [pair for one in value for pair in _listed(one)]
    if not isinstance(value, dict):
        return []
    plain = {re.sub(r"[\s_-]", "", key).lower(): one for key, one in value.items()}
    text = next((plain[key] for key in ("value", "digest", "checksum", "hash") if key in plain), None)
    if text is not None:
        name = next((plain[key] for key in ("algorithm", "type", "name") if key in plain), "")
        return [(str(name), text)]
    return [(key, one) for key, one in value.items() if _algorithm(key)]


def _digest(named: str, text: str) -> tuple[str, str]:
    # Base64 may also end in = or ==, so an = with nothing else after it does not end a prefix.
    match = re.fullmatch(
        r"(?:(?![0-9A-Fa-f]{2}:)([A-Za-z][\w-]*)\s*[:=]\s*(?!=?$)|(sha-?\d+)-)?(.+)", text.strip().strip('"')
    )
    prefix, value = ((match[1] or match[2] or ""), match[3]) if match else ("", text)
    algorithms = {_algorithm(name) for name in (named, prefix) if name}
    place = named or "checksum"
    if len(algorithms) > 1 or None in algorithms:
        names = ", ".join(DIGITS)
        raise ValueError(f"{place}: its algorithm is not one of {names}, or is given in two ways")
    by_length = {digits: name for name, digits in DIGITS.items()}
    plain = value.strip().lower()
    plain = plain.replace(":", "") if re.fullmatch("[0-9a-f]{2}(:[0-9a-f]{2})+", plain) else plain
    if not re.fullmatch("[0-9a-f]+", plain) or len(plain) not in by_length:
        plain = _from_base64(value) or plain
    algorithm = next(iter(algorithms), None) or by_length.get(len(plain))
    if algorithm is None or len(plain) != DIGITS[algorithm] or not re.fullmatch("[0-9a-f]+", plain):
        names = algorithm or ", ".join(DIGITS)
        raise ValueError(f"{place}: not a checksum; expected the hexadecimal digits of {names}")
    return algorithm, plain


def _from_base64(text: str) -> str:
    """Also of its form for URLs, which has other signs for + and / and need not be padded."""
    plain = text.strip().replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).hex()
    except (binascii.Error, ValueError):
        return ""


def _algorithm(name: str) -> str | None:
    plain = re.sub(r"[\s_-]", "", name).lower().removesuffix("sum")
    plain = {"sha2": "sha256"}.get(plain, plain)
    return plain if plain in DIGITS else None
