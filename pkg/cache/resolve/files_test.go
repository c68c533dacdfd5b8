package resolve

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/resource"
)

// folder writes the files and returns where they are.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	podHere    = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
	podInA     = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: a}\n"
	nodeWithNS = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, namespace: nonsense}\n"
	listOfTwo  = `{"apiVersion":"v1","kind":"List","items":[
		{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"}},
		{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"two","namespace":"b"}}]}`
	nameless = "apiVersion: v1\nkind: Pod\nmetadata: {generateName: web-}\n"
	unknown  = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n"
)

// kubernetes/kubectl#298: a file that holds objects of several types could not
// be watched.
func TestFilesNameObjects(t *testing.T) {
	dir := folder(t, map[string]string{
		"pod.yaml": podHere, "two.json": listOfTwo, "both.yaml": podInA + "---\n" + nodeWithNS, "notes.txt": "none",
		"twice.json":    strings.ReplaceAll(listOfTwo, `"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"two","namespace":"b"}`, `"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"}`),
		"deep/pod.yaml": podInA, "kustomization.yaml": "resources: [pod.yaml]\nnamePrefix: my-\n",
	})
	for _, test := range []struct {
		name   string
		files  resource.FilenameOptions
		want   []string
		single bool
	}{
		{"one object", resource.FilenameOptions{Filenames: []string{"pod.yaml"}}, []string{"pods.v1./web -n home"}, true},
		{"list", resource.FilenameOptions{Filenames: []string{"two.json"}}, []string{"configmaps.v1./one -n home", "deployments.v1.apps/two -n b"}, false},
		{"list that holds one object twice", resource.FilenameOptions{Filenames: []string{"twice.json"}}, []string{"configmaps.v1./one -n home"}, false},
		{"documents", resource.FilenameOptions{Filenames: []string{"both.yaml"}}, []string{"pods.v1./web -n a", "nodes.v1./n1"}, false},
		{"same object twice", resource.FilenameOptions{Filenames: []string{"pod.yaml", "pod.yaml"}}, []string{"pods.v1./web -n home"}, false},
		{"folder with one file, recursively", resource.FilenameOptions{Filenames: []string{"deep"}, Recursive: true}, []string{"pods.v1./web -n a"}, true},
		{"kustomization", resource.FilenameOptions{Kustomize: "."}, []string{"pods.v1./my-web -n home"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(dir)
			result := resolve(t, &fakeDiscovery{served: stock()}, Request{Files: test.files})
			if diff := cmp.Diff(test.want, allWords(result.Targets)); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
			if result.SingleItem != test.single {
				t.Errorf("SingleItem %v", result.SingleItem)
			}
		})
	}
}

func TestNamespaceOfAFileMeetsThatOfTheCommandLine(t *testing.T) {
	dir := folder(t, map[string]string{"pod.yaml": podHere, "a.yaml": podInA, "node.yaml": nodeWithNS})
	for _, test := range []struct {
		file       string
		namespaces []string
		all        bool
		want       []string
		err        string
	}{
		{"a.yaml", []string{"a"}, false, []string{"pods.v1./web -n a"}, ""},
		{"a.yaml", []string{"b,a"}, false, []string{"pods.v1./web -n a"}, ""},
		{"pod.yaml", []string{"b,a"}, false, []string{"pods.v1./web -n b", "pods.v1./web -n a"}, ""},
		{"node.yaml", []string{"b,a"}, false, []string{"nodes.v1./n1"}, ""},
		{"a.yaml", nil, true, []string{"pods.v1./web -n a"}, ""},
		{"a.yaml", []string{"b"}, false, nil, `the namespace from the provided object "a" does not match the namespace "b". You must pass '--namespace=a' to perform this operation.`},
		{"a.yaml", []string{"b,c"}, false, nil, `the namespace from the provided object "a" does not match the namespace "b,c". You must pass '--namespace=a' to perform this operation.`},
		{"pod.yaml", nil, true, nil, `no namespace set on resource /v1, Resource=pods "web"`},
	} {
		req := Request{Namespaces: test.namespaces, AllNamespaces: test.all}
		req.Files.Filenames = []string{filepath.Join(dir, test.file)}
		result, err := New(connect(&fakeDiscovery{served: stock()})).Resolve(context.Background(), req)
		if diff := cmp.Diff(test.want, allWords(result.Targets)); diff != "" {
			t.Errorf("%s -n %q (-want +got):\n%s", test.file, test.namespaces, diff)
		}
		if (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%s -n %q: error %v, want %s", test.file, test.namespaces, err, test.err)
		}
	}
}

