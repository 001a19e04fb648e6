"""Paths that contain a partition: ``flights/{partition}/_SUCCESS``, ``orders_{partition:%Y%m%d}.csv``.

``{dt}`` means the same as ``{partition}``. Without a format the partition is written as its key, ``2026-02-14``; a
format consists of ``%Y``, ``%m``, ``%d``, and of text between them.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.model.partition_key import DEFAULT_FORMAT, DIRECTIVES, PartitionKey

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLACE = re.compile(r"{(?P<name>\w*)(?::(?P<format>[^{}]*))?}")
_NAMES = ("partition", "dt")
_CODE = re.compile("(" + "|".join(DIRECTIVES) + ")")


def check_path(text: str) -> str:
    """Returns ``text``. Raises: ValueError, if something in braces is no partition, or a bracket is never closed."""
    if wrong := re.search(r"{[^}]*}|\[[^\]]*$", _PLACE.sub("", text)):
        raise ValueError(
            f"{wrong[0]} is not allowed in a pattern; expected *, ?, [abc], ** for any folders, {{partition}} for a day"
        )
    for place in _PLACE.finditer(text):
        if place["name"] not in _NAMES:
            raise ValueError(
                f"{{{place['name']}}} is not allowed in a path; allowed: {{partition}}, {{partition:%Y%m%d}}"
            )
        form = place["format"] if place["format"] is not None else DEFAULT_FORMAT
        if "%" in _CODE.sub("", form) or sorted(_CODE.findall(form)) != sorted(DIRECTIVES):
            raise ValueError(f"{form!r} is not a format of a day; expected %Y, %m and %d once each, such as %Y%m%d")
    return text


def has_partition(text: str) -> bool:
    return _PLACE.search(text) is not None


def with_partition(text: str, partition: PartitionKey | None) -> str:
    """``text`` for this partition; unchanged if it names none."""
    if partition is None:
        return text
    return _PLACE.sub(lambda place: format(partition, place["format"] or DEFAULT_FORMAT), text)


@lru_cache(maxsize=4096)
def name_matcher(text: str) -> re.Pattern[str]:
    """A regular expression for one name of a path, with ``*`` and ``?`` as in a shell."""
    parts, end = [], 0
    for number, place in enumerate(_PLACE.finditer(text)):
        parts += [_shell(text[end : place.start()]), *_digits(place["format"] or DEFAULT_FORMAT, number)]
        end = place.end()
    return re.compile("".join([*parts, _shell(text[end:])]))


def match_name(pattern: str, name: str) -> tuple[bool, PartitionKey | None]:
    """Whether ``name`` matches ``pattern``, and its partition; a day that no calendar has is no match."""
    match = name_matcher(pattern).fullmatch(name)
    if match is None:
        return False, None
    partitions = set(_partitions(match.groupdict()))
    return len(partitions) <= 1 and None not in partitions, next(iter(partitions), None)


def _shell(text: str) -> str:
    """``fnmatch`` anchors its pattern at the end, but this text may go on."""
    closed = translate(text)
    return closed.removeprefix("(?s:").removesuffix(")\\Z").removesuffix(")\\z") if text else ""


def _digits(form: str, number: int) -> Iterator[str]:
    """The groups are named by their code and the place of the partition in the name: ``Y0``, ``m0``, ``d0``."""
    for part in _CODE.split(form):
        yield f"(?P<{part[1]}{number}>{DIRECTIVES[part]})" if part in DIRECTIVES else re.escape(part)


def _partitions(groups: dict[str, str]) -> Iterator[PartitionKey | None]:
    for number in sorted({name[1:] for name in groups}):
        try:
            yield PartitionKey.of_parts({code: groups[code[1] + number] for code in DIRECTIVES})
        except ValueError:
            yield None
