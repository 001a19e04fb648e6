"""Which elements of an XML document are its records: the outermost ones that occur twice beside each other."""

from __future__ import annotations

from collections import Counter
from xml.parsers import expat

from data_platform.errors import UsageError


def xml_source(head: bytes, file: str) -> dict[str, str]:
    """The keys of ``source`` for an XML file that begins with ``head``.

    Raises:
        UsageError: No element occurs twice in it, or it has a document type declaration.
    """
    path: list[str] = []
    counts: Counter[tuple[str, ...]] = Counter()

    def start(name: str, _: object) -> None:
        path.append(name.rpartition(":")[2])
        counts[tuple(path)] += 1

    def refuse(*_: object) -> None:
        raise UsageError(f"{file}: it has a document type declaration (DOCTYPE), which is refused: ask for it without")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, lambda _: path.pop()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(head)
    except expat.ExpatError:
        counts.clear()
    repeated = [one for one, count in counts.items() if count > 1]
    if not repeated:
        raise UsageError(
            f"{file}: no element of it occurs twice near its beginning, so it cannot be seen which ones are records:"
            " write the policies by hand, with source.row_element (docs/deliveries.md)"
        )
    return {"row_element": min(repeated, key=len)[-1]}
