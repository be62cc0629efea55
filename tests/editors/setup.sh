#!/usr/bin/env bash
# What the stories of real editors need: Neovim and a terminal in Python's packages, Emacs in the system's.
# Usage: setup.sh VENV
set -euo pipefail
cd "$(dirname "$0")/../.."
venv="$1"

echo "Setting up Neovim …"
if command -v uv >/dev/null 2>&1; then
    uv pip install --quiet --python "$venv/bin/python" -e '.[dev,editors]'
else
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[dev,editors]'
fi

has_emacs() {
    command -v emacs >/dev/null && compgen -G '/usr/share/emacs/site-lisp/elpa/eglot-*' >/dev/null &&
        compgen -G '/usr/share/emacs/site-lisp/elpa/lsp-mode-*' >/dev/null
}
if ! has_emacs && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Setting up Emacs …"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get -qq update && apt-get -qq install --no-install-recommends emacs-nox elpa-eglot elpa-lsp-mode; } >/dev/null ||
        echo "The packages of Emacs could not be installed."
fi
has_emacs || echo "Left out, for want of Emacs with eglot and lsp-mode (Debian's elpa-eglot, elpa-lsp-mode): the stories of Emacs."
