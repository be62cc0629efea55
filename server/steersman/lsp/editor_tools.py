"""The tools that models have thanks to the client: its diagnostics, questions to its user, tools that it offers."""

from collections.abc import Callable, Sequence

from steersman.agent.tool import Tool
from steersman.lsp.client import Client
from steersman.lsp.client_tools import ClientTools
from steersman.lsp.problems import ProblemStore
from steersman.lsp.rpc import RpcServer
from steersman.session.services import ToolSetting
from steersman.session.user_input import WaitingUser
from steersman.tools.ask_user import AskUserTool, User
from steersman.tools.diagnostics import DiagnosticsTool


class EditorTools:
    """One connection's. Sessions are opened after initialize, so the client's features are known by then."""

    def __init__(
        self,
        server: RpcServer,
        client: Client,
        problems: ProblemStore,
        *,
        user_of: Callable[[ToolSetting], User],
        offered: ClientTools,
    ) -> None:
        """`user_of(setting)`: the user whom a session's tools ask."""
        self._server, self._client, self._problems = server, client, problems
        self._user_of, self._offered = user_of, offered

    def of_session(self, setting: ToolSetting) -> Sequence[Tool]:
        """The tools that the client's features allow."""
        user = WaitingUser(self._user_of(setting), setting.set_state)
        tools: list[Tool] = [AskUserTool(user, takes_text=bool(self._client.features.input))]
        if self._client.features.diagnostics:
            tools.append(DiagnosticsTool(setting.workspace, self._problems))
        return [*tools, *self._offered.of_session(setting)]
