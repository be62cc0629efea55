"""The models that there are, from the client's side."""

import pytest

from support.lsp_client import AnsweredWithError
from support.lsp_workspace import desk


async def test_a_client_is_told_what_can_be_named_and_what_to_do_for_the_rest(tmp_path):
    async with desk(tmp_path) as it:
        told = await it.command("models", {})
        assert told["model"] == it.model.id
        assert told["providers"] == [
            {
                "provider": "test",
                "title": "Test",
                "usable": True,
                "local": True,
                "server": "127.0.0.1:1",
                "models": [
                    {
                        "model": "test:m",
                        "name": "m",
                        "contextWindow": 65_536,
                        "maxOutput": 8192,
                        "images": True,
                        "thinking": False,
                        "price": {"input": 3, "output": 15, "cacheRead": 0.3},
                        "loaded": True,
                    }
                ],
                "leftOut": 2,
            },
            {
                "provider": "other",
                "title": "Other",
                "usable": False,
                "local": False,
                "models": [],
                "leftOut": 0,
                "problem": "No API key.",
                "mend": "Set OTHER_API_KEY.",
            },
        ]


async def test_one_provider_can_be_asked_alone(tmp_path):
    async with desk(tmp_path) as it:
        for named in ("other", {"provider": "other"}):
            told = await it.command("models", named)
            assert [each["provider"] for each in told["providers"]] == ["other"]


async def test_the_model_that_was_configured_here_is_that_of_new_runs(tmp_path):
    async with desk(tmp_path) as it:
        await it.command("configure", {"model": "test:other"})
        assert (await it.command("models"))["model"] == "test:other"


@pytest.mark.parametrize(("argument", "code"), [("nobody", "unknownModel"), ({"names": 1}, None)])
async def test_what_does_not_exist_is_refused(tmp_path, argument, code):
    async with desk(tmp_path) as it:
        with pytest.raises(AnsweredWithError) as refused:
            await it.command("models", argument)
        assert refused.value.error["data"].get("code") == code
