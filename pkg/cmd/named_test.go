package cmd

import "testing"

func TestANameIsMissingOnlyWhereItIsNowhere(t *testing.T) {
	const objects = `{apiVersion: v1, kind: Pod, metadata: {name: debug, namespace: dev, labels: {a: b}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: shop}}
`
	const debug = "{apiVersion: v1, kind: Pod, metadata: {name: debug, namespace: dev}}\n---\n"
	files := map[string]string{
		"dump.yaml": objects,
		"two.yaml":  debug + "{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: shop}}",
		"gone.yaml": debug + "{apiVersion: v1, kind: Pod, metadata: {name: gone, namespace: shop}}",
	}
	for args, want := range map[string]struct {
		stdout, stderr string
		code           int
	}{
		"list pods debug -n dev,shop":                      {"pod/debug\n", "", 0},
		"list pods debug other -n dev,shop":                {"pod/debug\npod/other\n", "", 0},
		"list pods debug gone -n dev,shop":                 {"pod/debug\n", "Error from server (NotFound): pods \"gone\" not found in namespaces dev, shop\n", 1},
		"list pods debug -n shop":                          {"", "Error from server (NotFound): pods \"debug\" not found\n", 1},
		"list pods debug -n dev,shop --count-by namespace": {"dev\n", "", 0},
		"list -f two.yaml -l a=b":                          {"pod/debug\n", "", 0},
		"list -f two.yaml -l a=b --count-by name":          {"debug\n", "", 0},
		"list -f two.yaml -l a=c":                          {"", "", 0},
		"list -f gone.yaml -l a=b":                         {"pod/debug\n", "Error from server (NotFound): pods \"gone\" not found\n", 1},
		"list -f gone.yaml -l a=b --ignore-not-found":      {"pod/debug\n", "", 0},
	} {
		stdout, stderr, code := askDump(t, files, "", args+" -o name --from dump.yaml")
		if code != want.code || stdout != want.stdout || stderr != want.stderr {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}
