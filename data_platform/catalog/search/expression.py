"""Writes a search as an expression of PostgreSQL or FTS5. It contains only letters and digits, so no typed syntax."""

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
"""A single letter matches whole words only: nearly every document has a word that begins with it."""


@dataclass(frozen=True)
class Question:
    """All ``terms`` in the first ``places`` fields; with ``beginnings`` a term may match the beginning of a word.

    ``similar`` maps a word to alternatives.
    """

    terms: Sequence[Term]
    places: int = len(_WEIGHTS)
    beginnings: bool = True
    similar: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def holds(self, dialect: Dialect) -> ColumnElement[bool]:
        """The condition on a row of ``search_document``."""
        if dialect.name == "postgresql":
            return literal_column("search_document.words").bool_op("@@")(cast(self.tsquery(), TSQUERY))
        index = table("search_index")
        match = literal_column("search_index").bool_op("MATCH")(self.match())
        return SEARCH_DOCUMENT.c.document_id.in_(select(literal_column("rowid")).select_from(index).where(match))

    def tsquery(self) -> str:
        weights = "" if self.places == len(_WEIGHTS) else "".join(_WEIGHTS[place] for place in self._places)

        def word(text: str, *, begins: bool) -> str:
            marks = f"{'*' if begins else ''}{weights}"
            return f"'{text}':{marks}" if marks else f"'{text}'"

        return self._joined(word, " & ", " | ")

    def match(self) -> str:
        def word(text: str, *, begins: bool) -> str:
            return f'"{text}" *' if begins else f'"{text}"'

        return f"{{{' '.join(self._places)}}} : ({self._joined(word, ' AND ', ' OR ')})"

    @property
    def _places(self) -> list[str]:
        return list(_WEIGHTS)[: self.places]

    def _joined(self, word: Callable[..., str], both: str, either: str) -> str:
        def one(text: str) -> str:
            begins = self.beginnings and len(text) >= _SHORTEST_BEGINNING
            similar = (word(other, begins=False) for other in self.similar.get(text, ()))
            return f"({either.join((word(text, begins=begins), *similar))})"

        def term(item: Term) -> str:
            parts = both.join(one(part) for part in dict.fromkeys(item.parts))
            return one(item.whole) if item.parts == (item.whole,) else f"({one(item.whole)}{either}({parts}))"

        return both.join(dict.fromkeys(term(item) for item in self.terms))
