package client

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	configMaps = schema.GroupResource{Resource: "configmaps"}

	forbidden   = apierrors.NewForbidden(configMaps, "", errors.New("no such right"))
	unavailable = apierrors.NewServiceUnavailable("the server is starting")
	tooOld      = apierrors.NewResourceExpired("too old resource version: 1 (9)")
	noType      = apierrors.NewGenericServerResponse(404, "get", configMaps, "", "404 page not found", 0, true)
	noWatch     = apierrors.NewMethodNotSupported(configMaps, "watch")
	badSelector = apierrors.NewBadRequest("field label not supported: spec.size")
	refused     = &url.Error{Op: "Get", URL: "https://api", Err: &net.OpError{
		Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED),
	}}
)

// errGone is what servers before 1.18 said of a resourceVersion that is too old.
func errGone() *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonGone, Message: "gone",
	}}
}

// decodeError is what client-go makes an event of, when a watch cannot be read.
func decodeError(text string) *apierrors.StatusError {
	status := apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding").
		AsObject(errors.New("unable to decode an event from the watch stream: " + text))
	return &apierrors.StatusError{ErrStatus: *status.(*metav1.Status)}
}
