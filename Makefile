# Each target first builds what it requires; `make help` lists them. Stamp files in build/stamps keep the state.
PROFILE ?= quick
ifeq ($(filter $(PROFILE),smoke quick paper),)
$(error PROFILE=$(PROFILE) is none of smoke, quick, paper)
endif

# The active conda environment, unless it is base; otherwise .venv. maturin fails if variables name both.
ifneq ($(and $(CONDA_PREFIX),$(filter-out base,$(CONDA_DEFAULT_ENV))),)
ENVIRONMENT := $(CONDA_PREFIX)
ENVIRONMENT_MARK := $(CONDA_PREFIX)/conda-meta/history
unexport VIRTUAL_ENV
else
ENVIRONMENT := $(CURDIR)/.venv
ENVIRONMENT_MARK := .venv/pyvenv.cfg
export VIRTUAL_ENV := $(ENVIRONMENT)
unexport CONDA_PREFIX
endif
# The tests start hundreds of interpreters, each of which would compile all modules that it imports.
unexport PYTHONDONTWRITEBYTECODE
BIN := $(ENVIRONMENT)/bin
PYTHON := $(BIN)/python
# With this variable maturin and cargo configure pyo3 for the same Python, so Cargo compiles it only once.
export PYO3_PYTHON := $(PYTHON)
CARGO_FLAGS := --manifest-path native/Cargo.toml --workspace --locked --release --features parsplit/aead

NATIVE_SOURCES := $(shell find native \( -path native/target -o -path native/plugins -o -path native/schedulers \
	-o -path native/benches -o -path native/fuzz -o -path native/parsplit-c \) -prune \
	-o -type f \( -name '*.rs' -o -name '*.toml' -o -name '*.lock' -o -name '*.[ch]' \) -print)

.PHONY: help build announce paper reference test lab bench calibrate lint wheel capi sanitize dudect fuzz fuzz-native fuzz-python fuzz-random sanitize-address clean bin plugins FORCE
.PHONY: check shells bench-smoke test-fast lint-spelling lint-rustfmt test-python test-native compile-test-native test-lab lint-python lint-notebooks lint-types lint-native mutants
.DEFAULT_GOAL := help

help:
	@echo "make build   set up: environment, locked packages, native extension, plugins"
	@echo "make paper   the paper's main comparison on this computer: table, findings and report (PROFILE=smoke|quick|paper)"
	@echo "make reference  measure the repository's records again and redraw its figures and findings: about six hours (HOURS=2.5: a part)"
	@echo "make check   lint, types, spelling and the fast tests: before each commit"
	@echo "make test    all but the browser tests"
	@echo "make lab     JupyterLab on the notebooks"
	@echo "make test-lab  the notebooks in a headless Chromium, if there is one; screenshots of failures in build/lab"
	@echo "make bench   the benchmarks of the lab itself; writes build/bench.json"
	@echo "make lint    style, types and notebooks"
	@echo "make wheel   a wheel for this computer's CPU, in build/wheels"
	@echo "make capi    ParSplit for C: parsplit.h, libparsplit.so and libparsplit.a, in build/parsplit"
	@echo "make calibrate  simulate coverage and power of the statistics; writes the tables of docs/METHODOLOGY.md"
	@echo "make sanitize  miri, sanitizers and valgrind over the engine's unsafe code (native/SAFETY.md)"
	@echo "make dudect  whether times of the kernels depend on keys and texts: Welch's t for two classes of input"
	@echo "make fuzz    change sealed files, records, journals and descriptions, guided by coverage; FUZZ_SECONDS (600) for each"
	@echo "make mutants  single changes of the code that the tests of its folder miss (FOLDERS=records, SAMPLE=300, SEED=1)"
	@echo "make clean   remove the products of the build, but not records, figures and .venv"

# Python packages, the libraries of the extension and the plugins do not depend on each other. Commands start in this
# order, because the libraries take longest.
build: announce
	@$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j3) \
		build/stamps/libraries build/stamps/packages plugins build/stamps/extension

