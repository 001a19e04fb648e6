"""Reads the elements of an XML document one by one, without what makes XML dangerous.

A document type declaration is refused, so no entity can be declared: neither one that names a file or an address, nor
one that expands to gigabytes. The document is never in memory as a whole.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import IO, TYPE_CHECKING, NoReturn
from xml.parsers import expat

from data_platform.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    """Yields each outermost element whose local name is ``wanted``.

    Raises:
        SourceError: The document has a document type declaration, or, after all elements before the place, it is not
            well-formed or was cut off. The message has the line.
    """
    builder = ET.TreeBuilder()
    parser = ET.XMLParser(target=builder)  # noqa: S314 - the blocks are checked for declarations of entities
    for block in _checked_blocks(source, file):
        error = _error_of(parser.feed, block)
        yield from _taken(builder, wanted, file)
        if error is not None:
            _raise(file, error.position[0], error.code)
    if (error := _error_of(parser.close)) is not None:
        _raise(file, error.position[0], error.code)
    yield from _outermost(builder.close(), wanted)


def _error_of(step: Callable[..., object], *arguments: bytes) -> ET.ParseError | None:
    try:
        step(*arguments)
    except ET.ParseError as error:
        return error
    return None


def _taken(builder: ET.TreeBuilder, wanted: str, file: str) -> Iterator[ET.Element]:
    """Takes all complete elements out of the tree: the last one of each element that is still open may go on.

    The parser reports no events: a call for each element takes three times as long.
    """
    level: ET.Element | None = builder.close()  # the root as far as it has been read
    for _ in range(DEEPEST):
        if level is None or local_name(level.tag) == wanted:
            return
        complete = level[:-1]
        del level[:-1]
        for element in complete:
            yield from _outermost(element, wanted)
        level = next(iter(level), None)
    raise SourceError(f"{file}: more than {DEEPEST} elements within each other. Ask for others.")


def _outermost(element: ET.Element, wanted: str) -> Iterator[ET.Element]:
    """The outermost elements called ``wanted`` in ``element``, which may be one itself."""
    waiting = [element]
    while waiting:
        one = waiting.pop()
        if local_name(one.tag) == wanted:
            yield one
        else:
            waiting.extend(reversed(one))


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
