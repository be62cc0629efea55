"""The files of one session in an editor, and changes as a tool would make them."""

import pytest

from steersman.workspace.changes import edition
from steersman.workspace.errors import ChangeRefused
from steersman.workspace.roots import Roots


class Files:
    """One session's files at a desk, and the changes that a tool would make."""

    def __init__(self, it, *, root=None):
        self.desk, self.editor, self.images = it, it.editor, []
        self.while_keeping = None
        self.workspace = it.server.services.make_workspace(Roots([root or it.root]), self._keep)

    async def _keep(self, image):
        self.images.append(image)
        if self.while_keeping is not None:
            self.while_keeping()
            await self.heard()

    async def snapshot(self, name="a.txt"):
        return await self.workspace.read(self.workspace.resolve(name))

    async def read(self, name="a.txt"):
        return (await self.snapshot(name)).as_text().text

    async def change(self, old, new, name="a.txt"):
        base = await self.snapshot(name)
        text = base.as_text()
        assert text.text.count(old) == 1
        return edition(base, text.rewrite(text.text.replace(old, new)))

    async def edit(self, old, new, name="a.txt"):
        return await self.workspace.apply(await self.change(old, new, name))

    async def heard(self):
        await self.desk.heard()

    async def refusal(self, old, new, name="a.txt"):
        with pytest.raises(ChangeRefused) as raised:
            await self.edit(old, new, name)
        return str(raised.value)
