# The steps of .ci/run, each of which can be run alone. All of them: make ci.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.NOTPARALLEL:
.DEFAULT_GOAL := ci

GOLANGCI := v2.15.0
GOVULNCHECK := v1.8.0
CHESSOPS := 0.15.1
AXE := 4.14.1
LICHESS_TYPES := 2.0.171
TYPESCRIPT := 6.0.3
# Linking without symbols for debuggers takes 30 % less time, and without a profile main packages
# are compiled from what the others are; neither makes a package be compiled once more.
export GOFLAGS += -pgo=off -ldflags=-w

# Less garbage collection makes compilers and linters a quarter faster. What measures time or
# memory runs without it.
tools lint race vulnerabilities fuzz build release: export GOGC := 400

out := $(CURDIR)/build
tools := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/zhbot-ci/$(GOLANGCI)-$(GOVULNCHECK)-$(shell go env GOVERSION)
openapi := $(tools)/lichess-types-$(LICHESS_TYPES)-$(TYPESCRIPT)/node_modules
export AXE_CORE ?= $(tools)/axe-core-$(AXE)/node_modules/axe-core/axe.min.js
steps := weight tools format browser realclock nameservers lint race openapi alerts kubernetes vulnerabilities fuzz build release arm64 demo soak records

.PHONY: ci clean help $(steps)
ci: $(steps)

help: ## list the steps
	@grep -E '^[a-z0-9]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/:.* ## /\t/' | column -t -s $$'\t'

clean: ## remove what the steps have built
	@rm -rf $(out)

weight: ## tokens of each folder, against .ci/weight
	@echo "=== $@ ($$(date +%T))"
	git ls-files '*.go' | go run .ci/weigh.go .ci/weight

tools: ## install what the steps need, with apt, go and npm
	@echo "=== $@ ($$(date +%T))"
	root() { if [ "$$(id -u)" = 0 ]; then "$$@"; else sudo "$$@"; fi; }
	install() { root apt-get install -y -qq --no-install-recommends "$$@" >/dev/null || { root apt-get update -qq && root apt-get install -y -qq --no-install-recommends "$$@" >/dev/null; }; }
	programs() {
		command -v gcc >/dev/null || install gcc libc6-dev # for the race detector
		command -v chromium >/dev/null || install chromium fonts-dejavu-core
		command -v /usr/games/fairy-stockfish >/dev/null || install fairy-stockfish || echo "fairy-stockfish cannot be installed"
		command -v ip >/dev/null || install iproute2
		command -v ruby >/dev/null || install ruby # reads the Homebrew formula
		command -v zip >/dev/null || install zip # the release's archives for Windows
		command -v groff >/dev/null || install man-db groff
		command -v qemu-aarch64-static >/dev/null || install qemu-user-static || echo "qemu-user-static cannot be installed"
	}
	programs & # they are downloaded while the others are compiled
	mkdir -p $(tools)
	[ -x $(tools)/golangci-lint ] || GOBIN=$(tools) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)
	[ -x $(tools)/nfpm ] || GOBIN=$(tools) go install "$$(grep -oE 'github.com/goreleaser/nfpm[^ ]*' deploy/release/build)"
	[ -x $(tools)/govulncheck ] || GOBIN=$(tools) go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK)
	[ -f $(openapi)/typescript/package.json ] || npm install --prefix $(openapi)/.. --no-save --no-audit --no-fund --silent @lichess-org/types@$(LICHESS_TYPES) typescript@$(TYPESCRIPT)
	[ -f $(AXE_CORE) ] || npm install --prefix $(tools)/axe-core-$(AXE) --no-save --no-audit --no-fund --silent axe-core@$(AXE)
	wait $$!

format: ## gofmt finds nothing
	@echo "=== $@ ($$(date +%T))"
	unformatted=$$(git ls-files '*.go' | xargs gofmt -l)
	[ -z "$$unformatted" ] || { echo "not gofmt-ed: $$unformatted"; exit 1; }

browser: ## the pages, in Chromium
	@echo "=== $@ ($$(date +%T))"
	go test -tags browser -run Browser ./internal/web/live ./internal/web/play ./internal/web/analysis

