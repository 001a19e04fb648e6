"""A form starts the work on a dataset; the page shows how far it is, whatever happens to process and service."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from markupsafe import escape

from data_platform.model.access import Role
from data_platform.model.dataset import DatasetId
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.model.onboarding import Onboarding, OnboardingState
from data_platform.portal.portal import portal_of
from data_platform.review.folder import PROPOSAL, TRIAL, OnboardingFolder
from data_platform.settings import exclusive
from data_platform_tests.policies.tree import write
from data_platform_tests.portal.onboarding_shop import FORM, PAGE, OnboardingShop, wait_until
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW

_NUMBERS = count(1)
DATASET_YAML = """\
urn: ds://sales/orders
owner_team: sales
tier: TIER_3
source: {format: csv, path: 'orders/{partition}', producer: shop}
partition: {key: day, start: 2025-01-05}
"""
COLUMNS = '[{"name": "id", "type": "int", "nullable": true}, {"name": "day", "type": "date", "nullable": true}]'
BASELINE = f'{{"schema": {COLUMNS}}}'
BUNDLE = "schema:\n  constraints:\n    - {field: id, type: INT}\n    - {field: day, type: DATE}\n"


@pytest.fixture
def shop(tmp_path: Path) -> OnboardingShop:
    return OnboardingShop(tmp_path)


@contextmanager
def opened(shop: OnboardingShop) -> Iterator[PortalClient]:
    url, keys = f"sqlite:///{shop.home / f'catalog{next(_NUMBERS)}.db'}", EvidenceKeys(shop.home / "evidence.key")
    desk = shop.desk
    with PortalClient(url, policies=shop.policies, moment=NOW, evidence_keys=keys, onboarding_desk=desk) as client:
        yield client


@pytest.fixture
def client(shop: OnboardingShop) -> Iterator[PortalClient]:
    with opened(shop) as client:
        yield client
    shop.end()


def register(client: PortalClient, *, as_: Role = Role.DATA_OWNER, **changed: str) -> Any:
    return client.page("/onboarding", method="POST", data={**FORM, **changed}, as_=as_)


def is_profiling(page: dict[str, Any]) -> bool:
    return bool(page["progress"]["done"] == 3)


def propose(
    client: PortalClient, shop: OnboardingShop, *, state: OnboardingState = OnboardingState.TRIED
) -> OnboardingFolder:
    """What the command leaves behind when it has ended."""
    folder = OnboardingFolder(shop.home, DatasetId("sales", "orders"))
    folder.make()
    folder.write("request", {**FORM, "dataset": "ds://sales/orders"})
    folder.write_texts({"dataset.yaml": DATASET_YAML, "policy_bundle.yaml": BUNDLE, "baseline.json": BASELINE})
    folder.write(PROPOSAL, {"key": "k", "stamp": folder.stamp()})
    folder.write(TRIAL, {"key": "k", "stamp": folder.stamp(), "of": 1, "days": [{}]})
    entry = Onboarding(
        dataset_urn="ds://sales/orders", state=state, source="orders", author="ann", policy_fingerprint="a" * 16,
        document={"rows": 2, "columns": 2, "deliveries": 2, "team": "sales", "rules": []},
        created_at=NOW, updated_at=NOW,
    )  # fmt: skip
    client.catalog.onboardings.save(entry, now=NOW)
    return folder


def test_progress_is_shown_after_a_restart_of_the_service_and_until_the_work_ends(shop: OnboardingShop) -> None:
    with opened(shop) as first:
        answer = register(first)
        assert (answer.status_code, answer.headers["location"]) == (303, PAGE)
    with opened(shop) as second:
        running = wait_until(lambda: second.json(PAGE), is_profiling)
        text = second.page(PAGE).text
        [line] = second.json("/onboarding")["rows"]
        shop.end()
        ended = wait_until(lambda: second.json(PAGE), lambda page: page["progress"]["phase"] != "running")

    assert (running["state"], running["progress"]["of"], line["state"]) == ("running", 8, "running")
    assert '<progress aria-labelledby="doing" value="3" max="8">' in text
    assert 'hx-trigger="every 1s"' in text
    assert "Start again" not in text
    assert ended["progress"]["phase"] == "done"


def test_a_killed_process_is_shown_and_its_work_starts_again(client: PortalClient, shop: OnboardingShop) -> None:
    register(client)
    wait_until(lambda: client.json(PAGE), is_profiling)
    shop.kill()
    stopped = wait_until(lambda: client.json(PAGE), lambda page: page["state"] != "running")
    text = client.page(PAGE).text
    again = client.page(f"{PAGE}/run", method="POST", data={})

    assert stopped["state"] == "stopped"
    assert "profiling (3 of 8)" in text
    assert "Start again" in text
    assert again.status_code == 303
    assert wait_until(lambda: client.json(PAGE), is_profiling)["state"] == "running"


def test_an_error_of_the_work_is_shown_without_a_personal_value(client: PortalClient, shop: OnboardingShop) -> None:
    shop.end("orders is a Delta table, ask ann@example.com")
    register(client)
    failed = wait_until(lambda: client.json(PAGE), lambda page: page["state"] != "running")

    assert (failed["state"], failed["progress"]["error"]) == ("failed", "orders is a Delta table, ask [REDACTED:EMAIL]")


def test_a_form_that_is_sent_twice_starts_one_process_and_another_dataset_waits(client: PortalClient) -> None:
    first, second = register(client), register(client)
    other = register(client, dataset="sales/returns")
    taken = register(client, path="orders/2025-01-06")

    assert [answer.status_code for answer in (first, second, other, taken)] == [303, 303, 409, 422]
    assert "one dataset at a time" in other.text
    assert "it is being onboarded already" in taken.text


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        pytest.param({"path": "../orders"}, "expected a path in the landing folder", id="parent"),
        pytest.param({"path": "/etc"}, "expected a path in the landing folder", id="absolute"),
        pytest.param({"path": "leads_out"}, "the landing folder has no leads_out", id="link"),
        pytest.param({"path": "with_link"}, "is a link that leads out", id="link below it"),
        pytest.param({"path": "none"}, "the landing folder has no none", id="missing"),
        pytest.param({"path": "x" * 900}, "the landing folder has no x", id="too long a name"),
        pytest.param({"path": "or\x00ders"}, "cannot be printed", id="NUL"),
        pytest.param({"path": ""}, "expected a path", id="empty"),
        pytest.param({"dataset": "<b>\"'" + "x" * 240}, "is not a name", id="hostile"),
        pytest.param({"dataset": "sales/o\u202e"}, "cannot be printed", id="right to left"),
        pytest.param({"dataset": "x" * 500}, "it has 500 characters: at most 250", id="500 characters"),
        pytest.param({"dataset": "a__b/c"}, "contains &#39;__&#39;", id="separator"),
        pytest.param({"dataset": "sales/orders__gold"}, "asset key of a stage", id="stage"),
        pytest.param({"team": "--by=bob x"}, "expected a team", id="option"),
        pytest.param({"email": "a b"}, "expected one mail address", id="mail"),
        pytest.param({"tier": "TIER_9"}, "choose one of", id="tier"),
        pytest.param({"time_zone": "Mars/Base"}, "is not a time zone", id="zone"),
    ],
)
def test_a_wrong_field_is_shown_beside_what_was_entered(
    client: PortalClient, shop: OnboardingShop, changed: dict[str, str], problem: str
) -> None:
    (shop.landing / "leads_out").symlink_to("/etc")
    (shop.landing / "with_link").mkdir()
    (shop.landing / "with_link" / "passwd").symlink_to("/etc/passwd")

    answer = register(client, **changed)

    assert answer.status_code == 422
    assert problem in answer.text
    assert 'value="sales"' in answer.text or "team" in changed
    assert "<b>" not in answer.text
    assert not (shop.home / "onboarding").exists()


def test_consumers_and_other_teams_may_not_register(client: PortalClient, shop: OnboardingShop) -> None:
    assert register(client, as_=Role.DATA_CONSUMER).status_code == 403
    assert register(client, team="market").status_code == 403
    assert not (shop.home / "onboarding").exists()


def test_a_dataset_that_has_a_policy_is_not_registered(client: PortalClient, shop: OnboardingShop) -> None:
    texts = {"dataset.yaml": DATASET_YAML, "policy_bundle.yaml": BUNDLE}
    write(shop.root, {f"datasets/sales/orders/{name}": text for name, text in texts.items()})
    portal_of(SimpleNamespace(app=client.app)).policies._looked_at = float("-inf")  # type: ignore[arg-type]

    assert "it has a policy already" in register(client).text


def test_without_a_home_the_page_names_the_command(tmp_path: Path) -> None:
    with PortalClient(f"sqlite:///{tmp_path / 'catalog.db'}", moment=NOW) as client:
        assert register(client).status_code == 503
        assert "data-platform onboard PATH" in client.page("/onboarding").text


def test_an_edit_is_checked_tried_again_and_then_submitted(client: PortalClient, shop: OnboardingShop) -> None:
    folder = propose(client, shop)
    edited = {"dataset": DATASET_YAML.replace("TIER_3", "TIER_2").replace("\n", "\r\n"), "bundle": BUNDLE}

    answer = client.page(f"{PAGE}/edit", method="POST", data={**edited, "stamp": folder.stamp()})

    assert (answer.status_code, answer.headers["location"]) == (303, f"{PAGE}#submit")
    assert "\r" not in (folder.dataset / "dataset.yaml").read_text()
    page = client.json(PAGE)
    assert (page["may_submit"], page["may_edit"]) == (False, True)
    assert client.page(f"{PAGE}/submit", method="POST", data={"stamp": page["stamp"]}).status_code == 409
    folder.write(TRIAL, {"key": "k", "stamp": folder.stamp(), "of": 1, "days": [{}]})
    for _ in range(2):  # the second is a form that was sent twice, or the other tab
        assert client.page(f"{PAGE}/submit", method="POST", data={"stamp": page["stamp"]}).status_code == 303
    [entry] = client.catalog.onboardings.all()
    assert (entry.state, entry.registration, entry.author) == (OnboardingState.PENDING, 1, "platform_admin")
    assert not client.json(PAGE)["may_edit"]
    assert "catalog approve 1" in client.page(PAGE).text


def test_files_that_were_submitted_stay_as_they_are_or_are_called_others(
    client: PortalClient, shop: OnboardingShop
) -> None:
    folder = propose(client, shop)
    assert client.page(f"{PAGE}/submit", method="POST", data={"stamp": folder.stamp()}).status_code == 303
    edit = {"dataset": DATASET_YAML, "bundle": BUNDLE, "stamp": folder.stamp()}

    refused = [client.page(f"{PAGE}/{action}", method="POST", data=edit) for action in ("run", "edit")]
    before = client.json(PAGE)["is_other"]
    (folder.dataset / "dataset.yaml").write_text(DATASET_YAML.replace("TIER_3", "TIER_1"))  # on the machine itself

    assert [answer.status_code for answer in refused] == [409, 409]
    assert "data-platform policy submit" in refused[0].text
    assert (before, client.json(PAGE)["is_other"]) == (False, True)
    assert "They were edited after they were submitted" in client.page(PAGE).text


def test_what_was_not_shown_is_neither_submitted_nor_replaced(client: PortalClient, shop: OnboardingShop) -> None:
    folder = propose(client, shop)
    old = folder.stamp()
    (folder.dataset / "dataset.yaml").write_text(DATASET_YAML + "# another tab\n")
    folder.write(TRIAL, {"key": "k", "stamp": folder.stamp(), "of": 1, "days": [{}]})
    texts = {"dataset": DATASET_YAML, "bundle": BUNDLE}

    answers = [
        client.page(f"{PAGE}/submit", method="POST", data={"stamp": old}),
        client.page(f"{PAGE}/edit", method="POST", data={**texts, "stamp": old}),
    ]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert all("changed since you opened the page" in answer.text for answer in answers)
    assert "another tab" in (folder.dataset / "dataset.yaml").read_text()


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        pytest.param({"dataset": "urn: [</textarea><script>"}, "dataset.yaml", id="no YAML"),
        pytest.param({"dataset": DATASET_YAML + "colour: red\n"}, "colour", id="an unknown key"),
        pytest.param({"dataset": DATASET_YAML.replace("sales/orders", "sales/other")}, "found ds://sales/other",
                     id="another dataset"),
        pytest.param({"bundle": BUNDLE.replace("INT", "NUMBER")}, "policy_bundle.yaml", id="a type that is none"),
    ],
)  # fmt: skip
def test_a_wrong_edit_is_shown_again_and_not_stored(
    client: PortalClient, shop: OnboardingShop, changed: dict[str, str], problem: str
) -> None:
    folder = propose(client, shop)
    before = folder.texts()

    answer = client.page(
        f"{PAGE}/edit",
        method="POST",
        data={"dataset": DATASET_YAML, "bundle": BUNDLE, **changed, "stamp": folder.stamp()},
    )

    assert answer.status_code == 422
    assert problem in answer.text
    assert str(escape(next(iter(changed.values())).strip())) in answer.text
    assert "<script>" not in answer.text.partition("</head>")[2]
    assert "Submit for approval" not in answer.text
    assert folder.texts() == before
    assert not list(folder.root.glob(".edit-*"))


def test_an_owner_of_another_team_neither_edits_nor_submits_nor_gives_it_away(
    client: PortalClient, shop: OnboardingShop
) -> None:
    folder = propose(client, shop)
    given_away = {"dataset": DATASET_YAML.replace("owner_team: sales", "owner_team: market"), "bundle": BUNDLE}
    form = {**given_away, "stamp": folder.stamp()}

    assert client.page(f"{PAGE}/edit", method="POST", data=form, as_=Role.DATA_OWNER).status_code == 403
    client.tokens[Role.DATA_OWNER] = client.token("market owner", Role.DATA_OWNER, teams=("market",))
    for action in ("run", "edit", "submit"):
        assert client.page(f"{PAGE}/{action}", method="POST", data=form, as_=Role.DATA_OWNER).status_code == 403
    assert not client.json(PAGE, as_=Role.DATA_OWNER)["may_work"]


def test_while_a_command_works_on_it_nothing_else_may(client: PortalClient, shop: OnboardingShop) -> None:
    folder = propose(client, shop)
    form = {"dataset": DATASET_YAML, "bundle": BUNDLE, "stamp": folder.stamp()}
    with exclusive(folder.root):
        answers = [client.page(f"{PAGE}/{action}", method="POST", data=form) for action in ("run", "edit", "submit")]

    assert [answer.status_code for answer in answers] == [409, 409, 409]
    assert client.catalog.registry.registrations().entries == ()


@pytest.mark.parametrize("reference", ["ds://sales/none", "x" * 4_000, "../../etc", "<b>\u202e", "ds://a/b/c"])
def test_a_name_that_nobody_has_onboarded_is_not_found(client: PortalClient, reference: str) -> None:
    path = f"/onboarding/{quote(reference, safe='')}"

    assert client.page(path).status_code == 404
    assert client.page(f"{path}/submit", method="POST", data={}).status_code == 404
