"""Runs a server over a pair of pipes, and stops it in one way, whatever the reason.

The stop callback runs exactly once, for a bounded time. Knows nothing of what it stops.
"""

import asyncio
import gc
import logging
import os
import signal
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum

from steersman.lsp.errors import ErrorCode
from steersman.lsp.framing import FramingFault
from steersman.lsp.parent import ProcessWatch
from steersman.lsp.rpc import RpcServer
from steersman.lsp.transport import Transport, TransportLimits, take_stdio

logger = logging.getLogger(__name__)


class StopReason(StrEnum):
    """Why a server stops."""

    SHUTDOWN = "shutdown"
    """The client sent exit after shutdown, as it should."""
    EXIT = "exit"
    """The client sent exit without shutdown."""
    EOF = "eof"
    """The client closed its end of the pipe."""
    CLIENT_GONE = "clientGone"
    """The client can't be written to."""
    PARENT_DIED = "parentDied"
    """The process that the client named at initialize has ended."""
    SIGTERM = "SIGTERM"
    SIGINT = "SIGINT"
    SIGHUP = "SIGHUP"


OnStop = Callable[[StopReason], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ServeLimits:
    """Times in seconds."""

    stop: float = 5.0
    """For the stop callback. Then the server stops without waiting for it."""
    flush: float = 1.0
    """For writing what still waits for the client."""
    last: float = 3.0
    """After both. A process that has not ended by then is killed."""
    transport: TransportLimits = field(default_factory=TransportLimits)


class Connection:
    """Connects a server with its client, from the first byte to the last."""

    def __init__(
        self, server: RpcServer, read_fd: int, write_fd: int, limits: ServeLimits | None = None
    ) -> None:
        """Takes ownership of both descriptors. Needs a running event loop."""
        self._protocol = server.protocol
        self._limits = limits or ServeLimits()
        self._transport = Transport(read_fd, write_fd, self, self._limits.transport)
        self._stop: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
        self._watch: ProcessWatch | None = None
        self.send = self._transport.outbox.send
        self._protocol.attach(self)

    async def run(self, on_stop: OnStop) -> StopReason:
        """Serves until there is a reason to stop, calls `on_stop` once, and closes everything. Returns the reason."""
        self._transport.start()
        try:
            reason = await self._stop
            logger.info("Stopping: %s", reason)
            await self._run_stop(on_stop, reason)
            return reason
        finally:
            if self._watch is not None:
                self._watch.close()
            await self._protocol.close()
            await self._transport.close(self._limits.flush)

    def stop(self, reason: StopReason) -> None:
        """Begins to stop. Of several reasons the first counts."""
        if not self._stop.done():
            self._stop.set_result(reason)
            self._protocol.accept_no_more()

    async def _run_stop(self, on_stop: OnStop, reason: StopReason) -> None:
        task = asyncio.ensure_future(_awaited(on_stop(reason)))
        done, _ = await asyncio.wait([task], timeout=self._limits.stop)
        if not done:
            task.cancel()
            logger.error("What was running did not stop within %s s and is abandoned.", self._limits.stop)
        elif not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Stopping failed.", exc_info=error)

    # What the transport tells.

    def on_frame(self, body: bytes) -> bool:
        """Takes one message. While the server stops, requests are refused, but answers are still taken."""
        return self._protocol.receive(body)

    def on_fault(self, fault: FramingFault) -> None:
        """Answers and logs bytes that are not a message; the connection goes on."""
        code = ErrorCode.PARSE_ERROR if fault.request_id is None else ErrorCode.INVALID_REQUEST
        self._protocol.refuse(fault.request_id, code, fault.reason)

    def on_eof(self) -> None:
        """The client closed its end."""
        self.stop(StopReason.EOF)

    def on_broken(self, error: OSError) -> None:
        """The client can't be written to."""
        logger.error("Can't write to the client: %s", error)
        self.stop(StopReason.CLIENT_GONE)

    def on_drained(self) -> None:
        """Tells those who wait for room that there is some."""
        for callback in self._protocol.drained:
            callback()

    # What the protocol tells.

    def exit_received(self) -> None:
        """The exit notification came."""
        self.stop(StopReason.SHUTDOWN if self._protocol.shutdown_received else StopReason.EXIT)

    def client_process(self, process_id: int) -> None:
        """Watches the process that the client named at initialize."""
        if self._watch is not None:
            self._watch.close()
        self._watch = ProcessWatch(process_id, lambda: self.stop(StopReason.PARENT_DIED))


def serve(server: RpcServer, on_stop: OnStop, limits: ServeLimits | None = None) -> int:
    """Serves the client at standard input and output until it leaves.

    Descriptor 0 becomes the null device, 1 becomes standard error. SIGTERM, SIGINT and SIGHUP stop the server like the
    client's exit. Call it once, from the main thread.

    Returns: the exit code: 0 after the client's shutdown request; else 128 + the number of the signal, or 1 for any
        other reason (LSP 3.17, "Exit Notification").
    Raises:
        OSError: standard input or output is closed.
    """
    limits = limits or ServeLimits()
    read_fd, write_fd = take_stdio()
    gc.freeze()  # what the imports made stays; a full collection that walked it would stop the loop for 50 ms
    return asyncio.run(_serve(server, on_stop, read_fd, write_fd, limits))


async def _serve(server: RpcServer, on_stop: OnStop, read_fd: int, write_fd: int, limits: ServeLimits) -> int:
    connection = Connection(server, read_fd, write_fd, limits)

    async def stop_for_sure(reason: StopReason) -> None:
        # The timer outlives this function: what hangs may be the end of the loop, or a thread that can't be joined.
        last = threading.Timer(
            limits.stop + limits.flush + limits.last, _end_hard, [_exit_code(server, reason)]
        )
        last.daemon = True
        last.start()
        await on_stop(reason)

    _stop_on_signals(connection)
    return _exit_code(server, await connection.run(stop_for_sure))


def _stop_on_signals(connection: Connection) -> None:
    loop = asyncio.get_running_loop()
    for reason in (StopReason.SIGTERM, StopReason.SIGINT, StopReason.SIGHUP):
        number = signal.Signals[reason]
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            loop.add_signal_handler(number, connection.stop, reason)


def _exit_code(server: RpcServer, reason: StopReason) -> int:
    if server.protocol.shutdown_received:
        return 0
    if reason in (StopReason.SIGTERM, StopReason.SIGINT, StopReason.SIGHUP):
        return 128 + signal.Signals[reason]
    return 1


def _end_hard(code: int) -> None:
    logger.critical("The process does not end; it is killed.")
    os._exit(code)


async def _awaited(awaitable: Awaitable[None]) -> None:
    await awaitable
