package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is Linux's unit of CPU time in /proc, the same on every machine.
const tick = 10 * time.Millisecond

// process is one that runs, by its number.
type process int

// apiServer is the API server that this process has started.
func apiServer() (process, error) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		name, fields := process(pid).stat()
		if name == "kube-apiserver" && fields[1] == strconv.Itoa(os.Getpid()) {
			return process(pid), nil
		}
	}
	return 0, errors.New("no API server among the children of this process: is there a /proc?")
}

// stat is the name of a process, and the fields of proc_pid_stat(5) from the
// third on; none when it has ended.
func (p process) stat() (name string, fields []string) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
	if err != nil {
		return "", nil
	}
	before, rest, _ := strings.Cut(string(data), ") ")
	_, name, _ = strings.Cut(before, "(")
	return name, strings.Fields(rest)
}

// cpu is the user and system time that a process has used so far.
func (p process) cpu() time.Duration {
	_, fields := p.stat()
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// peak is the most memory that a process has had resident, in bytes.
func (p process) peak() int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p))
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n << 10
}
