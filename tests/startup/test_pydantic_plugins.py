"""A program's own models are not shown to plugins of pydantic, which are not even looked for; those of others are."""

import os
import subprocess
import sys

import pytest

PLUGIN = """
seen = []

class Plugin:
    def new_schema_validator(self, schema, schema_type, schema_type_path, *rest):
        seen.append(schema_type_path.name.rpartition(".")[2])
        return None, None, None

plugin = Plugin()
"""


@pytest.fixture
def run(tmp_path):
    """Runs a script where a plugin is installed, and gives what it printed."""
    (tmp_path / "probe.py").write_text(PLUGIN)
    info = tmp_path / "probe-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: probe\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[pydantic]\nprobe = probe:plugin\n")

    def run(script: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", "import sys\n" + script],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


BEGIN = """
from steersman.startup.pydantic_plugins import leave_out_pydantic_plugins
let_in = leave_out_pydantic_plugins()
from pydantic import BaseModel
class Own(BaseModel):
    number: int = 0
assert Own(number="1").number == 1
Own.model_json_schema()
"""


def test_none_is_looked_for(run):
    assert run(BEGIN + "print('importlib.metadata' in sys.modules, 'probe' in sys.modules)") == "False False"


def test_models_that_are_made_when_they_are_let_in_are_seen(run):
    later = "let_in()\nclass Theirs(BaseModel):\n    number: int\nimport probe\nprint(*probe.seen)"
    assert run(BEGIN + later) == "Theirs"


def test_what_has_been_loaded_before_stays(run):
    before = "from pydantic import BaseModel\nclass First(BaseModel):\n    number: int\n"
    assert run(before + BEGIN + "let_in()\nimport probe\nprint(*probe.seen)").startswith("First Own")


def test_whatever_else_of_the_module_is_wanted_is_there(run):
    script = """
from steersman.startup.pydantic_plugins import leave_out_pydantic_plugins
leave_out_pydantic_plugins()
from pydantic.plugin._loader import PYDANTIC_ENTRY_POINT_GROUP
print(PYDANTIC_ENTRY_POINT_GROUP, type(sys.modules["pydantic.plugin._loader"]).__name__)
"""
    assert run(script) == "pydantic module"
