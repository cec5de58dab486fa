# Two commands: `make demo` and `make test`.  Both set up their own environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
export LINKWORK_CACHE ?= $(CURDIR)/.venv/kernels

.PHONY: demo test test-slow test-versions lint format docs native wheel wheel-test wheel-suite bench clean

$(VENV)/run.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e ".[jit]"
	touch $@

# All that developers need: lint, types, tests, documentation.
$(VENV)/test.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e ".[jit,test,docs]"
	touch $(VENV)/run.stamp $@

# Compiles what a four-bar needs (33 s of one core); all kernels (a minute, shared by the cores) where that is no slower.
MANY_CORES := $(shell [ "$$(nproc 2> /dev/null || echo 1)" -ge 4 ] && command -v gcc)
demo: $(VENV)/run.stamp $(if $(MANY_CORES),native)
	mkdir -p out
	$(BIN)/linkwork run four-bar --rtol 1e-8 --out out/four-bar.h5 --plot out/four-bar.png
	$(BIN)/linkwork view out/four-bar.h5 --out out/four-bar.html --no-open

# What lands on main has passed this: lint and types, documentation, the wheel in a clean environment, all tests.  They use
# the native library that the wheel has; those marked `jit` compile kernels of their own, or compare with Numba.
test: $(VENV)/test.stamp
	$(MAKE) --jobs 2 --output-sync lint docs wheel-test
	$(BIN)/python -m pytest -n 2

test-slow: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 -m slow

# Once a week: a short set of tests with the oldest dependencies that pyproject.toml admits, and with the newest.
test-versions: $(VENV)/test.stamp
	$(BIN)/python tests/versions.py out/versions

lint: $(VENV)/test.stamp
	mkdir -p out
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports > out/imports.txt || (cat out/imports.txt; exit 1)

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/test.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "the documentation is in out/docs/index.html"

# All kernels, compiled ahead of time into src/linkwork/compiler/native/built (a minute, shared by the cores): runs then start
# in half a second.  An edited kernel is compiled by Numba until this is done again.
native: $(VENV)/run.stamp
	$(BIN)/python -m linkwork.compiler.build

wheel: native
	rm -rf out/wheel build
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir out/wheel .
	@ls -l out/wheel
	@[ $$(stat -c %s out/wheel/*.whl) -lt 3000000 ] || (echo "the wheel is larger than 3 MB"; exit 1)

# The wheel alone, outside of the source tree and without Numba: what a user installs.
wheel-test: wheel
	$(PYTHON) -m venv --clear out/wheel/venv
	out/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check out/wheel/*.whl
	! out/wheel/venv/bin/python -c "import numba" 2> /dev/null
	cd out/wheel && venv/bin/linkwork run pendulum --until 1 --plot pendulum.png --page pendulum.html

# All tests with the wheel, but for those that need Numba.
wheel-suite: wheel
	$(PYTHON) -m venv --clear out/wheel/suite
	out/wheel/suite/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls out/wheel/*.whl)[test]"
	out/wheel/suite/bin/python -m pytest -n 2

bench: export OPENBLAS_NUM_THREADS = 1
bench: $(VENV)/test.stamp
	$(PIP) -e ".[bench]"
	$(BIN)/python -m benchmarks --store
	$(BIN)/python -m benchmarks.whole_call --store
	$(BIN)/python docs/benchmarks.py
	for part in calls in_plane local_loops real_time study gradients threads; do $(BIN)/python -m benchmarks.$$part || exit 1; done

clean:
	rm -rf $(VENV) out build src/linkwork/compiler/native/built
