# `make train` and `make test` need Python 3.11 or newer and nothing else: they build their own environment in $(VENV).
PYTHON ?= python3
VENV ?= .venv
PIP_INSTALL = $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

TRAIN_READY = $(VENV)/.ready-train
TEST_READY = $(VENV)/.ready-test

.PHONY: help train test lint types bench clean

help:
	@echo "make train   five minutes of Hangzhou training on the CPU, then an evaluation and its plot"
	@echo "make test    the test suite"
	@echo "make lint    ruff, style and format"
	@echo "make types   mypy, strict"
	@echo "make bench   decisions per second of every environment"
	@echo "make clean   remove the environment, caches and build outputs"

train: $(TRAIN_READY)
	$(VENV)/bin/mjenv train hangzhou --minutes 5 --out runs/hangzhou
	@echo "Learning curve:" && ls -1 "$(CURDIR)"/runs/hangzhou/*.png

test: $(TEST_READY)
	$(VENV)/bin/python -m pytest -n 2 --dist loadfile --benchmark-disable

lint: $(TEST_READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(TEST_READY)
	$(VENV)/bin/mypy

bench: $(TRAIN_READY)
	$(VENV)/bin/mjenv bench

clean:
	rm -rf "$(VENV)" build dist .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find mjenv agents experiments tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "mjenv needs Python 3.11 or newer, and '$(PYTHON)' is not. Name another: make PYTHON=python3.12 ..." >&2; \
		exit 1; }
	$(PYTHON) -m venv "$(VENV)"

$(TRAIN_READY): pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(PIP_INSTALL) --editable ".[torch]"
	@touch $@

# Everything that training needs is in here too.
$(TEST_READY): pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(PIP_INSTALL) --editable ".[torch,dev]"
	@touch $@ $(TRAIN_READY)
