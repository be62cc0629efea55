"""The command that lists models: it asks the providers, changes nothing, and shows no key."""

from collections.abc import Sequence

from steersman.lsp.arguments import parse
from steersman.lsp.params import ModelsParams
from steersman.lsp.wire import CommandHandler, JsonValue
from steersman.models.errors import ModelConfigError
from steersman.session.errors import Refused
from steersman.session.manager import SessionManager


class ModelCommands:
    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager

    def table(self) -> dict[str, CommandHandler]:
        """By name, without `steersman.`."""
        return {"models": self._models}

    async def _models(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(ModelsParams, arguments, string_as="provider")
        configured = self._manager.status()["model"]
        try:
            offers = await self._manager.services.list_models(params.provider, configured)
        except ModelConfigError as error:
            raise Refused("unknownModel", str(error)) from None
        return offers.data()
