"""A server's parts, put together: what it says where no model is configured."""

import pytest

from steersman.session.compose import build_services, no_model
from steersman.session.errors import Refused
from steersman.session.home import Home
from support.listing_servers import OllamaModel, ollama, places, serving


async def test_where_no_model_is_named_a_run_is_told_what_to_set(tmp_path):
    with places(Home(tmp_path / "home")) as settings:
        services = build_services(Home(tmp_path / "home"), settings, approver=None)
        with pytest.raises(Refused, match="STEERSMAN_MODEL") as refused:
            await services.prepare_model("")
    assert refused.value.code == "unknownModel"
    assert "loaded on this machine" not in str(refused.value)
    services.kill_commands()
    await services.close_models()


async def test_the_one_model_that_is_loaded_on_this_machine_is_named(tmp_path):
    home = Home(tmp_path / "home")
    async with serving(ollama(OllamaModel("qwen3:8b", running=8192))) as server:
        with places(home, ollama=server.port) as settings:
            text = await no_model(home, settings)
    assert text.endswith("One model is loaded on this machine. To use it: STEERSMAN_MODEL=ollama:qwen3:8b")
