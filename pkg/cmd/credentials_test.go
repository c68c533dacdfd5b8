package cmd

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
)

func TestUserinfoIsTakenOutOfMessages(t *testing.T) {
	for text, want := range map[string]string{
		`Get "https://u:p@host/api": EOF`:        `Get "https://xxxxx@host/api": EOF`,
		`Get "https://u:***@host/api": EOF`:      `Get "https://u:***@host/api": EOF`,
		`url="https://u:p@x@host/a" and a@b.org`: `url="https://xxxxx@host/a" and a@b.org`,
		`https://t0ken@host`:                     `https://xxxxx@host`,
		`https://host/a@b`:                       `https://host/a@b`,
		`error: invalid 'proxy-url' "http://u:p/\"w@h:x%%" for cluster "c": could not parse: http://u:p/"w@h:x%%`:   `error: invalid 'proxy-url' "http://xxxxx@h:x%%" for cluster "c": it is no URL of a proxy`,
		`error: invalid 'proxy-url' "u:p@h" for cluster "": unsupported scheme "u", must be http, https, or socks5`: `error: invalid 'proxy-url' "xxxxx@h" for cluster "": it is no URL of a proxy`,
		`error: invalid 'proxy-url' "ftp://h" for cluster "": unsupported scheme "ftp"`:                             `error: invalid 'proxy-url' "ftp://h" for cluster "": unsupported scheme "ftp"`,
	} {
		if got := withoutUserinfo(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// secret is what no output may have, as it is or in base64.
const secret = "s3cretMarker"

func TestCredentialsAreInNoOutput(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusUnauthorized)
	}))
	defer refusing.Close()
	host := strings.TrimPrefix(refusing.URL, "http://")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	kubeconfig := func(name, cluster, user string) string {
		return file(name, "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"+
			"clusters: [{name: c, cluster: {"+cluster+"}}]\nusers: [{name: u, user: {"+user+"}}]\n")
	}
	server := "server: " + refusing.URL
	encoded := base64.StdEncoding.EncodeToString([]byte(secret))
	for name, flags := range map[string][]string{
		"--token":                     {"--server", refusing.URL, "--token", secret},
		"a --token that is no header": {"--server", refusing.URL, "--token", secret + "\nx"},
		"--password":                  {"--server", refusing.URL, "--username", "u", "--password", secret},
		"a password in --server":      {"--server", "http://u:" + secret + "@" + host},
		"a malformed --server":        {"--server", "http://u:" + secret + "@" + host + ":port"},
		"a proxy that is not there":   {"--server", "http://api.example:1", "--proxy-url", "http://u:" + secret + "@127.0.0.1:1"},
		"a proxy that refuses":        {"--server", "http://api.example:1", "--proxy-url", "http://u:" + secret + "@" + host},
		"a malformed --proxy-url":     {"--server", refusing.URL, "--proxy-url", "http://u:" + secret + "@h:x%%"},
		"a --proxy-url with a slash":  {"--server", refusing.URL, "--proxy-url", "http://u:/" + secret + "@h"},
		"a proxy of another scheme":   {"--server", refusing.URL, "--proxy-url", "ftp://u:" + secret + "@h"},
		"a proxy without a scheme":    {"--server", refusing.URL, "--proxy-url", "u:" + secret + "@h"},
		"a proxy-url in kubeconfig":   {"--kubeconfig", kubeconfig("1", server+", proxy-url: 'http://u:"+secret+"@h:x%%'", "")},
		"a token in kubeconfig":       {"--kubeconfig", kubeconfig("2", server, "token: "+secret)},
		"a password in kubeconfig":    {"--kubeconfig", kubeconfig("3", server, "username: u, password: "+secret)},
		"a key in kubeconfig":         {"--kubeconfig", kubeconfig("4", server, "client-certificate-data: "+encoded+", client-key-data: "+encoded)},
		"a key that is no base64":     {"--kubeconfig", kubeconfig("5", server, "client-key-data: '"+secret+"!'")},
		"a token of another kind":     {"--kubeconfig", kubeconfig("6", server, "token: ["+secret+"]")},
		"a broken kubeconfig":         {"--kubeconfig", file("7", "apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user:\n    token: "+secret+": x\n")},
		"a token's file":              {"--kubeconfig", kubeconfig("8", server, "tokenFile: "+file("token", secret))},
		"a key's file":                {"--server", refusing.URL, "--client-key", file("key", secret), "--client-certificate", file("cert", secret)},
	} {
		for _, verbosity := range []string{"0", "4", "6"} {
			t.Run(name+" -v "+verbosity, func(t *testing.T) {
				t.Cleanup(func() {
					if err := newLogging().flags.Set("v", "0"); err != nil {
						t.Error(err)
					}
					klog.SetOutput(os.Stderr)
				})
				t.Setenv("KUBECONFIG", filepath.Join(dir, "none"))
				var out bytes.Buffer
				streams := Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}}
				args := append([]string{"kubectl-informer", "list", "pods", "--stats", "--cache-dir", t.TempDir(), "-v", verbosity}, flags...)
				code := Main(t.Context(), args, streams)
				klog.Flush()
				if code == 0 || out.Len() == 0 {
					t.Errorf("exit code %d, %q", code, out.String())
				}
				for _, form := range []string{secret, encoded, strings.TrimRight(encoded, "=")} {
					if strings.Contains(out.String(), form) {
						t.Errorf("%s is in %s", form, out.String())
					}
				}
			})
		}
	}
}
