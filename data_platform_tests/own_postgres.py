"""A PostgreSQL of a test's own, which it may kill and start again."""

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS = 60


def binaries() -> Path | None:
    """Debian keeps them out of the path, by version; the newest is taken."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    on_path = shutil.which("pg_ctl")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@dataclass
class OwnPostgres:
    """``folder`` must be one that the server's user may enter."""

    folder: Path
    port: int

    @classmethod
    def made_in(cls, folder: Path) -> "OwnPostgres":
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            own = cls(folder, probe.getsockname()[1])
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        own._run("initdb", "-D", str(folder / "data"), "-A", "trust", "-U", "postgres", "--no-sync")
        return own

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        self._control("start", "-w", "-o", options, "-l", str(self.folder / "log"))

    def stop(self, how: str = "immediate") -> None:
        """``immediate`` is a crash: nothing is written down, and the next start recovers from the log."""
        self._control("stop", "-m", how)

    def _control(self, *words: str) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), *words)

    def _run(self, program: str, *words: str) -> None:
        folder = binaries()
        assert folder is not None, "asked only where PostgreSQL is installed"
        self._as_server([str(folder / program), *words])

    def _as_server(self, command: Sequence[str]) -> None:
        """PostgreSQL refuses to run as root."""
        user = {}
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        subprocess.run(  # noqa: S603
            command, check=True, timeout=SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/", **user
        )
