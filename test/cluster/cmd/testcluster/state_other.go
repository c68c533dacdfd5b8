//go:build !unix

package main

import (
	"context"
	"errors"
	"io"
)

var errUnixOnly = errors.New("--state needs a Unix system: run `testcluster up` in a terminal of its own")

type heldState struct{}

func (heldState) release() {}

func hold(string) (heldState, error) { return heldState{}, errUnixOnly }

func detach(context.Context, options, io.Writer, io.Writer) error { return errUnixOnly }

func down(context.Context, string, io.Writer) error { return errUnixOnly }
