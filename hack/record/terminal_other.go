//go:build !linux

package main

import (
	"context"
	"errors"
)

func inTerminal(context.Context, []string, string) ([]line, error) {
	return nil, errors.New("a recording is made on Linux")
}
