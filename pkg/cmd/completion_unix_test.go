//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func TestCompletionDoesNotWaitForACredentialPluginThatAsksAPerson(t *testing.T) {
	asked, answered := filepath.Join(t.TempDir(), "asked"), filepath.Join(t.TempDir(), "answered")
	if err := unix.Mkfifo(answered, 0o600); err != nil {
		t.Fatal(err)
	}
	person, err := os.OpenFile(answered, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer person.Close()

	// client-go runs credential plugins for servers with TLS only.
	server := strings.Replace(closedPort(t), "http:", "https:", 1)
	connection := writeKubeconfig(t, server, clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
		APIVersion:      "client.authentication.k8s.io/v1",
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		Command:         "sh",
		Args:            []string{"-c", `echo "your password?" > "$0"; read password < "$1"; exit 1`, asked, answered},
	}})
	checkSilence(t, connection, []string{"list", "pods", ""})
	if _, err := os.Stat(asked); err != nil {
		t.Errorf("the plugin has not been run: %v", err)
	}
	// The plugin, which was left behind, ends.
	if _, err := person.WriteString("secret\n"); err != nil {
		t.Fatal(err)
	}
}
