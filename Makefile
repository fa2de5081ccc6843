# `make help` lists the targets; the comment after a target's name is its help text.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
SEEDS ?= 10000
SEED ?= 1
COUNT ?= 500
COMMITS ?= 50

# The Swift runtime is linked in: see Documentation/decisions/0002-static-swift-runtime.md.
# Without DWARF, which takes a fifth of the build's time and a third of the file; the names of functions stay.
# So is the C++ library, which the runtime uses, by a folder in which the linker finds no shared one.
# No name is exported: the runtime searches exported names at each start (decision 0012). Functions with the same instructions,
# whose addresses nobody takes, are one.
STATIC := $(CURDIR)/.build/static
RELEASE := -c release --product linkspan --static-swift-stdlib -debug-info-format none -Xswiftc -L$(STATIC) \
	-Xlinker --no-export-dynamic -Xlinker --icf=safe
# What the tests spend their time in is optimised where all tests run (Package.swift): they take half as long. The tests are
# not optimised: that took an hour of processor time. Set for single commands, since SwiftPM takes no dependency with the flags.
# WHOLE_MODULES=1 is for a build of everything, as in CI (Package.swift says why).
OPTIMISED := LINKSPAN_OPTIMISED=1 $(if $(WHOLE_MODULES),LINKSPAN_WHOLE_MODULES=1)
# `make test BUILD=check` tests the build of `make check`, and leaves out what that tests, so that CI does both only once.
BUILD ?=
# An expression that takes the type checker long is an error: one annotated type is the remedy. The scopes that it opens are
# counted, not its time, which is another one on each machine: 20,000 of them take 100 to 300 ms.
# The index is for SwiftPM, which finds the tests by it: of system modules it needs none.
CHECK := --scratch-path .build/check -debug-info-format none -Xswiftc -index-ignore-system-modules -Xswiftc -warnings-as-errors \
	-Xswiftc -Xfrontend -Xswiftc -solver-scope-threshold=20000 \
	--explicit-target-dependency-import-check error
FUZZ_TARGETS = $(filter-out FuzzSupport,$(notdir $(wildcard Fuzz/Sources/Fuzz*)))

# What `make check` asks once everything is built, each by itself, so that `make --jobs` asks several at once.
CHECKS := $(addprefix check-,page-scripts format house searches instructions app-adapters app-library links-library provenance \
	commits documents shell-blocks words pictures vscode module github-action packages site)
CHECKED := .build/check/debug/linkspan

.PHONY: build check check-build $(CHECKS) demo test laws bench fuzz mutate rebuilds static sanitize docs site wasm npm wheel install deb deb-test image image-test shipped clean help

build: static ## build the release binary, .build/release/linkspan
	swift build $(RELEASE)
	@Scripts/planted .build/release/linkspan
	@Scripts/searches .build/release/linkspan

static:
	@Scripts/setup build
	@mkdir -p $(STATIC)
	@ln -sf "$$(g++ -print-file-name=libstdc++.a)" $(STATIC)

demo: build ## build, then check, serve and rehearse the site in Examples/
	@Scripts/setup demo
	Scripts/demo

test: $(if $(filter check,$(BUILD)),check-build) ## run every test; the last line counts them (FLOOR=Links: those of that floor of Sources and of the floors below)
	@Scripts/setup
	@$(OPTIMISED) $(if $(FLOOR),LINKSPAN_FLOOR=$(FLOOR)) Scripts/test $(if $(filter check,$(BUILD)),$(CHECK) --skip TidyTests)

check: $(CHECKS) ## what a change must pass: no warnings, format, house rules, page scripts, documents, words, pictures, the library for apps

# The build does not always fill the cores: the packages that only tests and checks need, and then the gate of WebAssembly,
# three minutes of one core, take what it leaves.
check-build:
	@Scripts/setup build
	@mkdir -p .build
	@echo "Scripts/setup test check and Scripts/wasm gate, beside 'swift build'"
	@{ Scripts/setup test check && Scripts/wasm gate; } >.build/gate.log 2>&1 & gate=$$!; \
	  $(OPTIMISED) swift build $(CHECK) --build-tests || { kill $$gate 2>/dev/null; exit 1; }; \
	  wait $$gate || { cat .build/gate.log; exit 1; }; tail -n 1 .build/gate.log

$(CHECKS): check-build

check-page-scripts:
	Scripts/page-scripts
check-format:
	swift format lint --strict --recursive Sources Tests WebAssembly/Edge Package.swift $(wildcard Fuzz/Sources Benchmarks/Sources)
# Not by 'swift test', which waits for the one that runs the other tests.
check-house:
	.build/check/debug/linkspanPackageTests.xctest --testing-library swift-testing --filter TidyTests
