package harness

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kubectl-informer/kubectl-informer/pkg/stats"
)

// statsSchema is where packages of tests beside this one have it.
const statsSchema = "../../../docs/stats.schema.json"

// Stats reads the document that --stats=json has printed last on stderr, and checks that
// it is what its schema says.
func (r Result) Stats() (d stats.Document, err error) {
	lines := strings.Split(strings.TrimSpace(r.Stderr), "\n")
	last := lines[len(lines)-1]
	schema, err := jsonschema.NewCompiler().Compile(statsSchema)
	if err != nil {
		return d, err
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(last))
	if err == nil {
		err = schema.Validate(document)
	}
	if err == nil {
		err = json.Unmarshal([]byte(last), &d)
	}
	if err != nil {
		return d, fmt.Errorf("no document of stats at the end of %q: %w", r.Stderr, err)
	}
	return d, nil
}
