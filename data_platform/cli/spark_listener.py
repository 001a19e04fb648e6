"""``data-platform legacy spark-listener``: downloads the listener with which Spark of legacy jobs reports."""

from __future__ import annotations

from pathlib import Path

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, guarded
from data_platform.errors import EnvironmentProblem


def spark_listener(*, as_json: AsJson = False, debug: Debug = False) -> None:
    """Download OpenLineage's listener for Spark, once for this user: legacy run --spark uses it.

    It is for Spark with Scala 2.13. DATA_PLATFORM_SPARK_LISTENER names another jar, or is off.
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.legacy.spark_listener import DEFAULT, VERSION

        jar = Path(DEFAULT).expanduser()
        if not jar.is_file():
            screen.announce(f"downloading OpenLineage's listener {VERSION}")
            _download(jar)
        if as_json:
            screen.print_json({"jar": str(jar), "version": VERSION})
        else:
            screen.out().print(f"{jar}", markup=False, soft_wrap=True)


def _download(jar: Path) -> None:
    """Raises: EnvironmentProblem, if it cannot be downloaded or stored."""
    import shutil

    from data_platform.lake.package_jars import download
    from data_platform.legacy.spark_listener import PACKAGE

    name = PACKAGE.split(":")[1]
    jar.parent.mkdir(parents=True, exist_ok=True)
    log = jar.with_suffix(".log")
    found = [file for file in download(PACKAGE, log=str(log)) if name in Path(file).name]
    if not found:
        raise EnvironmentProblem(f"{PACKAGE} was not downloaded: see {log}")
    draft = jar.with_suffix(".draft")
    try:
        shutil.copyfile(found[0], draft)
        draft.replace(jar)
    except OSError as error:
        raise EnvironmentProblem(f"{jar} cannot be stored: {error.strerror}") from None
    log.unlink(missing_ok=True)
