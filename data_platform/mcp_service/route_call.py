"""Calls a route of the API within this process, as a client with a token does over HTTP."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlencode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping

    Message = MutableMapping[str, Any]
    Application = Callable[
        [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
    ]


@dataclass(frozen=True, kw_only=True)
class RouteCall:
    """``path`` has its parameters in place, encoded; ``body`` is None for a route without one."""

    method: str
    path: str
    query: Mapping[str, Any]
    body: Mapping[str, Any] | None
    token: str


@dataclass(frozen=True)
class RouteAnswer:
    status: int
    document: Any

    @property
    def is_error(self) -> bool:
        return self.status >= 400

    @property
    def problem(self) -> str:
        """What is wrong, and in which argument."""
        fields = [f"{one['field']}: {one['problem']}" for one in self.document.get("errors", ())]
        detail = str(self.document.get("detail", ""))
        return "; ".join([detail, *(one for one in fields if one not in detail)])


def path_of(template: str, given: Mapping[str, Any]) -> str:
    """The path with its parameters; a name is one part of it, so its slashes are encoded."""
    for name, value in given.items():
        template = template.replace(f"{{{name}}}", quote(str(value), safe=""))
    return template


async def call_route(app: Application, asked: RouteCall) -> RouteAnswer:
    body = b"" if asked.body is None else json.dumps(asked.body).encode()
    sent = False
    status = 500
    parts: list[bytes] = []

    async def receive() -> Message:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        elif message["type"] == "http.response.body":
            parts.append(message.get("body", b""))

    await app(_scope(asked, body), receive, send)
    return RouteAnswer(status, json.loads(b"".join(parts) or b"{}"))


def _scope(asked: RouteCall, body: bytes) -> Message:
    headers = {
        "host": "localhost",
        "accept": "application/json",
        "authorization": f"Bearer {asked.token}",
        **({} if asked.body is None else {"content-type": "application/json", "content-length": str(len(body))}),
    }
    query = {name: _text(value) for name, value in asked.query.items() if value is not None}
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": unquote(asked.path),
        "raw_path": asked.path.encode(),
        "query_string": urlencode(query, doseq=True).encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("localhost", 0),
        "server": ("localhost", 80),
    }


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_text(one) for one in value] if isinstance(value, list) else value
