"""A small sample of the load tests (`make load`): several sessions at once in one server process, over real sockets."""

import pytest

from support.load_client import LoadClient
from support.load_work import Work, tape_server


@pytest.mark.parametrize("rich", [True, False], ids=["rich", "floor"])
async def test_sessions_at_once_in_one_server_all_complete_and_leave_nothing_behind(tmp_path, rich):
    work = Work(tmp_path, sessions=6, turns=2, sentences=4)
    with tape_server(work.place.tape) as model:
        client = LoadClient(work.place, rich=rich, **model)
        try:
            await client.initialize()
            for _ in range(2):
                work.verify(client, await work.round(client))
            assert client.questions == 2 * 6
            assert await client.close() == 0
        finally:
            client.kill()
