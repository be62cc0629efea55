"""The doctor: what it finds, what it calls a problem, and that it gives no key away."""

import asyncio
import json
import os
import socket
from pathlib import Path

import pytest

from steersman.session.doctor import examine, is_usable
from steersman.session.home import Home
from steersman.session.log import SessionLog
from steersman.session.machine import Finding, log_summary, programs, who_may_enter
from support.model_server import raw_server, read_request

KEY = "plain-looking-canary-0123456789"


@pytest.fixture
def home(tmp_path) -> Home:
    root = tmp_path / "home"
    root.mkdir(mode=0o700)
    return Home(root)


async def found(home: Home, can_ask: bool = True, **environ: str) -> dict[str, Finding]:
    """The findings by name; of several with one name the gravest."""
    variables = {f"STEERSMAN_{name.upper()}": value for name, value in environ.items()}
    findings = await examine(home, {"PATH": os.environ["PATH"], **variables}, can_ask=can_ask, seconds=5.0)
    assert KEY not in repr(findings)
    order = ("ok", "warning", "problem")
    by_name = {finding.name: finding for finding in sorted(findings, key=lambda it: order.index(it.level))}
    assert is_usable(findings) == all(finding.level != "problem" for finding in by_name.values())
    return by_name


def answering(status: int, body: object):
    async def answer(reader, writer):
        content = json.dumps(body).encode()
        writer.write(b"HTTP/1.1 %d x\r\ncontent-length: %d\r\n\r\n" % (status, len(content)) + content)
        await writer.drain()

    return answer


async def test_nothing_configured_is_a_problem_that_says_what_to_set(home):
    it = await found(home)
    assert it["model"].level == "problem"
    assert "STEERSMAN_MODEL" in it["model"].mend
    assert str(home.config) in it["model"].mend
    assert it["server"].level == "ok"


async def test_a_server_that_offers_the_model_is_all_that_a_run_needs(home):
    async with raw_server(answering(200, {"data": [{"id": "qwen"}, {"id": "other"}]})) as url:
        it = await found(home, model="openai-chat:qwen", base_url=url, api_key=KEY)
    assert {finding.level for finding in it.values()} == {"ok"}
    assert "offers 2 models" in it["server"].text
    assert it["model"].text.startswith("openai-chat:qwen, from the environment; ")
    assert url in it["base URL"].text


async def test_a_model_that_the_server_does_not_offer_is_a_warning(home):
    async with raw_server(answering(200, {"data": [{"id": "other"}]})) as url:
        it = await found(home, model="openai-chat:qwen", base_url=url)
    assert it["server"].level == "warning"
    assert "qwen is not among them" in it["server"].text


async def test_a_refused_key_is_a_problem(home):
    async with raw_server(answering(401, {"error": {"message": f"{KEY} is not valid"}})) as url:
        it = await found(home, model="openai-chat:qwen", base_url=url, api_key=KEY)
        assert (it["server"].level, it["server"].mend) == (
            "problem",
            "Check the API key: it comes from STEERSMAN_API_KEY.",
        )
    async with raw_server(answering(401, {"error": {"message": "who are you?"}})) as url:
        it = await found(home, model="openai-chat:qwen", base_url=url)
    assert it["server"].level == "problem"
    assert "STEERSMAN_API_KEY" in it["server"].mend


async def test_a_server_without_https_is_a_problem_that_names_http(home):
    async def plainly(_, writer):
        writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(plainly, "127.0.0.1", 0) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        it = await found(home, model="openai-chat:qwen", base_url=url)
    assert it["server"].level == "problem"
    assert "does not answer with TLS" in it["server"].text
    assert "write http://" in it["server"].mend


async def test_a_server_that_lists_no_models_may_work_all_the_same(home):
    async with raw_server(answering(404, {"error": "no such path"})) as url:
        it = await found(home, model="openai-chat:qwen", base_url=url)
    assert it["server"].level == "warning"


async def test_a_server_that_is_not_there_is_a_problem_told_in_words(home):
    async with raw_server(answering(200, {})) as url:
        pass
    it = await found(home, model="openai-chat:qwen", base_url=url)
    assert it["server"].level == "problem"
    assert it["server"].text.count("Connection refused") == 1
    assert "Start the server" in it["server"].mend


async def test_a_key_from_another_source_than_the_base_url_is_not_sent_and_that_is_said(home):
    heads = []

    async def serve(reader, writer):
        heads.append((await read_request(reader))[0])
        await answering(200, {"data": [{"id": "m"}]})(reader, writer)
        writer.close()

    home.config.write_text(f'api_key = "{KEY}"\n')
    home.config.chmod(0o600)
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        it = await found(home, model="openai-chat:m", base_url=url)
    assert heads
    assert KEY.encode() not in b"".join(heads)
    assert (it["key"].level, it["server"].level) == ("warning", "ok")
    assert "is not sent" in it["key"].text


