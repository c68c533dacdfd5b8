package main

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func TestEveryQuestionCanBeAskedOfOurOwnCluster(t *testing.T) {
	names := map[string]bool{}
	for _, q := range questions() {
		filled, missing := q.of(ownValues(size{nodes: 200, namespaces: 50}))
		if missing != "" || placeholder.MatchString(filled.kubectl+filled.plugin+filled.stdin) {
			t.Errorf("%s: no %s: %s, %s", q.name, missing, filled.kubectl, filled.plugin)
		}
		if !strings.HasPrefix(filled.kubectl, "kubectl ") && !strings.Contains(filled.kubectl, "do kubectl ") || names[q.name] {
			t.Errorf("%s: kubectl's command is %s; named before: %v", q.name, filled.kubectl, names[q.name])
		}
		names[q.name] = true
	}
}

func TestAQuestionIsFilledIn(t *testing.T) {
	v := values{"node": {"n1", "n2", "n3"}, "image": {"a"}}
	q := question{
		kubectl: "for n in %nodes%; do kubectl get pods --field-selector spec.nodeName=%node%; done", plugin: "list %node% -o jsonpath={.items}",
		each: "--by node=%node%", nodesOrImages: "node", times: 100,
	}
	got, missing := q.of(v)
	if missing != "" {
		t.Errorf("no %s", missing)
	}
	if got.kubectl != "for n in n1 n2 n3; do kubectl get pods --field-selector spec.nodeName=n1; done" || got.plugin != "list n1 -o jsonpath={.items}" {
		t.Errorf("%s, %s", got.kubectl, got.plugin)
	}
	if got.stdin != "--by node=n1\n--by node=n2\n--by node=n3\n" || got.times != 3 {
		t.Errorf("%q, times %d", got.stdin, got.times)
	}
	for _, lacking := range []question{{kubectl: "%phase%"}, {plugin: "%phase%"}, {each: "%phase%", nodesOrImages: "phase"}} {
		if _, missing := lacking.of(v); missing != "phase" {
			t.Errorf("%+v: no %s", lacking, missing)
		}
	}
}

func TestQuestionsAreChosenByTheirNames(t *testing.T) {
	if all := named(""); len(all) != len(questions()) {
		t.Errorf("%d questions", len(all))
	}
	for _, q := range named("one n") {
		if !strings.HasPrefix(q.name, "one n") {
			t.Errorf("%s is chosen", q.name)
		}
	}
	if none := named("nothing of that name"); len(none) != 0 {
		t.Errorf("%d questions", len(none))
	}
}

func TestAQuestionIsShownWithItsCommands(t *testing.T) {
	q := question{name: "images", kubectl: "kubectl get pods | sort", plugin: "query pods", each: "--by image=%image%", nodesOrImages: "image", times: 100}
	q, _ = q.of(values{"image": {"a", "b"}})
	if want := "images: `kubectl get pods \\| sort`, times 2, `kubectl informer query pods (2 lines: --by image=%image%)`"; q.title() != want {
		t.Errorf("got  %s\nwant %s", q.title(), want)
	}
	if long := code(strings.Repeat("x", 1000)); len(long) > longest+len("``…") {
		t.Errorf("%d bytes", len(long))
	}
}

func podOn(node, namespace, name string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Image: "web"}, {Image: "proxy:" + name}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

