# Named checks. `make check` is quick; `.ci/run` runs everything from a clean clone.

STATICCHECK   = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2
WORKFLOWCHECK = go run go.temporal.io/sdk/contrib/tools/workflowcheck@v0.6.0

# Packages with goroutines of their own. engine and runs are left out: a race build recompiles the Temporal server.
RACE = ./artifacts ./contrasts ./terminal ./workflows

.PHONY: build test check foreign foreign-whole race bench bench-build fixtures

build:
	go build -o evlab ./cmd/evlab

test:
	go test ./...

check:
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	go vet ./...
	$(STATICCHECK) ./...
	$(WORKFLOWCHECK) ./workflows

# Systems that nothing is run on. The Temporal server is left out: compiling it once more takes more time than all the rest.
SERVERLESS = $$(go list -f '{{if .GoFiles}}{{.ImportPath}} {{join .Deps " "}}{{end}}' ./... | grep -v go.temporal.io/server/ | cut -d' ' -f1)

foreign:
	GOOS=windows GOARCH=amd64 go build $(SERVERLESS)
	GOOS=windows GOARCH=amd64 go vet ./sandbox/...
	GOOS=darwin GOARCH=arm64 go build $(SERVERLESS)
	GOOS=darwin GOARCH=arm64 go vet ./sandbox/...

foreign-whole:
	GOOS=windows GOARCH=amd64 go build -o /dev/null ./cmd/evlab
	GOOS=darwin GOARCH=arm64 go build -o /dev/null ./cmd/evlab

race:
	go test -race -vet=off $(RACE)
	go test -race -vet=off -run Concurr ./repos ./retrieval

bench:
	go test -run '^$$' -bench . -benchtime 3x ./contrasts ./scores ./scores/statefile ./retrieval ./engine ./runs
	cd bench/bm25 && go run .
	go run ./bench/grading

bench-build:
	cd bench/bm25 && go vet ./...

# Keeps the histories of a finished run (RUN=its folder) as replay fixtures. Take a run of a released program, never of a
# branch under test.
fixtures:
	@test -n "$(RUN)" || { echo "say which run: make fixtures RUN=DATA/runs/ID" >&2; exit 2; }
	@for f in "$(RUN)"/histories/*.json; do \
	  gzip -9 -n -c "$$f" > "workflows/testdata/replay/$$(basename "$$f" .json | tr '~/' '__').json.gz"; \
	done
