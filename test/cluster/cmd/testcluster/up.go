package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// up runs a cluster until ctx is done. What it prints to out, once the cluster
// is ready, is the path of a kubeconfig, and nothing else ever.
func up(ctx context.Context, o options, out, messages io.Writer) (err error) {
	if o.state != "" {
		held, err := hold(o.state)
		if err != nil {
			return err
		}
		defer held.release()
		if o.kubeconfig == "" {
			o.kubeconfig = kubeconfigIn(o.state)
		}
	}
	fmt.Fprintln(messages, "starting a control plane")
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return unlessTold(ctx, err)
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	fmt.Fprintf(messages, "loading the %s workloads\n", o.size)
	if err := c.Load(ctx, o.size); err != nil {
		return unlessTold(ctx, err)
	}
	path, err := c.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{})
	if err != nil {
		return err
	}
	if o.kubeconfig != "" {
		if path, err = publish(path, o.kubeconfig); err != nil {
			return err
		}
		defer os.Remove(path)
	}
	fmt.Fprintln(out, path)
	return c.Wait()
}

// unlessTold drops an error that is there because somebody ended us.
func unlessTold(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// publish copies a kubeconfig to where the user wants it and returns that path
// in full. The file is complete as soon as it is there: scripts wait for it.
func publish(from, to string) (string, error) {
	to, err := filepath.Abs(to)
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", err
	}
	unfinished := to + ".new"
	if err := os.WriteFile(unfinished, content, 0o600); err != nil {
		return "", err
	}
	return to, os.Rename(unfinished, to)
}

func kubeconfigIn(state string) string { return filepath.Join(state, "kubeconfig") }
