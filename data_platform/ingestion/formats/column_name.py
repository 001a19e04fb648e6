"""Names of columns: as a file has them, as Delta accepts them, and as the policy declares them."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.landing.folder import shown
from data_platform.model.delta_name import delta_name
from data_platform.model.personal import is_like_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def normal_name(name: str) -> str:
    """``name`` in NFC and lower case, without zero-width characters."""
    visible = "".join(character for character in name if unicodedata.category(character) not in ("Cf", "Cc"))
    return delta_name(re.sub(r"\s+", " ", unicodedata.normalize("NFC", visible)).strip()).lower()


def as_declared(names: Sequence[str], declared: Iterable[str]) -> tuple[str, ...]:
    """The names of a file; a name that differs from a declared one only invisibly is replaced by the declared name.

    Invisible are the Unicode form of accents (NFD, NFC), zero-width characters, soft hyphens and the width of blanks.
    A name is not replaced if the file already has the declared name.
    """
    taken = {name.lower() for name in names}
    wanted = {normal_name(name): name for name in declared if name.lower() not in taken}
    return tuple(wanted.pop(normal_name(name), name) for name in names)


def names_in_table(names: Sequence[str], declared: Iterable[str], file: str) -> tuple[str, ...]:
    """The Delta names ``names`` of a file as the table has them.

    Raises:
        SourceError: Two names of the file look the same.
    """
    in_table = as_declared(names, declared)
    first: dict[str, str] = {}
    for name in in_table:
        if (other := first.setdefault(normal_name(name), name)) is not name:
            raise SourceError(
                f"{file}: {_shown_alike(other)} / {_shown_alike(name)} look like one column name. "
                "Have the sender give each column one name."
            )
    return in_table


def name_problems(names: Iterable[str]) -> Iterator[str]:
    """Yields why these names cannot be the columns of one table: a name is blank, or occurs twice in Delta."""
    first: dict[str, str] = {}
    listed = list(names)
    for position, name in enumerate(listed, start=1):
        key = delta_name(name).lower()
        if not name.strip():
            yield f"unnamed column at position {position}"
        elif key not in first:
            first[key] = name
        elif first[key] == name:
            yield f"duplicate column {_shown(name, position)}"
        else:
            other = 1 + [delta_name(one).lower() for one in listed].index(key)
            yield f"{_shown(first[key], other)} / {_shown(name, position)} are one column name"


def _shown(name: str, position: int) -> str:
    return f"#{position}" if is_like_data(name.replace(" ", "_")) else name


def _shown_alike(name: str) -> str:
    return "a name" if is_like_data(normal_name(name)) else shown(name)