realclock: ## games on real clocks, which need an idle machine
	@echo "=== $@ ($$(date +%T))"
	go test -tags realclock -run Speed ./bot
	go test -tags realclock -run RealClock -skip Gauntlet ./cmd/zhbot

nameservers: | $(out) ## a game whose name servers die, in a namespace of its own
	@echo "=== $@ ($$(date +%T))"
	root() { if [ "$$(id -u)" = 0 ]; then "$$@"; else sudo "$$@"; fi; }
	if ! root unshare --net --mount true; then
		echo "name servers are not checked: no namespace is permitted here"
		[ "$$(id -u)" != 0 ]
		exit
	fi
	go test -c -tags realclock -o $(out)/nameservers.test ./cmd/zhbot
	printf 'nameserver 127.77.0.1\nnameserver 127.77.0.2\n' >$(out)/resolv.conf
	root unshare --net --mount sh -c 'ip link set lo up && mount --bind $(out)/resolv.conf /etc/resolv.conf && exec $(out)/nameservers.test -test.run NameServers -test.v'

lint: ## go vet and golangci-lint
	@echo "=== $@ ($$(date +%T))"
	GOARCH=arm64 go vet ./engine/... # its kernels are portable ones
	$(tools)/golangci-lint run ./...

race: | $(out) ## tests with the race detector, and no token in their output
	@echo "=== $@ ($$(date +%T))"
	export GORACE=atexit_sleep_ms=10 # not a second at the end of each process
	# Where goroutines meet; without what searches or simulates for minutes here, mostly in a
	# single goroutine. Four packages at a time, since they wait much.
	single='/(cmd/zhbot|rules|rules/pgn|config|bot/stats|engine/(analysis|human|nnue|simd|tune)|internal/(file|setup|term|web/analysis))$$'
	packages=$$(go list ./... | grep -vE "$$single")
	alone='HigherLevelsWin|SPRT_|RandomOpenings|Strength_|LearnsMaterial|Mates_Suite|MateInOne_RandomGames|FuzzUCI'
	alone+='|IrregularFiles|identicalEngines|ExampleRun$$|State_Continues|ResumesToTheSameNetwork'
	rm -rf $(out)/exchanges
	mkdir $(out)/exchanges
	export LICHESSTEST_EXCHANGES=$(out)/exchanges # for openapi
	go test -race -short -vet=off -p 4 -skip "$$alone" -v $$packages &>$(out)/race || {
		grep -vE '^ *(=== |--- PASS)' $(out)/race | tail -n 200
		grep -E -A 10 '^ *(--- FAIL|panic: |WARNING: DATA RACE)' $(out)/race | tail -n 200
		grep '^FAIL' $(out)/race
		exit 1
	}
	grep -E '^(ok|FAIL)' $(out)/race
	if grep -E 'lip_([A-Za-z0-9]{20}|verysecret|Qm7vTZ0secretKX3)' $(out)/race; then
		echo "a token is in the output of the tests"
		exit 1
	fi

openapi: | $(out) ## what the embedded server answered, against Lichess's OpenAPI document; needs race
	@echo "=== $@ ($$(date +%T))"
	rm -rf $(out)/openapi
	mkdir $(out)/openapi
	node .ci/openapi.mjs $(openapi)/@lichess-org/types/lichess-api.d.ts $(out)/exchanges $(out)/openapi
	cd $(out)/openapi
	$(openapi)/.bin/tsc --strict --noEmit --pretty *.ts | sed 's/\x1b\[[0-9;]*m//g' # with the lines, without colours

alerts: | $(out) ## Prometheus's alert rules, by promtool
	@echo "=== $@ ($$(date +%T))"
	mkdir -p $(out)/prometheus
	if [ ! -x $(out)/prometheus/usr/bin/promtool ]; then # without its server
		cd $(out)
		apt-get download -qq prometheus 2>/dev/null || { if [ "$$(id -u)" = 0 ]; then apt-get update -qq; else sudo apt-get update -qq; fi; apt-get download -qq prometheus; }
		dpkg -x prometheus_*.deb prometheus
		cd - >/dev/null
	fi
	$(out)/prometheus/usr/bin/promtool check rules deploy/prometheus/alerts.yaml
	$(out)/prometheus/usr/bin/promtool test rules deploy/prometheus/alerts_test.yaml

