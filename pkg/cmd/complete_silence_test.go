package cmd

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// writeKubeconfig writes a kubeconfig for a server, and returns the flags that
// make a command use it and a discovery cache of its own.
func writeKubeconfig(t *testing.T, server string, user clientcmdapi.AuthInfo) []string {
	t.Helper()
	config := *clientcmdapi.NewConfig()
	config.Clusters["east"] = &clientcmdapi.Cluster{Server: server}
	config.Clusters["arn:aws:eks:west"] = &clientcmdapi.Cluster{Server: server}
	config.AuthInfos["me"] = &user
	config.Contexts["east"] = &clientcmdapi.Context{Cluster: "east", AuthInfo: "me", Namespace: "shop"}
	config.Contexts["ebb"] = &clientcmdapi.Context{Cluster: "east", AuthInfo: "me"}
	config.CurrentContext = "east"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(config, path); err != nil {
		t.Fatal(err)
	}
	return []string{"--kubeconfig", path, "--cache-dir", t.TempDir()}
}

// closedPort is the URL of a server that has gone.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

// needServer are requests for what only a server can tell.
var needServer = [][]string{
	{"list", "po"},
	{"list", "pods", ""},
	{"list", "pods/"},
	{"list", "pods", "-n", ""},
	{"tail", "pods", "--by", ""},
	{"tail", "pods", "--by", "node="},
	{"list", "pods", "--by", "node=@pods/"},
	{"list", "pods", "--count-by", ""},
}

func checkSilence(t *testing.T, connection, words []string) {
	t.Helper()
	args := slices.Concat([]string{"kubectl_complete-informer", words[0]}, connection, words[1:])
	stdout, stderr, code := invoke(t, args...)
	if stdout != ":4\n" || stderr != "" || code != 0 {
		t.Errorf("%q: code %d, stdout %q, stderr %q", words, code, stdout, stderr)
	}
}

func TestCompletionIsSilentWhenTheServerIsAway(t *testing.T) {
	connection := writeKubeconfig(t, closedPort(t), clientcmdapi.AuthInfo{})
	for _, words := range needServer {
		checkSilence(t, connection, words)
	}
}

func TestCompletionIsSilentWithoutAnyConfiguration(t *testing.T) {
	for _, words := range needServer {
		checkSilence(t, []string{"--cache-dir", t.TempDir()}, words)
	}
}

func TestCompletionIsSilentWhenTheServerRefusesOrFails(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusServiceUnavailable} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Warning", `299 - "you are not known here"`)
			http.Error(w, "no", status)
		}))
		t.Cleanup(server.Close)
		connection := writeKubeconfig(t, server.URL, clientcmdapi.AuthInfo{Token: "old"})
		for _, words := range needServer {
			checkSilence(t, connection, words)
		}
	}
}

func TestCompletionDoesNotWaitForAServerThatNeverAnswers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		<-request.Context().Done()
	}))
	t.Cleanup(server.Close)
	connection := writeKubeconfig(t, server.URL, clientcmdapi.AuthInfo{})
	// Far more time than it may take, and less than a client of discovery's waits.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var stdout, stderr bytes.Buffer
	args := slices.Concat([]string{completer, "list"}, connection, []string{"pods", ""})
	code := Main(ctx, args, Streams{IOStreams: genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr}})
	if stdout.String() != ":4\n" || stderr.String() != "" || code != 0 || ctx.Err() != nil {
		t.Errorf("code %d, stdout %q, stderr %q, %v", code, &stdout, &stderr, ctx.Err())
	}
}

func TestCompletionGivesItsWorkATimeAndTheShellAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		work func(ctx context.Context, released <-chan struct{}, streams Streams)
		took time.Duration
		want string
	}{
		"in time": {
			work: func(_ context.Context, _ <-chan struct{}, streams Streams) { fmt.Fprint(streams.Out, "web-1\n:4\n") },
			want: "web-1\n:4\n",
		},
		"at the end of its context": {
			work: func(ctx context.Context, _ <-chan struct{}, streams Streams) {
				<-ctx.Done()
				fmt.Fprint(streams.Out, "web-1\n:4\n")
			},
			took: completionTime,
			want: "web-1\n:4\n",
		},
		"never": {
			work: func(_ context.Context, released <-chan struct{}, streams Streams) {
				fmt.Fprint(streams.Out, "web-1\n")
				<-released
			},
			took: completionTime + completionGrace,
			want: ":4\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				released := make(chan struct{})
				defer close(released)
				var stdout, stderr bytes.Buffer
				streams := Streams{IOStreams: genericiooptions.IOStreams{Out: &stdout, ErrOut: &stderr}}
				start := time.Now()
				code := complete(t.Context(), []string{"__complete", ""}, streams, func(ctx context.Context, streams Streams) int {
					fmt.Fprint(streams.ErrOut, "a warning")
					test.work(ctx, released, streams)
					return 0
				})
				if took := time.Since(start); took != test.took || stdout.String() != test.want || stderr.Len() > 0 || code != 0 {
					t.Errorf("code %d after %v, stdout %q, stderr %q", code, took, &stdout, &stderr)
				}
			})
		})
	}
}
