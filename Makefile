# Beyond Micro-F1: `make help` lists the targets.
#   PYTHON       the interpreter that makes .venv (3.11 or newer), e.g. make setup PYTHON=python3.12
#   RC_DATA_DIR  folder with the real data; without it the notebooks use the embedded demo corpus and the stored counts
#   ONLY         make test ONLY=tests/unit/data runs the tests of a folder, or of several
#   THIRD        make nightly THIRD=0 (or 1, 2) runs a third of it, with fewer kills and spoilt files and no benchmarks, as CI does
#   CHEAP        make bench CHEAP=1 runs the benchmarks that continuous integration runs, in under a minute
#   SEED         make mutants SEED=1 draws others
#   PROFILE      make grid PROFILE=standard (default) or paper; DRY=1 only lists the grid (the papers', if no PROFILE);
#                ON=slurm: a profile of workflow/profiles
#   LOCK_FLAGS   e.g. make lock LOCK_FLAGS=--upgrade

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
PIP := $(PY) -m pip --disable-pip-version-check
PARALLEL := -n auto --maxprocesses 8
# What the commands and notebooks need beside the core; `spark` is installed apart.
EXTRAS := large data notebooks train linear page workflow

# A relative folder means: seen from here. Notebooks and tests may run elsewhere, so they are given the whole path.
ifneq ($(strip $(RC_DATA_DIR)),)
ifeq ($(filter /%,$(firstword $(RC_DATA_DIR))),)
override RC_DATA_DIR := $(CURDIR)/$(RC_DATA_DIR)
endif
export RC_DATA_DIR
endif
export MPLCONFIGDIR ?= $(CURDIR)/.cache/matplotlib
# Some container images set it; then every process and kernel would compile the modules again.
unexport PYTHONDONTWRITEBYTECODE

NOTEBOOKS := $(notdir $(basename $(wildcard notebooks/[0-9]*.ipynb)))
LONGEST := $(filter 15_%,$(NOTEBOOKS))

.DEFAULT_GOAL := help
.PHONY: help setup reproduce publish leaderboard site sdist wheel grid test suite nightly bench mutants lint lock data lab clean

help:  ## list the targets
	@awk -F ':.*## *' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: $(STAMP)  ## make .venv with the pinned packages (again only when the pins change)

reproduce: setup  ## run every notebook in the quick profile, two at a time, then print published | ours
	@# the one that trains for minutes takes all cores; beside another one it takes more than three times as long
	@$(PY) -m helpers notebooks --only 04
	+@OMP_NUM_THREADS=1 $(MAKE) --no-print-directory --jobs=2 \
	  $(addprefix run/,$(LONGEST) $(filter-out 04_% $(LONGEST),$(NOTEBOOKS)))
	$(PY) -m helpers summary

run/%:
	@$(PY) -m helpers notebooks --only $*

publish: setup  ## run every notebook and renew the committed copies in results/notebooks
	$(PY) -m helpers notebooks --publish

grid: setup  ## make what is missing or stale: runs, then notebooks and pages, on all processors
	$(PY) -m helpers grid --profile $(or $(PROFILE),$(if $(DRY),paper,standard)) $(if $(DRY),--dry-run) $(if $(ON),--on $(ON))

site: build/site-venv  ## build the site of all pages in build/site: README, results, notebooks, reference
	build/site-venv/bin/python -m sphinx -q -W --keep-going -b html -c docs . build/site

sdist wheel: setup  ## build the archive, from which the tests of the core run, or the wheel, in dist; the same bytes each time
	$(VENV)/bin/uv build --quiet --$@ --out-dir dist .

leaderboard: setup  ## write the page of all stored systems, results/leaderboard/index.html, and take its pictures
	$(PY) -m helpers leaderboard rebuild
	-$(PY) docs/pictures.py

test: setup  ## lint, and beside it unit tests, doctests, structure checks and all notebooks, on all processors
	+$(MAKE) --no-print-directory --jobs=2 lint suite

suite: setup
	$(PY) -m pytest $(PARALLEL) --dist loadfile $(ONLY) -m 'not nightly'

