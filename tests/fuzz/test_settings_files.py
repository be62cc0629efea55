"""The user's settings, damaged: they are taken, or refused in a sentence that names the file and shows no key."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from steersman.session.home import Home
from steersman.session.settings import MODES, SettingsError, load_settings
from support.cases import cases
from support.mutations import byte_changes, change_bytes

KEY = "sk-canary-0123456789abcdef"
VALID = (
    f'model = "openai-chat:m"\nbase_url = "http://127.0.0.1:1/v1"\napi_key = "{KEY}"\nmode = "ask"\nmax_turns = 5\n',
    'thinking = "low"\nimages = true\ncontext_window = 32000\nallow_commands = ["ls", "pytest *"]\ndeny = ["*.pem"]\n',
    f'[providers.mine]\napi = "openai-chat"\nbase_url = "http://127.0.0.1:1/v1"\napi_key = "{KEY}"\n'
    f'headers = {{ x-team = "{KEY}" }}\n[[providers.mine.models]]\nname = "m*"\nwindow = 32000\n',
)
TOKENS = (
    *(
        b"[providers.groq]\n",
        b"[[providers.mine.models]]\n",
        b"[",
        b"]",
        b"{",
        b"}",
        b"=",
        b'"""',
        b"'''",
        b"#",
        b"nan",
    ),
    *(
        b"a = 2020-13-45\n",
        b"a = 1979-05-27T07:32:00Z\n",
        b"inf",
        b"1_000",
        b"0x",
        b"9" * 5000,
        b"a.b.c = 1\n",
    ),
    *(
        b"mode = 5\n",
        b'"" = 1\n',
        b"max_turns = 0\n",
        b"max_turns = true\n",
        b"deny = 5\n",
        b"[" * 3000,
        b"\\u0000",
    ),
    *(
        b"a = " + b"[" * 3000,
        b"x = " + b"{a=" * 500,
        b'base_url = "http://[::1"\n',
        b'base_url = "file:///etc"\n',
    ),
    *(b"\\ud800", b"key_command = []\n", b"max_turns = " + b"9" * 5000 + b"\n"),
)


@cases(120)
@given(st.lists(st.sampled_from(VALID), max_size=3).map("".join), byte_changes(TOKENS))
def test_any_file_of_settings_is_taken_or_refused_in_words(tmp_path: Path, text, changes):
    home = Home(tmp_path)
    data = change_bytes(text.encode(), changes)
    home.config.write_bytes(data)
    home.config.chmod(0o600)
    try:
        settings = load_settings(home, {})
    except SettingsError as error:
        assert str(home.config) in str(error)
        assert not is_key(data) or KEY not in str(error)
        assert len(str(error)) < 2000
        return
    assert settings.mode in MODES
    assert all(
        isinstance(rule, str) for rule in (*settings.allow_commands, *settings.deny, *settings.protect)
    )
    assert not is_key(data) or KEY not in repr(settings)


def is_key(data: bytes) -> bool:
    """Whether the key still stands where keys do, and nowhere else, nor in a text of several lines."""
    named = data.count(b'api_key = "%b"' % KEY.encode()) + data.count(b'x-team = "%b"' % KEY.encode())
    return data.count(KEY.encode()) == named and not any(quotes in data for quotes in (b'"""', b"'''"))
