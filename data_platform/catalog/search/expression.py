"""What is asked, in PostgreSQL's and in FTS5's own words. Only letters and digits get in: nothing typed is syntax."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import cast, literal_column, select, table
from sqlalchemy.dialects.postgresql import TSQUERY

from data_platform.catalog.search.document import COLUMNS, LABELS, NAME, TEXT
from data_platform.catalog.search_table import SEARCH_DOCUMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Dialect

    from data_platform.catalog.search.term import Term

_WEIGHTS = {NAME: "A", LABELS: "B", COLUMNS: "C", TEXT: "D"}
_SHORTEST_BEGINNING = 2
"""A single letter is found as a word only: nearly every document has a word that begins with it."""


@dataclass(frozen=True)
class Question:
    """All ``terms`` in the first ``places``; with ``beginnings`` a word may go on where the asked one ends.

    ``similar`` leads from a word to others that may stand for it.
    """

    terms: Sequence[Term]
    places: int = len(_WEIGHTS)
    beginnings: bool = True
    similar: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def holds(self, dialect: Dialect) -> ColumnElement[bool]:
        """Of a row of ``search_document``."""
        if dialect.name == "postgresql":
            return literal_column("search_document.words").bool_op("@@")(cast(self.tsquery(), TSQUERY))
        index = table("search_index")
        asked = literal_column("search_index").bool_op("MATCH")(self.match())
        return SEARCH_DOCUMENT.c.document_id.in_(select(literal_column("rowid")).select_from(index).where(asked))

    def tsquery(self) -> str:
        weights = "" if self.places == len(_WEIGHTS) else "".join(_WEIGHTS[place] for place in self._places)

        def word(text: str, *, begins: bool) -> str:
            marks = f"{'*' if begins else ''}{weights}"
            return f"'{text}':{marks}" if marks else f"'{text}'"

        return self._asked(word, " & ", " | ")

    def match(self) -> str:
        def word(text: str, *, begins: bool) -> str:
            return f'"{text}" *' if begins else f'"{text}"'

        return f"{{{' '.join(self._places)}}} : ({self._asked(word, ' AND ', ' OR ')})"

    @property
    def _places(self) -> list[str]:
        return list(_WEIGHTS)[: self.places]

    def _asked(self, word: Callable[..., str], both: str, either: str) -> str:
        def one(text: str) -> str:
            begins = self.beginnings and len(text) >= _SHORTEST_BEGINNING
            similar = (word(other, begins=False) for other in self.similar.get(text, ()))
            return f"({either.join((word(text, begins=begins), *similar))})"

        def term(asked: Term) -> str:
            parts = both.join(one(part) for part in dict.fromkeys(asked.parts))
            return one(asked.whole) if asked.parts == (asked.whole,) else f"({one(asked.whole)}{either}({parts}))"

        return both.join(dict.fromkeys(term(asked) for asked in self.terms))
