# make check is the test command. It needs Go, and npm for the MCP servers of the tests; it fetches both kinds of modules.

GO      ?= go
PROGRAM := ./cmd/toolfall
TARGETS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X github.com/toolfall/toolfall/internal/cli.release=$(VERSION)

.PHONY: check format vet lint cross servers test bench fuzz release

check: format vet lint cross test ## everything that CI runs

format:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run: gofmt -w ."; exit 1; }

vet:
	$(GO) vet ./...

lint:
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

cross: ## every system that we build for
	@for target in $(TARGETS); do \
		echo "vet $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) vet ./... || exit 1; \
	done

SERVERS := plugin/mcp/testdata/npm

servers: ## the MCP servers that tests speak to; without npm those tests are left out
	@if command -v npm >/dev/null; then cd $(SERVERS) && npm ci --no-progress --loglevel=error; else echo "npm is not here: the tests with real MCP servers are left out"; fi

test: servers
	$(GO) test -race ./...

bench: ## measures us beside our peers, and writes bench/RESULTS.md
	cd bench && $(GO) run . -o RESULTS.md

fuzz: ## each fuzz target for a while
	@for target in $$(grep -rho --include='*_test.go' --exclude-dir=bench 'func Fuzz[A-Za-z]*' . | cut -c6-); do \
		dir=$$(grep -rl --include='*_test.go' --exclude-dir=bench "func $$target(" . | head -n 1 | xargs dirname); \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $${FUZZTIME:-30s} -fuzzminimizetime 1s $$dir || exit 1; \
	done

release: ## static binaries with checksums, in dist/
	@rm -rf dist && mkdir -p dist
	@for target in $(TARGETS); do \
		os=$${target%/*}; arch=$${target#*/}; ext=; [ $$os = windows ] && ext=.exe; \
		echo "build $$target"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags '$(LDFLAGS)' \
			-o dist/toolfall-$$os-$$arch$$ext $(PROGRAM) || exit 1; \
		[ $$os != linux ] || CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags '-s -w' \
			-o dist/toolfall-confine-$$os-$$arch ./cmd/toolfall-confine || exit 1; \
	done
	@cd dist && sha256sum * > SHA256SUMS && cat SHA256SUMS
