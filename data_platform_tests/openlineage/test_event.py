"""An OpenLineage event is read strictly where it identifies something, and leniently everywhere else."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_platform.errors import InputError
from data_platform.model.lineage import DatasetRole, EventType, LineageEvent, Name
from data_platform.openlineage.canonical_json import canonical, parse
from data_platform.openlineage.event import MOST_MENTIONS, read_event, read_time
from data_platform_tests.catalog.lineage.example import CASES, dataset, event, from_columns, schema
from data_platform_tests.example_count import examples

PAYLOADS = json.loads((CASES / "C35_ol_null_facets_times_size" / "payloads.json").read_text())
EXPECTED = json.loads((CASES / "C35_ol_null_facets_times_size" / "expected.json").read_text())
_BODIES = [
    pytest.param(payload["body"], meant["expected"], id=payload["what"][:40])
    for payload, meant in zip(PAYLOADS, EXPECTED, strict=True)
    if isinstance(payload.get("body"), dict)
]


@pytest.mark.parametrize(("body", "meant"), _BODIES)
def test_case_c35_is_taken_or_refused_with_a_field(body: dict[str, Any], meant: str) -> None:
    if meant == "4xx":
        with pytest.raises(InputError) as refusal:
            read_event(body)
        assert refusal.value.field
        return
    if "4xx" in meant and isinstance(body["eventTime"], float):  # the case allows both; nobody knows its unit
        with pytest.raises(InputError, match="eventTime"):
            read_event(body)
        return
    if len(body.get("job", {}).get("name", "")) > 2000:
        long = read_event(body)
        assert long.job is not None
        assert len(long.job.full.encode()) <= 2000
        assert any(re.match(r"job\.name: 50\d+ bytes", warning) for warning in long.warnings)
        return
    found = read_event(body)
    assert "warning" not in meant or found.warnings
    assert "no edges" not in meant or found.datasets == ()


def test_the_short_form_of_events_is_read() -> None:
    found = read_event(
        {
            "eventType": "COMPLETE",
            "run": {
                "runId": "00000000-0000-4000-8000-000000000001",
                "startTime": "2025-09-08T08:02:00Z",
                "endTime": "2025-09-08T08:07:00Z",
            },
            "job": {"namespace": "AUTOSYS", "name": "BOX/JobA", "facets": {}},
            "inputs": [{"namespace": "DB2", "name": "SCHEMA.TABLE_A", "facets": {"version": "2025-09-08T07:30"}}],
            "outputs": [{"namespace": "S3", "name": "credit-out", "facets": {"path": "s3://b/c", "rows": 12345}}],
        }
    )

    assert found.time == datetime(2025, 9, 8, 8, 7, tzinfo=UTC)
    assert found.job == Name("AUTOSYS", "BOX/JobA")
    given_input, output = found.datasets
    assert (given_input.role, given_input.version_tag) == (DatasetRole.INPUT, "2025-09-08T07:30")
    assert (output.role, output.path, output.row_count) == (DatasetRole.OUTPUT, "s3://b/c", 12345)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        pytest.param("2025-06-01T10:05:00Z", (2025, 6, 1, 10, 5), id="UTC"),
        pytest.param("2025-06-01T18:30:00+02:00", (2025, 6, 1, 16, 30), id="an offset"),
        pytest.param("2025-06-01T18:30:00-0230", (2025, 6, 1, 21, 0), id="an offset without a colon"),
        pytest.param("2025-06-01T18:30:00+02", (2025, 6, 1, 16, 30), id="an offset of hours"),
        pytest.param("2025-06-01T16:15:00+05:45", (2025, 6, 1, 10, 30), id="an offset of minutes too"),
        pytest.param("2025-06-01T10:05:00Z[Europe/London]", (2025, 6, 1, 10, 5), id="Java's zone in brackets"),
        pytest.param("2025-06-01T10:05:00.123456789Z", (2025, 6, 1, 10, 5, 0, 123456), id="nanoseconds are cut"),
        pytest.param("2025-06-01 10:05Z", (2025, 6, 1, 10, 5), id="a blank, and no seconds"),
    ],
)
def test_a_time_is_an_instant(text: str, meant: tuple[int, ...]) -> None:
    warnings: list[str] = []

    assert read_time(text, "eventTime", warnings) == datetime(*meant, tzinfo=UTC)  # type: ignore[misc,arg-type]
    assert warnings == []


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"])
def test_a_time_without_an_offset_is_utc_in_any_server_zone(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    warnings: list[str] = []

    assert read_time("2025-06-01T10:05:00", "eventTime", warnings) == datetime(2025, 6, 1, 10, 5, tzinfo=UTC)
    assert warnings == ["eventTime: no offset, read as UTC"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        1748772300.5,
        "",
        "yesterday",
        "2025-13-01T00:00:00Z",
        "0001-01-01T00:00:00+10:00",
        "2025-06-01T10:05:00+99:00",
    ],
)
def test_what_is_no_time_is_refused_by_name(value: Any) -> None:
    with pytest.raises(InputError, match=r"^eventTime: not a time"):
        read_time(value, "eventTime", [])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"job": None}, "job", id="no job"),
        pytest.param({"job": {"namespace": "etl", "name": " "}}, "job.name", id="a blank name"),
        pytest.param(
            {"job": {"namespace": "e\x00", "name": "n"}}, "job.namespace", id="a NUL, which PostgreSQL refuses"
        ),
        pytest.param({"job": {"namespace": "e", "name": "\ud800"}}, "job.name", id="half of a surrogate pair"),
        pytest.param({"run": {}}, "run.runId", id="no run id"),
        pytest.param({"run": []}, "run", id="a run that is a list"),
        pytest.param({"eventType": "DONE"}, "eventType", id="an unknown type"),
        pytest.param({"eventType": "JOB"}, "eventType", id="our own word for another kind of event"),
        pytest.param({"eventType": ["START"]}, "eventType", id="a type that is a list"),
        pytest.param({"inputs": {}}, "inputs", id="inputs that are no list"),
        pytest.param({"outputs": [None]}, "outputs[0]", id="a dataset that is null"),
        pytest.param({"outputs": [{"name": "a"}]}, "outputs[0].namespace", id="a dataset without namespace"),
        pytest.param({"inputs": [dataset("a")] * (MOST_MENTIONS + 1)}, "inputs", id="more datasets than a job has"),
    ],
)
def test_what_identifies_nothing_is_refused_by_name(change: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_event(event() | change)

    assert refusal.value.field == field


def test_incomplete_facets_are_skipped_with_a_warning() -> None:
    outputs = [
        dataset("a", schema=[1], version="plain", columnLineage={"fields": {"c": {"inputFields": [{"field": "f"}]}}})
    ]
    found = read_event(event(outputs=outputs))

    (output,) = found.datasets
    assert (output.schema, output.version_tag, output.column_links) == (None, "plain", ())
    assert len(found.warnings) == 2
    assert found.warnings[0].startswith("outputs[0].facets.schema: not a JSON object")


def test_nested_columns_are_named_by_their_path() -> None:
    address = {"name": "address", "type": "struct", "fields": [{"name": "street", "type": "string"}]}
    found = read_event(event(outputs=[dataset("a", schema={"fields": [address]})]))

    assert [column.name for column in found.datasets[0].schema or ()] == ["address", "address.street"]


def test_column_lineage_is_read_with_its_transformation() -> None:
    facet = from_columns(total=[("orders", "amount")])
    facet["fields"]["total"]["inputFields"][0]["transformations"] = [{"type": "DIRECT", "subtype": "AGGREGATION"}]
    found = read_event(event(outputs=[dataset("totals", columnLineage=facet)]))

    (link,) = found.datasets[0].column_links
    assert (link.source.full, link.source_column, link.target_column) == ("s3://lake/orders", "amount", "total")
    assert link.transformation == "DIRECT:AGGREGATION"


def test_descriptions_do_not_change_a_schema() -> None:
    plain, other = schema(("a", "int")), schema(("a", "INT"))
    other["fields"][0]["description"] = "the key"

    hashes = {
        read_event(event(outputs=[dataset("x", schema=facet)])).datasets[0].schema_hash for facet in (plain, other)
    }
    assert len(hashes) == 1
    changed = read_event(event(outputs=[dataset("x", schema=schema(("a", "long")))]))
    assert changed.datasets[0].schema_hash not in hashes


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[1,", b'{"a": NaN}', b"[" * 100_000, b'{"a": Infinity}'])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(InputError):
        parse(body)


def test_half_a_surrogate_pair_in_a_facet_is_kept() -> None:
    """Producers that cut an error message by length make them."""
    run = {**event()["run"], "facets": {"errorMessage": {"message": "a\ud83d"}}}
    body = json.dumps(event() | {"run": run})
    found = read_event(parse(body.encode()))

    assert found.error_message == "a\ufffd"
    assert parse(found.payload.encode(errors="surrogatepass")) == json.loads(body)


def test_a_number_of_more_than_64_bits_survives() -> None:
    assert canonical({"n": 2**70}) == '{"n":1180591620717411303424}'


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
_PLACES = ["eventType", "eventTime", "producer", "run", "job", "inputs", "outputs", "dataset"]


@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(st.sampled_from(_PLACES), _JSON), st.booleans())
def test_junk_is_read_or_refused_and_never_more_than_that(junk: dict[str, Any], whole: bool) -> None:
    document = junk if whole else {**event(), **junk}
    refused = False
    try:
        found = read_event(document)
    except InputError:
        refused = True

    assert refused or isinstance(found, LineageEvent)  # any other exception would have ended the test


@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(st.sampled_from(["schema", "version", "columnLineage", "ownership", "outputStatistics"]), _JSON))
def test_junk_in_facets_never_costs_the_run(facets: dict[str, Any]) -> None:
    found = read_event(event(outputs=[dataset("a", **facets)]))

    assert found.type is EventType.COMPLETE


def test_free_text_of_an_event_is_kept_without_personal_values() -> None:
    message = "failed for ann@example.com: ssn 219-09-9999\n  at Main"
    fields = [{"name": "contact", "type": "string", "description": "ask bob@example.com or (212) 555-0147"}]
    document = {
        "eventType": "FAIL",
        "eventTime": "2025-01-06T10:00:00Z",
        "producer": "urn:test",
        "run": {
            "runId": "019ad3e2-5b1c-7a55-8f30-6d1c2b3a4e5f",
            "facets": {"errorMessage": {"message": message}, "custom": {"tail": ["to ann@example.com"]}},
        },
        "job": {
            "namespace": "legacy",
            "name": "job",
            "facets": {
                "documentation": {"description": "owned by ann@example.com"},
                "sql": {"query": "select * from t where mail='ann@example.com'"},
            },
        },
        "outputs": [{"namespace": "db", "name": "t", "facets": {"schema": {"fields": fields}}}],
    }

    event = read_event(document)

    assert event.error_message == "failed for [REDACTED:EMAIL]: ssn [REDACTED:SSN]\n  at Main"
    assert event.job_description == "owned by [REDACTED:EMAIL]"
    assert not [part for part in ("@example", "219-09", "555-0147") if part in repr(event)]
    assert read_event(document).digest == event.digest


@pytest.mark.parametrize(
    ("run", "job", "reference"),
    [
        pytest.param({"tags": {"tags": [{"key": "deploy_ref", "value": " r7 "}]}}, {}, "r7", id="a tag of the run"),
        pytest.param({}, {"tags": {"tags": [{"key": "deploy_ref", "value": "r8"}]}}, "r8", id="a tag of the job"),
        pytest.param({}, {"sourceCodeLocation": {"version": "4f1c9e2"}}, "4f1c9e2", id="the version of the source"),
        pytest.param(
            {"tags": {"tags": [{"key": "deploy_ref", "value": "r7"}]}},
            {"sourceCodeLocation": {"version": "4f1c9e2"}},
            "r7",
            id="the run's own tag counts first",
        ),
        pytest.param({"tags": {"tags": [{"key": "team", "value": "x"}, 5]}}, {"tags": None}, None, id="other tags"),
        pytest.param({}, {"sourceCodeLocation": {"version": 7}}, None, id="no text"),
    ],
)
def test_a_run_names_the_code_that_it_used(run: dict[str, Any], job: dict[str, Any], reference: str | None) -> None:
    document = {
        "eventType": "START",
        "eventTime": "2025-06-01T10:00:00Z",
        "run": {"runId": "00000000-0000-4000-8000-000000000001", "facets": run},
        "job": {"namespace": "AUTOSYS", "name": "JOB", "facets": job},
    }

    assert read_event(document).deploy_ref == reference


def test_a_dataset_that_is_named_twice_keeps_what_only_one_of_them_reports() -> None:
    columns = {"schema": {"fields": [{"name": "id", "type": "int"}]}}
    symlink = {"symlinks": {"identifiers": [{"namespace": "hive", "name": "shop.orders", "type": "TABLE"}]}}
    twice = [dataset("orders", version={"datasetVersion": "3"}, **symlink), dataset("orders", **columns)]

    for order in (twice, twice[::-1]):
        [mention] = read_event(event("COMPLETE", outputs=order)).datasets

        assert [column.name for column in mention.schema or ()] == ["id"]
        assert mention.symlinks == (Name("hive", "shop.orders"),)
        assert mention.version_tag == "3"
        assert mention.facets.keys() >= {"schema", "symlinks"}
