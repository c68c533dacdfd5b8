package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

func secret(rest string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Secret, %s}", rest)
}

// kubernetes/kubernetes#87840
func TestSecretValuesAreNotShown(t *testing.T) {
	const lastApplied = "metadata.annotations.kubectl\\\\.kubernetes\\\\.io/last-applied-configuration"
	for name, test := range map[string]states{
		"a value that changed": {
			old:  secret("data: {password: c2VjcmV0MQ==, same: c2VjcmV0MA==}"),
			now:  secret("data: {password: c2VjcmV0Mg==, same: c2VjcmV0MA==}"),
			want: []string{`{"path":"data.password","old":"*** (before)","new":"*** (after)"}`},
		},
		"values that came and went": {
			old:  secret("data: {old: c2VjcmV0MQ==}"),
			now:  secret("data: {new: c2VjcmV0Mg==}"),
			want: []string{`{"path":"data.new","new":"***"}`, `{"path":"data.old","old":"***"}`},
		},
		"the first value": {
			old:  secret("type: Opaque"),
			now:  secret("type: Opaque, data: {a: c2VjcmV0Mg==}, stringData: {b: c2VjcmV0Mw==}"),
			want: []string{`{"path":"data.a","new":"***"}`, `{"path":"stringData.b","new":"***"}`},
		},
		"data that is no map": {
			old:  secret("data: null"),
			now:  secret("data: {a: c2VjcmV0Mg==}"),
			want: []string{`{"path":"data","old":"*** (before)","new":"*** (after)"}`},
		},
		"keys that no path can spell": {
			old:  secret(`data: {'a\b': c2VjcmV0MQ==}`),
			now:  secret(`data: {'a\b': c2VjcmV0Mg==}`),
			want: []string{`{"path":"data","old":"*** (before)","new":"*** (after)"}`},
		},
		"the annotation that repeats them": {
			old:  secret(`metadata: {annotations: {a: x, kubectl.kubernetes.io/last-applied-configuration: '{"data":{"p":"c2VjcmV0MQ=="}}'}}`),
			now:  secret(`metadata: {annotations: {a: z, kubectl.kubernetes.io/last-applied-configuration: '{"data":{"p":"c2VjcmV0Mg=="}}'}}`),
			want: []string{`{"path":"metadata.annotations.a","old":"x","new":"z"}`, `{"path":"` + lastApplied + `","old":"*** (before)","new":"*** (after)"}`},
		},
		"the copy that kapp keeps": {
			old:  secret(`metadata: {annotations: {kapp.k14s.io/original: '{"data":{"p":"c2VjcmV0MQ=="}}', kapp.k14s.io/original-md5: a1}}`),
			now:  secret(`metadata: {annotations: {kapp.k14s.io/original: '{"data":{"p":"c2VjcmV0Mg=="}}', kapp.k14s.io/original-md5: b2}}`),
			want: []string{`{"path":"metadata.annotations.kapp\\.k14s\\.io/original","old":"*** (before)","new":"*** (after)"}`, `{"path":"metadata.annotations.kapp\\.k14s\\.io/original-md5","old":"a1","new":"b2"}`},
		},
		"an annotation that holds the value of before": {
			old:  secret(`metadata: {annotations: {a: x}}, data: {p: c2VjcmV0MQ==}`),
			now:  secret(`metadata: {annotations: {a: "was c2VjcmV0MQ"}}, data: {p: c2VjcmV0Mg==}`),
			want: []string{`{"path":"data.p","old":"*** (before)","new":"*** (after)"}`, `{"path":"metadata.annotations.a","old":"*** (before)","new":"*** (after)"}`},
		},
		"an annotation with a copy that comes": {
			old:  secret(`metadata: {annotations: {a: x}}`),
			now:  secret(`metadata: {annotations: {a: x, copy: 'stringData: {p: c2VjcmV0Mg==}'}}`),
			want: []string{`{"path":"metadata.annotations.copy","new":"***"}`},
		},
		"the annotation, when it comes with all metadata": {
			old:  secret(`metadata: null`),
			now:  secret(`metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"data":{"p":"c2VjcmV0Mg=="}}'}}`),
			want: []string{`{"path":"metadata","old":"*** (before)","new":"*** (after)"}`},
		},
		"the annotation, when it comes with all the others": {
			old:  secret(`metadata: {annotations: null}`),
			now:  secret(`metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"data":{"p":"c2VjcmV0Mg=="}}'}}`),
			want: []string{`{"path":"metadata.annotations","old":"*** (before)","new":"*** (after)"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.check(t)
			d, err := diff.Between(row(t, test.old), row(t, test.now), diff.Options{AllChanges: true})
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(d.Lines(), "\n") + toJSON(t, d.Changes)
			if strings.Contains(said, "c2VjcmV0") || len(d.Lines()) != len(test.want) {
				t.Errorf("lines: %q", d.Lines())
			}
			shown, err := diff.Between(row(t, test.old), row(t, test.now), diff.Options{ShowSecrets: true})
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(shown.Lines(), "\n"); !strings.Contains(text, "c2VjcmV0") || strings.Contains(text, "***") {
				t.Errorf("with ShowSecrets: %q", text)
			}
		})
	}
}

func TestOnlySecretsAreMasked(t *testing.T) {
	runAll(t, map[string]states{
		"what is no value of a Secret": {
			old:  secret("type: a, immutable: false, metadata: {labels: {data: x}}"),
			now:  secret("type: b, immutable: true, metadata: {labels: {data: z}}"),
			want: []string{`{"path":"immutable","old":false,"new":true}`, `{"path":"metadata.labels.data","old":"x","new":"z"}`, `{"path":"type","old":"a","new":"b"}`},
		},
		"a ConfigMap": {
			old:  "{apiVersion: v1, kind: ConfigMap, data: {a: x}}",
			now:  "{apiVersion: v1, kind: ConfigMap, data: {a: z}}",
			want: []string{`{"path":"data.a","old":"x","new":"z"}`},
		},
		"another group's Secret": {
			old:  "{apiVersion: example.com/v1, kind: Secret, data: {a: x}}",
			now:  "{apiVersion: example.com/v1, kind: Secret, data: {a: z}}",
			want: []string{`{"path":"data.a","old":"x","new":"z"}`},
		},
	})
}
