# What a fresh machine needs: Go, git, make; and for `make test` a C compiler,
# because Go's race detector is written in C, and tmux, for the live view.
# `make help` lists what there is.

MODULE = github.com/kubectl-informer/kubectl-informer
GOLANGCI_LINT_VERSION = v2.12.2
GOVULNCHECK_VERSION = v1.9.0
GORELEASER_VERSION = v2.16.0
ACTIONLINT_VERSION = v1.7.12
ACTIONLINT = .cache/actionlint/$(ACTIONLINT_VERSION)/actionlint
GORELEASER = .cache/goreleaser/$(GORELEASER_VERSION)/goreleaser
LINTER = .cache/golangci-lint/$(GOLANGCI_LINT_VERSION)/golangci-lint

# The version of the binary; empty means that of the git tag, or that of the file
# VERSION, with -dev.
VERSION =

# What `make cluster` loads: small or demo.
SIZE = demo
TESTCLUSTER = .cache/bin/testcluster
CLUSTER_STATE = .cache/cluster

.PHONY: help build controlplane controlplane-previous cluster cluster-down compiler terminal test test-short unit fuzz faults soak kills reliability renew test-skew k9s-test \
	kind-test kind-stories lint vulncheck demo docs man bench bench-events bench-many bench-live \
	archive release-archives krew-manifest release-check release clean

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

compiler:
	@compiler=$$(go env CC); command -v "$${compiler%% *}" >/dev/null || \
		{ echo "error: the race detector needs a C compiler ($$compiler): install gcc" >&2; exit 1; }

terminal:
	@command -v tmux >/dev/null || { echo "error: the live view is looked at in a terminal of tmux: install tmux" >&2; exit 1; }

# By default the race detector has every program wait for a second at its end. What only a
# debugger reads, -w leaves out: half of the time to link.
RACE = CGO_ENABLED=1 GORACE=atexit_sleep_ms=20 go test -race -ldflags=-w
# How many packages are tested at a time. More than there are processors are sooner done,
# and make faults of the clock where tests wait for processes.
PACKAGES = $$(getconf _NPROCESSORS_ONLN)
# The packages that -short leaves nothing of.
LONG = /test/(e2e/(contexts|dump|faults|incluster|k9s|stories)|faults|kind/stories|release)$$

test: compiler terminal controlplane ## run every test, with the race detector
	$(RACE) -p $(PACKAGES) -timeout 30m ./...

# What takes longest is begun first. One package more than there are processors: some only
# wait, and none makes faults of the clock.
test-short: PACKAGES = $$(($$(getconf _NPROCESSORS_ONLN) + 1))
test-short: compiler controlplane ## run every test but what takes long on the control plane
	$(RACE) -p $(PACKAGES) -short -timeout 10m ./test/e2e $$(go list ./... | grep -vE '$(LONG)')

unit: compiler ## run the tests that need no control plane
	$(RACE) -p $(PACKAGES) -timeout 10m ./cmd/... ./hack/... ./pkg/... ./test/docs ./test/workflows

renew: controlplane ## after a new Kubernetes minor, write what an API server says of its types
	go test -count=1 -run TheBuiltInTypes ./test/e2e/dump -update

# How long `make fuzz` looks for inputs, for each target.
FUZZTIME = 30s

fuzz: ## look for inputs that break what reads them (FUZZTIME=30s for each target)
	@for file in $$(grep -rl --include='*_test.go' '^func Fuzz' pkg); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' "$$file"); do \
			echo "$$(dirname "$$file"): $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")" || exit 1; \
		done; \
	done

# How long soak runs, and what all that is random is drawn from; 0 draws a seed, and
# prints it.
SOAK = 30m
SEED = 0

soak: compiler controlplane ## make random faults for long (SOAK=30m); SEED=N makes the same again
	$(RACE) -count=1 -timeout 0 -run TestSoak ./test/faults -soak $(SOAK) -seed $(SEED)

# How often `make kills` kills each run that keeps a state.
KILLS = 200

kills: compiler controlplane ## kill runs that keep a state at random moments (KILLS=200); SEED=N draws the same again
	$(RACE) -count=1 -timeout 0 -v -run TestARunThatIsKilledLosesNothing ./test/e2e/stories -kills $(KILLS) -kill-seed $(SEED)

faults: compiler controlplane ## make all faults, each in its short form, and check what came of them
	$(RACE) -count=1 -timeout 60m ./test/faults

