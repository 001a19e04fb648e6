"""Manifests as other tools write them, brought into our form.

Names of keys are read in any case and with any of ``_``, ``-`` and blanks between their words. Numbers keep the digits
with which they are written, so that a control total of ``30.0`` is not a float on the way. A path with backslashes is
one with slashes. What says nothing about the files (when and by which tool it was written) is passed over by name;
everything else that is not known is an error.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from data_platform.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Container

DIGITS = {"md5": 32, "sha1": 40, "sha224": 56, "sha256": 64, "sha384": 96, "sha512": 128}
"""How many hexadecimal digits a checksum has."""

_KEYS = {
    "file": "file filename name path filepath uri url key object",
    "bytes": "bytes size filesize sizebytes bytesize sizeinbytes length contentlength numbytes bytecount",
    "record_count": "recordcount records rows rowcount count numrows numrecords numberofrows numberofrecords nrows "
    "totalrecords totalrows totalrecordcount totalrowcount",
    "digest": "digest checksum hash contenthash filehash checksumvalue etag",
    "algorithm": "algorithm checksumalgorithm hashalgorithm checksumtype hashtype digestalgorithm",
    "files": "files entries datafiles parts objects",
    "producer": "producer sender sourcesystem system",
    "encoding": "encoding charset",
    "delimiter": "delimiter separator fielddelimiter sep",
    "header": "header hasheader",
    "control_totals": "controltotals totals sums controlsums hashtotals",
}
_OURS = {spelling: key for key, spellings in _KEYS.items() for spelling in spellings.split()}
_PASSED_OVER = (
    "version schemaversion manifestversion createdat created createdon creationtime generatedat generated generator "
    "timestamp time description comment comments note tool createdby id manifestid batchid runid jobid deliveryid "
    "lastmodified modified mtime contenttype mimetype format filecount numfiles numberoffiles totalfiles totalbytes "
    "totalsize mandatory"
)
_ABOUT_ITSELF = frozenset(_PASSED_OVER.split())
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DRIVE = re.compile(r"[A-Za-z]:|\\\\")


class Literal(str):
    """A number's digits as they stand in the manifest."""

    __slots__ = ()


