# Two commands are all a newcomer needs: `make demo` and `make test`. Each sets itself up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
EDITORS_READY := $(VENV)/.editors-ready
MODEL := $(VENV)/real-model
MODEL_READY := $(VENV)/.model-ready

.PHONY: demo test coverage test-client test-vscode test-editors test-model captures matrix failures bench bench-vscode vsix lint-client test-crash jitter fuzz load soak lint clean setup

demo: $(READY)
	@$(BIN)/steersman demo --yes

test: $(READY)
	@$(BIN)/python -m pytest -n auto
	@$(call with-node,test-client,the tests of the VS Code extension)

# Only the VS Code extension needs Node; everything else works without it.
with-node = if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(1); \
    else echo "Left out, for want of Node 20 or newer: $(2)."; fi
CLIENT := client-vscode
CLIENT_READY := $(CLIENT)/node_modules/.ready

test-client: $(CLIENT_READY)
	@cd $(CLIENT) && npm test --silent

$(CLIENT_READY): $(CLIENT)/package-lock.json
	@echo "Setting up $(CLIENT) …"
	@cd $(CLIENT) && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.ready

# The extension in a real VS Code, used as a person would: minutes, and 1 GB the first time. STORY= picks by name.
test-vscode: $(READY) $(CLIENT_READY) vsix
	@$(CLIENT)/test/stories/setup.sh $(abspath $(CLIENT))/.vscode-test
	@cd $(CLIENT) && npm run --silent stories -- $(if $(STORY),-t "$(STORY)")

# Real Neovim and Emacs in a terminal, with the configurations of docs/editors: a minute or two. STORY= picks by name.
test-editors: $(EDITORS_READY)
	@$(BIN)/python -m pytest tests/editors -o python_files='*_stories.py' $(if $(STORY),-k "$(STORY)")

# A small real model behind llama.cpp's own server, on this machine: 100 MB the first time, a minute or two. STORY= as above.
test-model: $(MODEL_READY)
	@STEERSMAN_REAL_MODEL=$(abspath $(MODEL)) $(BIN)/python -m pytest tests/real_model -o python_files='*_stories.py' $(if $(STORY),-k "$(STORY)")

$(MODEL_READY): $(READY) tests/real_model/setup.sh
	@mkdir -p $(MODEL)
	@PYTHON="$(abspath $(BIN))/python" tests/real_model/setup.sh $(MODEL)
	@touch $@

# The same, and keeps the screens in docs/editors/captures, as tmux captures them.
captures: export STEERSMAN_CAPTURES = $(abspath docs/editors/captures)
captures: test-editors

# A fake of every known editor through whole runs; writes the table in docs/editors/matrix.md.
matrix: $(READY)
	@STEERSMAN_MATRIX=$(abspath docs/editors/matrix.md) $(BIN)/python -m pytest -q tests/lsp/test_quirk_matrix.py
	@cat docs/editors/matrix.md

# Writes the tables of docs/failures.md from the kinds, shapes and injected failures that the tests know.
failures: $(READY)
	@STEERSMAN_FAILURES=$(abspath docs/failures.md) $(BIN)/python -m pytest -q tests/models/test_injected_failures.py -k table

$(EDITORS_READY): $(READY) tests/editors/setup.sh
	@tests/editors/setup.sh $(VENV)
	@touch $@

# Figures of the extension's chat, not a gate.
bench-vscode: $(READY) $(CLIENT_READY) vsix
	@$(CLIENT)/test/stories/setup.sh $(abspath $(CLIENT))/.vscode-test
	@cd $(CLIENT) && npm run --silent bench

# The extension with the server's wheel in it: dist/steersman-VERSION.vsix.
vsix: $(READY) $(CLIENT_READY)
	@rm -rf $(CLIENT)/bundled $(CLIENT)/dist && mkdir -p $(CLIENT)/bundled dist
	@if command -v uv >/dev/null 2>&1; then uv build --quiet --wheel --out-dir $(CLIENT)/bundled .; \
	else $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(CLIENT)/bundled .; fi
	@rm -f $(CLIENT)/bundled/.gitignore
	@cd $(CLIENT) && node esbuild.mjs --production
	@cd $(CLIENT) && node scripts/package.mjs "$$(../$(BIN)/steersman --version)"

