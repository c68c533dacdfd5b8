# What a fresh machine needs: Go, git, make; and a C compiler for `make test`,
# because Go's race detector is written in C.
# `make help` lists what there is.

MODULE = github.com/kubectl-informer/kubectl-informer
GOLANGCI_LINT_VERSION = v2.12.2
LINTER = .cache/golangci-lint/$(GOLANGCI_LINT_VERSION)/golangci-lint

# The version of the binary; empty means that of the git tag, or v0.1.0-dev.
VERSION =

# What `make cluster` loads: small or demo.
SIZE = demo
TESTCLUSTER = .cache/bin/testcluster
CLUSTER_STATE = .cache/cluster

.PHONY: help build controlplane cluster cluster-down test lint demo bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1	\2/p' Makefile | expand -t 16

build: ## build bin/kubectl-informer
	@version="$(VERSION)"; \
	test -n "$$version" || version=$$(git describe --tags --dirty 2>/dev/null) || version=v0.1.0-dev; \
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X $(MODULE)/pkg/cmd.version=$$version" \
		-o bin/ ./cmd/kubectl-informer

controlplane: ## build etcd, kube-apiserver and the rest (about ten minutes the first time)
	@go run ./test/cluster/cmd/controlplane

# The commands of the cluster run from a file of their own, not through `go run`:
# the cluster outlives make.
cluster: controlplane ## start a local cluster in the background and print its KUBECONFIG
	@go build -o $(TESTCLUSTER) ./test/cluster/cmd/testcluster
	@$(TESTCLUSTER) up --detach --size $(SIZE) --state $(CLUSTER_STATE)

cluster-down: ## end the local cluster
	@test ! -x $(TESTCLUSTER) || $(TESTCLUSTER) down --state $(CLUSTER_STATE)

test: controlplane ## run every test, with the race detector
	@compiler=$$(go env CC); command -v "$${compiler%% *}" >/dev/null || \
		{ echo "error: the race detector needs a C compiler ($$compiler): install gcc" >&2; exit 1; }
	CGO_ENABLED=1 go test -race -timeout 30m ./...

lint: $(LINTER) ## check format, vet, golangci-lint, go.mod
	@unformatted=$$(gofmt -l cmd pkg test); test -z "$$unformatted" || \
		{ echo "error: gofmt would change:" >&2; echo "$$unformatted" >&2; exit 1; }
	go vet ./...
	$(LINTER) run ./...
	go mod tidy -diff
	cd test/controlplane && go mod tidy -diff

$(LINTER):
	GOBIN="$$PWD/$$(dirname $(LINTER))" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)

demo: build ## show the commands on a local cluster, or on the one of $KUBECONFIG
	@sh hack/demo.sh

# What `make bench` fills its cluster with, and how often it asks.
PODS = 2000
WIDGETS = 1000
RUNS = 3

bench: controlplane ## measure the plugin against kubectl (PODS=20000 WIDGETS=10000 for the large run)
	go run ./test/bench -pods $(PODS) -widgets $(WIDGETS) -runs $(RUNS)

clean: cluster-down ## end the local cluster and remove all that was built
	rm -rf bin dist .cache
