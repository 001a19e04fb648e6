"""Reads a request's body up to its limit, decompresses it, and parses JSON that a store can keep."""

from __future__ import annotations

import asyncio
import json
import re
import time
import zlib
from typing import TYPE_CHECKING, Any

import orjson
from starlette.requests import ClientDisconnect

from data_platform.api.problem import ProblemError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from fastapi import Request

DEEPEST = 254
"""Maximum nesting: orjson writes no deeper documents. Its parser accepts deeper ones, but later readers may not."""

READ_SECONDS = 60
"""Time limit for the whole body."""

PATIENCE_SECONDS, SLOWEST_BYTES_PER_SECOND = 10, 16_384
"""A sender may be this many seconds behind the slowest rate; slower senders would block places that others need."""

LARGE_BYTES = 1_048_576
"""A body is large once this much has arrived, whatever its headers claim; only a few large bodies are held at once."""

_CLOSE = {"Connection": "close"}
_DRAINED_BYTES = 64 * 1_048_576
_BLANKS = " \t\n\r"
_OPENED = re.compile(r"\[[ \t\n\r]*(\]?)")
_SEPARATOR = re.compile(r"[ \t\n\r]*([,\]])[ \t\n\r]*")
_LONG_NUMBER = b"0" * 19
_DIGITS_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")
_GZIP = 31  # zlib's window of 32 KiB, with a gzip header


async def read_body(
    request: Request,
    limit: int,
    what: str,
    *,
    admit_large: Callable[[], Awaitable[None]] | None = None,
    check_type: Callable[[Request], None] | None = None,
) -> bytes:
    """Reads at most ``limit`` decompressed bytes. ``admit_large`` is awaited once, if the body is large.

    ``check_type`` refuses a Content-Type; by default every one but JSON's.

    Raises:
        ProblemError: The body is larger (the message names ``limit`` and ``what``), too slow, or unreadable.
    """
    (check_type or _check_type)(request)
    unpack = _unpacker(request)
    too_large = ProblemError(
        413,
        "too-large",
        f"the body is larger than {limit} bytes, which is the limit ({what})",
        more={"limit": limit},
    )
    try:
        pieces = _paced(request.stream(), admit_large)
        if int(request.headers.get("content-length") or 0) > limit:
            await _drain(pieces)
            raise too_large
        return await _read(pieces, limit, unpack, too_large)
    except TimeoutError:
        detail = (
            f"the body arrived too slowly: expected {SLOWEST_BYTES_PER_SECOND} bytes a second, and all of it within"
        )
        raise ProblemError(408, "too-slow", f"{detail} {READ_SECONDS} seconds", headers=_CLOSE) from None
    except ClientDisconnect:
        raise ProblemError(400, "cut-off", "the connection ended before the body did") from None
    except (zlib.error, ValueError):
        raise ProblemError(400, "unreadable", "the body is not gzip, although its Content-Encoding is gzip") from None


def parse_json(raw: bytes) -> Any:
    """Raises: ProblemError, if it is not JSON in UTF-8, has NaN or infinite numbers, or is nested too deep."""
    if len(raw) >= LARGE_BYTES and raw.lstrip()[:1] == b"[":
        return _parse_element_by_element(raw)
    # orjson would round a long number; this search costs a tenth of a regular expression
    if _LONG_NUMBER not in raw.translate(_DIGITS_AS_ZERO):
        try:
            document = orjson.loads(raw)
            orjson.dumps(document)  # the fastest check of the depth
            return document
        except (orjson.JSONDecodeError, orjson.JSONEncodeError):
            pass  # Python's own parser accepts a little more, and reports what is wrong
    return _parse_slowly(raw)


def _parse_slowly(raw: bytes) -> Any:
    try:
        document = json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise _parse_problem(error, raw) from None
    _check_depth(document)
    return document


def _parse_element_by_element(raw: bytes) -> list[Any]:
    """Parses a large array. One call would hold Python's lock, and block every other request, for a second."""
    try:
        return list(_elements(raw.decode().strip(_BLANKS)))
    except (ValueError, RecursionError) as error:
        raise _parse_problem(error, raw) from None


