"""The model's questions to the user: `steersman/input` if the client has it, else `window/showMessageRequest`.

A client shows one such question at a time, and none beside a question about a change (`approvals`): an editor may have
only one place for both. Only the exact title of a choice counts; anything else is no answer.
"""

import asyncio
import logging
from collections.abc import Callable

from pydantic import ValidationError

from steersman.lsp.approvals import until_withdrawn, visible
from steersman.lsp.client import Client
from steersman.lsp.client_results import InputAnswer, what_is_wrong
from steersman.lsp.errors import ClientGone, ErrorCode, RpcError
from steersman.lsp.messages import MessageType
from steersman.lsp.rpc import RpcServer
from steersman.session.services import ToolSetting
from steersman.session.wire import Data
from steersman.tools.ask_user import Reply, UserQuestion
from steersman.tools.base import clipped
from steersman.workspace.roots import printable

log = logging.getLogger(__name__)

REQUEST = "steersman/input"
LATER = "Answer later"
"""The first choice. It is harmless, since it is easily chosen by accident."""
MAX_PROMPT = 4000
"""Characters of a question that are shown."""
MAX_TITLE = 80
"""Characters of an option that are shown."""


class ClientUser:
    """Implements `tools.ask_user.User` for one session."""

    def __init__(
        self,
        server: RpcServer,
        client: Client,
        turn: asyncio.Lock,
        setting: ToolSetting,
        *,
        ready: Callable[[], bool],
    ) -> None:
        """`turn` is held while a question is on the client's screen. `ready()`: the client may be asked."""
        self._server, self._client, self._turn = server, client, turn
        self._setting, self._ready = setting, ready

    async def ask(self, question: UserQuestion) -> Reply:
        if not self._ready():
            return Reply("nobody")
        try:
            async with self._turn:
                return await self._ask(question)
        except ClientGone:
            await until_withdrawn()
            return Reply("closed")

    async def _ask(self, question: UserQuestion) -> Reply:
        if not self._client.features.input:
            return await self._choose(question)
        try:
            result = await self._server.request(REQUEST, self._request_of(question), timeout=None)
            if result is None:
                return Reply("closed")
            return Reply("answered", InputAnswer.model_validate(result).text)
        except RpcError as error:
            log.warning("the client did not take the question of %s: %s", question.call_id, error)
            if error.code != ErrorCode.METHOD_NOT_FOUND:
                return Reply("closed")
            otherwise = Reply("nobody")
        except ValidationError as error:
            log.warning("the answer for %s can't be used: %s", question.call_id, what_is_wrong(error))
            otherwise = Reply("closed")
        return await self._choose(question) if question.options else otherwise

    def _request_of(self, question: UserQuestion) -> Data:
        data: Data = {
            "session": self._setting.session,
            "run": self._setting.live_run() or "",
            "toolCallId": question.call_id,
            "prompt": clipped(question.text, MAX_PROMPT),
        }
        return data | {"options": list(question.options)} if question.options else data

    async def _choose(self, question: UserQuestion) -> Reply:
        titles = titles_of(question.options)
        params = {
            "type": int(MessageType.INFO),
            "message": f"Steersman asks: {_marked(clipped(question.text, MAX_PROMPT))}",
            "actions": [{"title": title} for title in (LATER, *titles)],
        }
        try:
            result = await self._server.request("window/showMessageRequest", params, timeout=None)
        except RpcError as error:
            log.warning("the client can't be asked: %s", error)
            return Reply("nobody" if error.code == ErrorCode.METHOD_NOT_FOUND else "closed")
        if isinstance(result, dict):  # some clients answer with the item, some with its title only
            result = result.get("title")
        if result == LATER:
            return Reply("later")
        option = titles.get(result) if isinstance(result, str) else None
        return Reply("closed") if option is None else Reply("answered", option)


def _marked(text: str) -> str:
    """So that none of its lines can be taken for one of a question about a change or a command."""
    return visible(text).replace("\n", "\n> ")


def titles_of(options: tuple[str, ...]) -> dict[str, str]:
    """The options by title. Titles are one line each, shortened, and unique."""
    titles: dict[str, str] = {}
    for option in options:
        title = wanted = clipped(printable(option), MAX_TITLE)
        number = 2
        while title in titles or title == LATER:
            title, number = f"{wanted} ({number})", number + 1
        titles[title] = option
    return titles
