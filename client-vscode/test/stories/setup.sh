#!/usr/bin/env bash
# A real VS Code for the stories: code-server, the Node that it needs, and Chromium where there is none.
# usage: setup.sh DIR. What is there already is left; a broken attempt is made anew.
set -euo pipefail
dir="$1"
code_server=4.139.1 # Code 1.139.1
node_version=24.21.0
done_mark="$dir/.ready-$code_server-$node_version"

if ! command -v chromium >/dev/null && [ -z "${CHROMIUM:-}" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "The stories need Chromium: install it, or name one in CHROMIUM." >&2
        exit 1
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
[ -e "$done_mark" ] && exit 0

rm -rf "$dir/node" "$dir/code-server"
mkdir -p "$dir/node" "$dir/code-server"
# Its install script fetches the program itself, so scripts run here, and only here.
(cd "$dir/node" && npm init -y >/dev/null && npm install -E --no-audit --no-fund --loglevel=error "node@$node_version")
export PATH="$dir/node/node_modules/node/bin:$PATH"
[ "$(node -p process.versions.node)" = "$node_version" ]
(cd "$dir/code-server" && npm init -y >/dev/null &&
    npm install -E --ignore-scripts --no-audit --no-fund --loglevel=error "code-server@$code_server")
cd "$dir/code-server/node_modules/code-server/lib/vscode"
npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
(cd extensions && npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh
# The headers that come with that Node, so that nothing is fetched to build with.
header="$(find "$dir/node" -path '*/include/node/node_api.h' -print -quit)"
export npm_config_nodedir="${header%/include/node/node_api.h}"
# The two native modules without which there are no log files and no end of orphaned hosts.
npm rebuild @vscode/spdlog @vscode/native-watchdog --loglevel=error
touch "$done_mark"