nightly: setup  ## what takes longer: solutions, JupyterLab, Slurm, Spark, wheels, 1,000 kills, 10,000 spoilt files, benchmarks
	KILLS=$(if $(THIRD),60,1000) EXAMPLES=$(if $(THIRD),80,200) \
	  $(PY) -m pytest $(PARALLEL) --dist worksteal -m 'nightly$(if $(THIRD),(third=$(THIRD)))'
	$(if $(THIRD),,$(PY) -m pytest tests/benchmarks -s)

bench: setup  ## measure speed and memory against the peers
	$(PY) -m pytest tests/benchmarks -s $(if $(CHEAP),-m cheap)

mutants: setup  ## 40 small faults in metrics, evaluation, data, linear methods and runs, and which of them no test notices
	$(PY) -m tests.mutants --seed $(or $(SEED),0)

lint: setup  ## ruff (rules and format, notebooks included), import-linter (floors, circles), mypy of what is typed
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(VENV)/bin/lint-imports --no-logo --no-cache
	$(PY) -m mypy

lock: setup  ## compile requirements.txt anew from pyproject.toml
	$(PIP) install --quiet pip-tools
	cp requirements.txt $(VENV)/lock.txt
	$(PY) -m piptools compile --quiet $(EXTRAS:%=--extra %) --extra test --strip-extras --allow-unsafe --annotation-style line --no-header \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host $(LOCK_FLAGS) \
	  --upgrade-package torch==2.13.0 --output-file $(VENV)/lock.txt pyproject.toml
	grep '^#' requirements.txt > $(VENV)/header.txt
	@# torch's builds differ in their local version and in the CUDA packages that they bring: neither belongs in the pins.
	sed -E -e '/^(#|nvidia-|cuda-|triton|$$)/d' -e 's/^(torch==[0-9.]+)[+][a-z0-9.]+/\1/' $(VENV)/lock.txt \
	  | cat $(VENV)/header.txt - > $(VENV)/requirements.txt
	mv $(VENV)/requirements.txt requirements.txt

data: setup  ## show which data files are present and where they were found
	$(PY) -m helpers data status

lab: setup  ## open JupyterLab at notebook 00
	$(PY) -m jupyterlab --notebook-dir=. notebooks/00_start_here.ipynb

clean:  ## remove caches and build outputs (.venv, data/ and results/ stay)
	rm -rf .cache .pytest_cache .ruff_cache .hypothesis build dist *.egg-info
	find helpers tests notebooks -name __pycache__ -prune -exec rm -rf {} +
	find notebooks results -name .ipynb_checkpoints -prune -exec rm -rf {} +
	find results -name '*.failed.ipynb' -delete

build/site-venv: pyproject.toml
	$(PYTHON) -m venv $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check '.[site]'
	@touch $@

$(STAMP): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, but $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make setup PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make a virtual environment. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { \
	  echo "A C++ compiler is needed to build LIBLINEAR. On Debian and Ubuntu: apt-get install g++" >&2; exit 1; }
	@echo "Installing the pinned packages into $(VENV): a few minutes, once."
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet $$(sed -n 's/^\(uv==[^ ]*\).*/\1/p' requirements.txt)
	@# uv takes a quarter of pip's time but reads none of its settings; where it cannot do it, pip does.
	@# Nothing is compiled ahead: Python compiles what is imported, when it is.
	@setting() { $(PIP) config list | sed -n "s/^[^=]*[.]$$1='\(.*\)'$$/--$$2 \1/p" | head -n 1; }; \
	  $(VENV)/bin/uv pip install --quiet --no-cache --python $(PY) --requirement requirements.txt \
	    $$(setting find-links find-links) $$(setting index-url default-index) \
	  || $(PIP) install --quiet --no-compile --requirement requirements.txt
	@# The checkout is on the path, not installed: notebooks anywhere import `helpers`, and no command is made.
	@echo '$(CURDIR)' > "$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/beyond_micro_f1_checkout.pth"
	@touch $@