# Not $(MAKE) itself, which make runs even with -n.
SUBMAKE := $(MAKE) --no-print-directory
announce:
	@packages=$$($(SUBMAKE) -C native/plugins debian | sort -u | xargs); [ -z "$$packages" ] || \
		echo "Installing Debian packages as root: $$packages; to build without them, run make build APT=0"

paper: build
	"$(BIN)/aeadlab" run 01-single-threaded-baselines --profile $(PROFILE)

# The records and figures of the repository, and the README's table; about six hours on an idle computer. With HOURS no
# study begins that would end later, and the next call resumes, also after a commit of records and texts; in the
# first 2.5 hours are records for 99 of 118 claims, after three such calls all.
HOURS ?=
reference: build
	"$(PYTHON)" -m tools.reference $(addprefix --hours=,$(HOURS))

test: test-python test-native

# Each test file runs in one process, because its tests share fixtures, and in the order of tests/conftest.py. Tests that
# check times run afterwards, one after the other.
test-python: build shells
	"$(PYTHON)" -m pytest -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder -m "not lab and not alone"
	"$(PYTHON)" -m pytest -m alone $$(grep -rl --include=test_*.py mark.alone tests)

# The shells in which the tests complete command lines; the tests of an absent one are skipped.
shells:
	@tools/debian.sh build/shells/apt.log zsh fish || \
		echo "apt-get could not install zsh and fish (build/shells/apt.log); their tests are skipped" >&2

# Tests of the engine are linked without LTO, which takes minutes. Those of libraries use the Cargo profile of the
# extension, because another one would compile OpenSSL again.
CARGO_TEST := cargo test --manifest-path native/Cargo.toml --locked
ENGINE_TESTS := --profile develop $(addprefix --package=,aeadlab-abi aeadlab-chacha aeadlab-export aeadlab-gcm parsplit \
	parsplit-c) --features parsplit/aead
LIBRARY_TESTS := --release --package aeadlab-libraries --package aeadlab-measure
test-native: build
	@status=0; $(CARGO_TEST) $(ENGINE_TESTS) --no-fail-fast || status=$$?; \
	$(CARGO_TEST) $(LIBRARY_TESTS) --no-fail-fast || status=$$?; exit $$status

compile-test-native: build
	$(CARGO_TEST) $(ENGINE_TESTS) --no-run
	$(CARGO_TEST) $(LIBRARY_TESTS) --no-run

test-lab: build
	@tools/test_lab.sh "$(PYTHON)"

lab: build
	"$(BIN)/jupyter" lab $$([ "$$(id -u)" != 0 ] || echo --allow-root) notebooks

bench: build
	"$(PYTHON)" native/benches/run.py

# Runs every file of the benchmarks in a small size, so that CI detects a broken `make bench`.
bench-smoke: build
	"$(PYTHON)" native/benches/run.py --smoke

lint: lint-python lint-notebooks lint-types lint-spelling lint-native

# Takes hours, so CI does not run it. Its packages are not locked, because nothing else uses them.
FOLDERS ?= records verdicts stats
SAMPLE ?=
LONGEST ?=
SEED ?= 1
MUTATION := build/mutation
build/stamps/mutation: build/stamps/packages
	rm -rf $(MUTATION)
	"$(PYTHON)" -m pip install --quiet --target $(MUTATION) cosmic-ray==8.7.0 coverage==7.17.3
	@touch $@

mutants: build build/stamps/mutation
	nice "$(PYTHON)" tools/mutants.py $(FOLDERS) $(addprefix --sample=,$(SAMPLE)) $(addprefix --longest=,$(LONGEST)) \
		--seed=$(SEED) --tool=$(MUTATION)

# Before each commit: the checks that require no measurement, no browser and no Rust build besides the extension's.
check: build
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint-python lint-notebooks lint-types lint-spelling lint-rustfmt test-fast

test-fast: build
	"$(PYTHON)" -m pytest -q -n 2 -m fast

lint-python: build/stamps/packages
	"$(BIN)/ruff" check
	"$(BIN)/ruff" format --check

lint-notebooks: build/stamps/packages
	"$(PYTHON)" tools/check_notebooks.py notebooks

