"""Serves the protocol on standard input and output, until the client closes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server

from data_platform.api.application import build
from data_platform.mcp_service.server import Assistant, build_server

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.api.service import Limits
    from data_platform.catalog import Catalog
    from data_platform.model.access import Role


def serve_stdio(catalog: Catalog, limits: Limits, token: str, role: Role, *, policies: Path | None) -> None:
    """Returns once standard input has ended; the catalog is then closed."""
    app = build(catalog, limits, policies=policies)
    assistant = Assistant(token, role)
    server = build_server(app, lambda _: assistant)

    async def serve() -> None:
        async with app.router.lifespan_context(app), stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)
