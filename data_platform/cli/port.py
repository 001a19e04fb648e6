"""Whether a service could listen at an address, found out before anything is started."""

from __future__ import annotations

import socket

from data_platform.errors import EnvironmentProblem, UsageError


def refuse_taken(host: str, port: int, option: str) -> None:
    """
    Raises:
        EnvironmentProblem: Another process listens there, or this one may not.
        UsageError: ``host`` is no address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise UsageError(f"{host} is no address that can be listened on ({error.strerror}): see --host") from None
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            raise EnvironmentProblem(
                f"{host}:{port} cannot be listened on ({error.strerror}): name another port with {option}, or end the "
                "process that has it"
            ) from None
