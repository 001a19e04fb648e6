"""A network that fails between the platform and PostgreSQL gives one clear error, and loses and doubles nothing."""

from collections.abc import Iterator

import pytest
from sqlalchemy import make_url

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import SourceUnavailableError, UnknownOutcomeError
from data_platform.model.dataset import Stage
from data_platform_tests.catalog.conftest import POSTGRES_URL
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.example import DAY, ORDERS, certification, evidence, report
from data_platform_tests.catalog.template import copied_database
from data_platform_tests.proofs.faulty_proxy import Fault, FaultyProxy, proxied

COMMIT = b"COMMIT\x00"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(POSTGRES_URL is None, reason="needs DATA_PLATFORM_TEST_POSTGRES_URL"),
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with copied_database(POSTGRES_URL or "") as made:
        yield made


@pytest.fixture
def proxy(url: str) -> Iterator[FaultyProxy]:
    with proxied(make_url(url).host or "", make_url(url).port or 5432) as made:
        yield made


@pytest.fixture
def catalog(url: str, proxy: FaultyProxy) -> Iterator[Catalog]:
    with open_catalog(through(url, proxy), KEYS) as opened:
        yield opened


def through(url: str, proxy: FaultyProxy, **query: str) -> str:
    parsed = make_url(url).set(host="127.0.0.1", port=proxy.port).update_query_dict(query)
    return parsed.render_as_string(hide_password=False)


def certify(catalog: Catalog, urn: str) -> None:
    """What the last stage of a run writes, in one transaction."""
    told = report("run_1", stage=Stage.CERTIFIED, version=3)
    said = evidence("run_1", dataset_urn=urn, gate="CERTIFICATION", result="CERTIFIED")
    catalog.certifications.certify(
        certification(3, "run_1", dataset_urn=urn), expected=None, evidence=[said], report=told
    )


def record(catalog: Catalog, run_id: str) -> None:
    """What a stage that was held writes, in one transaction."""
    said = evidence(run_id, result="FAIL", partition=DAY)
    catalog.runs.record(report(run_id, stage=Stage.GOLD), [said], held_reason="too few rows")


def count(catalog: Catalog, run_id: str) -> tuple[int, bool]:
    stored = catalog.evidence.find(ORDERS, run_id=run_id)
    return len(stored), catalog.runs.is_recorded(run_id, ORDERS, Stage.GOLD)


def test_a_slow_network_changes_nothing(catalog: Catalog, proxy: FaultyProxy) -> None:
    proxy.latency_seconds = 0.02

    record(catalog, "run_slow")

    assert count(catalog, "run_slow") == (1, True)


@pytest.mark.parametrize("fault", [Fault.RESET, Fault.CUT])
def test_a_read_that_is_cut_is_one_clear_error_and_the_next_one_connects_again(
    catalog: Catalog, proxy: FaultyProxy, fault: Fault
) -> None:
    catalog.certifications.get(ORDERS)
    proxy.break_next(fault, b"FROM certification")

    with pytest.raises(SourceUnavailableError, match=r"the catalog postgresql.* did not answer: .*; try again") as cut:
        catalog.certifications.get(ORDERS)

    assert proxy.happened == 1
    assert not isinstance(cut.value, UnknownOutcomeError)
    assert catalog.certifications.get("ds://a/none") is None


def test_a_write_that_is_cut_before_its_commit_stores_nothing(catalog: Catalog, proxy: FaultyProxy) -> None:
    proxy.break_next(Fault.RESET, b"INSERT INTO evidence")

    with pytest.raises(SourceUnavailableError, match="did not answer") as cut:
        record(catalog, "run_cut")

    assert not isinstance(cut.value, UnknownOutcomeError)
    assert count(catalog, "run_cut") == (0, False)
    record(catalog, "run_cut")
    assert count(catalog, "run_cut") == (1, True)


@pytest.mark.parametrize(
    ("fault", "stored"),
    [
        pytest.param(Fault.REPLY_LOST, 1, id="the server has committed"),
        pytest.param(Fault.REQUEST_LOST, 0, id="the server has never heard of it"),
    ],
)
def test_after_a_cut_during_the_commit_the_outcome_is_unknown_and_a_retry_stores_it_once(
    catalog: Catalog, proxy: FaultyProxy, fault: Fault, stored: int
) -> None:
    run_id = f"run_{fault.name}"
    proxy.break_next(fault, COMMIT)

    with pytest.raises(UnknownOutcomeError, match="it is unknown whether the change is stored") as cut:
        record(catalog, run_id)

    assert proxy.happened == 1
    assert cut.value.retryable
    assert count(catalog, run_id) == (stored, bool(stored))
    record(catalog, run_id)
    assert count(catalog, run_id) == (1, True)
    assert catalog.evidence.verify().is_whole


def test_a_certification_whose_commit_was_not_acknowledged_is_repeated_without_a_second_line(
    catalog: Catalog, proxy: FaultyProxy
) -> None:
    urn = "ds://curated/unknown"
    proxy.break_next(Fault.REPLY_LOST, COMMIT)
    with pytest.raises(UnknownOutcomeError):
        certify(catalog, urn)

    certify(catalog, urn)

    assert [item.version for item in catalog.certifications.history(urn)] == [3]
    assert len(catalog.evidence.find(urn)) == 1


def test_a_server_that_does_not_answer_is_given_up_after_the_time_limit(url: str, proxy: FaultyProxy) -> None:
    proxy.fault = Fault.BLACK_HOLE

    with pytest.raises(SourceUnavailableError, match="timeout expired"):
        open_catalog(through(url, proxy, connect_timeout="2"))


def test_the_kernel_gives_up_a_connection_whose_other_end_is_silent(catalog: Catalog) -> None:
    """A userland proxy acknowledges packets, so a dead network is not tried here: the settings are read back."""
    with catalog._database.reading() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        settings = driver.get_dsn_parameters()

    assert (settings["keepalives_idle"], settings["keepalives_interval"]) == ("10", "5")
    assert (settings["keepalives_count"], settings["tcp_user_timeout"]) == ("4", "30000")