async def test_credentials_in_the_base_url_are_not_shown(home):
    it = await found(home, model="openai-chat:m", base_url=f"http://ada:{KEY}@127.0.0.1:1/v1?key={KEY}")
    assert it["base URL"].text == "http://127.0.0.1:1/v1, from the environment"


async def test_a_setting_that_can_not_be_used_is_one_problem_and_the_rest_is_looked_at(home):
    home.config.write_text("modle = 'x'\n")
    it = await found(home)
    assert it["settings"].level == "problem"
    assert "modle" in it["settings"].text
    assert "home" in it and "model" not in it


@pytest.mark.parametrize("model", ["nonsense", "no-such:x", "azure:x", "tape:/no/such/tape.jsonl"])
async def test_a_model_that_can_not_be_used_is_a_problem(home, model):
    assert (await found(home, model=model))["model"].level == "problem"


async def test_a_tape_needs_no_server(home, tmp_path):
    tape = tmp_path / "t.jsonl"
    tape.write_text('{"tape": 1, "name": "t"}\n{"text": "hello"}\n')
    it = await found(home, model=f"tape:{tape}")
    assert (it["model"].level, it["server"].level) == ("ok", "ok")
    assert "tape" in it["server"].text


async def test_a_home_that_others_may_enter_and_a_config_that_they_may_read_are_warnings(home):
    home.config.write_text(f'api_key = "{KEY}"\n')
    home.config.chmod(0o644)
    home.root.chmod(0o755)
    it = await found(home)
    assert it["home"].mend == f"chmod 700 {home.root}"
    assert it["key"].mend == f"chmod 600 {home.config}"


async def test_a_home_that_is_not_there_yet_is_made_by_a_run_and_not_by_the_doctor(tmp_path):
    it = await found(Home(tmp_path / "deep" / "home"))
    assert it["home"].level == "ok"
    assert not (tmp_path / "deep").exists()


async def test_a_home_that_can_not_be_made_is_a_problem(tmp_path):
    (tmp_path / "file").write_text("")
    it = await found(Home(tmp_path / "file" / "home"))
    assert it["home"].level == "problem"


async def test_where_nobody_can_be_asked_that_is_said(home):
    assert (await found(home, can_ask=False))["terminal"].level == "warning"
    assert (await found(home, can_ask=False, mode="full-auto"))["terminal"].level == "ok"
    assert (await found(home, can_ask=True))["terminal"].level == "ok"


async def test_the_state_of_the_session_logs_is_told_and_left_as_it_is(home):
    home.sessions.mkdir()
    whole, torn, garbled = (home.sessions / f"ses_{name}.jsonl" for name in ("whole", "torn", "garbled"))
    whole.write_bytes(b'{"seq":1,"type":"session"}\n')
    torn.write_bytes(b'{"seq":1,"type":"session"}\n{"seq":2,"ty')
    garbled.write_bytes(b'{"seq":1,"type":"session"}\n\0\0\0\0\n')
    (home.sessions / "ses_empty.jsonl").touch()
    held = SessionLog.create(home.sessions / "ses_held.jsonl")
    held.append(b'{"seq":1,"type":"session"}')
    before = {path: path.read_bytes() for path in home.sessions.iterdir()}
    try:
        summary = log_summary(home.sessions)
        it = await found(home)
    finally:
        await held.close()
    assert (summary.count, summary.torn, summary.locked, summary.unreadable) == (5, 2, 1, 0)
    assert summary.size == sum(map(len, before.values()))
    assert it["sessions"].level == "warning"
    assert "5 logs" in it["sessions"].text
    assert {path: path.read_bytes() for path in home.sessions.iterdir()} == before
    SessionLog.open(whole)  # no lock was left behind


def test_a_long_last_record_is_not_taken_for_a_torn_one(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "' + b"x" * 200_000 + b'"}\n')
    (tmp_path / "b.jsonl").write_bytes(b'{"text": "' + b"x" * 200_000)
    assert log_summary(tmp_path).torn == 1


def test_without_bash_git_and_ripgrep_it_is_said_what_does_not_work(tmp_path):
    named = {finding.name: finding for finding in programs({"PATH": str(tmp_path)})}
    assert (named["bash"].level, named["git"].level) == ("warning", "warning")
    (tmp_path / "sh").write_text("")
    (tmp_path / "sh").chmod(0o700)
    named = {finding.name: finding for finding in programs({"PATH": str(tmp_path)})}
    assert str(tmp_path / "sh") in named["bash"].text


@pytest.mark.parametrize(("mode", "who"), [(0o700, None), (0o750, "its group"), (0o701, "everybody")])
def test_who_may_enter_is_said_in_words(tmp_path, mode, who):
    tmp_path.chmod(mode)
    assert who_may_enter(tmp_path) == who
    assert who_may_enter(Path(tmp_path / "none")) is None


