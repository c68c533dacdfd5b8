# Two images of the plugin:
#
#   docker build --target plugin  --build-arg VERSION=v0.1.0 -t kubectl-informer .
#   docker build --target command --build-arg VERSION=v0.1.0 -t kubectl-informer:command .
#
# plugin has the binary and the certificates of public authorities, and no shell.
# command has a shell and kubectl besides, for tail … -- COMMAND, and an init that reaps what
# COMMANDs leave behind.
ARG GO_VERSION=1.26
ARG ALPINE_VERSION=3.23

FROM --platform=$BUILDPLATFORM golang:${GO_VERSION} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY pkg pkg
ARG TARGETOS TARGETARCH
ARG VERSION=v0.0.0-dev
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X github.com/kubectl-informer/kubectl-informer/pkg/cmd.version=$VERSION" \
    -o /out/ ./cmd/kubectl-informer

FROM alpine:${ALPINE_VERSION} AS command
ARG TARGETARCH
ARG KUBECTL_VERSION=v1.37.2
RUN apk add --no-cache bash ca-certificates jq tini \
 && wget -q -O /usr/local/bin/kubectl "https://dl.k8s.io/release/${KUBECTL_VERSION}/bin/linux/${TARGETARCH}/kubectl" \
 && wget -q -O /tmp/kubectl.sha256 "https://dl.k8s.io/release/${KUBECTL_VERSION}/bin/linux/${TARGETARCH}/kubectl.sha256" \
 && echo "$(cat /tmp/kubectl.sha256)  /usr/local/bin/kubectl" | sha256sum -c - \
 && rm /tmp/kubectl.sha256 \
 && chmod 0755 /usr/local/bin/kubectl
COPY --from=build /out/kubectl-informer /usr/local/bin/kubectl-informer
USER 65532:65532
ENTRYPOINT ["/sbin/tini", "--", "/usr/local/bin/kubectl-informer"]

# Last, so that it is what is built without --target.
FROM gcr.io/distroless/static-debian12:nonroot AS plugin
COPY --from=build /out/kubectl-informer /usr/local/bin/kubectl-informer
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/kubectl-informer"]
