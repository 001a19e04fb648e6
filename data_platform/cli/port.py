"""Checks whether a service can listen at an address, before anything is started."""

from __future__ import annotations

import errno
import socket

from data_platform.errors import EnvironmentProblem


def refuse_taken(host: str, port: int, option: str) -> None:
    """Refuses a port that is taken. An address of another machine is not refused here: the service then reports it.

    Raises:
        EnvironmentProblem: Another process listens there, or this process has no permission to.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        return
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                return
            raise EnvironmentProblem(
                f"cannot listen on {host}:{port} ({error.strerror}): choose another port with {option}, or stop the "
                "process that uses it"
            ) from None