def with_table(home: Home, name: str, *lines: str, mode: int = 0o600) -> Home:
    home.config.write_text("\n".join([f'model = "{name}:m"', f"[providers.{name}]", *lines]))
    home.config.chmod(mode)
    return home


async def test_a_provider_its_host_and_the_source_of_its_key_are_told(home):
    async with raw_server(answering(200, {"data": [{"id": "m"}]})) as url:
        with_table(home, "work", 'api = "openai-chat"', f'base_url = "{url}"', f'api_key = "{KEY}"')
        it = await found(home)
    assert {finding.level for finding in it.values()} == {"ok"}
    assert it["model"].text == f"work:m, from {home.config}; work, by openai-chat"
    assert it["base URL"].text == f"{url}, from [providers.work] of {home.config}"
    assert it["key"].text == f"there is one, from api_key in [providers.work] of {home.config}"


async def test_a_missing_key_is_a_problem_with_the_variable_and_the_page_to_get_one(home):
    it = await found(home, model="mistral:m")
    assert it["key"].level == "problem"
    assert "set MISTRAL_API_KEY (a key is made at https://console.mistral.ai/api-keys)" in it["key"].text
    assert (it["model"].level, it["server"].text) == ("ok", "was not asked: there is no key")


async def test_a_key_in_a_file_that_others_may_read_is_not_used_and_the_mend_is_one_command(home):
    with_table(home, "mistral", f'api_key = "{KEY}"', mode=0o644)
    it = await found(home)
    assert it["key"].level == "problem"
    findings = await examine(home, {"PATH": os.environ["PATH"]}, can_ask=True, seconds=5.0)
    assert next(each.mend for each in findings if each.name == "key") == f"chmod 600 {home.config}"
    home.config.chmod(0o600)
    assert "api_key in [providers.mistral]" in (await found(home))["key"].text


async def test_a_command_for_a_key_is_run_as_a_run_would_and_its_output_is_not_told(home):
    async with raw_server(answering(200, {"data": [{"id": "m"}]})) as url:
        lines = ('api = "openai-chat"', f'base_url = "{url}"')
        it = await found(with_table(home, "work", *lines, f'key_command = "echo {KEY}"'))
        assert it["key"].text == f"there is one, printed by key_command in [providers.work] of {home.config}"
        failing = f"key_command = ['sh', '-c', 'echo {KEY}; exit 2']"
        it = await found(with_table(home, "work", *lines, failing))
    assert it["key"].level == "problem"
    assert "failed (exit status 2)" in it["key"].text


async def test_a_provider_without_a_base_url_says_where_to_set_it(home):
    it = await found(home, model="azure:gpt")
    assert f"set base_url in [providers.azure] of {home.config}" in it["model"].text


async def test_without_a_model_the_providers_whose_keys_are_there_are_named(home):
    findings = await examine(
        home, {"PATH": os.environ["PATH"], "GROQ_API_KEY": KEY}, can_ask=True, seconds=5.0
    )
    (model,) = [each for each in findings if each.name == "model"]
    assert "Set STEERSMAN_MODEL to groq:NAME (GROQ_API_KEY is set)." in model.mend
    assert KEY not in repr(findings)


@pytest.mark.parametrize(
    ("end", "torn"),
    [(b'{"seq":2,"type":"no', 1), (b"[1]\n", 1), (b"one\ntwo\n", 0)],
    ids=["cut off", "no record", "damaged"],
)
async def test_only_an_end_that_opening_cuts_off_is_called_unfinished(tmp_path, end, torn):
    path = tmp_path / "ses_1.jsonl"
    log = SessionLog.create(path)
    log.append(b'{"seq":1,"type":"session"}')
    await log.close()
    path.write_bytes(path.read_bytes() + end)
    size = path.stat().st_size
    assert log_summary(tmp_path).torn == torn
    again, tail = SessionLog.open(path)
    again.cut_off(tail)
    await again.close()
    assert (path.stat().st_size < size) == bool(torn)


async def test_a_key_without_a_model_is_told_of_by_its_source(home):
    it = await found(home, api_key=KEY)
    assert it["key"].text == "there is one, from STEERSMAN_API_KEY"


async def test_what_to_do_about_a_server_of_the_users_own_file(home):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        home.config.write_text(f'[providers.ollama]\nbase_url = "{url}"')
        it = await found(home, model="ollama:qwen3")
    assert it["server"].mend.startswith("Start Ollama")
    async with raw_server(answering(401, {"error": {"message": "no key"}})) as url:
        home.config.write_text(f'[providers.box]\napi = "openai-chat"\nbase_url = "{url}"')
        it = await found(home, model="box:m")
    assert it["server"].mend.startswith(
        "It wants a key. Set key_env, api_key or key_command in [providers.box]"
    )


async def test_a_home_that_no_path_can_be_is_a_problem(tmp_path):
    it = await found(Home(tmp_path / ("x" * 300)))
    assert it["settings"].level == it["sessions"].level == "problem"
