package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// beCommand, in the environment, has the test binary be the command itself.
const beCommand = "TESTCLUSTER_BE_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(beCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), beCommand+"=1")
	return cmd
}

// outcome runs the command to its end.
func outcome(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, messages bytes.Buffer
	cmd := command(args...)
	cmd.Stdout, cmd.Stderr = &out, &messages
	err = cmd.Run()
	return out.String(), messages.String(), err
}

func TestDetachedClusterLivesUntilDown(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	state := filepath.Join(t.TempDir(), "state")
	t.Cleanup(func() {
		if _, messages, err := outcome(t, "down", "--state", state); err != nil {
			t.Error(messages)
		}
	})
	out, messages, err := outcome(t, "up", "--detach", "--state", state)
	if err != nil {
		t.Fatal(messages)
	}
	want := "export KUBECONFIG=" + kubeconfigIn(state) + "\n"
	if out != want {
		t.Fatalf("got %q, want %q", out, want)
	}
	if pods := countPods(t, kubeconfigIn(state)); pods == 0 {
		t.Error("no workloads were loaded")
	}
	if again, messages, err := outcome(t, "up", "--detach", "--state", state); err != nil || again != want {
		t.Errorf("a second time: got %q, %v: %s", again, err, messages)
	}
	if _, messages, err := outcome(t, "up", "--state", state); err == nil || !strings.Contains(messages, "running already") {
		t.Errorf("in the foreground: got %v: %s", err, messages)
	}
	pid, err := running(state)
	if err != nil || pid == 0 {
		t.Fatalf("got process %d, %v", pid, err)
	}
	programs := children(t, pid)
	if _, messages, err := outcome(t, "down", "--state", state); err != nil {
		t.Fatal(messages)
	}
	expectGone(t, append(programs, pid))
	if _, err := os.Stat(kubeconfigIn(state)); !os.IsNotExist(err) {
		t.Errorf("the kubeconfig is still there: %v", err)
	}
	if _, messages, err := outcome(t, "down", "--state", state); err != nil || !strings.Contains(messages, "no cluster is running") {
		t.Errorf("a second time: got %v: %s", err, messages)
	}
}

func TestNothingOutlivesTheCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := command("up", "--kubeconfig", filepath.Join(t.TempDir(), "kubeconfig"))
			// What a killed cluster cannot remove goes with the test.
			cmd.Env = append(cmd.Env, "TMPDIR="+t.TempDir())
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var path string
			_, err = fmt.Fscanln(out, &path)
			programs := children(t, cmd.Process.Pid)
			if killErr := cmd.Process.Signal(signal); err != nil || killErr != nil {
				t.Fatal(err, killErr)
			}
			if err := cmd.Wait(); (err == nil) != (signal != syscall.SIGKILL) {
				t.Errorf("it ended with %v", err)
			}
			if len(programs) != 5 {
				t.Errorf("it had %d programs, want 5", len(programs))
			}
			expectGone(t, programs)
		})
	}
}

func TestBadArgumentsShowHowItIsUsed(t *testing.T) {
	for _, args := range [][]string{{}, {"down"}, {"up", "--detach"}, {"up", "more"}, {"--help"}} {
		if out, messages, err := outcome(t, args...); err == nil || out != "" || !strings.Contains(messages, "usage:") {
			t.Errorf("%q: got %q, %v: %s", args, out, err, messages)
		}
	}
	if _, messages, err := outcome(t, "up", "--size", "huge"); err == nil || !strings.Contains(messages, "huge") {
		t.Errorf("got %v: %s", err, messages)
	}
}

// countPods counts the pods that a kubeconfig shows.
func countPods(t *testing.T, kubeconfig string) int {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	pods, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return len(pods.Items)
}

// children returns the ids of a process's children.
func children(t *testing.T, parent int) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, file := range files {
		if fields := stat(file); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, pid)
		}
	}
	return found
}

// stat returns what follows a process's name in its stat file: state, parent, …
// It is empty where there is no such process.
func stat(file string) []string {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(content), ") ")
	return strings.Fields(rest)
}

func expectGone(t *testing.T, pids []int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for _, pid := range pids {
		for {
			fields := stat(fmt.Sprintf("/proc/%d/stat", pid))
			if len(fields) == 0 || fields[0] == "Z" {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("process %d is still there", pid)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}