check-instructions:
	Benchmarks/instructions --binary $(CHECKED)
check-app-adapters check-app-library check-links-library check-provenance check-commits check-packages: check-%:
	Scripts/$*
check-documents:
	PATH="$(CURDIR)/.build/check/debug:$$PATH" Scripts/documents README.md $(wildcard Documentation/*.md)
check-searches check-shell-blocks check-words check-pictures check-vscode check-github-action: check-%:
	Scripts/$* $(CHECKED)
check-module:
	Scripts/npm .build/wasm/gate/linkspan.wasm
	Scripts/npm-library
	Scripts/answer-readers
	Scripts/wheel --module .build/wasm/gate/linkspan.wasm
	Scripts/wasm-agreement --binary $(CHECKED) --matches 500 --checks 100 --diffs 25
	Scripts/wasm-network --binary $(CHECKED)
	Scripts/vscode .build/npm/package/cli.mjs
	Scripts/lsp-client .build/npm/package/cli.mjs --check $(CHECKED)
check-site: check-module
	Scripts/site .build/site

laws: ## ask the laws of the tests about as many cases as a release needs (LAWS="agreement diffs": only these)
	@Scripts/setup
	Scripts/laws $(LAWS)

bench: build ## measure the release build against its peers, and its instructions against those kept
	@Scripts/setup bench
	Benchmarks/instructions
	Benchmarks/run

fuzz: build ## run SEEDS (10000) stories of the swarm, breed costly files, then each fuzz target for SECONDS (60)
	@Scripts/setup
	@$(if $(FUZZ_TARGETS),,echo "fuzz: no fuzz target found under Fuzz/Sources" >&2; exit 2)
	@mkdir -p .build/fuzz
	.build/release/linkspan simulate --swarm $(SEEDS) --seed $(SEED) --shrunk .build/fuzz/swarm.json5
	@echo "== costly files, $(SECONDS) s"; Fuzz/breed "$(SECONDS)" --seed "$(SEED)"
	@for target in $(FUZZ_TARGETS); do \
	  echo "== $$target, $(SECONDS) s"; Fuzz/run "$$target" "$(SECONDS)"; done

mutate: ## change COUNT (500) small things, one at a time, and list the changes that no test notices (MINUTES=60)
	@Scripts/setup
	Scripts/mutate --count $(COUNT) --seed $(SEED) $(addprefix --floor ,$(FLOOR)) $(addprefix --minutes ,$(MINUTES))

rebuilds: static ## build the release binary from nothing; what each target costs, and what the last COMMITS (50) commits ask for again
	Scripts/rebuilds --commits $(COMMITS) -- $(RELEASE)

sanitize: ## run every test under the thread sanitizer, then under the address sanitizer
	@Scripts/setup
	LINKSPAN_SANITIZER=thread Scripts/test --sanitize=thread --scratch-path .build/sanitize-thread
	LINKSPAN_SANITIZER=address ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no \
	  Scripts/test --sanitize=address --scratch-path .build/sanitize-address

docs: build ## regenerate the generated pages and check every link
	Scripts/docs

install: build ## install binary, manual and completions under PREFIX (/usr/local), below DESTDIR if set
	Packaging/install .build/release/linkspan "$(DESTDIR)$(PREFIX)"

deb: build ## build the Debian package in .build/deb and check it with lintian
	@Scripts/setup deb
	Packaging/deb/build .build/release/linkspan .build/deb
	lintian --fail-on error --allow-root .build/deb/linkspan_*.deb

deb-test: deb ## install, start, reload, remove and purge the package in a chroot (as root)
	Packaging/deb/test .build/deb/linkspan_*.deb

image: build ## build the container image in .build/image; needs no container engine
	@Scripts/setup image
	Packaging/image/build .build/release/linkspan .build/image

image-test: image ## run the image's root filesystem as its user in a chroot (as root)
	Packaging/image/test .build/image/rootfs

shipped: build ## roll back in each shipped form, its folder read-only: unit, Docker, Compose, Kubernetes (as root)
	Scripts/shipped .build/release/linkspan

wasm: ## build the WebAssembly module, .build/wasm/linkspan.wasm
	@Scripts/setup build wasm
	Scripts/wasm module

npm: build wasm ## build the npm package in .build/npm, and compare the answers of its module with the program's
	@Scripts/setup check
	Scripts/npm
	Scripts/wasm-agreement --binary .build/release/linkspan

wheel: build wasm ## build the wheels for PyPI in .build/wheel: the program for Linux, the module for all systems
	Scripts/wheel .build/release/linkspan

site: wasm ## build the documentation as a site that works offline, in .build/site
	Scripts/site .build/site

clean: ## remove all build products
	rm -rf .build

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 12
