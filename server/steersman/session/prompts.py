"""Composes what a model is told from what somebody says: expands templates, attaches what is mentioned.

The first block is what was typed, unchanged. Every other block is marked as attached.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steersman.agent.messages import Message, Text, UserContent, UserMessage
from steersman.session.attach_mentions import Mentions
from steersman.session.attach_pointed import attach_pointed, editor_block
from steersman.session.attachments import Attachments
from steersman.session.errors import Refused
from steersman.session.instructions import FolderInstructions
from steersman.session.looking import is_file
from steersman.session.pointing import Pointed
from steersman.session.services import Services
from steersman.session.settings import Mode
from steersman.session.templates import Template, TemplateSource, called, load_templates, near_names
from steersman.session.trust import TEMPLATES
from steersman.tools.ledger import ReadLedger
from steersman.workspace.ports import PreImage
from steersman.workspace.roots import Roots


@dataclass(frozen=True, slots=True)
class Composed:
    """One message, ready to be said."""

    typed: str
    attached: tuple[UserContent, ...] = ()
    seen: ReadLedger = field(default_factory=ReadLedger)
    """What the model gets to see of files."""
    pointed: Pointed = field(default_factory=Pointed)
    notices: tuple[str, ...] = ()
    """For the user."""
    template: Template | None = None

    @property
    def content(self) -> tuple[UserContent, ...]:
        return (Text(self.typed), *self.attached)

    @property
    def model(self) -> str | None:
        return self.template.model if self.template else None

    @property
    def mode(self) -> Mode | None:
        """The mode that the user's own template asks for."""
        return self.template.mode if self.template and self.template.source == "user" else None

    @property
    def at_most(self) -> Mode | None:
        """The loosest mode that a workspace's template allows."""
        return self.template.mode if self.template and self.template.source == "workspace" else None


class Prompts:
    """One server's."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def compose(
        self,
        text: str,
        roots: Roots,
        pointed: Pointed | None = None,
        *,
        history: Sequence[Message] = (),
        live: bool = False,
    ) -> Composed:
        """Composes the message for `text` in a session with these roots. `history`: what the model has been told so
        far; `live`: the message joins a run, whose model and mode stay.

        Raises:
            Refused: denied, unsupported, tooLarge, unknownTemplate, badTemplate, untrusted.
        """
        pointed = pointed or Pointed()
        template = expansion = None
        if text.startswith("/") and (call := called(text)) is not None:
            template = await self._template(call.name, roots, live=live)
            expansion = call.text_of(template)
        state = None if live else await self._services.editor_state()
        if expansion is None and "@" not in text and pointed == Pointed() and state is None:
            return Composed(text)
        workspace = self._services.make_workspace(roots, _keep_nothing)
        to = Attachments(workspace)
        if template is not None and expansion is not None:
            to.blocks.append(Text(f"The template /{template.name} says:\n\n{expansion}", f"/{template.name}"))
        await Mentions(to, pointed, self._services.diagnostics).attach(
            text if expansion is None else f"{expansion}\n\n{text}"
        )
        attach_pointed(to, pointed)
        folders = FolderInstructions(workspace, lambda: history, self._trusts, to.notices.append)
        to.blocks += await folders.holding_at(to.paths)
        if state is not None and (block := editor_block(to, state)) and block != _last_told(history, block):
            to.blocks.append(block)
        return Composed(text, tuple(to.blocks), to.seen, pointed, tuple(to.notices), template)

    async def templates(self, roots: Roots) -> list[Template]:
        """The templates that `/name` can call in a session with these roots, sorted by name."""
        folders: list[tuple[Path, TemplateSource, Path | None]] = [
            (self._services.home.templates, "user", None)
        ]
        primary = roots.primary
        if primary is not None and await self._trusts(primary.path):
            folders.append((primary.path / TEMPLATES, "workspace", primary.path))
        return await asyncio.to_thread(load_templates, folders)

    async def _trusts(self, folder: Path) -> bool:
        """Nobody is asked: there is no run yet."""
        services = self._services
        if services.trusts_none:
            return False
        return services.trusts_all or services.trust.answer(folder) is True

    async def _template(self, name: str, roots: Roots, *, live: bool) -> Template:
        templates = await self.templates(roots)
        template = next((each for each in templates if each.name == name), None)
        if template is None:
            raise await self._unknown(name, templates, roots)
        if template.problem is not None:
            raise Refused("badTemplate", f"{template.path} can't be used. {template.problem}")
        if live and (template.model or template.mode):
            what = "model" if template.model else "mode"
            text = f"/{name} sets the {what} of its run: start a run with it, when this one has ended."
            raise Refused("unsupported", text)
        return template

    async def _unknown(self, name: str, templates: Sequence[Template], roots: Roots) -> Refused:
        primary = roots.primary
        if primary is not None and is_file(primary.path / TEMPLATES / f"{name}.md"):
            return Refused(
                "untrusted",
                f"/{name} is a template of {primary.path}, which is not a trusted folder. To use it, "
                f"{self._services.trust.how_to_trust(primary.path)}.",
            )
        near = near_names(name, templates)
        hint = f" Did you mean {', '.join(f'/{each}' for each in near)}?" if near else ""
        text = f"There is no template /{name}.{hint} To send this as it is, begin with a space."
        return Refused("unknownTemplate", text)


def _last_told(history: Sequence[Message], block: Text) -> Text | None:
    """The last block of the same name that the model was told."""
    told = (
        old
        for message in reversed(history)
        if isinstance(message, UserMessage)
        for old in message.content
        if isinstance(old, Text) and old.attached == block.attached
    )
    return next(told, None)


async def _keep_nothing(_: PreImage) -> None:
    return
