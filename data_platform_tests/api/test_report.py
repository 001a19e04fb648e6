"""C07: what legacy jobs report is kept where it is declared, and refused by name where it is not."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from data_platform.api import registered_asset
from data_platform.errors import SourceUnavailableError
from data_platform.model.access import Role
from data_platform.model.arrival import ArrivedVersion
from data_platform.model.partition_key import PartitionKey
from data_platform_tests.api.service_client import ServiceClient, event
from data_platform_tests.case import case_file, expected

REQUESTS = json.loads(case_file("C07", "requests.json").read_text())
DAYS = {"start": "2025-01-01"}
SAID = {
    "jobs": [{"job": "LOAD", "box": "NIGHT", "outputs": ["ds://legacy/positions"]}],
    "datasets": [
        {"dataset": "ds://legacy/positions", "partition": DAYS, "checks": ["row_count"]},
        {"dataset": "ds://legacy/rates"},
    ],
}
DONE, CHECK, SEEN = (f"/report_asset_{kind}/legacy/positions" for kind in ("materialization", "check", "observation"))


def declare(folder: Path, said: dict[str, Any]) -> Path:
    (folder / "policies" / "legacy").mkdir(parents=True, exist_ok=True)
    (folder / "policies" / "legacy" / "night.yaml").write_text(yaml.safe_dump(said))
    return folder / "policies"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ServiceClient]:
    """A service with two legacy assets."""
    with ServiceClient(f"sqlite:///{tmp_path / 'catalog.db'}", policies=declare(tmp_path, SAID)) as opened:
        yield opened


def arrived(desk: ServiceClient) -> list[ArrivedVersion]:
    return list(desk.catalog.arrivals.versions([number for number, _ in desk.catalog.arrivals.names(0)]))


def send(desk: ServiceClient, request: dict[str, Any]) -> Any:
    if "raw_body" in request:
        return desk.post(request["path"], content=request["raw_body"], headers={"Content-Type": "application/json"})
    return desk.post(request["path"], json=request["body"])


def test_c07(desk: ServiceClient) -> None:
    answers = {request["n"]: [send(desk, request) for _ in range(request.get("send", 1))] for request in REQUESTS}

    for right in expected("C07"):
        wanted = "2" if right["expected"].startswith(("2xx", "idempotent")) else "4"
        assert {str(answer.status_code)[0] for answer in answers[right["request"]]} == {wanted}, right
    positions = [version for version in arrived(desk) if version.urn == "ds://legacy/positions"]
    assert [version.tag for version in positions] == ["2025-06-01/v1", "2025-06-01/e-1"]
    assert answers[1][0].json()["asset_key"] == ["legacy", "positions"]
    failed, passed = desk.catalog.arrivals.reports(0)
    assert (failed.partition, failed.passed, failed.metadata) == ("2025-06-01", False, {"n": 0})
    assert (passed.partition, passed.metadata) == (None, REQUESTS[4]["body"]["metadata"])
    said = {number: answers[number][0].json()["detail"] for number in (3, 4, 6, 7)}
    assert said[3] == "legacy/positions has no check 'row_cnt'; did you mean row_count?"
    assert said[4] == "'legacy/positons' is not an asset that can be reported; did you mean legacy/positions?"
    assert "'2025-13-01' is not a partition" in said[6]
    assert "not JSON" in said[7]
    assert [answer.json()["stored"] for answer in answers[8]] == [True, False]


def test_a_materialization_is_a_completed_run_of_the_job_that_makes_it(desk: ServiceClient) -> None:
    answer = desk.post(DONE, json={"partition": "2025-06-01", "data_version": "v1", "metadata": {"rows": 20}})

    assert answer.json() == {
        "asset_key": ["legacy", "positions"],
        "dataset": "ds://legacy/positions",
        "partition": "2025-06-01",
        "version": "2025-06-01/v1",
        "stored": True,
    }
    (version,) = arrived(desk)
    assert (version.process, version.row_count) == ("AUTOSYS/NIGHT/LOAD", 20)
    assert version.report["metadata"] == {"rows": 20}


def test_one_line_of_curl_without_a_body_does(desk: ServiceClient) -> None:
    assert desk.post(f"{DONE}?partition=2025-06-01&data_version=v1").status_code == 200
    assert desk.post(f"{CHECK}?check_name=row_count&passed=false&severity=WARN").status_code == 200

    (report,) = desk.catalog.arrivals.reports(0)
    assert (report.passed, report.severity, report.reported_by) == (False, "WARN", "platform_admin")
    assert len(arrived(desk)) == 1


def test_a_key_may_be_a_list_and_a_text_is_one_part(desk: ServiceClient) -> None:
    as_list = desk.post("/report_asset_materialization/", json={"asset_key": ["legacy", "rates"]})
    in_query = desk.post('/report_asset_materialization/?asset_key=["legacy","rates"]')
    as_text = desk.post("/report_asset_materialization/", json={"asset_key": "legacy/rates"})
    missing = desk.post("/report_asset_materialization/", json={})

    assert (as_list.status_code, in_query.status_code) == (200, 200)
    assert as_text.status_code == 404
    assert as_text.json()["detail"].endswith('its key is a list: ["legacy","rates"]')
    assert missing.json()["errors"][0]["field"] == "asset_key"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        (DONE, {"partition": 20250601}, "partition"),
        (DONE, {"partition": "2024-12-31"}, "partition"),
        (DONE, {"partition": "2099-01-01"}, "partition"),
        (DONE, {"data_version": True}, "data_version"),
        (DONE, {"metadata": [1]}, "metadata"),
        (DONE, {"metadata": {"x": "y" * 60_000}}, "metadata"),
        (DONE, {"metadata": {"parts": ["EMEA"]}}, "metadata"),
        (DONE, {"metadata": {"parts": {"EMEA": "1"}}}, "metadata"),
        (DONE, {"metadata": {"parts": {"EMEA": -1}}}, "metadata"),
        (DONE, {"description": 1}, "description"),
        (DONE, {"timestamp": 1}, "timestamp"),
        (DONE, {"check_name": "row_count"}, "check_name"),
        (CHECK, {"passed": True}, "check_name"),
        (CHECK, {"check_name": "row_count"}, "passed"),
        (CHECK, {"check_name": "row_count", "passed": "true"}, "passed"),
        (CHECK, {"check_name": "row_count", "passed": True, "severity": "FATAL"}, "severity"),
        ("/report_asset_materialization/legacy/rates", {"partition": "2025-06-01"}, "partition"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_kept(
    desk: ServiceClient, path: str, body: dict[str, Any], field: str
) -> None:
    answer = desk.post(path, json=body)

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert (arrived(desk), desk.catalog.arrivals.reports(0)) == ([], ())


def test_the_rows_of_parts_are_known_from_reports_and_from_openlineage(desk: ServiceClient) -> None:
    day = PartitionKey("2025-06-01")
    desk.post(DONE, json={"partition": day, "data_version": "v1", "metadata": {"parts": {"APAC": 3}}})
    facet: dict[str, Any] = {"partition": day, "metadata": {"parts": {"EMEA": 5, "US": "many"}}}
    output: dict[str, Any] = {"namespace": "ds://legacy", "name": "positions", "facets": {"dataPlatform_report": facet}}
    output["facets"]["version"] = {"datasetVersion": f"{day}/v2"}
    sent = desk.post("/api/v1/lineage", json=event(outputs=[output]))

    assert sent.status_code < 300, sent.text
    found = desk.catalog.timeliness.reported_parts(["ds://legacy/positions"], since=day)
    assert found == {("ds://legacy/positions", day): {"APAC": 3, "EMEA": 5}}


@pytest.mark.parametrize("body", [b"[1]", b"1", b'"x"'])
def test_a_body_that_is_no_object_is_refused(desk: ServiceClient, body: bytes) -> None:
    assert desk.post(DONE, content=body, headers={"Content-Type": "application/json"}).status_code == 422


def test_a_body_of_curl_without_a_content_type_is_an_error_that_asks_for_json(desk: ServiceClient) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}

    answer = desk.post(DONE, content=b'{"data_version": "v1"}', headers=headers)

    assert (answer.status_code, answer.json()["detail"]) == (
        415,
        "the Content-Type is not JSON: expected application/json",
    )


def test_a_report_is_stored_without_personal_values_and_secrets(desk: ServiceClient) -> None:
    metadata = {"sample": ["ann.case@example.com"], "jdbc_password": "Example-Pw1", "url": "ftp://a:Example-Pw1@h/x"}
    body = {"check_name": "row_count", "passed": False, "metadata": metadata, "description": "--password Example-Pw1"}

    assert desk.post(CHECK, json=body).json()["stored"]

    (stored,) = desk.catalog.arrivals.reports(0)
    assert stored.metadata == {"sample": ["[REDACTED:EMAIL]"], "jdbc_password": "***", "url": "ftp://a:***@h/x"}
    assert stored.description == "--password ***"


@pytest.mark.parametrize(
    ("query", "body", "field"),
    [
        pytest.param("", {"asset_key": ["legacy", "rates"]}, "asset_key", id="another asset than the path's"),
        pytest.param("?partition=2025-06-01", {"partition": "2025-06-02"}, "partition", id="two days"),
    ],
)
def test_a_report_that_names_two_subjects_is_refused(
    desk: ServiceClient, query: str, body: dict[str, Any], field: str
) -> None:
    answer = desk.post(f"{CHECK}{query}", json={"check_name": "row_count", "passed": True, **body})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
    assert desk.catalog.arrivals.reports(0) == ()


def test_a_report_without_any_id_is_a_new_one_each_time(desk: ServiceClient) -> None:
    for _ in range(2):
        assert desk.post("/report_asset_materialization/legacy/rates", json={}).json()["stored"] is True

    assert len(arrived(desk)) == 2


def test_a_repeated_check_result_is_stored_once_and_a_changed_one_again(desk: ServiceClient) -> None:
    body = {"check_name": "row_count", "partition": "2025-06-01", "metadata": {"n": 0}}

    stored = [
        desk.post(CHECK, json={**body, "passed": passed}).json()["stored"] for passed in (0 > 1, 0 > 1, 1 > 0, 0 > 1)
    ]

    assert stored == [True, False, True, True]


def test_an_idempotency_key_makes_it_the_same_report(desk: ServiceClient) -> None:
    headers = {"Idempotency-Key": "job 17"}
    for path, body in ((DONE, {}), (SEEN, {"metadata": {"lag": 3}})):
        assert [desk.post(path, json=body, headers=headers).json()["stored"] for _ in range(2)] == [True, False]


def test_today_s_day_is_kept_and_waits_in_the_catalog(desk: ServiceClient) -> None:
    desk.moment = datetime(2025, 6, 1, 23, tzinfo=UTC)

    assert desk.post(DONE, json={"partition": "2025-06-01", "data_version": "v1"}).status_code == 200
    assert desk.post(DONE, json={"partition": "2025-06-02", "data_version": "v1"}).status_code == 422


def test_a_newly_declared_asset_can_be_reported(
    desk: ServiceClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registered_asset, "LOOK_SECONDS", -1)
    path = "/report_asset_materialization/legacy/prices"
    assert desk.post(path, json={}).status_code == 404

    declare(tmp_path, {"datasets": [*SAID["datasets"], {"dataset": "ds://legacy/prices"}]})

    assert desk.post(path, json={}).status_code == 200


def test_policies_that_became_wrong_leave_the_last_right_ones(
    desk: ServiceClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registered_asset, "LOOK_SECONDS", -1)
    assert desk.post(DONE, json={}).status_code == 200
    (tmp_path / "policies" / "legacy" / "night.yaml").write_text("dataset: []\n")

    assert desk.post(DONE, json={}).status_code == 200


def test_policies_that_never_loaded_are_an_error(tmp_path: Path) -> None:
    with ServiceClient(f"sqlite:///{tmp_path / 'catalog.db'}", policies=declare(tmp_path, {"dataset": []})) as desk:
        answer = desk.post(DONE, json={})

    assert (answer.status_code, "data-platform validate" in answer.json()["detail"]) == (503, True)


def test_a_service_without_policies_has_no_assets(service: ServiceClient) -> None:
    answer = service.post(DONE, json={})

    detail = answer.json()["detail"]
    assert detail == "'legacy/positions' is not an asset that can be reported; number of declared ones: 0"


def test_a_catalog_that_is_away_acknowledges_nothing(desk: ServiceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise SourceUnavailableError("no")

    monkeypatch.setattr(desk.catalog.events, "ingest", away)
    monkeypatch.setattr(desk.catalog.arrivals, "add_report", away)

    assert desk.post(DONE, json={}).status_code == 503
    assert desk.post(CHECK, json={"check_name": "row_count", "passed": True}).status_code == 503


def test_a_consumer_may_not_report(desk: ServiceClient) -> None:
    assert desk.post(DONE, json={}, as_=Role.DATA_CONSUMER).status_code == 403
