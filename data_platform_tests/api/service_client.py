"""The service over a new catalog, called without a network; each role has a token."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from data_platform.api.application import build
from data_platform.api.quarantine_command import QuarantineCommand
from data_platform.api.service import Limits
from data_platform.catalog import Catalog, open_catalog
from data_platform.model.access import Role
from data_platform.model.evidence_key import EvidenceKeys
from data_platform_tests.catalog.template import copy_template

NOW = datetime(2026, 2, 15, 7, 15, 32, tzinfo=UTC)
SQLITE = "sqlite:///"
RUN = "019ad3e2-5b1c-7a55-8f30-6d1c2b3a4e5f"
LIMITS = Limits(event_bytes=100_000, batch_bytes=200_000)


@dataclass
class ServiceClient:
    """``as_`` names whose token goes with a request: a role, or None for no token."""

    url: str
    limits: Limits = LIMITS
    moment: datetime = NOW
    policies: Path | None = None
    evidence_topic: str | None = None
    evidence_keys: EvidenceKeys | None = None
    diff: QuarantineCommand | None = None
    tokens: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> "ServiceClient":
        if self.url.startswith(SQLITE):
            copy_template(Path(self.url.removeprefix(SQLITE)))
        self.catalog: Catalog = open_catalog(self.url, self.evidence_keys)
        self.app = build(
            self.catalog,
            self.limits,
            policies=self.policies,
            now=lambda: self.moment,
            evidence_topic=self.evidence_topic,
            diff=self.diff,
        )
        self.prepare()
        self.client = TestClient(self.app, raise_server_exceptions=False)
        self.client.__enter__()
        for role in Role:
            self.tokens[role] = self.token(role.lower(), role, teams=("sales",) if role is Role.DATA_OWNER else ())
        return self

    def prepare(self) -> None:
        """Adds to the application what the API does not have, before it starts."""

    def __exit__(self, *ended: object) -> None:
        self.client.__exit__(None, None, None)

    def token(self, name: str, role: Role, **given: Any) -> str:
        made = {"actor": "ann", "actor_role": "LOCAL", "now": self.moment, **given}
        return self.catalog.access.create_token(name, role, **made)[1]

    def expired_token(self) -> str:
        return self.token(
            "expired", Role.PLATFORM_ADMIN, now=NOW - timedelta(days=2), expires_at=NOW - timedelta(days=1)
        )

    def revoked_token(self) -> str:
        token = self.token("revoked", Role.PLATFORM_ADMIN)
        self.catalog.access.revoke_token("revoked", actor="ann", actor_role="LOCAL", now=NOW)
        return token

    def call(self, method: str, path: str, *, as_: Role | None = Role.PLATFORM_ADMIN, **given: Any) -> Any:
        headers = dict(given.pop("headers", {}))
        if as_ is not None:
            headers["Authorization"] = f"Bearer {self.tokens[as_]}"
        return self.client.request(method, path, headers=headers, **given)

    def get(self, path: str, **given: Any) -> Any:
        return self.call("GET", path, **given)

    def post(self, path: str, **given: Any) -> Any:
        return self.call("POST", path, **given)


def event(kind: str = "COMPLETE", **changes: Any) -> dict[str, Any]:
    """What a producer sends: the job etl/load reads raw/orders and writes ds://sales/orders."""
    return {
        "eventType": kind,
        "eventTime": "2026-02-15T07:00:00Z",
        "producer": "https://example.net/producer/1.0",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": RUN},
        "job": {"namespace": "etl", "name": "load"},
        "inputs": [{"namespace": "raw", "name": "orders"}],
        "outputs": [{"namespace": "ds://sales", "name": "orders"}],
        **changes,
    }
