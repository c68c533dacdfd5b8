package stories

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// inAFewWords is a template that tells an event: ADDED Secret/a initial.
const inAFewWords = `go-template={{.type}}{{with .object}} {{.kind}}/{{.metadata.name}}{{end}}` +
	`{{if .initial}} initial{{end}}{{with .reason}} ({{.}}){{end}}`

// TestScripts runs the stories in testdata. Each is somebody at a shell, with
// two namespaces of their own: the context's, which is $NAMESPACE, and $OTHER.
// Beside testscript's own commands there are the harness's.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		Setup:               setUp,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                stage.programs.ScriptCommands(),
	})
}

// setUp gives a script its namespaces.
func setUp(env *testscript.Env) error {
	t, err := harness.ScriptTest(env)
	if err != nil {
		return err
	}
	namespace, err := newNamespace(t.Context())
	if err != nil {
		return err
	}
	other, err := newNamespace(t.Context())
	if err != nil {
		return err
	}
	shell, err := environ(namespace, "")
	if err != nil {
		return err
	}
	return harness.SetUpScript(env, append(shell, "NAMESPACE="+namespace, "OTHER="+other, "STORY="+inAFewWords))
}
