"""Has the client show a document: `window/showDocument`, with a timeout, since some clients never answer."""

import logging
from typing import Literal

from steersman.agent.clock import Clock
from steersman.lsp.client import Client
from steersman.lsp.errors import ClientGone, ClientRequestError
from steersman.lsp.rpc import RpcServer
from steersman.lsp.waits import answered_within
from steersman.session.limits import Limits

log = logging.getLogger(__name__)

Shown = Literal["yes", "no", "unclear", "silent"]
"""The client's answer. `unclear`: it can't be understood. `silent`: an error, or none in time."""


class Viewer:
    """One connection's."""

    def __init__(self, server: RpcServer, client: Client, limits: Limits, clock: Clock) -> None:
        self._server, self._client = server, client
        self._limits, self._clock = limits, clock

    async def show(self, uri: str, *, external: bool | None = None) -> Shown:
        """Has a document shown in the editor, or in a browser if `external`.

        Raises:
            ClientGone: there is no client any more.
        """
        if not self._client.show_document:
            return "no"
        where = {} if external is None else {"external": external}
        request = self._server.request(
            "window/showDocument", {"uri": uri, **where, "takeFocus": True}, timeout=None
        )
        try:
            result = await answered_within(self._clock, self._limits.show_document, request)
        except ClientGone:
            raise
        except ClientRequestError as error:
            log.info("the client did not say that it has shown %s: %s", uri, error)
            return "silent"
        said = result.get("success") if isinstance(result, dict) else None
        return ("yes" if said else "no") if isinstance(said, bool) else "unclear"