# Figures, not a gate: minutes, and a machine with nothing else to do. `make load ONLY=sessions` is one of them.
load: $(READY)
	@$(BIN)/python -m pytest tests/load -o python_files='load_*.py' -k "$(ONLY)"

# One server, kept busy for half an hour: what it holds must not grow. `make soak MINUTES=5` is shorter.
MINUTES ?= 30

soak: $(READY)
	@STEERSMAN_SOAK=$(MINUTES) $(BIN)/python -m pytest tests/soak -o python_files='soak_*.py'

# Compares with a peer and with the least possible cost; writes docs/benchmarks.md. Five minutes, and a machine with nothing
# else to do. `make bench ONLY=turns` is a part of it; PEER= names the folder of the peer.
bench: $(READY)
	@cd tests && $(if $(PEER),STEERSMAN_PEER="$(abspath $(PEER))") $(abspath $(BIN))/python -m benchmarks --only "$(ONLY)"

# The tests with branch coverage: twice as long as `make test`. It fails if a package of COVERED is below LEAST percent;
# docs/coverage.md says why the rest is not reached. `make coverage TESTS=tests/agent` is a part of it.
COVERED := agent session workspace
LEAST := 95

coverage: $(READY)
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -n auto $(TESTS); ran=$$?; \
	$(BIN)/coverage combine --quiet; \
	$(BIN)/coverage report --skip-covered; \
	for package in $(COVERED); do echo; \
	    $(BIN)/coverage report --show-missing --skip-covered --include="server/steersman/$$package/*" --fail-under=$(LEAST) \
	        || ran=1; \
	done; exit $$ran

# Random sequences of user actions at awkward clients: make test-long SEQUENCES=20000 SEED=1
SEQUENCES ?= 20000
SEED ?= 1

test-long: $(READY)
	@STEERSMAN_SEQUENCES=$(SEQUENCES) STEERSMAN_SEED=$(SEED) $(BIN)/python -m pytest -s tests/lsp/test_awkward_clients.py

# A session killed, or its disk full, at every single write of a long story, and every other fault of docs/reliability.md;
# prints the counts. Minutes. `make test` has a sample.
test-crash: $(READY)
	@STEERSMAN_CRASH=1 $(BIN)/python -m pytest -s tests/crash tests/faults

# The tests on pipes and threads that are late by random milliseconds: finds what holds only while the machine is quick.
# make jitter SEED=2 ONLY=lsp
jitter: $(READY)
	@STEERSMAN_JITTER=$(SEED) $(BIN)/python -m pytest -n auto -k "$(ONLY)"

# Hostile input, CASES examples of each property, a property on each core: make fuzz CASES=200000 ONLY=framing. `make test` has
# a sample.
CASES ?= 200000

fuzz: $(READY)
	@STEERSMAN_CASES=$(CASES) $(BIN)/python -m pytest -n auto --maxschedchunk 1 -m fuzz -k "$(ONLY)"

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(call with-node,lint-client,the checks of the VS Code extension)

lint-client: $(CLIENT_READY)
	@cd $(CLIENT) && npm run --silent check

setup: $(READY)

# uv where it is installed (seconds), else the standard library's venv and pip.
$(READY): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found. Steersman needs Python 3.11 or newer: make PYTHON=python3.12"; exit 1; }
	@echo "Setting up $(VENV) …"
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"Steersman needs Python 3.11 or newer; {sys.executable} is {v.major}.{v.minor}. Name another: make PYTHON=python3.12")'
	@if command -v uv >/dev/null 2>&1; then \
	    uv venv --quiet --allow-existing --python "$$(command -v $(PYTHON))" $(VENV) && \
	    uv pip install --quiet --python $(BIN)/python -e '.[dev]'; \
	else \
	    $(PYTHON) -m venv $(VENV) && \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'; \
	fi
	@touch $(READY)

clean:
	rm -rf $(VENV) dist .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
