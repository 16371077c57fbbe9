# Thin: each target is one line of a command. `make help` lists them.
PYTHON  ?= python3
PY      := .venv/bin/python
# What a target passes on, when given: make reproduce PROFILE=paper DATA=full JOBS=2 FORCE=1 PAPERS="kernel_mean"
# The shell takes the values from its surroundings, so nothing in them is run as a command.
PASSED_ON = PAPER PAPERS GRID ZIP PROFILE DATA JOBS SCHEDULER FORCE TORCH
$(foreach name,$(PASSED_ON),$(eval override $(name) := $$(value $(name))))
export $(PASSED_ON)
OPTIONS = $${PROFILE:+--profile "$$PROFILE"} $${DATA:+--data "$$DATA"} $${JOBS:+--jobs "$$JOBS"} \
          $${SCHEDULER:+--scheduler "$$SCHEDULER"} $${FORCE:+--force}

.DEFAULT_GOAL := help
.PHONY: help setup reproduce smoke report test lab sweep power bench clean

help:       ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

setup:      ## .venv with every pinned version; TORCH=0 leaves PyTorch out
	@$(PYTHON) -m reproduce.environment $${TORCH:+--torch "$$TORCH"}

reproduce: setup  ## every figure and table at the papers' own scale, then the scoreboard
	@$(PY) -m reproduce run $$PAPERS $(OPTIONS)

smoke: setup      ## the same code paths in seconds, into build/
	@$(PY) -m reproduce run $$PAPERS $(OPTIONS) --profile smoke

report: setup     ## all results on one page: build/report/index.html
	@$(PY) -m reproduce report $(ARGS)

test: setup       ## the whole test suite; ARGS="-m 'not slow'" to choose
	@$(PY) -m pytest -n logical --dist loadfile $(ARGS)

lab: setup        ## JupyterLab at the notebooks
	@$(PY) -m jupyterlab --notebook-dir=. --LabApp.default_url=/lab/tree/notebooks $(ARGS)

sweep: setup      ## parameters over a grid: make sweep PAPER=kernel_mean GRID="noise=0,0.2 n_train=200,800"
	@set -f; for g in $$GRID; do set -- "$$@" --grid "$$g"; done; for z in $$ZIP; do set -- "$$@" --zip "$$z"; done; \
	$(PY) -m reproduce sweep "$$PAPER" "$$@" $(OPTIONS)

power: setup      ## each notebook with deliberate errors: which rows of the ledger notice
	@$(PY) -m reproduce power $$PAPERS $${JOBS:+--jobs "$$JOBS"} $${FORCE:+--force}

bench: setup      ## ours beside what a user would pick instead
	@$(PY) -m benchmarks $(ARGS)

clean:      ## .venv, build/ and caches; figures/ stay
	rm -rf .venv build .pytest_cache .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
