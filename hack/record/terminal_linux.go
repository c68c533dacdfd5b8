package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// inTerminal runs a line of shell in a terminal of its own and returns what it
// wrote, line by line, each with the time since the start.
func inTerminal(ctx context.Context, environ []string, command string) ([]line, error) {
	master, slave, err := openTerminal()
	if err != nil {
		return nil, err
	}
	defer master.Close()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Env = environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	start := time.Now()
	err = cmd.Start()
	slave.Close()
	if err != nil {
		return nil, err
	}
	lines := readLines(master, start)
	return lines, cmd.Wait()
}

// readLines reads to the end, which a terminal tells as an error.
func readLines(terminal io.Reader, start time.Time) []line {
	var lines []line
	reader := bufio.NewReader(terminal)
	for {
		text, err := reader.ReadString('\n')
		if text != "" {
			lines = append(lines, line{text: shown(text), at: time.Since(start)})
		}
		if err != nil {
			return lines
		}
	}
}

// shown is what is left of a line on the screen: a line of progress erases itself.
func shown(text string) string {
	text = strings.TrimRight(text, "\r\n")
	if i := strings.LastIndex(text, eraseLine); i >= 0 {
		text = text[i+len(eraseLine):]
	}
	return text
}

// openTerminal opens both ends of a new terminal.
func openTerminal() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			master.Close()
		}
	}()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	size := &unix.Winsize{Row: rows, Col: columns}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		return nil, nil, err
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	return master, slave, err
}