def _elements(text: str) -> Iterator[Any]:
    """Yields the elements of an array; ``text`` starts with its bracket."""
    decode = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite).raw_decode
    opened = _OPENED.match(text)
    assert opened is not None  # noqa: S101 - the caller has seen the bracket
    place, ended = opened.end(), opened[1] == "]"
    while not ended:
        element, place = decode(text, place)
        _check_depth(element, levels=1)
        yield element
        separator = _SEPARATOR.match(text, place)
        if separator is None:
            raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
        place, ended = separator.end(), separator[1] == "]"
    if place < len(text):
        raise json.JSONDecodeError("Extra data", text, place)


class _NumberError(ValueError):
    """A number that JSON cannot represent."""


def _check_type(request: Request) -> None:
    given = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if given != "application/json" and not (given.startswith("application/") and given.endswith("+json")):
        raise ProblemError(415, "wrong-type", "the Content-Type is not JSON: expected application/json")


def _unpacker(request: Request) -> Any:
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip"):
        return zlib.decompressobj(_GZIP)
    raise ProblemError(
        415,
        "wrong-encoding",
        "the Content-Encoding is not supported: expected gzip or none",
        headers={"Accept-Encoding": "gzip"},
    )


async def _paced(
    pieces: AsyncIterator[bytes], admit_large: Callable[[], Awaitable[None]] | None
) -> AsyncIterator[bytes]:
    """Yields ``pieces`` as long as they arrive fast enough. The time spent waiting for a place does not count.

    Raises:
        TimeoutError: The sender is too slow.
    """
    waited, received = 0.0, 0
    while True:
        allowed = min(READ_SECONDS, PATIENCE_SECONDS + received / SLOWEST_BYTES_PER_SECOND) - waited
        began = time.monotonic()
        async with asyncio.timeout(max(0.0, allowed)):
            piece = await anext(pieces, None)
        waited += time.monotonic() - began
        if piece is None:
            return
        received += len(piece)
        if admit_large is not None and received >= LARGE_BYTES:
            await admit_large()
            admit_large = None
        yield piece


async def _read(pieces: AsyncIterator[bytes], limit: int, unpack: Any, too_large: ProblemError) -> bytes:
    taken, packed = bytearray(), 0
    async for piece in pieces:
        packed += len(piece)
        # one byte over the limit shows that there is more; nothing beyond it is decompressed
        taken += piece if unpack is None else unpack.decompress(piece, limit + 1 - len(taken))
        if len(taken) > limit or packed > limit or (unpack is not None and unpack.unconsumed_tail):
            await _drain(pieces)
            raise too_large
    if unpack is not None and (not unpack.eof or unpack.unused_data):
        raise zlib.error
    return bytes(taken)


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Reads and discards the rest, up to a limit: most clients read no response before they have sent everything."""
    dropped = 0
    async for piece in pieces:
        dropped += len(piece)
        if dropped > _DRAINED_BYTES:
            return


def _check_depth(document: Any, *, levels: int = 0) -> None:
    """Refuses too deep nesting. ``levels`` counts the levels around ``document``."""
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(DEEPEST + 1 - levels):
        if not level:
            return
        inner = (value for outer in level for value in (outer.values() if isinstance(outer, dict) else outer))
        level = [value for value in inner if isinstance(value, dict | list)]
    raise _too_deep()


def _refuse_constant(name: str) -> Any:
    raise _NumberError(f"{name} is not JSON: expected a number, or null")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _NumberError("a number is too large for a float")
    return number


def _parse_problem(error: Exception, raw: bytes = b"[") -> ProblemError:
    if isinstance(error, RecursionError):
        return _too_deep()
    if isinstance(error, UnicodeDecodeError):
        return _unreadable(f"byte {error.start} is not UTF-8")
    if isinstance(error, json.JSONDecodeError):
        place = f"line {error.lineno}, column {error.colno}: {error.msg}"
        return _unreadable(place if raw.strip() else "the body is empty")
    return _unreadable(str(error) if isinstance(error, _NumberError) else "a number has too many digits")


def _unreadable(detail: str) -> ProblemError:
    return ProblemError(400, "unreadable", f"the body is not JSON: {detail}")


def _too_deep() -> ProblemError:
    return ProblemError(400, "too-deep", f"the body is nested deeper than {DEEPEST} levels")
