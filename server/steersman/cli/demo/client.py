"""A small language client: one server process, JSON-RPC messages over its standard input and output.

It knows the base protocol of LSP and nothing of documents or agents; `editor` adds those. Written to be read by those
who write a client of their own.
"""

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

Json = dict[str, Any]  # Any: JSON that was just read, or is about to be written

PATIENCE = 15.0
"""Seconds that a request may take. Nothing longer is a request: runs are told of by notifications."""
_GRACE = 3.0
"""Seconds that a process has to end after each step of `end_process`."""
_METHOD_NOT_FOUND, _REQUEST_CANCELLED, _INTERNAL_ERROR = -32601, -32800, -32603


class ServerError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(str(error.get("message")))
        self.code = error.get("code")
        self.data = error.get("data")


class ServerGone(Exception):
    """The server has ended, or does not answer."""


OnNotification = Callable[[str, Json], None]
OnRequest = Callable[[str, Json], Awaitable[Any]]
"""Answers a request of the server; raises NotImplementedError for a method that it doesn't know."""


class LspClient:
    """Reads from `start` to `stop`. Notifications are handled in order, requests of the server in tasks."""

    def __init__(
        self, process: asyncio.subprocess.Process, on_notification: OnNotification, on_request: OnRequest
    ) -> None:
        self.gone = asyncio.Event()
        self._process = process
        self._on_notification, self._on_request = on_notification, on_request
        self._last_id = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._answering: dict[int | str, asyncio.Task[None]] = {}
        self._reader = asyncio.create_task(self._read(), name="lsp client")

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        log: IO[bytes],
        on_notification: OnNotification,
        on_request: OnRequest,
    ) -> "LspClient":
        """Starts the server; what it writes to standard error goes to `log`.

        Raises:
            OSError: the command can't be started.
        """
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=env,
            stdin=pipe,
            stdout=pipe,
            stderr=log,
            start_new_session=True,  # a Ctrl-C is for the client, which then ends the server in order
        )
        return cls(process, on_notification, on_request)

    async def request(self, method: str, params: object = None) -> Any:
        """Sends a request and returns its result.

        Raises:
            ServerError: it was answered with an error.
            ServerGone: there is no answer in time, and will be none.
        """
        if self.gone.is_set():
            raise ServerGone("The language server has ended.")
        self._last_id += 1
        request_id = self._last_id
        answer = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        try:
            self._send({"id": request_id, "method": method, "params": params})
            async with asyncio.timeout(PATIENCE):
                return await answer
        except TimeoutError:
            raise ServerGone(f"{method}: no answer within {PATIENCE:g} s.") from None
        finally:
            self._waiting.pop(request_id, None)

    def notify(self, method: str, params: object = None) -> None:
        """Sends a notification. To a server that has gone, it sends nothing."""
        self._send({"method": method, "params": params})

    async def stop(self) -> int:
        """Ends the server as LSP asks for, by force if it does not go. Returns its exit code."""
        try:
            await self.request("shutdown")
            self.notify("exit")
        except (ServerError, ServerGone):
            pass  # the process is ended below
        finally:
            code = await end_process(self._process)
            tasks: list[asyncio.Task[None]] = [self._reader, *self._answering.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return code

    # Out

    def _send(self, message: Json) -> None:
        """Sends a message. It doesn't wait for the pipe: messages are small and fit into its buffer."""
        writer = self._process.stdin
        if writer is None or writer.is_closing():
            return
        if message.get("params", ...) is None:
            del message["params"]
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    # In

    async def _read(self) -> None:
        try:
            while True:
                self._dispatch(await self._message())
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the server closed its end
        finally:
            self.gone.set()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(ServerGone("The language server has ended."))

    async def _message(self) -> Json:
        reader = self._process.stdout
        assert reader is not None  # it was started with a pipe
        head = await reader.readuntil(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode("ascii").splitlines() if line)
        message: Json = json.loads(await reader.readexactly(int(fields["Content-Length"])))
        return message

    def _dispatch(self, message: Json) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            self._settle(message)
        elif "id" in message:
            task = asyncio.create_task(self._answer(message["id"], method, params))
            self._answering[message["id"]] = task
        elif method == "$/cancelRequest":
            if withdrawn := self._answering.get(params["id"]):
                withdrawn.cancel()
        else:
            self._on_notification(method, params)

    def _settle(self, message: Json) -> None:
        answer = self._waiting.get(message["id"])
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(ServerError(message["error"]))
        else:
            answer.set_result(message.get("result"))

    async def _answer(self, request_id: int | str, method: str, params: Json) -> None:
        try:
            reply: Json = {"result": await self._on_request(method, params)}
        except NotImplementedError:
            reply = {"error": {"code": _METHOD_NOT_FOUND, "message": f"{method} is not supported"}}
        except asyncio.CancelledError:
            reply = {"error": {"code": _REQUEST_CANCELLED, "message": "cancelled"}}
        except (OSError, LookupError, ValueError) as error:
            reply = {"error": {"code": _INTERNAL_ERROR, "message": str(error)}}
        self._answering.pop(request_id, None)
        self._send({"id": request_id, **reply})


async def end_process(process: asyncio.subprocess.Process) -> int:
    """Closes its standard input, then terminates it, then kills it. Returns the exit code."""
    if process.stdin is not None:
        process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None and process.returncode is None:
            process.send_signal(number)
        try:
            async with asyncio.timeout(_GRACE):
                return await process.wait()
        except TimeoutError:
            continue
    return await process.wait()
