"""Every error as an RFC 9457 problem document: what was wrong, in which field, and what to do.

A 500 says nothing of what happened inside, only an id under which the log has it.
"""

from __future__ import annotations

import logging
import uuid
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from data_platform.errors import (
    ConflictError,
    DataPlatformError,
    InputError,
    NotCertifiedError,
    NotFoundError,
    SourceUnavailableError,
    UsageError,
)
from data_platform.model.personal import redacted_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 5
"""After how long a client is asked to come again when the catalog is away or the queue is full."""

_LOG = logging.getLogger("data_platform.api")


class ProblemError(Exception):
    """An answer that is an error. ``errors`` names the fields; ``kind`` is a word that programs can tell it by."""

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        errors: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.errors, self.headers, self.more = tuple(errors), dict(headers or {}), dict(more or {})

    def document(self) -> dict[str, Any]:
        """What a caller sent comes back without personal values: proxies and clients log answers."""
        return redacted_json(self._document())

    def _document(self) -> dict[str, Any]:
        return {
            "type": f"urn:data-platform:problem:{self.kind}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "errors": [{"field": field, "problem": problem} for field, problem in self.errors],
            **self.more,
        }

    def response(self) -> JSONResponse:
        return JSONResponse(self.document(), self.status, headers=self.headers, media_type=MEDIA_TYPE)


def problem_of(error: Exception) -> ProblemError:
    """Our errors keep their words, which never hold a value; of an unexpected one only the log has them."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, InputError):
        return ProblemError(422, "invalid", str(error), errors=[(error.field, error.problem)])
    if isinstance(error, NotFoundError):
        return ProblemError(404, "not-found", str(error))
    if isinstance(error, UsageError):
        return ProblemError(400, "wrong-use", str(error))
    if isinstance(error, NotCertifiedError):
        return ProblemError(404, "not-certified", str(error))
    if isinstance(error, SourceUnavailableError):
        _LOG.warning("%s", error)
        return unavailable(
            "the catalog did not answer; nothing that was not acknowledged is kept for sure: send it again"
        )
    if isinstance(error, ConflictError):
        return ProblemError(409, "conflict", str(error))
    return unexpected(error)


def unavailable(detail: str) -> ProblemError:
    return ProblemError(503, "unavailable", detail, headers={"Retry-After": str(RETRY_SECONDS)})


def unexpected(error: Exception) -> ProblemError:
    name = uuid.uuid4().hex
    _LOG.error("unexpected error %s", name, exc_info=error)
    detail = f"something went wrong here, and not with the request; the log has it under {name}"
    return ProblemError(500, "unexpected", detail, more={"id": name})


def add_problems(app: FastAPI) -> None:
    """Also for what the framework refuses by itself."""
    app.add_exception_handler(ProblemError, _answer)
    app.add_exception_handler(DataPlatformError, _answer)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(RequestValidationError, _answer_invalid)


async def _answer(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001 - the framework's signature
    return problem_of(error).response()


async def _answer_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    kind = {404: "not-found", 405: "method-not-allowed", 413: "too-large"}.get(error.status_code, "refused")
    said = {404: f"there is nothing at {request.url.path}", 405: f"{request.method} is not allowed here: see Allow"}
    detail = said.get(error.status_code, str(error.detail))
    return ProblemError(error.status_code, kind, detail, headers=error.headers).response()


async def _answer_invalid(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
    errors = [(_place(found["loc"]), found["msg"]) for found in error.errors()]
    return ProblemError(
        422, "invalid", "; ".join(f"{field}: {said}" for field, said in errors), errors=errors
    ).response()


def _place(location: Sequence[str | int]) -> str:
    """``limit``, ``columns[2].name``; that it was in the query or the body is left out."""
    place = ""
    for part in location[1:] or location:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
    return place
