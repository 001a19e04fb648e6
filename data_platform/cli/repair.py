"""``reconcile`` and ``restore`` roll tables back to what was judged; ``rekey`` accepts a new key after one was lost.

``reconcile`` rolls back what a dead run left, and starts Spark only if there is something to do. ``restore`` rolls
back what other tools wrote: it first lists that, and does it with ``--yes``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.errors import UsageError
from data_platform.lake.presence import peek
from data_platform.lake.protection import PROTECTION, TIMESTAMPS
from data_platform.model.dataset import Stage
from data_platform.model.run import new_run_id
from data_platform.stage import lease_owner, restore, token_key
from data_platform.stage.group_publication import publish_waiting
from data_platform.stage.lease import leased
from data_platform.stage.reconcile import reconcile

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.lease import Lease
    from data_platform.policies import Dataset
    from data_platform.stage.restore import Restoration


def reconcile_selected(platform: Platform, name: str | None, *, as_json: bool) -> None:
    """Reconciles one dataset, or all that a dead run left something in; ends dead Dagster runs, and publishes groups.

    Raises:
        UsageError: No dataset has this name, or the platform does not write it.
        LeaseHeldError: A run is writing the dataset now, so it is not dead.
    """
    platform.on_step = screen.print_message
    selected = _selected(platform, name)
    runs = _end_dead_runs(platform)
    repairs = {dataset.urn: _reconcile(platform, dataset) for dataset in selected}
    published = _publish(platform)
    if as_json:
        documents = [{"dataset": urn, "found": messages} for urn, messages in repairs.items()]
        found = [*({"dagster_run": message} for message in runs), *({"published": message} for message in published)]
        screen.print_json([*documents, *found])
        return
    sentences = [*runs, *(sentence for messages in repairs.values() for sentence in messages), *published]
    for sentence in sentences or ["nothing to reconcile"]:
        screen.out().print(sentence, markup=False, soft_wrap=True)


def _end_dead_runs(platform: Platform) -> list[str]:
    """Loads Dagster, which takes a second, only if a run has left a lease."""
    from data_platform.orchestration.instance import opened_instance
    from data_platform.orchestration.liveness import PREFIX, end_dead_runs

    if not any(lease.subject.startswith(PREFIX) for lease in platform.catalog.leases.all()):
        return []
    with opened_instance(platform.settings) as instance:
        return end_dead_runs(platform, instance)


def _publish(platform: Platform) -> list[str]:
    """Publishes groups that are complete, and materializes in Dagster what was published and is not reported yet."""
    messages = publish_waiting(platform, new_run_id(platform.now()))
    if platform.catalog.publications.unreported():
        from data_platform.orchestration.instance import opened_instance
        from data_platform.orchestration.publication import report_publications

        with opened_instance(platform.settings) as instance:
            report_publications(instance, platform.catalog)
    return messages


def rekey_dataset(platform: Platform, name: str, *, as_json: bool) -> None:
    """Raises: UsageError, if the dataset has no tokens."""
    dataset = platform.policies.dataset(name)
    if not dataset.bundle.pii.tokenizes:
        raise UsageError(f"{dataset.urn} has no rule with the action tokenize, so it needs no key")
    accepted = token_key.accept(platform, dataset, new_run_id(platform.now()))
    if as_json:
        screen.print_json({"dataset": dataset.urn, "token_key": accepted.id, "version": accepted.number})
        return
    screen.out().print(
        f"{dataset.urn} now uses key {accepted.id} (v{accepted.number}). Days written with the old key keep its tokens "
        "until you run them again",
        markup=False,
    )


def _selected(platform: Platform, name: str | None) -> list[Dataset]:
    if name is not None:
        dataset = platform.policies.dataset(name)
        if not dataset.stages:
            raise UsageError(
                f"{dataset.urn} is external: the platform does not write it, so there is nothing to repair"
            )
        return [dataset]
    return [dataset for dataset in platform.policies.datasets if _needs_repair(platform, dataset)]


def _needs_repair(platform: Platform, dataset: Dataset) -> bool:
    """Whether a dead run left something, or a table or the pointer is not in the state that a run leaves."""
    if platform.catalog.runs.open_intents(dataset.urn):
        return True
    if any(lease.subject == dataset.urn and _is_over(platform, lease) for lease in platform.catalog.leases.all()):
        return True
    stages = [stage for stage in dataset.stages if stage is not Stage.CERTIFIED]
    tables = {stage: peek(platform.path(dataset, stage)) for stage in stages}
    if any(PROTECTION.items() - table[1].items() for table in tables.values() if table):
        return True
    pointer, gold = platform.catalog.certifications.get(dataset.urn), tables.get(Stage.GOLD)
    if gold is None or pointer is None or pointer.version is None:
        return False
    return gold[0] != pointer.version or gold[1].get(TIMESTAMPS[0]) != TIMESTAMPS[1]


def _is_over(platform: Platform, lease: Lease) -> bool:
    return lease_owner.is_dead(lease.owner) or lease.expires_at <= platform.now()


def _reconcile(platform: Platform, dataset: Dataset) -> list[str]:
    if not _needs_repair(platform, dataset):
        return []
    run_id = new_run_id(platform.now())
    with leased(platform, dataset, run_id):
        return reconcile(platform, dataset, run_id)


def restore_dataset(platform: Platform, name: str, *, confirmed: bool, as_json: bool) -> bool:
    """Restores gold if ``confirmed``, else lists what would be discarded. False if unjudged writes remain in gold.

    Raises:
        UsageError: No dataset has this name, or the platform does not write it.
        UnreadableVersionError: Files of the version to restore are missing.
    """
    platform.on_step = screen.print_message
    dataset, run_id = _selected(platform, name)[0], new_run_id(platform.now())
    with leased(platform, dataset, run_id):
        planned = restore.plan(platform, dataset, run_id)
        done = restore.restore(platform, dataset, run_id, planned) if planned and confirmed else []
    if as_json:
        described = planned.describe() if planned else {"dataset": dataset.urn, "discards": []}
        screen.print_json({**described, "restored": bool(done), "done": done})
    else:
        for sentence in _sentences(dataset, planned, done):
            screen.out().print(sentence, markup=False, soft_wrap=True)
    return planned is None or confirmed


def _sentences(dataset: Dataset, planned: Restoration | None, done: list[str]) -> list[str]:
    if planned is None:
        return [f"every row of {dataset.urn} gold was judged: nothing to restore"]
    sentences = [f"v{planned.discards[0].version} of {planned.path} {planned.reason}"]
    for commit in planned.discards:
        by = commit.note.get("run_id") or "another tool"
        sentences.append(f"discards v{commit.version}: {commit.operation or 'unknown'}, {commit.rows} rows, by {by}")
    sentences.append(f"its rows stay readable as v{planned.latest} of that table until it is vacuumed")
    if planned.days_to_run_again:
        sentences.append(f"run gold again for: {', '.join(planned.days_to_run_again)}")
    return sentences + (done or [f"nothing was changed yet: add --yes to restore v{planned.to}"])
