"""A wrapped legacy job against the real service: the catalog has its run, inputs, outputs and the version it wrote."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from data_platform.legacy.client import register_dataset
from data_platform.legacy.forward import Service, forward_within
from data_platform.legacy.spool import Spool
from data_platform.model.access import Role
from data_platform.model.lineage import RunState
from data_platform_tests.api.test_restart import served
from data_platform_tests.catalog.template import new_catalog
from data_platform_tests.legacy.wrapped_job import KEY, finished, python, shell

READS = ("--input", "ds://sales/orders", "--output", "ds://sales/report")
WRITES = "from data_platform.legacy.client import *; register_dataset('ds://sales/report', 'v7', 'done', rows=3)"


def test_the_catalog_has_the_run_its_inputs_outputs_and_version(tmp_path: Path) -> None:
    with new_catalog(tmp_path / "catalog.db") as catalog:
        now = datetime.now(UTC)
        _, token = catalog.access.create_token(
            "job", Role.DATA_OWNER, actor="test", actor_role="PLATFORM_ADMIN", now=now
        )
        away = finished(*python(WRITES), spool=tmp_path / "spool", options=READS)
        with served(catalog) as url:
            failed = finished(
                *shell("echo broken >&2; exit 3"),
                spool=tmp_path / "spool",
                url=url,
                options=("--linger", "30"),
                DATA_PLATFORM_TOKEN=token,
            )

        lineage = catalog.lineage
        runs = lineage.process_runs(KEY).items
        assert (away.returncode, failed.returncode) == (0, 3)
        assert [run.status for run in runs] == [RunState.FAILED, RunState.COMPLETED]
        assert runs[0].error_message == "exit code 3; the last lines of standard error:\nbroken"
        assert lineage.run(runs[0].run_uuid).facets["dataPlatform_exit"]["exitCode"] == 3
        used = {(use.role, use.full_name, use.version) for use in runs[1].datasets}
        assert used == {("INPUT", "ds://sales/orders", None), ("OUTPUT", "ds://sales/report", "v7")}
        [version] = lineage.versions("ds://sales/report").items
        assert (version.tag, version.row_count, version.run_uuid) == ("v7", 3, runs[1].run_uuid)


def test_a_spoiled_file_and_a_refused_event_keep_no_other_from_the_catalog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "spool"
    monkeypatch.setenv("DATA_PLATFORM_SPOOL", str(folder))
    for number in range(120):
        register_dataset("ds://sales/report", f"v{number}", "done", url="none:")
    (folder / "00000000000000000001-1-aaaaaaaa.json").write_bytes(b"{")
    (folder / "99999999999999999999-1-aaaaaaaa.json").write_bytes(b'{"eventType": "COMPLETE"}')
    with new_catalog(tmp_path / "catalog.db") as catalog:
        now = datetime.now(UTC)
        _, token = catalog.access.create_token(
            "job", Role.DATA_OWNER, actor="test", actor_role="PLATFORM_ADMIN", now=now
        )
        with served(catalog) as url:
            service = Service(url, token, Spool(str(folder)))
            first = forward_within(service, 60, hurry=False)
            again = forward_within(service, 60, hurry=False)

        versions = {version.tag for version in catalog.lineage.versions("ds://sales/report", limit=200).items}
    assert (first.sent, sorted(first.refused)) == (
        120,
        ["00000000000000000001-1-aaaaaaaa.json", "99999999999999999999-1-aaaaaaaa.json"],
    )
    assert first.refused["99999999999999999999-1-aaaaaaaa.json"].startswith("422 run")
    assert (again.sent, again.refused, again.problem) == (0, {}, "")
    assert versions == {f"v{number}" for number in range(120)}
