"""Converts manifests of other tools into our form.

Keys may have any case, and ``_``, ``-`` or blanks between their words. Numbers keep their written digits, so that a
control total of ``30.0`` never becomes a float. Backslashes in a path become slashes. A list of keys that do not
describe the files (such as the time and tool of writing) is ignored; every other key is an error.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.ingestion.manifest.digest import DIGITS, with_digest
from data_platform.ingestion.manifest.plain_text import describe_form, read_digest_list

if TYPE_CHECKING:
    from collections.abc import Container

_KEYS = {
    "file": "file filename name path filepath uri url key object",
    "bytes": "bytes size filesize sizebytes bytesize sizeinbytes filesizebytes filesizeinbytes length contentlength "
    "numbytes bytecount",
    "record_count": "recordcount records rows rowcount count numrows numrecords numberofrows numberofrecords nrows "
    "totalrecords totalrows totalrecordcount totalrowcount rowsunloaded itemcount",
    "digest": "digest checksum hash contenthash filehash checksumvalue integrity",
    "algorithm": "algorithm checksumalgorithm hashalgorithm checksumtype hashtype digestalgorithm",
    "files": "files entries datafiles parts objects resources items",
    "file_count": "filecount numfiles numberoffiles totalfiles",
    "total_bytes": "totalbytes totalsize outputbytes",
    "digests": "checksums hashes digests",
    "etag": "etag",
    "crc": "crc crc32 crc32c",
    "producer": "producer sender sourcesystem system",
    "encoding": "encoding charset",
    "delimiter": "delimiter separator fielddelimiter sep",
    "header": "header hasheader",
    "control_totals": "controltotals totals sums controlsums hashtotals",
}
_KEY_OF_SPELLING = {spelling: key for key, spellings in _KEYS.items() for spelling in spellings.split()}
_IGNORED = (
    "version schemaversion manifestversion createdat created createdon creationtime generatedat generated generator "
    "timestamp time description comment comments note tool createdby id manifestid batchid runid jobid deliveryid "
    "lastmodified modified mtime contenttype mimetype format mandatory schema author profile title licenses sources "
    "table tablename kind sourcebucket destinationbucket fileformat fileschema creationtimestamp inputbytes mediatype "
    "storageclass owner selflink generation metageneration updated timecreated"
)
_IGNORED_KEYS = frozenset(_IGNORED.split())
_OF_FILE_TOO = ("etag", "digests", "crc")
_DELIMITERS = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DRIVE = re.compile(r"[A-Za-z]:|\\\\")


class Literal(str):
    """The digits of a number as they are in the manifest."""

    __slots__ = ()


def parse_json(content: bytes, name: str) -> Any:
    """Parses a manifest. Raises: SourceError, if it is not JSON; the message gives the reason."""
    if content.startswith((b"\x1f\x8b", b"PK\x03\x04")):
        raise SourceError(f"{name}: the manifest is compressed; expected JSON as it is")
    encoding = json.detect_encoding(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        codec = "UTF-8" if encoding.startswith("utf-8") else encoding.upper()
        raise SourceError(f"{name}: not valid {codec}; a manifest is JSON in UTF-8 or UTF-16") from None
    text = text.lstrip("\ufeff")
    if (listed := read_digest_list(text)) is not None:
        return listed
    try:
        return _parsed(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and (lines := _json_lines(text)):
            return lines
        reason = describe_form(text, error.msg)
        raise SourceError(f"{name}:{error.lineno}: not JSON: {reason}") from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise SourceError(f"{name}: {reason}") from None


def _parsed(text: str) -> Any:
    return json.loads(
        text, parse_int=Literal, parse_float=Literal, parse_constant=_refuse_constant, object_pairs_hook=_members
    )


def _json_lines(text: str) -> list[Any]:
    """The objects of a manifest with one object a line; empty, if it has another form."""
    try:
        objects = [_parsed(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError:
        return []
    return objects if all(isinstance(one, dict) for one in objects) else []


def with_our_keys(data: dict[str, Any], ours: Container[str], of_file: Container[str] = ()) -> dict[str, Any]:
    """``data`` under the keys ``ours``; ``of_file`` are the keys of a file, which a manifest may have at the top level.

    Raises:
        ValueError: Two keys have the same meaning, or a value is invalid.
    """
    converted = _renamed(_flat(data), ours, of_file)
    converted = {key: value for key, value in converted.items() if value is not None or key not in ours}
    if of_file:
        converted = _with_files(converted, of_file)
        if isinstance(totals := converted.get("control_totals"), dict):
            converted["control_totals"] = {name: _total(value) for name, value in totals.items()}
        if isinstance(delimiter := converted.get("delimiter"), str):
            converted["delimiter"] = _DELIMITERS.get(delimiter.strip().lower(), delimiter)
        return converted
    converted.pop("file_count", None)
    for key in ("bytes", "record_count"):
        if key in converted:
            converted[key] = _count(converted[key])
    if isinstance(converted.get("file"), str):
        converted["file"] = _path(converted["file"])
    return with_digest(converted)


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    """Moves the keys of ``meta`` to the top level: Redshift puts there what others put beside the name."""
    meta = data.get("meta")
    return {**{key: value for key, value in data.items() if key != "meta"}, **meta} if isinstance(meta, dict) else data


def _renamed(data: dict[str, Any], ours: Container[str], of_file: Container[str]) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for name, value in data.items():
        plain = re.sub(r"[\s_-]", "", name).lower()
        key = name if name in ours or name in of_file else _KEY_OF_SPELLING.get(plain) or _algorithm_of(plain) or name
        if key == "file" and plain == "name" and _has_path(data):
            continue  # a display name; another key has the path
        if plain in _IGNORED_KEYS and key not in ours and key not in of_file:
            continue
        if key in renamed:
            raise ValueError(f"{name}: {key} is given twice, under two names")
        renamed[key] = value
    return renamed


def _algorithm_of(plain: str) -> str:
    """The algorithm in a key such as ``MD5checksum``, ``Content-MD5``, ``sha256sum`` or ``md5Hash``; else empty."""
    short = re.sub(r"(?:check)?sum$|hash$|digest$|hex$", "", plain.removeprefix("content"))
    return short if short in DIGITS else ""


def _has_path(data: dict[str, Any]) -> bool:
    others = (_KEY_OF_SPELLING.get(re.sub(r"[\s_-]", "", key).lower()) for key in data if key.lower() != "name")
    return any(key in ("file", "files") for key in others)


def _with_files(data: dict[str, Any], of_file: Container[str]) -> dict[str, Any]:
    files = data.get("files")
    if files is None or not isinstance(files, list | dict):
        one = {key: value for key, value in data.items() if key in of_file or key in DIGITS or key in _OF_FILE_TOO}
        rest = {key: value for key, value in data.items() if key not in one}
        return {**rest, "files": [one]} if one and files is None else data
    if isinstance(files, dict):
        files = [{**v, "file": n} if isinstance(v, dict) else {"file": n, "digest": v} for n, v in files.items()]
    algorithm = data.pop("algorithm", None)
    data["files"] = [_with_algorithm({"file": item} if isinstance(item, str) else item, algorithm) for item in files]
    for key, total in (("record_count", "total_record_count"), ("bytes", "total_bytes")):
        if key in data:
            data[total] = data.pop(key)
    for key in ("total_record_count", "total_bytes", "file_count"):
        if key in data:
            data[key] = _count(data[key])
    return data


def _with_algorithm(item: Any, algorithm: Any) -> Any:
    """A file without an algorithm of its own has the manifest's."""
    if algorithm is None or not isinstance(item, dict):
        return item
    keys = {_KEY_OF_SPELLING.get(re.sub(r"[\s_-]", "", key).lower()) for key in item}
    return {**item, "algorithm": algorithm} if "digest" in keys and "algorithm" not in keys else item


def _count(value: Any) -> Any:
    """The whole number from its digits or its text: ``2``, ``"2"``, ``2.0``."""
    if isinstance(value, bool):
        raise ValueError('a count or size is a whole number, such as 26 or "26"')
    if isinstance(value, str):
        number = Decimal(value.strip()) if _NUMBER.fullmatch(value.strip()) else None
        if number is not None and number == int(number):
            return int(number)
        raise ValueError('a count or size is a whole number, such as 26 or "26"')
    return value


def _total(value: Any) -> Any:
    return str(value).strip() if isinstance(value, str) else value


def _path(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("file: its name has a character that no file name can have")
    if _URL.match(text):
        raise ValueError("file: it is a URL; a file is named relative to its manifest")
    if _DRIVE.match(text):
        raise ValueError(
            "file: it has a drive or host; a file is named relative to its manifest, and must be in its folder"
        )
    return text.replace("\\", "/")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)} occurs twice in one object")
    return members


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")