lint-types: build/stamps/packages
	"$(BIN)/mypy" aeadlab

# Test vectors, measurements, figures and sealed files are excluded, because codespell reports their data as misspelt.
lint-spelling: build/stamps/packages
	git ls-files | grep -vE '\.(csv|lock|svg|pdf|png|parquet|json|b3)$$|^native/fuzz/seeds/' | xargs "$(BIN)/codespell"

lint-rustfmt:
	@cargo fmt --version >/dev/null 2>&1 || { echo "aeadlab needs rustfmt: rustup component add rustfmt" >&2; exit 1; }
	cargo fmt --manifest-path native/Cargo.toml --all --check
	cargo fmt --manifest-path native/fuzz/Cargo.toml --check

lint-native: build/stamps/packages lint-rustfmt
	@cargo clippy --version >/dev/null 2>&1 || { echo "aeadlab needs clippy: rustup component add clippy" >&2; exit 1; }
	cargo clippy $(CARGO_FLAGS) --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --manifest-path native/Cargo.toml --locked --release --no-deps -p parsplit -p aeadlab-abi

wheel: build
	"$(BIN)/maturin" build --release --locked --compatibility linux --interpreter "$(PYTHON)" --out build/wheels

# The Cargo profile; `make capi CAPI_PROFILE=develop` compiles faster and is for work on ParSplit itself.
CAPI_PROFILE ?= release
CAPI := build/parsplit
CAPI_BUILT = $(or $(CARGO_TARGET_DIR),native/target)$(addprefix /,$(CARGO_BUILD_TARGET))/$(CAPI_PROFILE)/libparsplit_c
OBJCOPY ?= objcopy
# The plugin exports are weak symbols, so that a plugin which links the static library can define them itself.
WEAK := $(addprefix --weaken-symbol=aeadlab_,library_v1 set_threads set_block_size)

# Cargo decides what to rebuild, and `install -C` keeps the time stamps of unchanged files.
capi:
	@cargo build --quiet --manifest-path native/Cargo.toml --locked --profile $(CAPI_PROFILE) --package parsplit-c
	@mkdir -p $(CAPI)/include $(CAPI)/lib/pkgconfig
	@install -C -m 644 native/include/aeadlab.h native/parsplit-c/include/parsplit.h $(CAPI)/include
	@install -C -m 755 $(CAPI_BUILT).so $(CAPI)/lib/libparsplit.so
	@$(OBJCOPY) --strip-debug $(WEAK) $(CAPI_BUILT).a $(CAPI)/lib/.libparsplit.a
	@install -C -m 644 $(CAPI)/lib/.libparsplit.a $(CAPI)/lib/libparsplit.a && rm $(CAPI)/lib/.libparsplit.a
	@install -C -m 644 native/parsplit-c/parsplit.pc $(CAPI)/lib/pkgconfig/parsplit.pc

# Seconds for each target. Failing inputs are in build/fuzz, and the command that repeats one is printed.
FUZZ_SECONDS ?= 600
# For libFuzzer any other text is 0, which means no limit; a larger number overflows.
ifeq ($(filter-out 0,$(shell expr 'X$(FUZZ_SECONDS)' : 'X[1-9][0-9]\{0,8\}$$')),)
$(error FUZZ_SECONDS=$(FUZZ_SECONDS) is not a whole number from 1 to 999999999)
endif
fuzz: fuzz-native fuzz-python

# The readers of all file formats in Rust, with cargo-fuzz.
fuzz-native:
	native/fuzz/run.sh $(FUZZ_SECONDS)

# Files, headers of age, records, journals and descriptions in Python. Its package is not locked, because nothing else
# uses it.
ATHERIS := build/atheris
build/stamps/atheris: build/stamps/packages
	rm -rf $(ATHERIS)
	"$(PYTHON)" -m pip install --quiet --target $(ATHERIS) atheris==3.0.0
	@touch $@

fuzz-python: build build/stamps/atheris
	PYTHONPATH="$(CURDIR)/$(ATHERIS)" "$(PYTHON)" -m tests.fuzz --guided --seconds $(FUZZ_SECONDS)

