# Each target is a short form of one command. `make help` lists them.
PYTHON  ?= python3
PY      := .venv/bin/python
# What a target passes on, when given: make reproduce PROFILE=paper DATA=full JOBS=2 FORCE=1 PAPERS="kernel_mean"
# They reach the shell as environment variables, so nothing in their values is executed as a command.
PASSED_ON = PAPER PAPERS GRID ZIP PROFILE DATA JOBS SCHEDULER FORCE SEEDS TORCH CHANGED REST
$(foreach name,$(PASSED_ON),$(eval override $(name) := $$(value $(name))))
export $(PASSED_ON)
OPTIONS = $${PROFILE:+--profile "$$PROFILE"} $${DATA:+--data "$$DATA"} $${JOBS:+--jobs "$$JOBS"} \
          $${SCHEDULER:+--scheduler "$$SCHEDULER"} $${FORCE:+--force}

# Before the tests: two workers would compile the same kernels, and a driver compiles each paper's once. A
# notebook that fails is reported by its test.
SMOKE_FIRST = echo "Small examples of the notebooks, then the tests ..."; $(PY) -m reproduce run --profile smoke >/dev/null 2>&1 || true

.DEFAULT_GOAL := help
.PHONY: help setup reproduce smoke site report test test-all release-check lab sweep asked power stability processors bench clean

help:       ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

setup:      ## install the pinned versions into .venv; TORCH=1 with PyTorch, for FocusedSampler and its tests
	@$(PYTHON) -m reproduce.environment $${TORCH:+--torch "$$TORCH"}

reproduce: setup  ## make every figure and table at the papers' own scale, then the scoreboard
	@$(PY) -m reproduce run $$PAPERS $(OPTIONS)

smoke: setup      ## run the same code on small examples, into build/
	@$(PY) -m reproduce run $$PAPERS $(OPTIONS) --profile smoke

site: setup       ## make the static site, build/site/index.html
	@$(PY) -m reproduce site $(ARGS)

report: setup     ## make the static site as one zip file, build/report.zip
	@$(PY) -m reproduce report $(ARGS)

test:       ## run the tests that answer soon, with PyTorch unless TORCH=0; CHANGED=1 only those of what changed
	@$(PYTHON) -m reproduce.environment --torch "$${TORCH:-1}"
	@$(SMOKE_FIRST)
	@$(PY) -m pytest -n logical --dist loadfile $${CHANGED:+-p tests.changed} $(ARGS)

test-all:   ## run all tests; REST=1 those that `make test` leaves out
	@$(PYTHON) -m reproduce.environment --torch "$${TORCH:-1}"
	@$(SMOKE_FIRST)
	@tier=$${REST:+rest}; $(PY) -m pytest -n logical --dist loadfile --tier "$${tier:-all}" $(ARGS)

release-check: setup  ## what is tried for a release only: full data, evidence, processors, other versions of packages
	@$(PY) -m pytest --tier all -m release $(ARGS)
	@$(PY) -m reproduce processors
	@$(PY) -m tests.versions oldest
	@$(PY) -m tests.versions newest

lab: setup        ## open copies of the notebooks in JupyterLab, build/lab/; PROFILE=smoke for small examples, FRESH=1 for new copies
	@$(PY) -m reproduce lab $$PAPERS $${PROFILE:+--profile "$$PROFILE"} $${FRESH:+--fresh}
	@if [ "$$(id -u)" = 0 ]; then echo "You are root: JupyterLab runs with --allow-root."; set -- --allow-root; fi; \
	$(PY) -m jupyterlab "$$@" --notebook-dir=. --LabApp.default_url=/lab/tree/build/lab $(ARGS)

sweep: asked setup  ## run a notebook over a grid of parameters: make sweep PAPER=kernel_mean GRID="noise=0,0.2 n_train=200,800"
	@set -f; for g in $$GRID; do set -- "$$@" --grid "$$g"; done; for z in $$ZIP; do set -- "$$@" --zip "$$z"; done; \
	$(PY) -m reproduce sweep "$$PAPER" "$$@" $(OPTIONS)

asked:
	@[ -n "$$PAPER" ] && [ -n "$$GRID$$ZIP" ] || { \
	echo 'Say which notebook and which values: make sweep PAPER=kernel_mean GRID="noise=0,0.2 n_train=200,800"' >&2; exit 2; }

power: setup      ## run each notebook with deliberate errors, to see which claims notice
	@$(PY) -m reproduce power $$PAPERS $${DATA:+--data "$$DATA"} $${JOBS:+--jobs "$$JOBS"} $${FORCE:+--force}

stability: setup  ## run the notebooks with 20 other seeds; SEEDS=8 PROFILE=smoke for fewer and smaller runs
	@$(PY) -m reproduce stability $$PAPERS $(OPTIONS) $${SEEDS:+--seeds "$$SEEDS"}

processors: setup ## run small examples as older processors would: the results must be the same bytes
	@$(PY) -m reproduce processors $$PAPERS $${PROFILE:+--profile "$$PROFILE"} $${JOBS:+--jobs "$$JOBS"}

bench: setup      ## compare the library's speed with that of other packages; ARGS="coresets driver" only these
	@$(PY) -m benchmarks $(ARGS)

clean:      ## remove .venv, build/ and caches; figures/ stay
	rm -rf .venv build .pytest_cache .ruff_cache .mypy_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
