package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestClassify(t *testing.T) {
	// dial is a failed connection attempt, as http.Client wraps it.
	dial := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://api", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	syscallError := func(name string, errno syscall.Errno) error { return os.NewSyscallError(name, errno) }
	sent := func(err error) error { return &url.Error{Op: "Get", URL: "https://api", Err: err} }
	html := func(code int) error {
		return apierrors.NewGenericServerResponse(code, "get", configMaps, "", "<html>oops</html>", 0, true)
	}
	tooLarge := apierrors.NewTimeoutError("Too large resource version", 1)
	tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}

	for _, test := range []struct {
		name string
		err  error
		want cache.Fault
	}{
		{"connection refused", dial(syscallError("connect", syscall.ECONNREFUSED)), cache.Unreachable},
		{"no route to host", dial(syscallError("connect", syscall.EHOSTUNREACH)), cache.Unreachable},
		{"dial time-out", dial(os.ErrDeadlineExceeded), cache.Unreachable},
		{"no such host", dial(&net.DNSError{Err: "no such host", Name: "api", IsNotFound: true}), cache.Unreachable},
		{"proxy refused", sent(&net.OpError{Op: "proxyconnect", Err: io.EOF}), cache.Unreachable},
		{"unknown authority", sent(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}), cache.Unreachable},
		{"other host's certificate", sent(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "api"}), cache.Unreachable},
		{"certificate run out", sent(x509.CertificateInvalidError{Reason: x509.Expired}), cache.Unreachable},
		{"no TLS at the other end", sent(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), cache.Unreachable},
		{"plain HTTP at the other end", sent(errors.New("http: server gave HTTP response to HTTPS client")), cache.Unreachable},
		{"TLS alert", sent(&net.OpError{Op: "remote error", Err: tls.AlertError(42)}), cache.Unreachable},

		{"unauthorized", apierrors.NewUnauthorized("who are you"), cache.Denied},
		{"forbidden", forbidden, cache.Denied},
		{"wrapped", fmt.Errorf("failed to list: %w", forbidden), cache.Denied},
		{"plugin missing", sent(errors.New("getting credentials: exec: executable login-tool not found")), cache.NoCredentials},
		{"token file missing", sent(errors.New(`failed to read token file "/t": no such file`)), cache.NoCredentials},
		{"token file empty", sent(errors.New(`read empty token from file "/t"`)), cache.NoCredentials},

		{"type unknown", noType, cache.Missing},
		{"no list or watch", noWatch, cache.Unsupported},
		{"no such form", html(406), cache.Unsupported},
		{"bad selector", badSelector, cache.Invalid},
		{"unprocessable", html(422), cache.Invalid},

		{"expired", tooOld, cache.Expired},
		{"gone", errGone(), cache.Expired},
		{"version of the future", tooLarge, cache.Ahead},

		{"too many requests", apierrors.NewTooManyRequests("slow down", 1), cache.Transient},
		{"internal", apierrors.NewInternalError(errors.New("oops")), cache.Transient},
		{"unavailable", unavailable, cache.Transient},
		{"bad gateway, in HTML", html(502), cache.Transient},
		{"gateway time-out", html(504), cache.Transient},
		{"reset", sent(&net.OpError{Op: "read", Err: syscallError("read", syscall.ECONNRESET)}), cache.Transient},
		{"cut", sent(io.ErrUnexpectedEOF), cache.Transient},
		{"closed", sent(io.EOF), cache.Transient},
		{"read time-out", sent(&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}), cache.Transient},
		{"list too slow", sent(context.DeadlineExceeded), cache.Transient},
		{"junk", errors.New("invalid character '<' looking for beginning of value"), cache.Transient},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := classify(test.err); got != test.want {
				t.Errorf("%v is fault %v, want %v", test.err, got, test.want)
			}
		})
	}
}

func TestOnlyAStatusOfTheServerIsItsWord(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"a Status", forbidden, true},
		{"a Status, wrapped", fmt.Errorf("failed to list: %w", forbidden), true},
		{"a page of a gateway", apierrors.NewGenericServerResponse(403, "get", configMaps, "", "<html>no</html>", 0, true), false},
		{"a path that the server does not know", noType, false},
		{"no answer", refused, false},
	} {
		if got := diagnose(test.err).Authoritative; got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestTheEndOfAConnectionIsNotAnEventThatCannotBeRead(t *testing.T) {
	for _, test := range []struct {
		text                   string
		interrupted, unnoticed bool
	}{
		{"http2: client connection lost", true, true},
		{"stream error: stream ID 5; INTERNAL_ERROR; received from peer", true, false},
		{"read tcp 10.0.0.1:5->10.0.0.2:443: read: no route to host", true, false},
		{"read tcp 10.0.0.1:5->10.0.0.2:443: read: connection timed out", true, true},
		{"invalid character 'g' looking for beginning of value", false, false},
	} {
		d := diagnose(decodeError(test.text))
		if d.Interrupted != test.interrupted || d.Unnoticed != test.unnoticed {
			t.Errorf("%s: got %+v", test.text, d)
		}
	}
}

func TestAServerIsDownWhereWaitingMayHelp(t *testing.T) {
	sent := func(err error) error { return &url.Error{Op: "Get", URL: "https://api", Err: err} }
	for _, test := range []struct {
		name string
		err  error
		down bool
	}{
		{"refused", sent(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), true},
		{"dropped", sent(&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}), true},
		{"no such host", sent(&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "api", IsNotFound: true}}), true},
		{"no answer in time", sent(os.ErrDeadlineExceeded), true},
		{"reset", sent(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), true},
		{"starting", apierrors.NewServiceUnavailable("starting"), true},
		{"a gateway's page", apierrors.NewGenericServerResponse(502, "get", configMaps, "", "<html>oops</html>", 0, true), true},
		{"forbidden", forbidden, false},
		{"unauthorized", apierrors.NewUnauthorized("who are you"), false},
		{"not found", apierrors.NewNotFound(configMaps, "first"), false},
		{"unknown authority", sent(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}), false},
		{"our certificate refused", sent(&net.OpError{Op: "remote error", Err: tls.AlertError(42)}), false},
		{"plain HTTP", sent(errors.New("http: server gave HTTP response to HTTPS client")), false},
		{"no credentials", sent(errors.New("getting credentials: exec: executable login-tool not found")), false},
	} {
		if got := IsDown(test.err); got != test.down {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
