"""The commands of extensions, `steersman.x.EXTENSION.NAME`: validated like the server's own, and run in a session."""

import logging
from collections.abc import Callable, Sequence
from typing import cast

from steersman.extensions import Command, CommandFailed, NotPossible
from steersman.lsp.arguments import parse
from steersman.lsp.errors import CommandError
from steersman.lsp.wire import CommandHandler, JsonValue
from steersman.session.errors import Refused
from steersman.session.jsonlines import encode
from steersman.session.manager import SessionManager
from steersman.workspace.roots import Roots

log = logging.getLogger(__name__)


class ExtensionCommands:
    """One connection's."""

    def __init__(self, manager: SessionManager, roots: Callable[[], Roots]) -> None:
        """`roots()`: the folders to work in if no session is named."""
        self._manager, self._roots = manager, roots

    def table(self) -> dict[str, CommandHandler]:
        """By name, without `steersman.`."""
        return {
            f"x.{loaded.name}.{command.name}": self._handler(loaded.name, command)
            for loaded in self._manager.services.extensions.loaded
            for command in loaded.kind.commands
        }

    def _handler(self, extension: str, command: Command) -> CommandHandler:
        async def handle(arguments: Sequence[JsonValue]) -> JsonValue:
            session, rest = _taken_apart(arguments)
            params = parse(command.params, rest)
            async with self._manager.using(session, self._roots) as used:
                mine = used.extensions.get(extension)
                if mine is None:
                    text = f"The extension {extension} is left out of this session; the log says why."
                    raise Refused("extensionFailed", text, session=used.id)
                return await _run(extension, command, mine, params)

        return handle


def _taken_apart(arguments: Sequence[JsonValue]) -> tuple[str | None, Sequence[JsonValue]]:
    """The session that the arguments name, and the arguments for the extension. A `session` of the wrong type stays in
    them, so that `parse` refuses it."""
    given = arguments[0] if len(arguments) == 1 else None
    session = given.get("session") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not (session is None or isinstance(session, str)):
        return None, arguments
    return session, [{name: value for name, value in given.items() if name != "session"}]


async def _run(extension: str, command: Command, mine: object, params: object) -> JsonValue:
    """The command's answer.

    Raises:
        Refused: extensionFailed.
    """
    try:
        answer = cast("JsonValue", await command.run(mine, params))
        encode(answer)  # raises if it is no JSON
    except (CommandFailed, NotPossible) as failure:
        raise Refused("extensionFailed", str(failure), extension=extension) from failure
    except (Refused, CommandError):
        raise
    except Exception as error:
        log.exception("the command %s of the extension %s failed", command.name, extension)
        text = f"{command.name} of the extension {extension} failed unexpectedly; the log says how."
        raise Refused("extensionFailed", text, extension=extension) from error
    return answer
