package index

import (
	"slices"
	"testing"
)

func TestNearAreCaseAndColonAndOneEdit(t *testing.T) {
	values := []string{"Running", "Pending", "app=web", "Deployment/web", "node-1", "node-12", "a", "größe"}
	for asked, want := range map[string][]string{
		"running":        {"Running"},
		"runnin":         {"Running"},
		"Runnning":       {"Running"},
		"Runnimg":        {"Running"},
		"app:web":        {"app=web"},
		"App:web":        {"app=web"},
		"deployment/web": {"Deployment/web"},
		"node-2":         {"node-1", "node-12"},
		"b":              nil,
		"grösse":         nil,
		"grüße":          {"größe"},
		"Failed":         nil,
		"":               nil,
	} {
		if got := Near(asked, values); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", asked, got, want)
		}
	}
	if got := Near("Running", nil); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestWhatAQueryAsks(t *testing.T) {
	asked := mustBind(t, podTarget(), "phase=a", "phase=b", "node=", "name!=x").Asked()
	byName := map[string]Asked{}
	for _, a := range asked {
		byName[a.Name] = a
	}
	if a := byName["phase"]; !slices.Equal(a.Values, []string{"a", "b"}) || a.None || !a.Restricts || a.IsPath() {
		t.Errorf("phase: %+v", a)
	}
	if a := byName["node"]; !a.None || !a.Restricts {
		t.Errorf("node: %+v", a)
	}
	if a := byName["name"]; a.Restricts || len(a.Values) > 0 {
		t.Errorf("name: %+v", a)
	}
}
