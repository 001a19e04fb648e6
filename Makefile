# Every target makes what it needs: a virtual environment from the committed lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help up kafka demo test test-fast check bench faultlab proof schemas screenshots wheel format clean
help:  ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(STAMP)  ## Run real flights through every gate, on two good days and four bad ones (minutes)
	$(BIN)/data-platform demo

up: $(STAMP)  ## Start Dagster, its daemon and the catalog's service on the PostgreSQL of DATA_PLATFORM_CATALOG_URL
	$(BIN)/data-platform up

kafka: $(STAMP)  ## Run a Kafka broker on 127.0.0.1:9092, with its data in .kafka, until Ctrl-C
	@exec $(BIN)/python scripts/kafka.py

# Two workers, each with a Spark session of its own: most of a test's time is the driver's, on one processor. A file stays
# with one worker, since its fixtures are expensive.
test: $(STAMP)  ## Run the tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-fast: $(STAMP)  ## Run the tests that need no Spark, no server and no waiting
	$(BIN)/python -m pytest -n 2 --dist loadfile -q -m "not slow" --hypothesis-profile=fast -p no:schemathesis

check: $(STAMP)  ## Run lint, types and import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

faultlab: $(STAMP)  ## Try faults on many estates, and print how often their cause was found (minutes)
	$(BIN)/data-platform faultlab run --seeds 7000-7003 --datasets 24 --json
	$(BIN)/data-platform faultlab run --seeds 7100 --datasets 200 --json

bench: $(STAMP)  ## Measure what the gates cost, as ratios, and print JSON (minutes)
	$(BIN)/python bench/silver_split.py
	$(BIN)/python bench/pii_split.py
	$(BIN)/python bench/pii_detection.py
	$(BIN)/python bench/tokenization.py
	$(BIN)/python bench/stage_cost.py
	$(BIN)/python bench/first_row.py
	$(BIN)/python bench/text.py
	$(BIN)/python bench/peers.py
	$(BIN)/python bench/location_load.py
	$(BIN)/python bench/automation.py
	$(BIN)/python bench/jil_scan.py
	$(BIN)/python bench/legacy_client.py
	$(BIN)/python bench/markers.py
	$(BIN)/python bench/freshness.py
	$(BIN)/python bench/root_cause.py
	$(BIN)/python bench/field_drift.py
	$(BIN)/python bench/reports.py
	$(BIN)/python bench/parity.py
	$(BIN)/python bench/jdbc.py
	$(BIN)/python bench/onboarding.py
	$(BIN)/python bench/onboarding_score.py
	$(BIN)/python bench/catalog_search.py
	$(BIN)/python bench/catalog_ingest.py
	$(BIN)/python bench/catalog_fairness.py
	$(BIN)/python bench/catalog_query.py
	$(BIN)/python bench/evidence_bus.py
	$(BIN)/python bench/pointer.py
	$(BIN)/python bench/portal.py
	$(BIN)/python bench/lineage_page.py

proof: $(STAMP)  ## Prove by random histories with kills what the tests try in small, and print JSON (minutes)
	$(BIN)/python -m data_platform_tests.proofs.prove_pointer
	$(BIN)/python -m data_platform_tests.proofs.prove_group
	$(BIN)/python -m data_platform_tests.proofs.prove_quarantine
	$(BIN)/python -m data_platform_tests.proofs.prove_conservation

schemas: $(STAMP)  ## Write the JSON Schemas of policy files anew, for editors
	$(BIN)/python -c 'from pathlib import Path; from data_platform.policies import write_schemas; write_schemas(Path("policies/schemas"))'

SCREENSHOTS := .demo/screenshots
screenshots: $(STAMP)  ## Take pictures of the portal on the data of make demo, in both themes and at phone width
	$(BIN)/python -m data_platform_tests.portal.screenshots .demo $(SCREENSHOTS)

wheel: $(STAMP)  ## Build the wheel that teams install, into dist
	$(BIN)/python -m pip wheel --quiet --no-deps --no-index --no-build-isolation --wheel-dir dist .

format: $(STAMP)  ## Rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## Remove what the targets made
	rm -rf $(VENV) .demo .kafka build dist .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

# Java is looked for first, so that nothing is downloaded onto a machine that cannot run Spark.
# The lock is complete, so pip resolves nothing (--no-deps); pyspark is an sdist, and is built
# with the setuptools of the lock and not with whatever is newest today.
$(STAMP): lock/requirements.txt pyproject.toml scripts/require_java.sh
	@sh scripts/require_java.sh
	$(PYTHON) -m venv $(VENV)
	grep -A2 '^setuptools==' lock/requirements.txt > $(VENV)/setuptools.txt
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r $(VENV)/setuptools.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --require-hashes -r lock/requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
