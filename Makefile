# Two commands do everything on a fresh machine: `make league` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup league languages test test-all test-long bench lint proto clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

league: setup
	$(BIN)/arena submit sample_bots/random sample_bots/first-legal sample_bots/high-card sample_bots/tips
	$(BIN)/arena run demo

# The sample bots in other languages: needs Node with npm, and for C++ what sample_bots/cpp-what-if/Makefile says.
languages: setup
	cd sample_bots/node-finesse && npm ci
	$(BIN)/arena submit sample_bots/node-finesse sample_bots/cpp-what-if

test: setup lint
	$(BIN)/python -m pytest -m 'not long' -n 2

# The long tests, and of them those that run for every change: they compute, and start no bots.
test-all: setup
	$(BIN)/python -m pytest -m long -n 2

test-long: setup
	$(BIN)/python -m pytest -m 'long and not exhaustive' -n 2 tests/test_coverage.py tests/test_tips.py tests/test_record.py

bench: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'open-spiel>=1.6,<2' || echo 'OpenSpiel can not be installed here: its lines are left out.'
	$(BIN)/python -m tests.benchmarks

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

proto: setup
	$(BIN)/python -m grpc_tools.protoc -I. --python_out=. --pyi_out=. --grpc_python_out=. protocol/three_five_eight.proto
	for bot in node-finesse cpp-what-if; do cp protocol/three_five_eight.proto sample_bots/$$bot/; done

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