// kubectl selects by the labels that the object has on the server, which may
// not be those of the file.
func TestLabelsOfAFileAreNotThoseSelected(t *testing.T) {
	req := Request{LabelSelectors: []string{"app=web"}, FieldSelector: "spec.nodeName=n1"}
	req.Files.Filenames = []string{filepath.Join(folder(t, map[string]string{"pod.yaml": podHere}), "pod.yaml")}
	want := []string{"pods.v1./web -n home -l app=web"}
	if diff := cmp.Diff(want, allWords(resolve(t, &fakeDiscovery{served: stock()}, req).Targets)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	req.LabelSelectors = []string{"a b"}
	_, err := New(connect(&fakeDiscovery{served: stock()})).Resolve(context.Background(), req)
	if err == nil || !strings.HasPrefix(err.Error(), `the provided selector "a b" is not valid: unable to parse requirement`) {
		t.Errorf("error %v", err)
	}
}

func TestOneBadFileDoesNotHideTheOthers(t *testing.T) {
	dir := folder(t, map[string]string{"good.yaml": podHere, "nameless.yaml": nameless, "unknown.yaml": unknown})
	for _, test := range []struct{ file, want string }{
		{"nameless.yaml", filepath.Join(dir, "nameless.yaml") + ": resource name may not be empty"},
		{"unknown.yaml", `resource mapping not found for name: "w" namespace: "" from "` + filepath.Join(dir, "unknown.yaml") +
			"\": no matches for kind \"Widget\" in version \"example.com/v1\"\nensure CRDs are installed first"},
	} {
		var req Request
		req.Files.Filenames = []string{filepath.Join(dir, test.file), filepath.Join(dir, "good.yaml")}
		result, err := New(connect(&fakeDiscovery{served: stock()})).Resolve(context.Background(), req)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", test.file, err, test.want)
		}
		if diff := cmp.Diff([]string{"pods.v1./web -n home"}, allWords(result.Targets)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.file, diff)
		}
	}
}

func TestFilesThatCannotBeReadAreKubectlsErrors(t *testing.T) {
	for _, test := range []struct {
		req  Request
		want string
	}{
		{Request{Files: resource.FilenameOptions{Filenames: []string{"/nowhere/x.yaml"}}}, `the path "/nowhere/x.yaml" does not exist`},
		{Request{Files: resource.FilenameOptions{Filenames: []string{"x.yaml"}, Kustomize: "."}}, "only one of -f or -k can be specified"},
		{Request{Files: resource.FilenameOptions{Kustomize: ".", Recursive: true}}, "the -k flag can't be used with -f or -R"},
		{Request{Args: []string{"pods"}, Files: resource.FilenameOptions{Filenames: []string{t.TempDir()}}}, "recognized file extensions are [.json .yaml .yml]"},
		{Request{Args: []string{"pods"}, Files: resource.FilenameOptions{Kustomize: "."}}, "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well"},
	} {
		_, err := New(connect(&fakeDiscovery{served: stock()})).Resolve(context.Background(), test.req)
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %s", test.req.Files, err, test.want)
		}
	}
}

// Standard input can be read once: a type that has to be looked for again must
// not need a second reading.
func TestStandardInputIsReadOnce(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = reader
	t.Cleanup(func() { os.Stdin = stdin })
	if _, err := writer.WriteString(unknown + "---\n" + podHere); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	client := &fakeDiscovery{cached: stock(), served: with(list("example.com/v1", kind("widgets", "widget", "Widget")))}
	req := Request{Namespaces: []string{"a,b"}}
	req.Files.Filenames = []string{"-"}
	want := []string{"widgets.v1.example.com/w -n a", "widgets.v1.example.com/w -n b", "pods.v1./web -n a", "pods.v1./web -n b"}
	if diff := cmp.Diff(want, allWords(resolve(t, client, req).Targets)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func filesOf(t *testing.T, content string) resource.FilenameOptions {
	t.Helper()
	return resource.FilenameOptions{Filenames: []string{filepath.Join(folder(t, map[string]string{"it.yaml": content}), "it.yaml")}}
}
