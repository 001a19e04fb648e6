"""What the legacy client costs a job: its import, and what the wrapper adds to a command that does nothing; as JSON.

Each figure is a median of fresh processes; those compared are started in turn, so that a busy machine slows both.
``adds_at_least_ms`` compares the quickest of each, which is nearer to what an idle machine takes. The import is
``python -c "import …"`` against ``python -c pass``. The wrapper is ``true`` in it against ``true`` alone, once with a
service that is away and once with one that answers; so its figure has Python's own start in it. ``peak_mb`` is the
larger of the wrapper's processes, ``peak_shared_out_mb`` all of them with shared pages divided among them (Linux).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

WRAPPER = [sys.executable, "-P", "-m", "data_platform.legacy.wrapper", "--process", "BENCH/JOB", "--"]
IMPORT = "import data_platform.legacy.client"


class Acknowledging(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def service() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Acknowledging)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def milliseconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, env=environment, check=True)  # noqa: S603 - this file's own commands
    return (time.perf_counter() - begin) * 1000


def taken(commands: Mapping[str, Sequence[str]], environment: Mapping[str, str], runs: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            found[name].append(milliseconds(command, environment))
    return found


def added(found: Mapping[str, list[float]], alone: str, more: str) -> dict[str, float]:
    return {
        f"{alone}_ms": round(median(found[alone]), 1),
        "adds_ms": round(median(found[more]) - median(found[alone]), 1),
        "adds_at_least_ms": round(min(found[more]) - min(found[alone]), 1),
    }


def wrapped(environment: Mapping[str, str], runs: int) -> dict[str, float]:
    return added(taken({"true": ["true"], "wrapped": [*WRAPPER, "true"]}, environment, runs), "true", "wrapped")


def memory(environment: Mapping[str, str]) -> dict[str, float]:
    """While the command waits, and after START has been sent."""
    running = subprocess.Popen([*WRAPPER, "sleep", "2"], env=environment)  # noqa: S603
    time.sleep(1.5)
    family = [running.pid, *children(running.pid)]
    own = [pid for pid in family if b"legacy.wrapper" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    peak = max(kilobytes(f"/proc/{pid}/status", "VmHWM") for pid in own)
    shared_out = sum(kilobytes(f"/proc/{pid}/smaps_rollup", "Pss") for pid in own)
    running.wait()
    return {
        "processes": len(own),
        "peak_mb": round(peak / 1024, 1),
        "peak_shared_out_mb": round(shared_out / 1024, 1),
    }


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def kilobytes(path: str, key: str) -> int:
    [line] = [line for line in Path(path).read_text().splitlines() if line.startswith(f"{key}:")]
    return int(line.split()[1])


def measure(runs: int) -> dict[str, object]:
    python = {"bare": [sys.executable, "-c", "pass"], "with_client": [sys.executable, "-c", IMPORT]}
    with tempfile.TemporaryDirectory() as folder, service() as url:
        away = {**os.environ, "DATA_PLATFORM_SPOOL": f"{folder}/away", "DATA_PLATFORM_URL": "http://127.0.0.1:9"}
        there = {**os.environ, "DATA_PLATFORM_SPOOL": f"{folder}/there", "DATA_PLATFORM_URL": url}
        return {
            "import": added(taken(python, away, runs), "bare", "with_client"),
            "import_target_ms": 50,
            "service_away": wrapped(away, runs),
            "service_there": wrapped(there, runs),
            "adds_target_ms": 80,
            "memory": memory(there),
            "memory_target_mb": 30,
        }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21)
    given = parser.parse_args(arguments)
    print(json.dumps(measure(given.runs), indent=2))


if __name__ == "__main__":
    main()