def parse_json(content: bytes, name: str) -> Any:
    """Raises: SourceError, if it is not JSON, in words that say why."""
    if content.startswith((b"\x1f\x8b", b"PK\x03\x04")):
        raise SourceError(f"{name}: the manifest is compressed; expected JSON as it is")
    encoding = json.detect_encoding(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        word = "UTF-8" if encoding.startswith("utf-8") else encoding.upper()
        raise SourceError(f"{name}: not valid {word}; a manifest is JSON in UTF-8 or UTF-16") from None
    try:
        return json.loads(
            text.lstrip("\ufeff"),
            parse_int=Literal,
            parse_float=Literal,
            parse_constant=_no_number,
            object_pairs_hook=_members,
        )
    except json.JSONDecodeError as error:
        raise SourceError(f"{name}:{error.lineno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise SourceError(f"{name}: {reason}") from None


def in_our_form(data: dict[str, Any], ours: Container[str], of_file: Container[str] = ()) -> dict[str, Any]:
    """``data`` under the keys ``ours``; ``of_file`` are those of a file, which a manifest may have at the top.

    Raises:
        ValueError: A key is said twice, or a value cannot be understood.
    """
    found = _renamed(data, ours, of_file)
    if of_file:
        found = _with_files(found, of_file)
        if isinstance(totals := found.get("control_totals"), dict):
            found["control_totals"] = {name: _total(value) for name, value in totals.items()}
        return found
    for key in ("bytes", "record_count"):
        if key in found:
            found[key] = _count(found[key])
    if isinstance(found.get("file"), str):
        found["file"] = _path(found["file"])
    return _with_digest(found)


def _renamed(data: dict[str, Any], ours: Container[str], of_file: Container[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in data.items():
        plain = re.sub(r"[\s_-]", "", name).lower()
        key = (
            name
            if name in ours or name in of_file
            else _OURS.get(plain, plain.removesuffix("sum") if plain.removesuffix("sum") in DIGITS else name)
        )
        if plain in _ABOUT_ITSELF and key not in ours and key not in of_file:
            continue
        if key in found:
            raise ValueError(f"{name}: {key} is said twice, under two names")
        found[key] = value
    return found


def _with_files(found: dict[str, Any], of_file: Container[str]) -> dict[str, Any]:
    files = found.get("files")
    if files is None or not isinstance(files, list | dict):
        one = {key: value for key, value in found.items() if key in of_file or key in DIGITS}
        rest = {key: value for key, value in found.items() if key not in one}
        return {**rest, "files": [one]} if one and files is None else found
    if isinstance(files, dict):
        files = [{**v, "file": n} if isinstance(v, dict) else {"file": n, "digest": v} for n, v in files.items()]
    found["files"] = [{"file": item} if isinstance(item, str) else item for item in files]
    if "record_count" in found:
        found["total_record_count"] = _count(found.pop("record_count"))
    return found


def _with_digest(found: dict[str, Any]) -> dict[str, Any]:
    """``sha256: …``, ``checksum: SHA-256:…`` or ``checksum`` beside ``algorithm`` as ``algorithm`` and ``digest``."""
    named = [(key, found.pop(key)) for key in list(found) if key in DIGITS]
    named = [(key, value) for key, value in named if value is not None]
    if found.get("digest") is not None:
        named.append((str(found.pop("algorithm", None) or ""), found.pop("digest")))
    found.pop("algorithm", None)
    found.pop("digest", None)
    best = max(named, key=lambda item: DIGITS.get(_algorithm(item[0]) or "", 0), default=None)
    if best is None:
        return found
    if not isinstance(best[1], str):
        raise ValueError(f"{best[0] or 'checksum'}: expected text of hexadecimal digits")
    found["algorithm"], found["digest"] = _digest(*best)
    return found


def _digest(named: str, text: str) -> tuple[str, str]:
    # Base64 ends in = too, with nothing but another one behind it.
    match = re.fullmatch(r"(?:([A-Za-z][\w-]*)\s*[:=]\s*(?!=?$)|(sha-?\d+)-)?(.+)", text.strip().strip('"'))
    prefix, value = ((match[1] or match[2] or ""), match[3]) if match else ("", text)
    said = {_algorithm(word) for word in (named, prefix) if word}
    place = named or "checksum"
    if len(said) > 1 or None in said:
        names = ", ".join(DIGITS)
        raise ValueError(f"{place}: its algorithm is not one of {names}, or is said in two ways")
    by_length = {digits: name for name, digits in DIGITS.items()}
    plain = value.strip().lower()
    if not re.fullmatch("[0-9a-f]+", plain) or len(plain) not in by_length:
        plain = _from_base64(value) or plain
    algorithm = next(iter(said), None) or by_length.get(len(plain))
    if algorithm is None or len(plain) != DIGITS[algorithm] or not re.fullmatch("[0-9a-f]+", plain):
        names = algorithm or ", ".join(DIGITS)
        raise ValueError(f"{place}: not a checksum; expected the hexadecimal digits of {names}")
    return algorithm, plain


def _from_base64(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).hex()
    except (binascii.Error, ValueError):
        return ""


def _algorithm(word: str) -> str | None:
    plain = re.sub(r"[\s_-]", "", word).lower().removesuffix("sum")
    plain = {"sha2": "sha256"}.get(plain, plain)
    return plain if plain in DIGITS else None


def _count(value: Any) -> Any:
    """A whole number from its digits or its text: ``2``, ``"2"``, ``2.0``."""
    if isinstance(value, str):
        try:
            number = Decimal(value.strip())
            if number.is_finite() and number == int(number):
                return int(number)
        except (InvalidOperation, ValueError):
            pass
        raise ValueError('a count or size is a whole number, such as 26 or "26"')
    return value


def _total(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Literal):
        return value.strip()
    return str(value) if isinstance(value, Literal) else value


def _path(text: str) -> str:
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ValueError("file: its name has a sign that no file's name can have")
    if _URL.match(text):
        raise ValueError("file: it is an address; a file is named relative to its manifest")
    if _DRIVE.match(text):
        raise ValueError(
            "file: it has a drive or host; a file is named relative to its manifest, and not outside its folder"
        )
    return text.replace("\\", "/")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)} stands twice in one object")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number of JSON")
