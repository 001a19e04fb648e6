"""The steps of an onboarding: propose, try, submit. Each is done once, and continues where it was stopped.

The first two are done again if the deliveries, the request or, for the trial, the proposed files have changed.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from data_platform.errors import UsageError
from data_platform.ingestion.landing.folder import shown
from data_platform.model.number_text import number_of
from data_platform.model.onboarding import Onboarding, OnboardingState
from data_platform.model.personal import redacted
from data_platform.model.table_source import TableSource
from data_platform.onboarding.delivered_rows import find_rows, require_names
from data_platform.onboarding.profile.measure import measure
from data_platform.onboarding.profile.stored_profile import stored_profile
from data_platform.onboarding.profile.table_profile import TableProfile, profile_of
from data_platform.onboarding.proposal.proposed_policy import ProposedPolicy, propose, settled
from data_platform.onboarding.proposal.rejection import counted
from data_platform.onboarding.table_rows import TableRows, find_table_rows
from data_platform.onboarding.trial import try_days
from data_platform.policies.approval import approval_fingerprint
from data_platform.review.folder import OWN_KEYS, PROPOSAL, TRIAL, OnboardingFolder, digest_of
from data_platform.review.submission import proposed_dataset, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.registration import Actor
    from data_platform.onboarding.delivered_rows import DeliveredRows
    from data_platform.onboarding.place import Place
    from data_platform.onboarding.request import Request
    from data_platform.policies import Dataset
    from data_platform.review.branch import Review


class Steps:
    """One onboarding. ``on_progress`` is called with what is being done, and with parts that are done and all parts."""

    def __init__(self, platform: Platform, request: Request, by: Actor) -> None:
        self._platform, self._request, self._by = platform, request, by
        self.on_progress: Callable[[str, int, int], None] = lambda *_: None
        self.urn = request.owner.dataset.urn
        self.folder = OnboardingFolder(platform.settings.home, request.owner.dataset)
        self._refuse_declared()
        self._place = request.place(platform.settings.landing)

    def propose(self) -> dict[str, Any]:
        """Profiles the deliveries and proposes a policy, unless that is done for these very deliveries.

        Files that somebody has edited or submitted are kept, whatever was delivered since.
        """
        self.folder.make()
        key = digest_of([self._request.owner, self._request.profiled, self._place, self._state_of_files()])
        done = self.folder.read(PROPOSAL)
        if done is None or (done["key"] != key and not self._is_kept(done)):
            done = {**self._proposed(), "key": key, "stamp": self.folder.stamp()}
            self.folder.write(PROPOSAL, done)  # the last file, so that a stopped step is not done
        self._save(OnboardingState.PROPOSED, done)
        return {name: value for name, value in done.items() if name not in OWN_KEYS}

    def try_last_days(self, proposal: dict[str, Any]) -> list[dict[str, Any]]:
        """Runs the last days with the proposed files as they are now; what was tried with them is not repeated."""
        self.dataset()
        days: list[PartitionKey | None] = list(self._place.days[-self._request.tried :]) or [None]
        key = digest_of([self.folder.stamp(), days])
        done = self.folder.read(TRIAL)
        results = done["days"] if done is not None and done["key"] == key else []
        stamp = self.folder.stamp()

        def save() -> None:
            self.folder.write(TRIAL, {"key": key, "stamp": stamp, "of": len(days), "days": results})

        def add(result: dict[str, Any]) -> None:
            results.append(result)
            save()
            self.on_progress("trying the last days", len(results), len(days))

        if left := days[len(results) :]:
            self.on_progress("trying the last days", len(results), len(days))
            try_days(self._platform, self.folder, self.urn, left, add)
        save()
        self._save(OnboardingState.TRIED, {**proposal, "trial": results})
        return list(results)

    def submit(self) -> tuple[Review, int]:
        """Hands the files over for review, and requests their approval; returns where they are and its number."""
        catalog, settings, now = self._platform.catalog, self._platform.settings, self._platform.now()
        return submit(catalog, self.folder, policies=settings.policies, home=settings.home, by=self._by, now=now)

    def dataset(self) -> Dataset:
        return proposed_dataset(self.folder)

    def _is_kept(self, done: dict[str, Any]) -> bool:
        if self.folder.stamp() != done["stamp"]:
            return True
        entry = self._platform.catalog.onboardings.find(self.urn)
        is_same = entry is not None and entry.policy_fingerprint == approval_fingerprint(self.dataset())
        return is_same and entry is not None and entry.registration is not None

    def _proposed(self) -> dict[str, Any]:
        with closing(self._rows()) as rows:
            return self._proposed_of(rows)

    def _rows(self) -> DeliveredRows | TableRows:
        source = self._place.policy
        if isinstance(source, TableSource):
            return find_table_rows(self._platform, source)
        return find_rows(self._platform.settings.landing, source, self._place.days[-self._request.profiled :])

    def _proposed_of(self, rows: DeliveredRows | TableRows) -> dict[str, Any]:
        require_names(rows.columns)
        self.on_progress("starting Spark", 0, 0)
        frame = rows.frame(self._platform.spark)
        sketch = measure(rows.typed(frame), rows.columns, lambda done, of: self.on_progress("profiling", done, of))
        profile = profile_of(sketch, rows.columns, rows.delivery_of)
        if not profile.row_count:
            raise UsageError(f"{self._request.source}: its deliveries have no row that can be read")
        owner, place = self._request.owner, self._place
        policy = propose(owner, place, profile, sketch, rows.delivery_of, rows.producer)
        self._write(policy, profile)
        self.on_progress("counting what the rules would reject", 0, 0)
        now = self._platform.now()
        policy = settled(policy, counted(policy.rules, frame, self.dataset(), now), profile)
        self._write(policy, profile)
        self.dataset()
        return {**_document(policy, profile, rows, place), "team": owner.team}

    def _write(self, policy: ProposedPolicy, profile: TableProfile) -> None:
        baseline = stored_profile(profile, policy.nullable, policy.types)
        text = baseline.model_dump_json(by_alias=True, exclude_none=True, indent=2)
        self.folder.write_texts(
            {
                "dataset.yaml": policy.dataset_text,
                "policy_bundle.yaml": policy.bundle_text,
                "baseline.json": f"{text}\n",
            }
        )

    def _save(self, state: OnboardingState, document: dict[str, Any]) -> None:
        """A submitted onboarding whose files are the same stays submitted."""
        now, fingerprint = self._platform.now(), approval_fingerprint(self.dataset())
        store = self._platform.catalog.onboardings
        before = store.find(self.urn)
        if before is not None and before.policy_fingerprint == fingerprint and before.registration:
            return
        entry = Onboarding(
            dataset_urn=self.urn,
            state=state,
            source=redacted(shown(self._request.source)),
            author=self._by.name,
            policy_fingerprint=fingerprint,
            document={name: value for name, value in document.items() if name not in OWN_KEYS},
            created_at=now,
            updated_at=now,
        )
        store.save(entry, now=now)

    def _state_of_files(self) -> list[tuple[str, int, int]]:
        """Names, sizes and times of the files: without reading them. A table is profiled once, and with --restart."""
        landing, files = self._platform.settings.landing, self._place.files
        if files is None:
            return []
        path = files.path
        base = landing / (path.split("{")[0].rpartition("/")[0] if "{" in path else path)
        found = sorted(path for path in base.rglob("*") if path.is_file())
        return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in found]

    def _refuse_declared(self) -> None:
        declared = self._platform.policies.find(self.urn) if self._platform.settings.policies.is_dir() else None
        if declared is not None:
            name = f"{declared.id.zone}/{declared.id.name}"
            raise UsageError(
                f"{self.urn} has a policy already: edit its files; if it was onboarded, `data-platform policy submit "
                f"{name}` requests the approval of an edit"
            )


def _document(
    policy: ProposedPolicy, profile: TableProfile, rows: DeliveredRows | TableRows, place: Place
) -> dict[str, Any]:
    """What people read of a proposal; it has no value of a column that holds no codes."""
    notes = [*place.notes, *(f"{one.name}: {note}" for one in profile.columns for note in one.notes)]
    notes += [f"{one.name}: may hold {', '.join(one.personal)}" for one in profile.columns if one.personal]
    if profile.malformed:
        notes.append(f"{number_of(profile.malformed, 'record')} cannot be read, and would be quarantined")
    return {
        "rows": profile.row_count,
        "deliveries": len(profile.rows),
        "malformed": profile.malformed,
        "columns": len(profile.columns),
        "rules": [
            {"kind": rule.kind.value, "fields": list(rule.fields), "value": rule.value, "reason": rule.reason,
             "would_reject": rule.would_reject}
            for rule in policy.rules
        ],
        "considered": list(policy.considered),
        "notes": [redacted(note) for note in notes],
        "problems": [redacted(problem) for problem in rows.problems],
    }  # fmt: skip
