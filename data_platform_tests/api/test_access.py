"""Who may call what: the matrix as it is meant, against every route, role, and kind of token."""

from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Route

from data_platform.api.access import PERMISSIONS, PUBLIC, guarded_router
from data_platform.model.access import Role
from data_platform_tests.api.service_client import ServiceClient, event

ADMIN, STEWARD, OWNER, CONSUMER = Role
READ, PRODUCE, OVERSEE, ADMINISTER = {*Role}, {ADMIN, STEWARD, OWNER}, {ADMIN, STEWARD}, {ADMIN}

MATRIX: dict[str, set[Role]] = {
    "POST /api/v1/run_event": PRODUCE,
    "POST /api/v1/lineage": PRODUCE,
    "POST /api/v1/lineage/batch": PRODUCE,
    "POST /report_asset_materialization/{key}": PRODUCE,
    "POST /report_asset_check/{key}": PRODUCE,
    "POST /report_asset_observation/{key}": PRODUCE,
    "GET /api/v1/dataset": READ,
    "GET /api/v1/dataset/{reference}": READ,
    "GET /api/v1/dataset/{reference}/versions": READ,
    "GET /api/v1/dataset/{reference}/schema": READ,
    "GET /api/v1/dataset/{reference}/lineage": READ,
    "GET /api/v1/dataset/{reference}/impact": READ,
    "GET /api/v1/dataset/{reference}/consumers": READ,
    "GET /api/v1/dataset/{reference}/last_successful_run": READ,
    "GET /api/v1/dataset/{reference}/certified": READ,
    "GET /api/v1/dataset/{reference}/certifications": READ,
    "GET /api/v1/dataset/{reference}/why": READ,
    "GET /api/v1/groups/{name}/certified": READ,
    "GET /api/v1/process/{key}": READ,
    "GET /api/v1/process/{key}/runs": READ,
    "GET /api/v1/run/{run_uuid}": READ,
    "GET /api/v1/sla/status": READ,
    "GET /api/v1/search": READ,
    "POST /api/v1/dataset/register": PRODUCE,
    "POST /api/v1/dataset/deprecate": PRODUCE,
    "GET /api/v1/registrations": PRODUCE,
    "POST /api/v1/registrations/{number}/approve": OVERSEE,
    "POST /api/v1/registrations/{number}/reject": OVERSEE,
    "GET /api/v1/quarantine": PRODUCE,
    "GET /api/v1/quarantine/{name}": PRODUCE,
    "GET /api/v1/quarantine/{name}/diff": PRODUCE,
    "POST /api/v1/quarantine/{name}/assign": PRODUCE,
    "POST /api/v1/quarantine/{name}/discard": PRODUCE,
    "POST /api/v1/quarantine/{name}/replay": PRODUCE,
    "POST /api/v1/quarantine/{name}/release": PRODUCE,
    "POST /api/v1/quarantine/{name}/release/approve": OVERSEE,
    "POST /api/v1/quarantine/{name}/release/withdraw": PRODUCE,
    "GET /api/v1/waivers": READ,
    "POST /api/v1/waivers": PRODUCE,
    "POST /api/v1/waivers/{number}/approve": OVERSEE,
    "POST /api/v1/waivers/{number}/revoke": OVERSEE,
    "GET /api/v1/incidents": READ,
    "GET /api/v1/incidents/{number}": READ,
    "POST /api/v1/incidents/{number}/acknowledge": PRODUCE,
    "POST /api/v1/incidents/{number}/resolve": PRODUCE,
    "GET /api/v1/signals": READ,
    "GET /api/v1/health": READ,
    "GET /api/v1/events/lifecycle": READ,
    "GET /api/v1/alerts": READ,
    "GET /api/v1/maintenance": READ,
    "POST /api/v1/maintenance": PRODUCE,
    "POST /api/v1/maintenance/{number}/end": PRODUCE,
    "GET /api/v1/incidents/{number}/rca": READ,
    "GET /api/v1/deployments": READ,
    "POST /api/v1/deployments": PRODUCE,
    "POST /api/v1/pii/detokenize": {STEWARD},
    "GET /api/v1/audit": OVERSEE,
    "GET /api/v1/token": ADMINISTER,
    "POST /api/v1/token": ADMINISTER,
    "POST /api/v1/token/{name}/revoke": ADMINISTER,
}
OPEN = {"GET /healthz", "GET /readyz", "GET /metrics", "GET /openapi.json", "GET /docs"}


