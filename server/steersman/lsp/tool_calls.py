"""Calls the client's tools by `steersman/callTool`: one request each, with a timeout, withdrawn at an abort."""

import logging

from pydantic import ValidationError

from steersman.agent.clock import Clock
from steersman.agent.tool import ToolContext, ToolError
from steersman.lsp.approvals import until_withdrawn
from steersman.lsp.client_results import CallToolAnswer, what_is_wrong
from steersman.lsp.errors import ClientGone, ErrorCode, RequestTimeout, RpcError
from steersman.lsp.rpc import RpcServer
from steersman.lsp.waits import answered_within
from steersman.lsp.wire import JsonValue
from steersman.session.limits import Limits
from steersman.session.services import ToolSetting
from steersman.session.wire import Data
from steersman.tools.base import ABORTED, sayable
from steersman.tools.waits import answered_or_aborted

log = logging.getLogger(__name__)

REQUEST = "steersman/callTool"
UNKNOWN_EFFECT = "What it did is not known: look before you call it again."


class ToolCalls:
    """One session's."""

    def __init__(self, server: RpcServer, limits: Limits, clock: Clock, setting: ToolSetting) -> None:
        self._server, self._limits, self._clock, self._setting = server, limits, clock, setting

    async def call(
        self, name: str, arguments: Data, context: ToolContext, *, read_only: bool
    ) -> CallToolAnswer:
        """The client's answer, which may say that the call failed. `name`: the tool's name on the wire.

        Raises:
            ToolError: there is no usable answer, or the call was aborted.
        """
        more = "" if read_only else f" {UNKNOWN_EFFECT}"
        try:
            result = await answered_or_aborted(
                self._request(name, arguments, context.call_id), context.signal, f"{ABORTED}.{more}"
            )
            answer = CallToolAnswer.model_validate(result)
        except RpcError as error:
            log.warning("the client's tool %s failed: %s", name, error)
            if error.code == ErrorCode.METHOD_NOT_FOUND:
                raise ToolError(f"The editor can't do {name}, though it said so. Do without it.") from error
            raise ToolError(sayable(f"{name} failed in the editor: {error.message}")) from error
        except RequestTimeout as error:
            seconds = f"{self._limits.call_tool:g} s"
            raise ToolError(
                f"The editor did not answer {name} within {seconds}; the call was withdrawn.{more}"
            ) from error
        except ValidationError as error:
            why = what_is_wrong(error)
            log.warning("the answer of the client's tool %s can't be used: %s", name, why)
            raise ToolError(sayable(f"The editor's answer to {name} can't be used ({why}).{more}")) from error
        return answer

    async def _request(self, name: str, arguments: Data, call_id: str) -> JsonValue:
        params: Data = {
            "session": self._setting.session,
            "run": self._setting.live_run() or "",
            "toolCallId": call_id,
            "name": name,
            "arguments": arguments,
        }
        request = self._server.request(REQUEST, params, timeout=None)
        try:
            return await answered_within(self._clock, self._limits.call_tool, request)
        except ClientGone:
            await until_withdrawn()
            raise
