package match_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// rowOf makes a row of a manifest, with numbers as the API machinery reads them.
func rowOf(t testing.TB, manifest string) *cache.Row {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	row, err := decodeRow(data)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func decodeRow(data []byte) (*cache.Row, error) {
	object := map[string]any{}
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, err
	}
	row := &cache.Row{Body: cache.MapBody(object)}
	row.APIVersion, _ = object["apiVersion"].(string)
	row.Kind, _ = object["kind"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	// Only the fields of a well-formed object matter to the tests that name one.
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(metadata, &row.ObjectMeta)
	return row, nil
}

func pod(t testing.TB, name, rest string) *cache.Row {
	t.Helper()
	return rowOf(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: "+name+", namespace: shop, uid: "+name+"-1}\n"+rest)
}

func mustCompile(t testing.TB, expressions ...string) *match.Where {
	t.Helper()
	where, err := match.DefaultCostLimit.Compile(match.ObjectAndOld, expressions...)
	if err != nil {
		t.Fatal(err)
	}
	return where
}

func mustParseFor(t testing.TB, texts ...string) *match.Condition {
	t.Helper()
	condition, err := match.DefaultCostLimit.ParseFor(texts, false)
	if err != nil {
		t.Fatal(err)
	}
	return condition
}

// hookedBody is a body that tells when it is read.
type hookedBody struct {
	object map[string]any
	onRead func()
	err    error
}

func (b hookedBody) Unstructured() (*unstructured.Unstructured, error) {
	b.onRead()
	return &unstructured.Unstructured{Object: b.object}, b.err
}

func metadataRow(name string) *cache.Row {
	return &cache.Row{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", Labels: map[string]string{"app": "web"}, Generation: 3},
	}
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
