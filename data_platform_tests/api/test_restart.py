"""PostgreSQL dies in the middle of a load and comes back: what was acknowledged is there, and there once."""

import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from data_platform.catalog import open_catalog
from data_platform.catalog.lineage_table import LINEAGE_EDGE, RUN_EVENT
from data_platform.model.access import Role
from data_platform_tests.api.served import served
from data_platform_tests.catalog.lineage.example import dataset, event
from data_platform_tests.own_postgres import OwnPostgres, binaries

EVENTS_OF_A_CLIENT = 60
CLIENTS = 4
PATIENCE_SECONDS = 120

pytestmark = pytest.mark.skipif(
    binaries() is None, reason="needs PostgreSQL's own programs, to kill a server; CI installs them"
)


@pytest.fixture
def postgres() -> Iterator[OwnPostgres]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        own = OwnPostgres.made_in(Path(folder))
        own.start()
        try:
            yield own
        finally:
            own.stop()


def keep_posting(url: str, token: str, client: int, acknowledged: list[str]) -> None:
    """Each event until it is acknowledged, as the clients of a queue do."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
        for number in range(EVENTS_OF_A_CLIENT):
            run = str(uuid.UUID(int=(client << 32) + number + 1, version=4))
            document = event(run=run, job=f"job_{client}", inputs=[dataset("a")], outputs=[dataset(f"b_{number % 7}")])
            until = time.monotonic() + PATIENCE_SECONDS
            while time.monotonic() < until:
                try:
                    answer = http.post("/api/v1/lineage", json=document)
                except httpx.TransportError:
                    time.sleep(0.1)
                    continue
                if answer.status_code == 201:
                    acknowledged.append(run)
                    break
                assert answer.status_code == 503, answer.text
                assert "Retry-After" in answer.headers
                time.sleep(0.2)


def test_no_acknowledged_event_is_lost_and_none_is_stored_twice(postgres: OwnPostgres) -> None:
    with open_catalog(postgres.url) as catalog, served(catalog) as url:
        now = datetime.now(UTC)
        _, token = catalog.access.create_token(
            "loader", Role.DATA_OWNER, actor="test", actor_role="PLATFORM_ADMIN", now=now
        )
        acknowledged: list[str] = []
        clients = [
            threading.Thread(target=keep_posting, args=(url, token, client, acknowledged)) for client in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        for share in (0.2, 0.5):
            until = time.monotonic() + PATIENCE_SECONDS
            while len(acknowledged) < share * CLIENTS * EVENTS_OF_A_CLIENT and time.monotonic() < until:
                time.sleep(0.01)
            postgres.stop()
            time.sleep(0.5)
            postgres.start()
        for client in clients:
            client.join(PATIENCE_SECONDS)

        with catalog._database.reading() as connection:
            stored = Counter(connection.execute(select(RUN_EVENT.c.run_uuid)).scalars())
            edges = connection.execute(select(LINEAGE_EDGE.c.edge_id)).all()
        assert len(acknowledged) == CLIENTS * EVENTS_OF_A_CLIENT
        assert set(acknowledged) == set(stored)
        assert set(stored.values()) == {1}
        assert len(edges) == CLIENTS * (1 + 7)