func TestValuesAreThoseThatMostPodsHave(t *testing.T) {
	got := pick([]corev1.Pod{podOn("n1", "a", "x"), podOn("n2", "b", "y"), podOn("n2", "b", "y"), podOn("", "b", "z")})
	want := values{
		"node": {"n2", "n1"}, "namespace": {"b", "a"}, "name": {"y"}, "label": {"app=y", "app=x", "app=z"},
		"phase": {"Running"}, "image": {"web", "proxy:y", "proxy:x", "proxy:z"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAClusterWithoutPodsHasNoValues(t *testing.T) {
	for _, q := range narrowed() {
		if _, missing := q.of(pick(nil)); missing == "" {
			t.Errorf("%s is asked", q.name)
		}
	}
}

func TestOnlyWhatIsAskedDirectlyIsTapped(t *testing.T) {
	for name, c := range map[string]*clientcmdapi.Cluster{
		"not encrypted":    {Server: "http://k8s.example.com"},
		"behind a proxy":   {Server: "https://k8s.example.com", ProxyURL: "socks5://localhost:1080"},
		"nothing to parse": {Server: "https://k8s.example.com:port"},
	} {
		if tappable(&clientcmdapi.Config{Clusters: map[string]*clientcmdapi.Cluster{"c": c}}) != nil {
			t.Errorf("%s: it is tapped", name)
		}
	}
	c := &clientcmdapi.Cluster{Server: "https://127.0.0.1:6443/k8s/clusters/c-1"}
	if tappable(&clientcmdapi.Config{Clusters: map[string]*clientcmdapi.Cluster{"c": c}}) != c {
		t.Error("a plain server is not tapped")
	}
}

func TestATappedServerKeepsItsCertificateAndPath(t *testing.T) {
	for _, test := range []struct{ before, after clientcmdapi.Cluster }{
		{clientcmdapi.Cluster{Server: "https://k8s.example.com/k8s/c-1"}, clientcmdapi.Cluster{Server: "https://127.0.0.1:99/k8s/c-1", TLSServerName: "k8s.example.com"}},
		{clientcmdapi.Cluster{Server: "https://10.0.0.1:6443", TLSServerName: "api"}, clientcmdapi.Cluster{Server: "https://127.0.0.1:99", TLSServerName: "api"}},
		{clientcmdapi.Cluster{Server: "https://10.0.0.1", InsecureSkipTLSVerify: true}, clientcmdapi.Cluster{Server: "https://127.0.0.1:99", InsecureSkipTLSVerify: true}},
	} {
		got := test.before
		through(&got, "https://127.0.0.1:99")
		if diff := cmp.Diff(test.after, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestACustomResourceIsAskedForInAServedVersion(t *testing.T) {
	got := served(unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"group": "example.com", "names": map[string]any{"plural": "widgets"},
		"versions": []any{map[string]any{"name": "v1alpha1", "served": false}, map[string]any{"name": "v1", "served": true}},
	}}})
	if want := (schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTheMedianIsOfEachFigure(t *testing.T) {
	got := median([]cost{{cpu: 3, rss: 1, wall: 2}, {cpu: 1, rss: 2, wall: 3}, {cpu: 2, rss: 3, wall: 1}})
	if got != (cost{cpu: 2, rss: 2, wall: 2}) {
		t.Errorf("%+v", got)
	}
	after := cost{cpu: 5, rss: 7, wall: 5, server: 3, received: 9}.minus(cost{cpu: 2, rss: 3, wall: 1, server: 1, received: 4})
	if after != (cost{cpu: 3, rss: 7, wall: 4, server: 2, received: 5}) {
		t.Errorf("%+v", after)
	}
	if twice := (cost{cpu: 1, rss: 2, wall: 3, server: 4, received: 5}).times(2); twice != (cost{cpu: 2, rss: 2, wall: 6, server: 8, received: 10}) {
		t.Errorf("%+v", twice)
	}
}

func TestFiguresAreShort(t *testing.T) {
	for want, got := range map[string]string{
		"1/2.0": ratio(2, 1), "1.5": ratio(2, 3), "-": ratio(0, 1), "1.25 s": seconds(1250 * time.Millisecond),
		"1.5 MB": megabytes(3 << 19), "20 MB": megabytes(20 << 20), "7 µs": microseconds(7 * time.Microsecond),
		"a, b: 1/3.0": compared("a", "b", 3, 1),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	sizes, err := numbers("1,20")
	if diff := cmp.Diff([]int{1, 20}, sizes); diff != "" || err != nil {
		t.Errorf("%v; %s", err, diff)
	}
	if _, err := numbers("many"); err == nil {
		t.Error("many is a number")
	}
}

func TestAStandInHasAListInPages(t *testing.T) {
	s := size{nodes: 200, namespaces: 50}
	in := newStandIn(realisticPod(s, 0), s, 25)
	for _, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		var names []string
		for token := "0"; token != ""; {
			request := httptest.NewRequest(http.MethodGet, "/api/v1/pods?limit=10&continue="+token, nil)
			request.Header.Set("Accept", contentType+",application/json")
			answer := httptest.NewRecorder()
			in.list(answer, request)
			reader, err := gzip.NewReader(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(reader)
			if err != nil {
				t.Fatal(err)
			}
			list := &corev1.PodList{}
			if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, list); err != nil {
				t.Fatal(err)
			}
			for _, pod := range list.Items {
				names = append(names, pod.Namespace+"/"+pod.Name)
			}
			token = list.Continue
		}
		if len(names) != 25 || !slices.IsSorted(names) || len(slices.Compact(names)) != 25 {
			t.Errorf("as %s there are %v", contentType, names)
		}
	}
}

func TestAStandInRefusesFormsThatItDoesNotHave(t *testing.T) {
	s := size{nodes: 200, namespaces: 50}
	request := httptest.NewRequest(http.MethodGet, "/api/v1/pods", nil)
	request.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")
	answer := httptest.NewRecorder()
	newStandIn(realisticPod(s, 0), s, 1).list(answer, request)
	if answer.Code != http.StatusNotAcceptable {
		t.Errorf("a Table is answered with %d", answer.Code)
	}
}

func TestTheKubeconfigOfAHeldClusterIsFound(t *testing.T) {
	if got, err := heldKubeconfig(strings.NewReader("60 pods\n\nexport KUBECONFIG=/tmp/a.kubeconfig PATH=/bin\n")); got != "/tmp/a.kubeconfig" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := heldKubeconfig(strings.NewReader("60 pods\n")); err == nil {
		t.Error("nothing is found")
	}
}
