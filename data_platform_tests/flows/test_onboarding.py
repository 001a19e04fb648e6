"""New deliveries become a proposed policy. Nothing runs before somebody else has approved it, or an edit of it."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from data_platform.errors import UsageError
from data_platform.model.dataset import DatasetId
from data_platform.model.onboarding import OnboardingState
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.model.run import StageReport
from data_platform.onboarding.proposal.proposed_policy import Owner
from data_platform.onboarding.request import Request
from data_platform.onboarding.steps import Steps
from data_platform.onboarding.submission import submit_edit
from data_platform.policies.approval import require_approved
from data_platform_tests.flows.estate import Estate

DAYS = [PartitionKey(f"2025-01-0{day}") for day in range(1, 7)]
ANN, BOB = Actor(name="ann", role="PLATFORM_ADMIN"), Actor(name="bob", role="PLATFORM_ADMIN")
REQUEST = Request(path="orders", owner=Owner(dataset=DatasetId("sales", "orders"), team="sales"), tried=1)
NAMES = ("anna", "bert", "cleo", "dora", "emil")
DOMAIN = "example-shop.com"


def line(day: PartitionKey, number: int) -> str:
    amount, zip_code = f"{number * 13 % 90}.{number % 100:02}", f"{number * 7 % 1000:05}"
    return f"{day},O-{number:04},{amount},{zip_code},{NAMES[number % 5]}{number}@{DOMAIN},NEW"


def deliver(estate: Estate) -> None:
    for day in DAYS:
        lines = [line(day, number) for number in range(40)]
        estate.deliver(f"orders/{day}", {"orders.csv": "\n".join(("day,id,amount,zip,mail,state", *lines)) + "\n"})


@contextmanager
def steps(estate: Estate, **more: object) -> Iterator[Steps]:
    platform = estate.platform()
    for name, value in more.items():
        setattr(platform, name, value)
    try:
        yield Steps(platform, REQUEST, ANN)
    finally:
        platform.close()


def no_spark() -> SparkSession:
    raise AssertionError("what is done is not done again")


def copy_for_review(estate: Estate, folder: str) -> Path:
    """Do by hand what merging the branch does."""
    (source,) = Path(folder).glob("datasets/*/*")
    target = estate.root / "policies" / "datasets" / "sales" / "orders"
    target.mkdir(parents=True)
    for file in source.iterdir():
        (target / file.name).write_text(file.read_text())
    return target


@pytest.fixture(scope="module")
def onboarded(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> tuple[Estate, int, Path]:
    """An estate whose policies have the submitted files, the number of the request, and the folder of the files."""
    estate = Estate(tmp_path_factory.mktemp("onboarding") / "home", spark)
    deliver(estate)
    with steps(estate) as first:
        proposal = first.propose()
        first.try_last_days(proposal)
        review, number = first.submit()
    return estate, number, copy_for_review(estate, review.folder)


def run(estate: Estate) -> list[StageReport]:
    return estate.run("orders", DAYS[-1])


def test_an_onboarding_ends_in_a_certified_version(onboarded: tuple[Estate, int, Path]) -> None:
    estate, number, files = onboarded
    with pytest.raises(UsageError, match=f"is not approved, so nothing runs: .* catalog approve {number}"):
        run(estate)

    platform = estate.platform()
    assert platform.catalog.certifications.all() == ()
    platform.catalog.registry.approve_registration(number, by=BOB, now=estate.now)
    assert run(estate)[-1].passed
    assert len(estate.certified_rows("orders")) == 40

    (files / "dataset.yaml").write_text((files / "dataset.yaml").read_text().replace("TIER_3", "TIER_2"))
    edited = estate.platform()
    with pytest.raises(UsageError, match="request it with `data-platform policy submit sales/orders`"):
        run(estate)
    entry = submit_edit(edited, edited.policies.dataset("orders"), ANN)
    assert submit_edit(edited, edited.policies.dataset("orders"), ANN).id == entry.id
    platform.catalog.registry.approve_registration(entry.id, by=BOB, now=estate.now)
    dataset = edited.policies.dataset("orders")
    require_approved(dataset, edited.catalog.onboardings.approval(dataset.urn))
    platform.close()
    edited.close()


def test_the_proposal_types_codes_and_personal_data(onboarded: tuple[Estate, int, Path]) -> None:
    _, _, files = onboarded
    rules = (files / "policy_bundle.yaml").read_text()
    texts = "".join(file.read_text() for file in files.iterdir())

    assert "key: day" in (files / "dataset.yaml").read_text()
    for expected in ('type: "DECIMAL(7,2)"', 'pattern: "[0-9]{5}"', 'enum: ["NEW"]', '"pattern": "EMAIL"', '["id"]'):
        assert expected in rules
    assert DOMAIN not in texts
    assert json.loads((files / "baseline.json").read_text())["profile"]["mail"]["personal"] == ["EMAIL"]


def test_what_is_done_is_not_done_again(onboarded: tuple[Estate, int, Path]) -> None:
    estate, number, files = onboarded
    kept = {file.name: file.read_text() for file in files.iterdir()}
    for file in files.iterdir():
        file.unlink()
    files.rmdir()
    try:
        with steps(estate, session=None, session_source=no_spark) as again:
            later = estate.root / "landing" / "orders" / "2025-01-07"
            shutil.copytree(later.with_name("2025-01-06"), later)  # which changes nothing that is submitted
            proposal = again.propose()
            shutil.rmtree(later)
            trial = again.try_last_days(proposal)
            assert again.submit()[1] == number
            [entry] = again._platform.catalog.onboardings.all()
    finally:
        files.mkdir()
        for name, text in kept.items():
            (files / name).write_text(text)

    assert (trial[0]["certified"], trial[0]["accepted"]) == (True, 40)
    assert entry.state in (OnboardingState.PENDING, OnboardingState.APPROVED)
    assert not (estate.root / "onboarding" / "sales__orders" / "trial").exists()
