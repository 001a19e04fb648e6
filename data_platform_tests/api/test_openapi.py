"""The OpenAPI document holds: what follows it, and what nearly does, is answered in its shapes and never with a 5xx."""

import secrets
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from data_platform.catalog import Catalog
from data_platform.model.access import Role
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.plain_json import plain
from data_platform.model.registration import Actor
from data_platform.openlineage.event import read_event
from data_platform.stage.replay_preview import Preview
from data_platform_tests.api.served import served
from data_platform_tests.api.service_client import NOW, RUN, ServiceClient, event
from data_platform_tests.api.test_access import MATRIX, OPEN
from data_platform_tests.api.test_quarantine_command import program
from data_platform_tests.catalog.example import entry, report
from data_platform_tests.catalog.incident.example_finding import finding, group, look
from data_platform_tests.catalog.template import new_catalog
from data_platform_tests.signals.outbox import Channel, send

EXAMPLES = 25
CHECKS = [not_a_server_error, response_schema_conformance, content_type_conformance]
BOUNDED = settings(
    max_examples=EXAMPLES,
    database=None,
    deadline=None,
    derandomize=False,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def running_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[Role, str]]]:
    """Its address, and a token for each role; it has a job, two datasets, quarantined rows, an incident and alerts."""
    place = tmp_path_factory.mktemp("service") / "catalog.db"
    # a name that nobody guesses: a made-up call of /token/{name}/revoke must not end the test's own authentication
    diff = program(f"print(json.dumps({plain(Preview(entry=entry()))!r}))")
    with new_catalog(place) as catalog, served(catalog, diff=diff) as url:
        made = {
            role: catalog.access.create_token(
                f"{role}-{secrets.token_hex(16)}", role, actor="test", actor_role="LOCAL", now=NOW
            )[1]
            for role in Role
        }
        facets = {"schema": {"fields": [{"name": "id", "type": "string"}]}}
        output = {"namespace": "ds://sales", "name": "orders", "facets": facets}
        catalog.events.ingest([read_event(event(outputs=[output]))], now=NOW)
        orders = DatasetId.parse("ds://sales/orders")
        catalog.runs.record(report("run_2", dataset=orders, stage=Stage.SILVER, partition=None), [])
        set_aside(catalog)
        look(catalog, group(finding()), at=NOW)
        send(catalog, Channel(), now=NOW)
        yield url, made


def set_aside(catalog: Catalog) -> None:
    """A quarantine table about which somebody has decided something."""
    steward = Actor(name="ann", role=Role.DATA_STEWARD)
    aside = entry(stage=Stage.SILVER, signatures={"UNKNOWN_ENUM:status:C1": 5})
    catalog.runs.record(report(stage=Stage.SILVER), [], quarantine=aside)
    catalog.quarantine.request_release(aside.name, "agreed", by=steward, now=NOW)


@pytest.mark.parametrize(
    ("route", "mode"),
    [
        *((route, mode) for route in sorted(MATRIX) for mode in GenerationMode),
        *((route, GenerationMode.POSITIVE) for route in sorted(OPEN - {"GET /openapi.json", "GET /docs"})),
    ],
    ids=lambda given: given if isinstance(given, str) else given.value,
)
def test_no_request_is_answered_with_a_5xx_or_in_another_shape(
    running_service: tuple[str, dict[Role, str]], route: str, mode: GenerationMode
) -> None:
    url, tokens = running_service
    method, path = route.split(" ")
    operation = schemathesis.openapi.from_url(f"{url}/openapi.json")[path][method]
    allowed = next(role for role in Role if role in MATRIX.get(route, Role))  # an administrator where one may call it

    def authorized(request: Any) -> Any:
        """Last of all: a made-up or a left-out header would be refused before the route is reached."""
        request.headers["Authorization"] = f"Bearer {tokens[allowed]}"
        return request

    answered: Counter[int] = Counter()

    @seed(20260215)
    @BOUNDED
    @given(case=operation.as_strategy(generation_mode=mode))
    def hold(case: Any) -> None:
        answer = case.call(auth=authorized)
        if answer.status_code == 400 and answer.text == NOT_HTTP:
            return  # what was made up as a header or path was no HTTP: uvicorn's parser refuses it before we see it
        answered[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)

    hold()

    assert answered.total() > 0
    assert answered[401] == answered[403] == 0  # the token opened the route each time: what was tried is the route


NOT_HTTP = "Invalid HTTP request received."
KNOWN = {"number": "1", "reference": "1", "key": "etl/load", "run_uuid": RUN, "name": entry().name}


_READ = [
    (route, role)
    for route in sorted(MATRIX)
    for role in (Role.PLATFORM_ADMIN, Role.DATA_CONSUMER)
    if route.startswith("GET") and role in MATRIX[route]
]


@pytest.mark.parametrize(("route", "role"), _READ)
def test_what_there_is_is_answered_in_its_shape(
    running_service: tuple[str, dict[Role, str]], route: str, role: Role
) -> None:
    url, tokens = running_service
    method, path = route.split(" ")
    operation = schemathesis.openapi.from_url(f"{url}/openapi.json")[path][method]
    parameters = {name: value for name, value in KNOWN.items() if f"{{{name}}}" in path}
    query = {"GET /api/v1/search": {"q": "orders"}, "GET /api/v1/dataset": {"urn": "ds://sales/orders"}}.get(route, {})
    asked = operation.Case(path_parameters=parameters, query=query)

    answer = asked.call_and_validate(headers={"Authorization": f"Bearer {tokens[role]}"}, checks=CHECKS)

    assert answer.status_code == (404 if path.endswith("/certified") else 200)


def test_the_openapi_document_needs_no_token_and_lists_which_routes_do(service: ServiceClient) -> None:
    document = service.get("/openapi.json", as_=None).json()

    for route in MATRIX:
        method, path = route.split(" ")
        assert document["paths"][path][method.lower()]["security"] == [{"HTTPBearer": []}]
    assert document["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"


def test_the_documents_page_asks_no_other_host_for_our_document(service: ServiceClient) -> None:
    assert "/openapi.json" in service.get("/docs", as_=None).text


def test_the_service_holds_no_path_of_this_machine(service: ServiceClient) -> None:
    assert str(Path.cwd()) not in service.get("/openapi.json", as_=None).text
