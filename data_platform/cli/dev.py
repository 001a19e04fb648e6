"""``data-platform dev``: ``dagster dev`` on this installation, from any working directory."""

from __future__ import annotations

import os
import signal
from typing import Annotated

import typer

from data_platform.cli.guard import Debug, guarded
from data_platform.cli.port import refuse_taken
from data_platform.environment import inherited


def dev(
    *,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65_535, metavar="N", help="Port of Dagster's UI.")] = 3000,
    debug: Debug = False,
) -> None:
    """Start Dagster's UI and daemon on the instance that `run` and `up` use, with policies in any folder.

    It is `dagster dev` with DAGSTER_HOME, a workspace and absolute DATA_PLATFORM_ variables, and ends with Ctrl-C.

    Examples:

    data-platform dev

    DATA_PLATFORM_POLICIES=~/warehouse/policies data-platform dev --port 3001
    """
    with guarded(as_json=False, debug=debug):
        from data_platform.catalog import open_catalog
        from data_platform.orchestration.instance import dagster_command, environment_of, prepare_home
        from data_platform.policies import load_policies
        from data_platform.settings import read_settings

        settings = read_settings()
        refuse_taken(host, port, "--port")
        load_policies(settings.policies)  # Dagster would report a policy problem with a stack trace
        open_catalog(settings.catalog_url).close()
        workspace = prepare_home(settings)
        command = dagster_command("dagster", "dev", "-w", str(workspace), "-h", host, "-p", str(port))
        # `&` in a script ignores SIGINT, and Dagster gives SIGTERM the handler of SIGINT: nothing could stop it then
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execve(command[0], command, inherited() | environment_of(settings))  # noqa: S606
