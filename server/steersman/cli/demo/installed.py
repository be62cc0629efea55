"""Installs an extension beside the server as `pip install --target` would, without network or pip."""

import shutil
import tomllib
from pathlib import Path

from steersman.cli.demo.processes import DATA, DemoFailed

_PLACES = (DATA / "examples", Path(__file__).parents[4] / "examples")
"""Where examples are in an installed Steersman, and in its repository."""


def install(example: str, target: Path) -> str:
    """Installs one of the examples into a folder for PYTHONPATH. Returns the name of its extension.

    Raises:
        DemoFailed: there is no such example.
    """
    source = next((place / example for place in _PLACES if (place / example).is_dir()), None)
    if source is None:
        raise DemoFailed(f"The example {example} is not part of this installation.")
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    shutil.copytree(source / example, target / example, ignore=shutil.ignore_patterns("__pycache__"))
    info = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", "utf-8"
    )
    lines: list[str] = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
    name: str = next(iter(project["entry-points"]["steersman.extensions"]))
    return name