# The same targets in short, not guided by coverage, for continuous integration.
fuzz-random: build
	"$(PYTHON)" -m tests.fuzz --seconds $(FUZZ_SECONDS)

# Some minutes on two cores; a short form is tests/stats/test_calibration.py.
calibrate: build
	"$(PYTHON)" -m tools.calibrate

sanitize:
	@native/sanitize.sh

# A short form runs with the Rust tests (native/parsplit/tests/constant_time).
dudect:
	cargo test $(subst --workspace,-p parsplit,$(CARGO_FLAGS)) --test constant_time -- --ignored --nocapture

# One tool of `make sanitize`, for continuous integration. rustup must not download a toolchain for it.
sanitize-address:
	+@if rustup toolchain list 2>/dev/null | grep -q ^nightly; then native/sanitize.sh asan; \
	else echo "sanitize-address: NOT RUN, because there is no nightly toolchain: rustup toolchain install nightly"; fi

clean:
	rm -rf build/stamps build/plugins build/wheels build/ci build/lab build/shells build/parsplit build/sanitize build/fuzz
	rm -rf build/mutants $(MUTATION) $(ATHERIS) build/cargo-fuzz native/target
	rm -rf aeadlab/plugins aeadlab/_native*.so
	rm -f aeadlab/parsplit/schedules/*.so aeadlab/parsplit/schedules/*.absent
	rm -rf .mypy_cache .pytest_cache .ruff_cache

# Prints the folder of the environment's commands, for scripts.
bin:
	@echo "$(BIN)"

# Rewritten only when the environment changes, so that everything built for another one is rebuilt.
build/stamps/environment: FORCE
	@mkdir -p $(@D)
	@echo "$(ENVIRONMENT)" | cmp -s - $@ || echo "$(ENVIRONMENT)" >$@

.venv/pyvenv.cfg:
	@python=$$(tools/preflight.sh) && echo "Creating .venv with $$python" && "$$python" -m venv .venv

# Python compiles a module when it is first imported; to compile all takes half a minute.
ifeq ($(ENVIRONMENT_MARK),.venv/pyvenv.cfg)
INSTALL_PACKAGES = "$(PYTHON)" -m pip install --quiet --no-compile --require-hashes -r requirements.lock
else
# Conda determines the versions. Pip installs only what is missing, for example after a change of environment.yml.
WANTED := import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*p["dependencies"], *sum(p["optional-dependencies"].values(), []), sep="\n")
INSTALL_PACKAGES = "$(PYTHON)" -c '$(WANTED)' | "$(PYTHON)" -m pip install --quiet -r /dev/stdin
endif

build/stamps/packages: requirements.lock pyproject.toml $(ENVIRONMENT_MARK) build/stamps/environment
	@tools/stage.sh "Python packages, into $(ENVIRONMENT)" '$(subst ','\'',$(INSTALL_PACKAGES))'
	@touch $@

# Compiles OpenSSL and the other linked libraries while pip runs; the extension links them.
build/stamps/libraries: native/Cargo.lock $(wildcard native/*/Cargo.toml) .cargo/config.toml $(ENVIRONMENT_MARK) \
		build/stamps/environment
	@tools/preflight.sh "$(PYTHON)" >/dev/null
	@tools/stage.sh "linked libraries" "cargo build --quiet --release --locked --manifest-path native/Cargo.toml -p aeadlab-libraries"
	@touch $@

build/stamps/extension: $(NATIVE_SOURCES) .cargo/config.toml build/stamps/packages build/stamps/libraries \
		$(if $(wildcard aeadlab/_native*.so),,FORCE)
	@PIP_QUIET=1 tools/stage.sh "native extension" '"$(BIN)/maturin" develop --release --locked --quiet'
	@touch $@

# Runs each time, because a library that was absent may be installed by now. Up-to-date plugins are not rebuilt.
plugins: build/stamps/environment
	@tools/stage.sh plugins "$(MAKE) --no-print-directory -C native/plugins"
