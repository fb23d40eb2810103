# The test command is: make check

.PHONY: check
check: ## everything that CI runs
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w"; exit 1; }
	go vet ./...
	go test -race ./...
