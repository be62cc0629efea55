"""Has the editor save documents whose only unsaved changes are approved edits: `steersman/save`.

The client's answer is not trusted: a document counts as saved after didSave, or when the disk has its text.
"""

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from steersman.lsp.buffers import Buffer, Unknown, disk_text, time_of
from steersman.lsp.client import real_path_of
from steersman.lsp.client_documents import SaveAnswer
from steersman.lsp.client_results import what_is_wrong
from steersman.lsp.edits import Editor
from steersman.lsp.errors import ClientGone, ClientRequestError
from steersman.lsp.waits import answered_within
from steersman.workspace.disk import is_resolved

log = logging.getLogger(__name__)

REQUEST = "steersman/save"


async def save_own(editor: Editor, buffers: Iterable[Buffer]) -> bool:
    """Has the buffers saved that may be saved. Afterwards they say themselves whether they are. Returns False if the
    client was not asked.

    A buffer is never saved if it has unsaved typing of the user, or if another program has changed its file.
    """
    if not editor.client.features.save:
        return False
    buffers = [buffer for buffer in buffers if buffer.ours is not None]
    for buffer in buffers:
        await editor.unattached.refresh(buffer)
    wanted = [buffer for buffer in buffers if buffer.unsaved_is_ours and _is_on_its_base(buffer)]
    if not wanted:
        return False
    claimed = await _ask(editor, [buffer.document.uri for buffer in wanted])
    await asyncio.gather(*(_settle(editor, buffer, buffer.path in claimed) for buffer in wanted))
    return True


async def _ask(editor: Editor, uris: list[str]) -> set[Path | None]:
    """The files that the client claims to have saved."""
    request = editor.server.request(REQUEST, {"uris": uris}, timeout=None)
    try:
        result = await answered_within(editor.clock, editor.limits.save, request)
        return {real_path_of(uri) for uri in SaveAnswer.model_validate(result).saved}
    except ClientGone:
        return set()
    except ClientRequestError as error:
        log.warning("%s: %s", REQUEST, error)
    except ValidationError as error:
        log.warning("the answer to %s can't be used: %s", REQUEST, what_is_wrong(error))
    return set()


async def _settle(editor: Editor, buffer: Buffer, claimed: bool) -> None:
    """Finds out whether the buffer was saved. If the client claims so, waits some time for the proof."""

    def settled() -> bool:
        return buffer.ours is None or not editor.buffers.is_open(buffer)

    await editor.unattached.refresh(buffer)
    _compare(buffer)
    if not claimed or settled():
        return
    if buffer.attached:
        await editor.buffers.until(buffer.path, settled, editor.limits.verify)
    else:
        await editor.unattached.look_again(buffer, editor.limits.verify, settled)
    _compare(buffer)


def _compare(buffer: Buffer) -> None:
    disk = disk_text(buffer.path)
    if isinstance(disk, str):
        buffer.state(disk)


def _is_on_its_base(buffer: Buffer) -> bool:
    """Whether the disk still has what the edit was based on. Otherwise saving would overwrite what another program
    wrote, or follow a link that has replaced the file."""
    if not is_resolved(buffer.path):
        return False
    disk = disk_text(buffer.path)
    if isinstance(disk, Unknown):
        return time_of(buffer.path) == buffer.disk_time
    return disk is not None and buffer.state(disk) == "dirty"
