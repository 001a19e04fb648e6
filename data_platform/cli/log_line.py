"""Lines of the service's log: without what a query string holds, and as one JSON document for collectors."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

_PATH = 2
"""The place of the requested path in what uvicorn logs of a request: client, method, path, HTTP version, status."""


class WithoutQuery(logging.Filter):
    """Cuts the query string off in the access log. Callers put tokens and personal values there, by mistake or not."""

    def filter(self, record: logging.LogRecord) -> bool:
        given = record.args
        if record.name == "uvicorn.access" and isinstance(given, tuple) and len(given) > _PATH:
            path, query, _ = str(given[_PATH]).partition("?")
            record.args = (*given[:_PATH], f"{path}?…" if query else path, *given[_PATH + 1 :])
        return True


class JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)
