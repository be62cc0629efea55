"""Asks the user for a line of text before there is a run: `steersman/input`."""

import asyncio
import logging

from pydantic import ValidationError

from steersman.lsp.client import Client
from steersman.lsp.client_results import InputAnswer, what_is_wrong
from steersman.lsp.errors import ClientRequestError, ErrorCode, RpcError
from steersman.lsp.rpc import RpcServer
from steersman.lsp.user_input import REQUEST
from steersman.session.errors import Refused

log = logging.getLogger(__name__)


class PromptBox:
    def __init__(self, server: RpcServer, client: Client, turn: asyncio.Lock) -> None:
        """`turn` is held while a question is on the client's screen."""
        self._server, self._client, self._turn = server, client, turn

    async def ask(self, question: str) -> str | None:
        """What the user typed; None if the question was closed or there is no usable answer.

        Raises:
            Refused: unsupported; the client can't be asked.
        """
        if not self._client.features.input:
            raise _unsupported()
        params = {"session": "", "run": "", "toolCallId": "", "prompt": question}
        try:
            async with self._turn:
                result = await self._server.request(REQUEST, params, timeout=None)
            return None if result is None else InputAnswer.model_validate(result).text
        except RpcError as error:
            log.warning("the client did not take a question: %s", error)
            if error.code == ErrorCode.METHOD_NOT_FOUND:
                raise _unsupported() from None
        except ClientRequestError as error:
            log.info("a question has no answer: %s", error)
        except ValidationError as error:
            log.warning("the answer to a question can't be used: %s", what_is_wrong(error))
        return None


def _unsupported() -> Refused:
    return Refused("unsupported", "This editor can't be asked for a line of text: it has to negotiate input.")
