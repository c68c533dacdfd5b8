package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

// diagnose returns what err means. Unknown errors are Transient.
func diagnose(err error) guard.Diagnosis {
	return guard.Diagnosis{
		Fault:         classify(err),
		Authoritative: isAuthoritative(err),
		RetryAfter:    retryAfter(err),
		Interrupted:   isConnectionLost(err),
		Unnoticed:     isUnnoticed(err),
	}
}

// isAuthoritative reports whether err is a Status that an API server has written, not one
// that client-go has made of some other body.
func isAuthoritative(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

func classify(err error) cache.Fault {
	var status apierrors.APIStatus
	switch {
	case apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge):
		return cache.Ahead
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return cache.Expired
	case errors.As(err, new(*overdueError)):
		return cache.Overdue
	case errors.As(err, &status):
		return classifyCode(int(status.Status().Code))
	case isCredentials(err):
		return cache.NoCredentials
	case isUnreachable(err):
		return cache.Unreachable
	}
	return cache.Transient
}

func classifyCode(code int) cache.Fault {
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden:
		return cache.Denied
	case http.StatusNotFound:
		return cache.Missing
	case http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		return cache.Unsupported
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return cache.Invalid
	}
	return cache.Transient
}

// isCredentials reports whether there are no credentials to send. client-go makes these errors
// of text alone: the exec plugin's, then the token file's.
func isCredentials(err error) bool {
	text := err.Error()
	return strings.Contains(text, "getting credentials: ") ||
		strings.Contains(text, "failed to read token file ") ||
		strings.Contains(text, "read empty token from file ")
}

// isUnreachable reports whether no Kubernetes server was reached: no connection, or
// one that could not be made secure.
func isUnreachable(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) {
		switch op.Op {
		case "dial", "proxyconnect", "remote error", "local error": // the last two are TLS alerts
			return true
		}
	}
	var dns *net.DNSError
	return errors.As(err, &dns) || isTLS(err) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
}

func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
	)
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &authority) ||
		errors.As(err, &hostname) || errors.As(err, &invalid) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// isConnectionLost distinguishes the end of a connection from an event that cannot
// be read: client-go makes a watch event of both.
func isConnectionLost(err error) bool {
	text := err.Error()
	return utilnet.IsHTTP2ConnectionLost(err) ||
		strings.Contains(text, "stream error: stream ID") || strings.Contains(text, ": read tcp ")
}

// isUnnoticed reports whether a connection was found dead because a probe of it got
// no answer: HTTP/2's ping, or TCP's keep-alive.
func isUnnoticed(err error) bool {
	return utilnet.IsHTTP2ConnectionLost(err) || errors.Is(err, syscall.ETIMEDOUT) ||
		strings.Contains(err.Error(), "connection timed out")
}

// retryAfter is how long the server asks to be left alone; 0 if it does not.
func retryAfter(err error) time.Duration {
	seconds, _ := apierrors.SuggestsClientDelay(err)
	return time.Duration(seconds) * time.Second
}

// IsDown reports whether an error means that the server does not answer at present. It may
// come up, or be reached again; a connection that could not be made secure stays as it is.
func IsDown(err error) bool {
	var op *net.OpError
	if isTLS(err) || errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") {
		return false
	}
	var timeout net.Error
	return IsPassing(err) || errors.As(err, &timeout) && timeout.Timeout()
}

// IsPassing reports whether the error of any request, such as one of discovery, is
// worth a retry: the connection broke, the server is overloaded or starting,
// or what answered was not the API server.
func IsPassing(err error) bool {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		code := status.Status().Code
		switch code {
		case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
			return false
		}
		return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests || !isAuthoritative(err)
	}
	var op *net.OpError
	return utilnet.IsConnectionReset(err) || utilnet.IsHTTP2ConnectionLost(err) || utilnet.IsProbableEOF(err) ||
		errors.Is(err, io.ErrUnexpectedEOF) || isConnectionLost(err) || isUnreachable(err) || errors.As(err, &op) ||
		strings.Contains(err.Error(), "when reading response body")
}