def routes(found: list[object]) -> Iterator[str]:
    """Of the application, those of included routers too."""
    for route in found:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes(inner.routes)
        elif isinstance(route, APIRoute):
            yield from (f"{method} {route.path_format}" for method in route.methods or ())
        elif isinstance(route, Route):
            yield from (f"{method} {route.path}" for method in route.methods or () if method != "HEAD")


def filled(route: str) -> tuple[str, str]:
    method, path = route.split(" ")
    return method, path.format(reference="1", key="1", run_uuid="x", name="nobody", number="1")


def test_every_route_is_in_the_matrix_and_nothing_else_is(service: ServiceClient) -> None:
    assert set(routes(service.app.routes)) == {*MATRIX, *OPEN}
    assert set(PERMISSIONS) == set(MATRIX)
    assert set(PUBLIC) == OPEN


def test_every_documented_path_is_a_route_of_the_matrix(service: ServiceClient) -> None:
    documented = {
        f"{method.upper()} {path}" for path, methods in service.app.openapi()["paths"].items() for method in methods
    }

    assert documented == {*MATRIX, *OPEN} - {"GET /openapi.json", "GET /docs"}


def test_a_route_without_roles_cannot_be_made() -> None:
    router = guarded_router("new")

    with pytest.raises(KeyError, match="GET /api/v1/new"):
        router.add_api_route("/new", lambda: None, methods=["GET"])


@pytest.mark.parametrize("route", MATRIX)
def test_each_role_may_call_the_routes_of_the_matrix(service: ServiceClient, route: str) -> None:
    method, path = filled(route)

    allowed = {role for role in Role if service.call(method, path, as_=role).status_code not in (401, 403)}

    assert allowed == MATRIX[route]


@pytest.mark.parametrize("route", MATRIX)
def test_no_route_of_the_matrix_is_open_without_a_valid_token(service: ServiceClient, route: str) -> None:
    method, path = filled(route)
    tokens = {"revoked": service.revoked_token(), "expired": service.expired_token(), "made up": "dpt_" + "x" * 43}

    for kind, token in tokens.items():
        answer = service.call(method, path, as_=None, headers={"Authorization": f"Bearer {token}"})
        assert (kind, answer.status_code) == (kind, 401)
        assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    answer = service.call(method, path, as_=None)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("route", sorted(OPEN))
def test_what_is_open_needs_no_token(service: ServiceClient, route: str) -> None:
    assert service.call(*route.split(" "), as_=None).status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        pytest.param("", id="empty"),
        pytest.param("Bearer", id="no token"),
        pytest.param("Bearer  ", id="blank token"),
        pytest.param("Basic {token}", id="another scheme"),
        pytest.param("{token}", id="no scheme"),
    ],
)
def test_a_token_is_taken_as_bearer_only(service: ServiceClient, header: str) -> None:
    said = header.format(token=service.tokens[ADMIN])

    assert service.call("GET", "/api/v1/token", as_=None, headers={"Authorization": said}).status_code == 401


def test_a_refusal_comes_before_the_body_is_looked_at(service: ServiceClient) -> None:
    assert service.post("/api/v1/lineage", as_=None, content=b"{").status_code == 401
    assert service.post("/api/v1/lineage", as_=CONSUMER, content=b"x" * 200_000).status_code == 403
    assert service.post("/api/v1/token", as_=OWNER, content=b"{").status_code == 403


def test_a_token_may_be_revoked_while_it_is_in_use(service: ServiceClient) -> None:
    assert service.post("/api/v1/lineage", as_=OWNER, json=event()).status_code == 201

    revoked = service.post(f"/api/v1/token/{OWNER.lower()}/revoke")

    assert revoked.json() == {"name": OWNER.lower(), "revoked": True}
    assert service.post("/api/v1/lineage", as_=OWNER, json=event("START")).status_code == 401
