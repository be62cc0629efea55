"""The tools that models have only because of the client: what it tells, what it can ask its user, what it offers."""

from collections.abc import Sequence

from steersman.agent.tool import Tool
from steersman.lsp.client import Client
from steersman.lsp.rpc import RpcServer
from steersman.session.services import ToolSetting


class EditorTools:
    """One connection's. Sessions are opened after initialize, when it is known what the client can do."""

    def __init__(self, server: RpcServer, client: Client) -> None:
        self._server, self._client = server, client

    def of_session(self, setting: ToolSetting) -> Sequence[Tool]:
        """The tools that the client's features allow."""
        return []
