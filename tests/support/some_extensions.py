"""Extensions, and things that are none, for entry points to find."""

from pydantic import BaseModel

from steersman.extensions import Command, CommandFailed, Extension


class Fine(Extension):
    async def should_stop_after_turn(self, turn):
        return None


class First(Fine):
    order = -1


class NoParams(BaseModel):
    pass


class SessionParams(BaseModel):
    session: str


async def _run(extension, params):
    return None


class BadCommand(Extension):
    commands = (Command("no name", NoParams, _run),)


class TwoCommands(Extension):
    commands = (Command("a", NoParams, _run), Command("a", NoParams, _run))


class TakenField(Extension):
    commands = (Command("a", SessionParams, _run),)


class CountParams(BaseModel):
    by: int


class Counting(Extension):
    """Counts, in its session; fails as it is asked to."""

    def __init__(self, session):
        super().__init__(session)
        self.count = 0

    async def add(self, params):
        if params.by == 13:
            raise CommandFailed("Thirteen is too much.")
        if params.by == 0:
            return {object()}
        self.count += params.by
        if params.by == 666:
            raise RuntimeError("hunter2")
        return {"count": self.count, "session": self.session.id}

    commands = (Command("add", CountParams, add, "Adds to the count"),)
