# Common commands. `make` or `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: faults help run build test sdk debug tsan lint fmt verify openapi explain bench bench-all bench-sdk soak fuzz clean

SOURCES := $(shell git ls-files '*.cpp' '*.hpp')
FUZZ_SECONDS ?= 60
SEED ?= 1
SEEDS ?= 100000
MINUTES ?= 10

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: ## Build Belfry and run the server (the README's first command)
	scripts/run

build: ## Build everything, optimised; the program is build/belfry
	cmake --preset release -DBELFRY_TESTS=ON -DBELFRY_UNITY=OFF -DBELFRY_PROGRAM_TESTS_ONLY=OFF --log-level=WARNING
	cmake --build --preset release

test: ## Install missing packages, build and run all tests (the README's second command)
	scripts/test

sdk: ## Build and test the SDKs against the real server on both databases
	bash -c '. scripts/packages.sh && install_packages "$${sdk_packages[@]}"'
	cmake --preset release -DBELFRY_TESTS=ON -DBELFRY_UNITY=ON -DBELFRY_SDK_TESTS=ON --log-level=WARNING
	cmake --build --preset release --target belfry postgres_fixture
	ctest --preset release -L sdk -j 2

sim: build ## Simulate SEEDS (100000) worlds, starting with SEED (1), on all cores
	@cores=$$(nproc); each=$$((($(SEEDS) + cores - 1) / cores)); \
	seq 0 $$((cores - 1)) | xargs -P $$cores -I{} sh -c \
	    'SEED=$$(($(SEED) + {} * '$$each')) SEEDS='$$each' build/belfry_simulation_tests --gtest_filter=Simulation.HoldsAllInvariants*'

debug: ## Build and test with AddressSanitizer and UndefinedBehaviorSanitizer
	cmake --preset debug -DBELFRY_TESTS=ON --log-level=WARNING
	cmake --build --preset debug
	ctest --preset debug

tsan: ## Build and test with ThreadSanitizer
	cmake --preset tsan --log-level=WARNING
	cmake --build --preset tsan
	ctest --preset tsan

lint: ## Build with clang and its thread-safety analysis, then run clang-tidy
	bash -c '. scripts/packages.sh && install_packages "$${clang_packages[@]}"'
	cmake --preset clang --log-level=WARNING
	cmake --build --preset clang
	printf '%s\n' $(filter src/%.cpp,$(SOURCES)) | xargs -P $$(nproc) -n 4 clang-tidy --quiet -p build/clang --warnings-as-errors='*'

fmt: ## Format the sources in place
	clang-format -i $(SOURCES)

verify: build ## Check formatting, layers, the OpenAPI document, and the tables of the pages
	clang-format --dry-run --Werror $(SOURCES)
	python3 tools/check_layers.py
	python3 tools/check_requirements.py
	python3 tools/check_store_docs.py
	python3 tools/check_bench_docs.py
	python3 tools/check_openapi.py build/belfry

openapi: build ## Regenerate docs/reference/openapi.json
	python3 tools/check_openapi.py build/belfry --write

explain: build ## Regenerate docs/internals/explain.md, the query plans of the store
	WRITE_DOCS=1 build/belfry_contract_tests --gtest_brief=1 --gtest_filter='Explain.*'

bench: build ## Measure nanoseconds per `next`
	build/belfry_cron_bench

bench-all: build ## Measure Belfry beside bare databases and other queues; BENCH= passes options, such as --quick
	python3 bench/all.py $(BENCH)

bench-sdk: build ## Compare the workers of the SDKs with raw HTTP calls of the same language
	BELFRY_PROGRAM=build/belfry /usr/bin/python3 -B sdk/python/bench/throughput.py
	cd sdk/typescript && npm ci --silent --no-audit --no-fund && npm run -s build && npm run -s build:tests
	BELFRY=build/belfry node sdk/typescript/bench/throughput.mjs

faults: build ## Inject every fault into every database call of the stores; `make test` injects a sample
	build/postgres_fixture start build/faults_postgres
	BELFRY_TEST_POSTGRES_FOLDER=build/faults_postgres build/belfry_store_faults_tests --gtest_brief=1; \
	    status=$$?; build/postgres_fixture stop build/faults_postgres; exit $$status

soak: build ## Kill, freeze, disconnect and fill up real servers for MINUTES (10) per scenario; SCENARIOS= selects, SEED= repeats
	BELFRY=build/belfry python3 -B tests/faults/run.py --minutes $(MINUTES) $(SCENARIOS)

fuzz: ## Fuzz every parser for FUZZ_SECONDS (60) each
	bash -c '. scripts/packages.sh && install_packages "$${clang_packages[@]}"'
	cmake --preset clang --log-level=WARNING
	cmake --build --preset clang
	@for target in build/clang/*_fuzz; do \
	    name=$$(basename $$target _fuzz); mkdir -p build/clang/corpus/$$name; \
	    echo "== $$name"; $$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=0 build/clang/corpus/$$name fuzz/corpus/$$name || exit 1; \
	done

clean: ## Remove all build folders
	rm -rf build
