#!/usr/bin/env bash
# What the stories of real editors need: Neovim and a terminal in Python's packages, Emacs in the system's; tmux, too, for
# `make captures`.
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
has_tmux() { command -v tmux >/dev/null; }

missing=()
has_emacs || missing+=(emacs-nox elpa-eglot elpa-lsp-mode)
has_tmux || missing+=(tmux)
if [ "${#missing[@]}" != 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Setting up ${missing[*]} …"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get -qq update && apt-get -qq install --no-install-recommends "${missing[@]}"; } >/dev/null ||
        echo "These packages could not be installed."
fi
has_emacs || echo "Left out, for want of Emacs with eglot and lsp-mode (Debian's elpa-eglot, elpa-lsp-mode): the stories of Emacs."
has_tmux || echo "Without tmux the stories run, but make captures does not."
