package cmd

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func TestATypeInTheCommandsPlaceIsListed(t *testing.T) {
	for _, test := range []struct {
		words []string
		word  string
	}{
		{[]string{"pods"}, "pods"},
		{[]string{"po"}, "po"},
		{[]string{"Deployment"}, "Deployment"},
		{[]string{"deployments.apps"}, "deployments.apps"},
		{[]string{"deployments.v1.apps"}, "deployments.v1.apps"},
		{[]string{"pods,svc"}, "pods,svc"},
		{[]string{"pod/web-0"}, "pod/web-0"},
		{[]string{"all"}, "all"},
		{[]string{"pods", "web-0", "-n", "shop", "--by", "node=a"}, "pods"},
		{[]string{"--context", "east", "pods", "-A"}, "pods"},
		{[]string{"-n", "shop", "pods"}, "pods"},
	} {
		stdout, stderr, code := invoke(t, append([]string{"kubectl-informer"}, test.words...)...)
		want := `error: unknown command "` + test.word + `" for "kubectl informer"` + "\n" + `hint: did you mean "list ` + test.word + `"?` + "\n"
		if code != 1 || stdout != "" || stderr != want {
			t.Errorf("%q: code %d, stdout %q, stderr %q, want %q", test.words, code, stdout, stderr, want)
		}
	}
}

func TestAWordThatNamesNothingIsAnUnknownCommandInKubectlsWords(t *testing.T) {
	for word, want := range map[string]string{
		"frob":     `error: unknown command "frob" for "kubectl informer"` + "\n",
		"frob/x":   `error: unknown command "frob/x" for "kubectl informer"` + "\n",
		"lst":      `error: unknown command "lst" for "kubectl informer"` + "\n\nDid you mean this?\n\tlist\n",
		"pods/a/b": `error: unknown command "pods/a/b" for "kubectl informer"` + "\n",
	} {
		stdout, stderr, code := invoke(t, "kubectl-informer", word)
		if code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: code %d, stdout %q, stderr %q", word, code, stdout, stderr)
		}
	}
}

func TestNoClusterIsAskedWhetherABuiltInTypeIsOne(t *testing.T) {
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		http.Error(w, "no", http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	connection := writeKubeconfig(t, server.URL, clientcmdapi.AuthInfo{})
	for _, words := range [][]string{{"pods"}, {"deploy/web"}, {"lst"}} {
		invoke(t, slices.Concat([]string{"kubectl-informer"}, connection, words)...)
		if len(asked) > 0 {
			t.Errorf("%q: the server was asked for %s", words, <-asked)
		}
	}
	_, stderr, code := invoke(t, slices.Concat([]string{"kubectl-informer"}, connection, []string{"widgets"})...)
	if want := `error: unknown command "widgets" for "kubectl informer"` + "\n"; code != 1 || stderr != want || len(asked) == 0 {
		t.Errorf("code %d, stderr %q, asked %d times", code, stderr, len(asked))
	}
}