kubernetes: ## the manifests decoded strictly, compared, and their commands run
	@echo "=== $@ ($$(date +%T))"
	cd deploy/kubernetes
	$(tools)/golangci-lint run ./...
	go test -count=1 ./...

vulnerabilities: ## govulncheck, where its database can be reached
	@echo "=== $@ ($$(date +%T))"
	found=$$($(tools)/govulncheck ./... 2>&1) || {
		grep -qE 'fetching vulnerabilities|vuln\.go\.dev|dial tcp|no such host|connection refused|Forbidden' <<<"$$found" || { echo "$$found"; exit 1; }
		found="not checked: no database"
	}
	echo "$$found"

fuzz: | $(out) ## a sixth of the fuzz targets, another with each commit; all for a release (TARGETS=all)
	@echo "=== $@ ($$(date +%T))"
	rm -rf $(out)/fuzz
	mkdir $(out)/fuzz
	targets=$$(git grep -oE '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' | sed -E 's|/[^/]*:func | |' | sort)
	time=$(or $(FUZZTIME),2s)
	if [ "$(TARGETS)" != all ] && [ "$$(git rev-parse --is-shallow-repository)" = false ] && ! git describe --exact-match HEAD &>/dev/null; then
		time=$(or $(FUZZTIME),10s)
		targets=$$(awk -v turn=$$(git rev-list --count HEAD) 'NR % 6 == turn % 6' <<<"$$targets")
	fi
	export time
	compile() { # directory
		go test -c -fuzz Fuzz -ldflags '-s -w' -o $(out)/fuzz/$${1//\//-}.test "./$$1"
	}
	fuzz() { # directory, target
		echo "$$1 $$2"
		program=$(out)/fuzz/$${1//\//-}.test
		corpus=$$(go env GOCACHE)/fuzz/$$(go list "./$$1")
		cd "$$1"
		"$$program" -test.run '^$$' -test.fuzz "^$$2\$$" -test.fuzztime $$time -test.fuzzcachedir "$$corpus" -test.parallel 1 &>"$$program.$$2" || {
			cat "$$program.$$2"
			# Go sometimes reports the end of the fuzzing time as a failure, without an input.
			grep -q '^ *context deadline exceeded$$' "$$program.$$2" && ! grep -q 'Failing input' "$$program.$$2" || exit 1
		}
		if grep 'without coverage guidance' "$$program.$$2"; then exit 1; fi
	}
	export -f compile fuzz
	cut -d' ' -f1 <<<"$$targets" | sort -u | xargs -P 2 -I{} bash -euo pipefail -c 'compile {}'
	xargs -P 2 -L 1 bash -euo pipefail -c 'fuzz "$$@"' fuzz <<<"$$targets"

build: | $(out) ## the Dockerfile's own build; checks bench's node count against engine/SIGNATURE
	@echo "=== $@ ($$(date +%T))"
	build=$$(grep -oE 'CGO_ENABLED=0 go build .*' Dockerfile | sed 's|-o /zhbot|-o $(out)/zhbot|; s|$${VERSION}|ci|; s|$${COMMIT}||')
	GOFLAGS=-buildvcs=false bash -c "$$build"
	$(out)/zhbot version
	want=$$(grep -oE '^bench: [0-9]+' engine/SIGNATURE | cut -d' ' -f2)
	bench() { # what GODEBUG switches off
		got=$$(GODEBUG=$$1 $(out)/zhbot bench | tail -n 1 | cut -d' ' -f1)
		[ "$$got" = "$$want" ] || { echo "bench counts $$got nodes with GODEBUG=$$1, engine/SIGNATURE says $$want"; exit 1; }
	}
	bench ""
	bench cpu.avx512f=off # AVX2 where the processor has AVX-512
	bench cpu.avx512f=off,cpu.avx2=off # the portable kernels
	GODEBUG=cpu.avx512f=off go test ./engine/nnue
	ZHBOT_PERFT=all go test -run Perft ./rules
	echo "bench: $$got nodes, its signature, with every kernel"
	size=$$(stat -c %s $(out)/zhbot)
	[ "$$size" -lt $$((30 << 20)) ] || { echo "the program has $$size bytes, 30 MiB are too many"; exit 1; }

release: | $(out) ## archives, packages and formula; Debian's is installed; other systems are compiled
	@echo "=== $@ ($$(date +%T))"
	root() { if [ "$$(id -u)" = 0 ]; then "$$@"; else sudo "$$@"; fi; }
	rm -rf $(out)/release $(out)/elsewhere $(out)/again $(out)/all
	export NFPM=$(tools)/nfpm COMMIT=$$(git rev-parse --short=12 HEAD) SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct)
	platform=linux/$$(go env GOARCH)
	OUT=$(out)/release deploy/release/build v0.0.1 $$platform
	mkdir $(out)/elsewhere
	git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C $(out)/elsewhere
	OUT=$(out)/again $(out)/elsewhere/deploy/release/build v0.0.1 $$platform
	diff -r $(out)/release $(out)/again
	rm -rf $(out)/elsewhere # or ./... would find its packages
	echo "archive and packages are reproducible"
	rm -rf $(out)/tagged
	git clone -q . $(out)/tagged
	export GIT_AUTHOR_NAME=ci GIT_AUTHOR_EMAIL=ci@localhost GIT_COMMITTER_NAME=ci GIT_COMMITTER_EMAIL=ci@localhost
	tag() { $(out)/tagged/deploy/release/tag "$$1"; }
	sed -i 's/^## Unreleased$$/&\n\n- A change./' $(out)/tagged/CHANGELOG.md
	git -C $(out)/tagged commit -qam 'Change something'
	tag v0.0.1 | grep '^git push origin HEAD v0.0.1 '
	[ "$$(git -C $(out)/tagged describe --dirty)" = v0.0.1 ]
	grep -A 2 '^## Unreleased$$' $(out)/tagged/CHANGELOG.md | grep '^## v0.0.1, 20'
	for again in v0.0.1 v0.0.2 v1; do if tag $$again; then exit 1; fi; done # a tag that exists, nothing to release, no version
	rm -rf $(out)/tagged
	root rm -rf $(out)/debian
	mkdir -p $(out)/debian/var/lib/dpkg/{info,updates}
	touch $(out)/debian/var/lib/dpkg/status
	dpkg="dpkg --root=$(out)/debian --force-script-chrootless --log=/dev/null"
	rm -rf $(out)/unpacked
	mkdir $(out)/unpacked
	tar -xzf $(out)/release/*.tar.gz -C $(out)/unpacked
	grep -r 'newTag: v0.0.1$$' $(out)/unpacked/*/deploy
	if grep -r latest $(out)/unpacked/*/deploy; then echo "an image is not pinned"; exit 1; fi
	root $$dpkg -i $(out)/release/*.deb
	$(out)/debian/usr/bin/zhbot version | grep "^zhbot v0.0.1 $$COMMIT"
	grep '^ExecStart=/usr/bin/zhbot run ' $(out)/debian/usr/lib/systemd/system/zhbot.service
	root $$dpkg --verify zhbot
	man --warnings --local-file $(out)/debian/usr/share/man/man1/zhbot-setup.1.gz | grep -- --token-stdin
	[ -s $(out)/debian/usr/share/doc/zhbot/docs/live-page.png ]
	[ -s $(out)/debian/usr/share/doc/zhbot/changelog.gz ]
	for docs in $(out)/unpacked/*/docs $(out)/debian/usr/share/doc/zhbot/docs; do # what the guides refer to
		for file in $$(grep -ohP '\]\(\K\.\./deploy/[^)#]+' $$docs/*.md | sort -u); do ls -d $$docs/$$file; done
	done
	root $$dpkg -r zhbot
	[ ! -e $(out)/debian/usr/bin/zhbot ]
	mkdir -p $(out)/go # all platforms, with a compiler that copies a script
	printf '#!/bin/sh\nexec $(out)/zhbot "$$@"\n' >$(out)/go/zhbot
	printf '#!/bin/sh\n[ "$$1" = build ] || exec $(shell command -v go) "$$@"\nwhile [ "$$1" != -o ]; do shift; done\ncp $(out)/go/zhbot "$$2"\n' >$(out)/go/go
	chmod +x $(out)/go/*
	PATH=$(out)/go:$$PATH OUT=$(out)/all deploy/release/build v0.0.1 >/dev/null
	[ "$$(ls $(out)/all | wc -l)" = 15 ]
	(cd $(out)/all && sha256sum --check --quiet SHA256SUMS)
	ruby -wc $(out)/all/zhbot.rb
	grep "$$(sha256sum <$(out)/all/zhbot_v0.0.1_darwin_arm64.tar.gz | cut -d' ' -f1)" $(out)/all/zhbot.rb
	rm -rf $(out)/all
	GOOS=windows GOARCH=amd64 go build -ldflags '-s -w' -o $(out)/other ./cmd/zhbot
	GOOS=darwin GOARCH=arm64 go build -ldflags '-s -w' -o $(out)/other ./cmd/zhbot

arm64: ## the program for arm64 under an emulator; needs build
	@echo "=== $@ ($$(date +%T))"
	GOARCH=arm64 go build -o $(out)/zhbot-arm64 ./cmd/zhbot
	emulator=$$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
	if [ -z "$$emulator" ]; then
		echo "no qemu-user: arm64 is compiled and vetted only"
		GOARCH=arm64 go vet ./...
		exit
	fi
	"$$emulator" $(out)/zhbot-arm64 perft 4
	here=$$($(out)/zhbot bench --depth 5 | tail -n 1 | cut -d' ' -f1)
	there=$$("$$emulator" $(out)/zhbot-arm64 bench --depth 5 | tail -n 1 | cut -d' ' -f1)
	[ "$$here" = "$$there" ] || { echo "bench counts $$here nodes on this machine, $$there on arm64"; exit 1; }
	rm -rf $(out)/records-arm64
	"$$emulator" $(out)/zhbot-arm64 demo --games 2 --tc 20s+1s --dir $(out)/records-arm64

demo: ## four games against the embedded server; needs build
	@echo "=== $@ ($$(date +%T))"
	rm -rf $(out)/records
	$(out)/zhbot demo --games 4 --concurrent 2 --tc 10s+0.1s --dir $(out)/records

soak: ## short soaks with faults, one of another engine, one of a bot that is killed, and a gauntlet whose bot is; needs build
	@echo "=== $@ ($$(date +%T))"
	program=$$(command -v /usr/games/fairy-stockfish || echo "$(out)/zhbot uci")
	{ # beside the longest
		$(out)/zhbot soak --games 12 --concurrent 6 --tc 10s+0s --faults mild
		$(out)/zhbot soak --child --games 16 --concurrent 8 --tc 15s+0.2s --faults all --every 1s
		$(out)/zhbot soak --games 6 --concurrent 3 --tc 20s+0.2s --faults engine --every 2s --engine-command "$$program"
	} &>$(out)/soaks &
	soaks=$$!
	go test -tags realclock -run RealClock_Gauntlet ./cmd/zhbot & # it mostly waits
	gauntlet=$$!
	$(out)/zhbot soak --games 8 --concurrent 8 --tc 30s+1s --faults all --every 1s
	wait $$soaks || { cat $(out)/soaks; exit 1; }
	cat $(out)/soaks
	wait $$gauntlet

records: ## the demo's records, read by chessops; needs demo
	@echo "=== $@ ($$(date +%T))"
	cp .ci/chessops.mjs $(out)
	cd $(out)
	if npm install --no-save --no-audit --no-fund --silent chessops@$(CHESSOPS); then
		node chessops.mjs records/*.pgn
	else
		echo "chessops cannot be installed: records not checked by it"
	fi

$(out):
	@mkdir -p $@
