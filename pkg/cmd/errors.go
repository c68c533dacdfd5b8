package cmd

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// flatten returns the errors that are each to be told.
func flatten(err error) []error {
	//nolint:errorlint // an aggregate inside another error is told by that one
	if aggregate, ok := err.(utilerrors.Aggregate); ok {
		return utilerrors.Flatten(aggregate).Errors()
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, one := range joined.Unwrap() {
			errs = append(errs, flatten(one)...)
		}
		return errs
	}
	return []error{err}
}

// kubectlsFatal guards a package variable of kubectl's: what its CheckErr does
// with the words it finds.
var kubectlsFatal sync.Mutex

// words says an error as kubectl says it, by kubectl's own code.
func words(err error) string {
	if errors.As(err, new(alreadySaid)) {
		return ""
	}
	kubectlsFatal.Lock()
	defer kubectlsFatal.Unlock()
	var text string
	cmdutil.BehaviorOnFatal(func(message string, _ int) { text = message })
	defer cmdutil.DefaultBehaviorOnFatal()
	cmdutil.CheckErr(bare(err))
	// kubectl's builder takes the program for kubectl.
	text = strings.ReplaceAll(text, filepath.Base(os.Args[0])+" get ", "kubectl informer list ")
	return withoutUserinfo(strings.TrimSuffix(text, "\n"))
}

// bare finds the error kubectl has words for: it looks at the error itself and
// never at what it wraps.
func bare(err error) error {
	var failure *cache.SyncError
	failed := errors.As(err, &failure)
	if failed && failure.TimedOut {
		return err
	}
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		if failed && failure.Op == cache.OpList {
			return unlisted(failure.Target, status)
		}
		return status
	}
	var unreachable *url.Error
	if errors.As(err, &unreachable) {
		return unreachable
	}
	return err
}

// unlisted says of a list that was refused what was asked for, as kubectl's
// builder does.
func unlisted(t cache.Target, status *apierrors.StatusError) error {
	if t.Name != "" || !apierrors.IsBadRequest(status) && !apierrors.IsNotFound(status) {
		return status
	}
	named := *status
	if t.LabelSelector == "" && t.FieldSelector == "" {
		named.ErrStatus.Message = fmt.Sprintf("Unable to list %q: %v", t.Resource, status.ErrStatus.Message)
	} else {
		named.ErrStatus.Message = fmt.Sprintf("Unable to find %q that match label selector %q, field selector %q: %v",
			t.Resource, t.LabelSelector, t.FieldSelector, status.ErrStatus.Message)
	}
	return &named
}
