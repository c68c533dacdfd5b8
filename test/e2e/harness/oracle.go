package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Oracle is kubectl get in one process, for many questions: test/e2e/oracle.
type Oracle struct {
	mu        sync.Mutex // one question after the other
	command   *exec.Cmd
	questions io.WriteCloser
	answers   *bufio.Reader
}

// StartOracle builds the oracle into dir and starts it. It has to be closed.
func StartOracle(ctx context.Context, dir string, env []string) (*Oracle, error) {
	program, err := build(ctx, dir, "test/e2e/oracle", "CGO_ENABLED=0", "-trimpath")
	if err != nil {
		return nil, err
	}
	o := &Oracle{command: exec.CommandContext(ctx, program)}
	o.command.Env, o.command.Stderr = env, os.Stderr
	answers, err := o.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.answers = bufio.NewReader(answers)
	if o.questions, err = o.command.StdinPipe(); err != nil {
		return nil, err
	}
	return o, o.command.Start()
}

// Ask returns what kubectl answers to its arguments, the first of which is get.
func (o *Oracle) Ask(args ...string) (answer Result, err error) {
	question, err := json.Marshal(args)
	if err != nil {
		return answer, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.questions.Write(append(question, '\n')); err != nil {
		return answer, fmt.Errorf("kubectl get in one process: %w", err)
	}
	line, err := o.answers.ReadBytes('\n')
	if err != nil {
		return answer, fmt.Errorf("kubectl get in one process: %w", err)
	}
	return answer, json.Unmarshal(line, &answer)
}

// Close ends the oracle.
func (o *Oracle) Close() error { return errors.Join(o.questions.Close(), o.command.Wait()) }
