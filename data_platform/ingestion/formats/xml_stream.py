"""Reads the elements of an XML document one by one, without what makes XML dangerous.

A document type declaration is refused, so no entity can be declared: neither one that names a file or an address, nor
one that expands to gigabytes. The document is never in memory as a whole.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import IO, TYPE_CHECKING, Any, NoReturn, cast
from xml.parsers import expat

from data_platform.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK = 1 << 16
DEEPEST = 200
"""Elements within more elements than this are refused: a parser's stack is limited."""
_REFUSED = "it has a document type declaration (DOCTYPE), which is refused because entities in it are dangerous"


class _RootFoundError(Exception):
    """The root element begins, so no document type declaration can follow."""


def local_name(tag: str) -> str:
    """The name of an element or attribute without its namespace."""
    return tag.rpartition("}")[2]


def elements(source: IO[bytes], file: str, wanted: str) -> Iterator[ET.Element]:
    """Yields each outermost element whose local name is ``wanted``; it is emptied when the next one is asked for.

    Raises:
        SourceError: The document has a document type declaration, or, after all elements before the place, it is not
            well-formed or was cut off. The message has the line.
    """
    parser: ET.XMLPullParser[Any] = ET.XMLPullParser(events=("start", "end"))
    path: list[ET.Element] = []
    outermost = -1
    for block in _checked_blocks(source, file):
        _feed(parser, block, file)
        for event, element in _events(parser, file):
            if event == "start":
                path.append(element)
                if outermost < 0 and local_name(element.tag) == wanted:
                    outermost = len(path)
                if len(path) > DEEPEST:
                    raise SourceError(
                        f"{file}: more than {DEEPEST} elements within each other. Ask for another layout."
                    )
                continue
            if len(path) == outermost:
                yield element
                outermost = -1
            path.pop()
            if outermost < 0 and path:
                path[-1].remove(element)
    _feed(parser, None, file)


def _feed(parser: ET.XMLPullParser[Any], block: bytes | None, file: str) -> None:
    try:
        if block is None:
            parser.close()
        else:
            parser.feed(block)
        return
    except ET.ParseError as error:
        _raise(file, error.position[0], error.code)


def _events(parser: ET.XMLPullParser[Any], file: str) -> Iterator[tuple[str, ET.Element]]:
    try:
        yield from cast("Iterator[tuple[str, ET.Element]]", parser.read_events())
    except ET.ParseError as error:
        _raise(file, error.position[0], error.code)


def _checked_blocks(source: IO[bytes], file: str) -> Iterator[bytes]:
    """Yields blocks, the first of them only when it is certain that there is no document type declaration."""
    checker, is_checked = _checker(file), False
    waiting: list[bytes] = []
    while block := source.read(_BLOCK):
        if is_checked:
            yield block
            continue
        waiting.append(block)
        try:
            checker.Parse(block, False)
        except _RootFoundError:
            is_checked = True
            yield b"".join(waiting)
        except expat.ExpatError as error:
            _raise(file, error.lineno, error.code)
    if not is_checked:
        raise SourceError(f"{file}: it has no XML element, and may be cut off. Ask for it again.")


def _checker(file: str) -> expat.XMLParserType:
    def refuse(*_: object) -> None:
        raise SourceError(f"{file}: {_REFUSED}. Ask for it without one.")

    def found(*_: object) -> None:
        raise _RootFoundError

    checker = expat.ParserCreate()
    checker.StartDoctypeDeclHandler = refuse
    checker.StartElementHandler = found
    return checker


def _raise(file: str, line: int, code: int) -> NoReturn:
    """The texts of expat have no value of the data."""
    reason = expat.errors.messages.get(code, "not well-formed")
    raise SourceError(f"{file}:{line}: not XML: {reason}. Ask for the file again.") from None
