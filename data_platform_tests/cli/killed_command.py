"""Runs one command again and again, and kills it at each write: the program of ``test_quarantine_killed``.

python -m data_platform_tests.cli.killed_command <root> <arguments of data-platform ...>

The n-th try works on a copy of ``<root>/home``, ``<root>/killed-<n>``, and dies after its n-th writing statement. The
last try has fewer of them and ends by itself; the number of tries is printed.
"""

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from data_platform.cli.main import app


def die_after(writes: int) -> None:
    seen = 0

    def count(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        nonlocal seen
        seen += statement.lstrip().startswith(("INSERT", "UPDATE"))
        if seen == writes:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "after_cursor_execute", count)


def main(root: Path, arguments: list[str]) -> None:
    tries, is_killed = 0, True
    while is_killed:
        tries += 1
        home = root / f"killed-{tries}"
        shutil.copytree(root / "home", home)
        child = os.fork()
        if child == 0:
            os.environ["DATA_PLATFORM_HOME"] = str(home)
            die_after(tries)
            app(arguments)
        _, status = os.waitpid(child, 0)
        is_killed = os.WIFSIGNALED(status)
        assert is_killed or os.WEXITSTATUS(status) == 0, f"try {tries} ended with {status}"
    print(tries)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