reliability: compiler controlplane ## make all faults, and write the table in docs/reliability.md
	$(RACE) -count=1 -timeout 60m -run TestFaults ./test/faults -report "$$PWD/docs/reliability.md"

# The tests whose answers depend on the server: on an older one they are the same.
test-skew: controlplane controlplane-previous terminal ## run the stories, and list beside kubectl get, against an older API server, alone and beside a present one
	INFORMER_TEST_KUBERNETES=previous $(RACE) -count=1 -timeout 30m \
		./test/e2e ./test/e2e/contexts ./test/e2e/stories ./test/kind/stories

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

lint: $(LINTER) $(ACTIONLINT) ## check format, vet, golangci-lint, actionlint, go.mod
	@unformatted=$$(gofmt -l cmd hack pkg test); test -z "$$unformatted" || \
		{ echo "error: gofmt would change:" >&2; echo "$$unformatted" >&2; exit 1; }
	go vet -tags k9s,release ./...
	$(LINTER) run ./...
	$(ACTIONLINT)
	go mod tidy -diff
	cd test/controlplane && go mod tidy -diff
	cd test/controlplane/previous && go mod tidy -diff
	cd test/k9s && go mod tidy -diff
	cd test/krew && go vet ./... && go mod tidy -diff

vulncheck: ## look for known vulnerabilities that the code can reach
	go run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) ./...

$(LINTER):
	GOBIN="$$PWD/$$(dirname $(LINTER))" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)

$(ACTIONLINT):
	GOBIN="$$PWD/$$(dirname $(ACTIONLINT))" go install github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)

demo: build ## show the commands on a local cluster, or on the one of $KUBECONFIG
	@sh hack/demo.sh

docs: ## write docs/reference, and the table in docs/commands.md, from the commands' own help
	go run ./hack/docs reference docs/reference
	go run ./hack/docs table docs/commands.md

man: ## write the man pages into .cache/man
	go run ./hack/docs man .cache/man

# What `make bench` fills its cluster with, how often it asks, and to how many pods
# the cluster then grows, for the plugin alone.
PODS = 2000
WIDGETS = 1000
RUNS = 3
GROW =
# How many pods `make bench-many` asks for.
MANY = 100000
# On the command line only: who has KUBECONFIG set need not mean to measure there.
BENCH_KUBECONFIG =

bench: controlplane ## measure the plugin against kubectl (PODS=20000 WIDGETS=10000 GROW=50000,100000 for the large run; BENCH_KUBECONFIG=FILE on a given cluster, read-only)
	go run ./test/bench -pods $(PODS) -widgets $(WIDGETS) -runs $(RUNS) -grow "$(GROW)" -kubeconfig "$(BENCH_KUBECONFIG)"

bench-many: controlplane ## measure questions of 100 000 whole pods, which a stand-in for the API server has in memory (MANY=20000 for fewer)
	go run ./test/bench -pods 60 -widgets 1 -runs $(RUNS) -stand-in $(MANY)

bench-events: controlplane ## measure what an event of a watch costs that comes alone, against kubectl
	go run ./test/bench -events 1m

bench-live: controlplane ## measure the live view while a thousand rows of ten thousand change each second
	go run ./test/bench -live

archive: ## build this platform's archive, and krew's manifest of it, into dist/
	@go run ./hack/release archive

# GoReleaser takes several minutes to compile the first time. Archives are compressed
# by Go's library, so it has to be built with the Go of go.mod.
$(GORELEASER):
	GOTOOLCHAIN=$$(sed -n 's/^toolchain //p' go.mod) GOBIN="$$PWD/$$(dirname $(GORELEASER))" \
		go install github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION)

release-archives: $(GORELEASER) ## build the archives of the version in VERSION, for six platforms, into dist/
	SNAPSHOT_VERSION=$$(sed s/^v// VERSION) $(GORELEASER) release --snapshot --clean --skip=nfpm,sbom,sign,homebrew

krew-manifest: release-archives ## write krew-manifest.yaml, last thing before a tag
	@go run ./hack/release manifest

release-check: release-archives ## compare krew-manifest.yaml with the archives, install each with krew
	$(GORELEASER) check
	go run ./hack/release compare
	RELEASE_ARCHIVES="$$PWD/dist" go test -count=1 -tags release -run EveryPlatform ./test/release

release: $(GORELEASER) ## draft the release of a tag on GitHub and compare krew-manifest.yaml; CI does it
	$(GORELEASER) release --clean
	go run ./hack/release compare

clean: cluster-down ## end the local cluster and remove all that was built
	rm -rf bin dist .cache
