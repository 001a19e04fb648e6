"""``/docs``: the OpenAPI document for people, as one page without scripts.

Swagger's own page loads its code from another host on every visit, which closed networks do not allow.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter()

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --mute: #777; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1rem; margin: 0; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
section { border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; margin: .8rem 0; }
b.GET { color: #2563a8; } b.POST { color: #1c7a43; } p { margin: .4rem 0; white-space: pre-line; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
td { padding: .2rem .6rem .2rem 0; vertical-align: top; }
td:first-child { font-family: ui-monospace, monospace; white-space: nowrap; } .mute { color: var(--mute); }
"""


@router.get("/docs", include_in_schema=False)
def manual(request: Request) -> HTMLResponse:
    document = request.app.openapi()
    info = document["info"]
    routes = "".join(
        _route(method.upper(), path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    )
    page = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(info["title"])}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body>
<h1>{escape(info["title"])}</h1><p>{escape(info.get("description", ""))}
For programs: <a href="/openapi.json">/openapi.json</a>. Send a token as <code>Authorization: Bearer …</code>.</p>
{routes}</body></html>"""
    return HTMLResponse(page, headers={"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"})


def _route(method: str, path: str, operation: dict[str, Any]) -> str:
    about = operation.get("description") or operation.get("summary", "")
    rows = "".join(_parameter(parameter) for parameter in operation.get("parameters", []))
    table = f"<table>{rows}</table>" if rows else ""
    return f'<section><h2><b class="{method}">{method}</b> {escape(path)}</h2><p>{_text(about)}</p>{table}</section>'


def _parameter(parameter: dict[str, Any]) -> str:
    schema = parameter.get("schema", {})
    kinds = [schema, *schema.get("anyOf", [])]
    kind = " or ".join(str(k["type"]) for k in kinds if k.get("type") not in (None, "null"))
    allowed = next((", ".join(map(str, k["enum"])) for k in kinds if "enum" in k), "")
    default = f"default {schema['default']}" if schema.get("default") is not None else ""
    needed = "required" if parameter.get("required") else ""
    summary = ", ".join(part for part in (kind, allowed, needed, default) if part)
    about = str(parameter.get("description") or schema.get("description") or "")
    return (
        f'<tr><td>{escape(parameter["name"])}</td><td class="mute">{escape(summary)}</td><td>{_text(about)}</td></tr>'
    )


def _text(text: str) -> str:
    """Text as HTML, with ``names`` of docstrings as code."""
    return re.sub(r"``(.+?)``", r"<code>\1</code>", escape(text))
