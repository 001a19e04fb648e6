"""Returns every error as an RFC 9457 problem document: what is wrong, in which field, and what to do.

A 500 shows no internals, only the id of the error in the log.
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
    RateError,
    RoleError,
    SourceUnavailableError,
    UsageError,
)
from data_platform.model.personal import redacted_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 5
"""The Retry-After of a 503, when the catalog is unavailable or the queue is full."""
RATE_SECONDS = 600
"""The Retry-After of a 429: an hour's limit frees places gradually."""

_STATUSES: tuple[tuple[type[DataPlatformError], int, str], ...] = (
    (NotFoundError, 404, "not-found"),
    (RoleError, 403, "forbidden"),
    (RateError, 429, "too-many"),
    (UsageError, 400, "wrong-use"),
    (NotCertifiedError, 404, "not-certified"),
    (ConflictError, 409, "conflict"),
)
_RETRIES = {429: {"Retry-After": str(RATE_SECONDS)}}

_LOG = logging.getLogger("data_platform.api")


class ProblemError(Exception):
    """An error response. ``errors`` names the fields; ``kind`` identifies the error for programs."""

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
        """The document without personal values that the caller sent, since proxies and clients log responses."""
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
    """Our own errors keep their message, which never has a value; the message of others is only logged."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, InputError):
        return ProblemError(422, "invalid", str(error), errors=[(error.field, error.problem)])
    if isinstance(error, SourceUnavailableError):
        _LOG.warning("%s", error)
        return unavailable("the catalog is not available; what was not acknowledged may not be stored: send it again")
    for kind_of_error, status, kind in _STATUSES:
        if isinstance(error, kind_of_error):
            return ProblemError(status, kind, str(error), headers=_RETRIES.get(status))
    return unexpected(error)


def unavailable(detail: str) -> ProblemError:
    return ProblemError(503, "unavailable", detail, headers={"Retry-After": str(RETRY_SECONDS)})


def unexpected(error: Exception) -> ProblemError:
    error_id = uuid.uuid4().hex
    _LOG.error("unexpected error %s", error_id, exc_info=error)
    detail = f"an unexpected error of the service, not of the request; the log has it with the id {error_id}"
    return ProblemError(500, "unexpected", detail, more={"id": error_id})


def add_problems(app: FastAPI) -> None:
    """Registers the handlers, also for what the framework itself refuses."""
    app.add_exception_handler(ProblemError, _answer)
    app.add_exception_handler(DataPlatformError, _answer)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(RequestValidationError, _answer_invalid)


async def _answer(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001 - the framework's signature
    return problem_of(error).response()


async def _answer_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    return refused_of(request, error).response()


def refused_of(request: Request, error: HTTPException) -> ProblemError:
    """What the framework itself refuses, such as a path that does not exist."""
    kind = {404: "not-found", 405: "method-not-allowed", 413: "too-large"}.get(error.status_code, "refused")
    details = {404: f"there is nothing at {request.url.path}", 405: f"{request.method} is not allowed here: see Allow"}
    detail = details.get(error.status_code, str(error.detail))
    return ProblemError(error.status_code, kind, detail, headers=error.headers)


async def _answer_invalid(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
    return invalid_of(error).response()


def invalid_of(error: RequestValidationError) -> ProblemError:
    """A request whose parameters do not have the declared form."""
    errors = [(_place(item["loc"]), item["msg"]) for item in error.errors()]
    return ProblemError(422, "invalid", "; ".join(f"{field}: {message}" for field, message in errors), errors=errors)


def _place(location: Sequence[str | int]) -> str:
    """The field, such as ``limit`` or ``columns[2].name``, without the prefix ``query`` or ``body``."""
    place = ""
    for part in location[1:] or location:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
    return place
