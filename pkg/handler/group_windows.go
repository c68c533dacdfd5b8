package handler

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is the console process group of one run, and the job object that
// holds the command and all that it started.
type group struct {
	id  uint32
	job windows.Handle
}

// inOwnGroup makes a command the first process of a new console group, so that
// Ctrl-C reaches it through us alone and Ctrl-Break can be sent to it.
func inOwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// groupOf puts a command into a job. Where that is refused the job stays empty,
// and kill ends the command alone.
func groupOf(command *os.Process) group {
	g := group{id: uint32(command.Pid)}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	g.job = job
	// A process that has ended already needs no job.
	_ = command.WithHandle(func(handle uintptr) {
		_ = windows.AssignProcessToJobObject(job, windows.Handle(handle))
	})
	return g
}

// terminate sends Ctrl-Break, which is what Windows has in the place of SIGTERM.
func (g group) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, g.id)
}

// killed is the exit code of a process that was killed: 128 and SIGKILL, as elsewhere.
const killed = 128 + 9

func (g group) kill() {
	if g.alive() && windows.TerminateJobObject(g.job, killed) == nil {
		return
	}
	process, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, g.id)
	if err != nil {
		return // it has ended
	}
	_ = windows.TerminateProcess(process, killed)
	_ = windows.CloseHandle(process)
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of the Windows API.
type accounting struct {
	totalUserTime, totalKernelTime           int64
	thisPeriodUserTime, thisPeriodKernelTime int64
	totalPageFaultCount                      uint32
	totalProcesses                           uint32
	activeProcesses                          uint32
	totalTerminatedProcesses                 uint32
}

// alive says whether any process of the job is left.
func (g group) alive() bool {
	if g.job == 0 {
		return false
	}
	var info accounting
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.activeProcesses > 0
}

// release closes the job; its processes live on.
func (g group) release() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
	}
}
