"""Paths that contain a day: ``flights/{partition}/_SUCCESS``, ``orders_{partition:%Y%m%d}.csv``.

``{dt}`` means the same as ``{partition}``. Without a format the day is written ``2026-02-14``; a format consists of
``%Y``, ``%m``, ``%d``, and of text between them.
"""

from __future__ import annotations

import re
from datetime import date
from fnmatch import translate
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLACE = re.compile(r"{(?P<name>\w*)(?::(?P<format>[^{}]*))?}")
_NAMES = ("partition", "dt")
_DIRECTIVES = {"%Y": r"(?P<Y{0}>\d{{4}})", "%m": r"(?P<m{0}>\d{{2}})", "%d": r"(?P<d{0}>\d{{2}})"}
_DEFAULT = "%Y-%m-%d"


def check_day_pattern(text: str) -> str:
    """Returns ``text``. Raises: ValueError, if something in braces is no day, or a bracket is never closed."""
    if wrong := re.search(r"{[^}]*}|\[[^\]]*$", _PLACE.sub("", text)):
        raise ValueError(
            f"{wrong[0]} is not allowed in a pattern; expected *, ?, [abc], ** for any folders, {{partition}} for a day"
        )
    for place in _PLACE.finditer(text):
        if place["name"] not in _NAMES:
            raise ValueError(
                f"{{{place['name']}}} is not allowed in a path; allowed: {{partition}}, {{partition:%Y%m%d}}"
            )
        form = place["format"] if place["format"] is not None else _DEFAULT
        rest = re.sub("%[Ymd]", "", form)
        if "%" in rest or sorted(re.findall("%[Ymd]", form)) != ["%Y", "%d", "%m"]:
            raise ValueError(f"{form!r} is not a format of a day; expected %Y, %m and %d once each, such as %Y%m%d")
    return text


def has_day(text: str) -> bool:
    return _PLACE.search(text) is not None


def with_day(text: str, day: date | None) -> str:
    """``text`` for this day; unchanged if it contains none."""
    if day is None:
        return text
    return _PLACE.sub(lambda place: day.strftime(place["format"] or _DEFAULT), text)


@lru_cache(maxsize=4096)
def day_matcher(text: str) -> re.Pattern[str]:
    """A regular expression for one name of a path, with ``*`` and ``?`` as in a shell; ``days_of`` reads its days."""
    parts, end = [], 0
    for number, place in enumerate(_PLACE.finditer(text)):
        parts += [_shell(text[end : place.start()]), *_digits(place["format"] or _DEFAULT, number)]
        end = place.end()
    return re.compile("".join([*parts, _shell(text[end:])]))


def days_of(pattern: str, name: str) -> tuple[bool, date | None]:
    """Whether ``name`` matches ``pattern``, and its day; a day that no calendar has is no match."""
    match = day_matcher(pattern).fullmatch(name)
    if match is None:
        return False, None
    days = set(_days(match.groupdict()))
    return len(days) <= 1 and None not in days, next(iter(days), None)


def _shell(text: str) -> str:
    """``fnmatch`` anchors its pattern at the end, but this text may go on."""
    closed = translate(text)
    return closed.removeprefix("(?s:").removesuffix(")\\Z").removesuffix(")\\z") if text else ""


def _digits(form: str, number: int) -> Iterator[str]:
    for part in re.split("(%[Ymd])", form):
        yield _DIRECTIVES[part].format(number) if part in _DIRECTIVES else re.escape(part)


def _days(groups: dict[str, str]) -> Iterator[date | None]:
    for name, year in groups.items():
        if name.startswith("Y"):
            try:
                yield date(int(year), int(groups["m" + name[1:]]), int(groups["d" + name[1:]]))
            except ValueError:
                yield None
