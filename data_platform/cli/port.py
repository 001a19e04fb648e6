"""Whether a service could listen at an address, found out before anything is started."""

from __future__ import annotations

import errno
import socket

from data_platform.errors import EnvironmentProblem


def refuse_taken(host: str, port: int, option: str) -> None:
    """An address that is none of this machine's is not refused here: what is started then says so.

    Raises:
        EnvironmentProblem: Another process listens there, or this one may not.
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
                f"{host}:{port} cannot be listened on ({error.strerror}): name another port with {option}, or end the "
                "process that has it"
            ) from None
