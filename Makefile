# What a fresh machine needs: Go, git, make; and a C compiler for `make test`,
# because Go's race detector is written in C.
# `make help` lists what there is.

MODULE = github.com/kubectl-informer/kubectl-informer
GOLANGCI_LINT_VERSION = v2.12.2
GOVULNCHECK_VERSION = v1.9.0
LINTER = .cache/golangci-lint/$(GOLANGCI_LINT_VERSION)/golangci-lint

# The version of the binary; empty means that of the git tag, or that of the file
# VERSION, with -dev.
VERSION =

# What `make cluster` loads: small or demo.
SIZE = demo
TESTCLUSTER = .cache/bin/testcluster
CLUSTER_STATE = .cache/cluster

.PHONY: help build controlplane controlplane-previous cluster cluster-down test test-skew k9s-test \
	kind-test kind-stories lint vulncheck demo docs recording bench \
	release-archives krew-manifest release-check release-check-here release-compare clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1	\2/p' Makefile | expand -t 24

build: ## build bin/kubectl-informer
	@version="$(VERSION)"; \
	test -n "$$version" || version=$$(git describe --tags --dirty 2>/dev/null) || version=$$(cat VERSION)-dev; \
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X $(MODULE)/pkg/cmd.version=$$version" \
		-o bin/ ./cmd/kubectl-informer

controlplane: ## build etcd, kube-apiserver and the rest (about ten minutes the first time)
	@go run ./test/cluster/cmd/controlplane

controlplane-previous: ## build the Kubernetes programs of an older release, for test-skew
	@go run ./test/cluster/cmd/controlplane -previous

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

# The tests whose answers depend on the server: on an older one they are the same.
test-skew: controlplane controlplane-previous ## run the stories, and list beside kubectl get, against an older API server
	INFORMER_TEST_KUBERNETES=previous CGO_ENABLED=1 go test -race -count=1 -timeout 30m \
		./test/e2e ./test/e2e/stories ./test/kind/stories

K9S = .cache/k9s/k9s

k9s-test: controlplane $(K9S) ## press the keys of plugins.yaml in k9s; needs tmux and less
	@for program in tmux less; do command -v $$program >/dev/null || \
		{ echo "error: the keys are pressed in a terminal of tmux, and lists are shown by less: install $$program" >&2; exit 1; }; done
	K9S="$$PWD/$(K9S)" go test -count=1 -v -tags k9s -run KeysInK9s ./test/e2e/k9s

# k9s takes several minutes to compile the first time.
$(K9S): test/k9s/go.mod test/k9s/go.sum
	cd test/k9s && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o ../../$@ github.com/derailed/k9s
	@touch $@

# The Kubernetes of the kind cluster, such as 1.36; empty means the newest.
MINOR =

kind-test: ## run the stories on a kind cluster (MINOR=1.36 for an older Kubernetes); needs Docker
	@sh test/kind/test.sh $(MINOR)

kind-stories: ## run the stories on the cluster of $KUBECONFIG, in namespaces of their own
	@sh test/kind/run.sh

lint: $(LINTER) ## check format, vet, golangci-lint, go.mod
	@unformatted=$$(gofmt -l cmd hack pkg test); test -z "$$unformatted" || \
		{ echo "error: gofmt would change:" >&2; echo "$$unformatted" >&2; exit 1; }
	go vet -tags k9s,release ./...
	$(LINTER) run ./...
	go mod tidy -diff
	cd test/controlplane && go mod tidy -diff
	cd test/controlplane/previous && go mod tidy -diff
	cd test/k9s && go mod tidy -diff
	cd test/krew && go vet ./... && go mod tidy -diff

vulncheck: ## look for known vulnerabilities that the code can reach
	go run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) ./...

$(LINTER):
	GOBIN="$$PWD/$$(dirname $(LINTER))" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)

demo: build ## show the commands on a local cluster, or on the one of $KUBECONFIG
	@sh hack/demo.sh

docs: ## write the man pages and the reference, from the commands' own help
	go run ./hack/docs docs

recording: build controlplane ## record docs/session.svg, the session in README, on a cluster of its own (Linux)
	go run ./hack/record docs/session.svg

# What `make bench` fills its cluster with, how often it asks, and to how many pods
# the cluster then grows, for the plugin alone.
PODS = 2000
WIDGETS = 1000
RUNS = 3
GROW =

bench: controlplane ## measure the plugin against kubectl (PODS=20000 WIDGETS=10000 GROW=50000,100000 for the large run)
	go run ./test/bench -pods $(PODS) -widgets $(WIDGETS) -runs $(RUNS) -grow "$(GROW)"

release-archives: ## build the archives of a release, for six platforms, into dist/
	go run ./hack/release archives

krew-manifest: release-archives ## build the archives, write krew-manifest.yaml and .krew.yaml
	go run ./hack/release manifest

release-check: ## build the archives, compare krew-manifest.yaml, install each with krew
	go run ./hack/release check
	RELEASE_ARCHIVES="$$PWD/dist" go test -count=1 -tags release -run EveryPlatform ./test/release

release-check-here: ## build this platform's archive alone and compare krew-manifest.yaml
	go run ./hack/release check -here

release-compare: ## compare krew-manifest.yaml with the archives that are in dist/
	go run ./hack/release compare

clean: cluster-down ## end the local cluster and remove all that was built
	rm -rf bin dist .cache
