# Two commands: `make demo` and `make test`.  Both set up their own environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export LINKWORK_CACHE ?= $(CURDIR)/.venv/kernels

.PHONY: demo test test-slow docs bench lint clean

$(VENV)/run.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/test.stamp: $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

$(VENV)/docs.stamp: $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

demo: $(VENV)/run.stamp
	mkdir -p out
	$(BIN)/linkwork run four-bar --rtol 1e-8 --out out/four-bar.h5 --plot out/four-bar.png
	$(BIN)/linkwork view out/four-bar.h5 --out out/four-bar.html --no-open

test: $(VENV)/test.stamp lint
	$(BIN)/python tests/warm.py
	$(BIN)/python -m pytest -n 2

test-slow: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 -m slow

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(VENV)/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "the documentation is in out/docs/index.html"

bench: $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[bench]"
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.vehicle

clean:
	rm -rf $(VENV) out build
