"""Formats the service's log: without query strings, and optionally as one JSON document per line for collectors."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

_PATH = 2
"""The index of the path in what uvicorn logs for a request: client, method, path, HTTP version, status."""


class WithoutQuery(logging.Filter):
    """Removes the query string from the access log, since callers put tokens and personal values there."""

    def filter(self, record: logging.LogRecord) -> bool:
        given = record.args
        if record.name == "uvicorn.access" and isinstance(given, tuple) and len(given) > _PATH:
            path, query, _ = str(given[_PATH]).partition("?")
            record.args = (*given[:_PATH], f"{path}?…" if query else path, *given[_PATH + 1 :])
        return True


class JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        document = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            document["error"] = self.formatException(record.exc_info)
        return json.dumps(document, ensure_ascii=False)
