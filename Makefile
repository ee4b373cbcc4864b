# SPDX-License-Identifier: Apache-2.0 OR MIT
# Thin: each target is a tool's call. `make help` lists them.

PYTHON ?= /usr/bin/python3
# Further arguments for pytest, as in: make test TESTS='tests/house -x'
TESTS ?=
# Further arguments for the kernel matrix: make test-kernels KERNELS='--row 7.3-amd64'
KERNELS ?=
# A directory of checklists for `make checklist`.
STOCKADE_DATA ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input
QUIET := .ci/quiet
# The compiler of `make cross`, 440 MB of it: no other target needs it.
ZIG := build/zig
CARGO := cargo
export CARGO_TARGET_DIR := $(CURDIR)/build/cargo

CRATE := compiler/verifier-rs
SOURCES := pyproject.toml $(wildcard compiler/build/*.py) \
	$(shell find launcher-c $(CRATE) templates -type f -not -path '*/target/*') \
	$(wildcard compiler/stockade/artifact/*.py compiler/stockade/abi/*.py \
		compiler/stockade/render/*.py)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 21

.PHONY: build
build: packages-build $(VENV)/.built ## make .venv with stockade in it, and build/stockade-launch

.PHONY: demo
demo: packages-demo build ## compile an example, run a program confined, show a refused read
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh docs/examples/demo.sh

.PHONY: test
test: packages-test build $(VENV)/.test ## run every test
	@$(QUIET) 'unit tests of the verifier' $(CARGO) test --quiet \
		--manifest-path $(CRATE)/Cargo.toml --locked --offline
	$(BIN)/python -m pytest -q $(TESTS)

.PHONY: test-long
test-long: packages-test build $(VENV)/.test ## run the tests that take minutes, and only those
	$(BIN)/python -m pytest -q --long $(TESTS)

.PHONY: lint
lint: packages-lint build $(VENV)/.lint ## check style, types, import direction and C
	@BIN=$(BIN) CARGO=$(CARGO) PYTHON=$(BIN)/python .ci/lint

.PHONY: format
format: packages-lint build $(VENV)/.lint ## lay out all sources as `make lint` wants them
	$(BIN)/ruff check --quiet --fix-only .
	$(BIN)/ruff format --quiet .
	find launcher-c tests -name '*.[ch]' -exec $(BIN)/clang-format -i {} +
	$(CARGO) fmt --manifest-path $(CRATE)/Cargo.toml

.PHONY: bench
bench: packages-build build ## measure launch cost, filters beside libseccomp, compile time
	$(BIN)/python tests/bench/run_bench.py
	$(BIN)/python tests/bench/run_filters.py

.PHONY: fuzz
fuzz: packages-build build $(VENV)/.test ## run the long property runs, bounded
	@set -e; for file in tests/fuzz/fuzz_*.py; do \
		echo "$$file"; $(BIN)/python "$$file"; done

.PHONY: kernels
kernels: packages-kernels build $(VENV)/.test ## boot the small kernel matrix in QEMU
	$(BIN)/python tests/kernels/run_matrix.py --small

.PHONY: test-kernels
test-kernels: packages-kernels build $(VENV)/.test ## boot every kernel of the matrix
	$(BIN)/python tests/kernels/run_matrix.py $(KERNELS)

.PHONY: test-kernels-broken
test-kernels-broken: packages-kernels build $(VENV)/.test ## see that broken artifacts fail where they must
	$(BIN)/python tests/kernels/run_breaks.py $(KERNELS)

.PHONY: cross
cross: packages-cross build $(ZIG)/.made ## build the launcher for six systems, by a compiler of its own
	@$(MAKE) --no-print-directory -C launcher-c -f cross.mk cross BUILD=$(CURDIR)/build \
		ZIG=$(CURDIR)/$(ZIG)/venv/bin/python-zig

# The tests that know how to rewrite what they compare with.
BLESSED = $(shell grep -rlw bless tests --include='test_*.py')

.PHONY: bless
bless: build $(VENV)/.test ## rewrite expected files from what the code does now
	@if [ -n "$$CI" ]; then \
		echo 'bless: refused where CI is set; bless by hand and review the diff'; \
		exit 1; fi
	$(BIN)/python -m pytest -q --bless $(or $(TESTS),$(BLESSED))

.PHONY: checklist
checklist: ## compare the identifiers tests name with a directory of checklists
	@$(PYTHON) compiler/build/checklist.py $(STOCKADE_DATA)

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build $(VENV) compiler/stockade/_bin compiler/*.egg-info
	rm -f compiler/stockade/_bpfverify*.so
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

.PHONY: packages-build packages-demo packages-test packages-lint packages-kernels \
	packages-cross
packages-build:
	@.ci/packages build
packages-demo:
	@.ci/packages build test
packages-test: packages-demo
	@.ci/packages programs
packages-lint:
	@.ci/packages build lint
packages-kernels:
	@.ci/packages build kernels
packages-cross:
	@.ci/packages wine

# The stamps lie in .venv, so that they go with it. None of them names the package
# check as what it needs: a phony one would make every build anew.
$(VENV)/.made: pyproject.toml .ci/requirements.py
	@rm -rf $(VENV)
	@$(QUIET) 'virtual environment' $(PYTHON) -m venv $(VENV)
	@$(PYTHON) .ci/requirements.py run >$(VENV)/run.txt
	@$(QUIET) 'build and run-time packages' $(PIP) install -r $(VENV)/run.txt
	@touch $@

$(VENV)/.built: $(VENV)/.made $(SOURCES)
	@$(QUIET) 'launcher, verifier and package' $(PIP) install --no-build-isolation \
		--no-deps --editable .
	@$(PYTHON) .ci/isolate $(BIN)/stockade
	@touch $@

$(VENV)/.test: $(VENV)/.made
	@$(PYTHON) .ci/requirements.py test >$(VENV)/test.txt
	@$(QUIET) 'test packages' $(PIP) install -r $(VENV)/test.txt
	@touch $@

$(VENV)/.lint: $(VENV)/.made $(VENV)/.test
	@$(PYTHON) .ci/requirements.py lint >$(VENV)/lint.txt
	@$(QUIET) 'lint packages' $(PIP) install -r $(VENV)/lint.txt
	@touch $@

$(ZIG)/.made: .ci/zig.txt
	@rm -rf $(ZIG)
	@$(QUIET) 'virtual environment of zig' $(PYTHON) -m venv $(ZIG)/venv
	@$(QUIET) 'zig, 100 MB' $(ZIG)/venv/bin/python -m pip --quiet --no-input \
		--disable-pip-version-check install --require-hashes --no-deps -r $<
	@touch $@
