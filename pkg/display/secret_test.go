package display_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

const password = "correct horse"

func secretWith(annotations map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": "db", "annotations": annotations},
		"data":       map[string]any{"password": base64.StdEncoding.EncodeToString([]byte(password)), "pin": "Nw==", "empty": ""},
		"stringData": map[string]any{"key": "-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----\n", "odd": `a"b\c<d>`},
	}
}

func TestAnnotationsThatGiveASecretAwayAreMasked(t *testing.T) {
	copied := `{"apiVersion":"v1","kind":"Secret","data":{"password":"b2xk"}}`
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(copied))
	_ = w.Close()
	quoted, _ := json.Marshal(map[string]any{"copy": copied})
	for name, value := range map[string]string{
		"kubectl.kubernetes.io/last-applied-configuration": "{}",
		"kapp.k14s.io/original":                            copied,
		"kapp.k14s.io/original-diff":                       `[{"type":"replace","path":"/data/password","value":"b2xk"}]`,
		"in-yaml":                                          "kind: Secret\nstringData:\n  password: old\n",
		"in-a-string":                                      string(quoted),
		"cut-short":                                        copied[:45],
		"encoded":                                          base64.StdEncoding.EncodeToString([]byte(copied)),
		"encoded-twice":                                    base64.StdEncoding.EncodeToString([]byte(base64.URLEncoding.EncodeToString([]byte(copied)))),
		"banzaicloud.com/last-applied":                     base64.StdEncoding.EncodeToString(zipped.Bytes()),
		"raw":                                              "user=admin password=" + password,
		"base64":                                           "it is " + base64.RawURLEncoding.EncodeToString([]byte(password)),
		"short":                                            "pin 7, please",
		"one-line-of-it":                                   `{"k":"MIIEvQIBADANBg"}`,
		"as-json":                                          `["a\"b\\c<d>"]`,
	} {
		if got := annotationOf(display.MaskSecret(secretWith(map[string]any{name: value})), name); got != display.Mask {
			t.Errorf("%s: %q is shown as %q", name, value, got)
		}
	}
}

func TestOtherAnnotationsOfASecretAreShown(t *testing.T) {
	for name, value := range map[string]string{
		"owner":                       "team-a",
		"created":                     "2027-07-07T17:00:00Z",
		"kapp.k14s.io/original-md5":   "c6e94dc94aed3401b5d0f26ed6c0bff3",
		"metadata":                    "metadata: x",
		"empty":                       "",
		"opaque":                      "AAAA",
		"cert-manager.io/common-name": "db.example.com",
	} {
		if got := annotationOf(display.MaskSecret(secretWith(map[string]any{name: value})), name); got != value {
			t.Errorf("%s: %q is shown as %q", name, value, got)
		}
	}
}

func annotationOf(secret map[string]any, name string) any {
	return secret["metadata"].(map[string]any)["annotations"].(map[string]any)[name]
}

func TestNoValueOfAMaskedSecretIsLeft(t *testing.T) {
	secret := secretWith(map[string]any{"a": "b", "copy": password, "number": int64(7)})
	before, _ := json.Marshal(secret)
	masked := display.MaskSecret(secret)
	after, _ := json.Marshal(secret)
	if !bytes.Equal(before, after) {
		t.Errorf("the object was changed: %s", after)
	}
	want := map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": "db", "annotations": map[string]any{"a": "b", "copy": "***", "number": int64(7)}},
		"data":       map[string]any{"password": "***", "pin": "***", "empty": "***"},
		"stringData": map[string]any{"key": "***", "odd": "***"},
	}
	if !reflect.DeepEqual(masked, want) {
		t.Errorf("got %v", masked)
	}
	text, _ := json.Marshal(display.MaskSecret(map[string]any{"data": password, "stringData": nil}))
	if strings.Contains(string(text), password) {
		t.Errorf("data that is no map: %s", text)
	}
	if display.MaskSecret(nil) != nil {
		t.Error("nothing became something")
	}
}
