package match_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// oddObjects are objects that no API server would give.
func oddObjects() []string {
	return []string{
		`{}`, `{"metadata":null,"status":null}`, `{"metadata":[],"status":[[[]]],"spec":"x"}`,
		`{"metadata":{"name":"a","generation":1e300},"status":{"conditions":[null,1,"x",{"type":null,"status":[]}]}}`,
		`{"spec":{"n":9223372036854775807,"f":0.1,"s":"\u0000\u001b","b":true,"l":[{"a":1},null,[2]]}}`,
	}
}

// bounded ends whatever a fuzzed expression finds to do.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}

func FuzzNoExpressionPanics(f *testing.F) {
	for _, object := range oddObjects() {
		for _, expression := range []string{
			`object.spec.l.exists(x, x.a == 1)`, `has(object.metadata.name) || oldObject == null`,
			`quantity(object.spec.s).isGreaterThan(quantity("1"))`, `object.spec.s.matches(object.spec.s)`,
			`object.spec.l[5] == object.spec.l[-1]`, `object.spec.n + 1 > 0`, `int(object.spec.s) == 1`,
			`object.?spec.?l[?0].orValue(1) == 1`, `ip(object.spec.s).family() == 4`, `"%d".format([object.spec.f])`,
			`object.spec.l.sortBy(x, x).size() == 1`, `semver(object.spec.s).major() == 1`, `{object.spec: 1}.size() == 1`,
			`timestamp(object.spec.n) < timestamp(object.spec.s)`, `duration(object.spec.s) > duration("1h")`, `object`, ``, `"`,
			`object.spec.s.substring(5, 1) == ""`, `url(object.spec.s).getHost() == ""`, `[1, 2].flatten(-1) == []`,
			`lists.range(99999999999).size() == 0`, `"a".replace("", "b") == "bab"`, `["a"].join(object.spec.s) == ""`,
			`object.spec.l.map(x, [x, x]).flatten(9).distinct().size() == 1`, `"a".split("") == object.spec.l`,
		} {
			f.Add(expression, object)
		}
	}
	f.Fuzz(func(t *testing.T, expression, object string) {
		row, err := decodeRow([]byte(object))
		if err != nil {
			return
		}
		where, err := match.DefaultCostLimit.Compile(match.ObjectAndOld, expression)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "--where: ") {
				t.Errorf("got %v", err)
			}
			return
		}
		ctx := bounded(t)
		for range 2 {
			if met, _, err := where.Eval(ctx, time.Now(), row, row); err != nil && (met || ctx.Err() == nil && !errors.As(err, new(*match.CostError))) {
				t.Errorf("got %v, %v", met, err)
			}
		}
		where.Needs()
	})
}

func FuzzNoPathPanics(f *testing.F) {
	for _, object := range oddObjects() {
		for _, path := range []string{
			`spec.l[*].a`, `.spec.l[-1:]`, `{.spec.l[0:9:2]}`, `..a`, `.spec.*`, `spec.l[?(@.a==1)]`, `.spec.l[?(@==null)]`,
			`.spec['l','n']`, `.spec.s[0]`, `.spec.l[::0]`, `a\`, `[`, `.a[?(@.b`, `.'`, `{.`, `.spec.l[0,1]`, `$`, `@.@`, `..[..]`,
			`spec.l[?(@.a!=range)]`, `-`, `+1`, `"x"`, "a\nb", `.spec.l[9999999999999999999]`,
		} {
			f.Add(path, object)
		}
	}
	f.Fuzz(func(t *testing.T, path, object string) {
		row, err := decodeRow([]byte(object))
		if err != nil {
			return
		}
		if changed, err := match.ParseChanged(path); err == nil {
			if changed.Between(row, row) {
				t.Errorf("%q: an object differs from itself", path)
			}
			changed.Needs()
		}
		for _, operator := range []string{"", "=1", "!=1"} {
			condition, err := match.DefaultCostLimit.ParseFor([]string{"jsonpath=" + path + operator}, false)
			if err != nil {
				continue
			}
			if met, why, err := condition.Check(t.Context(), row, nil); met == (why != "" || err != nil) {
				t.Errorf("%q: met is %v, but %q, %v", path+operator, met, why, err)
			}
		}
	})
}

func FuzzNoConditionPanics(f *testing.F) {
	for _, object := range oddObjects() {
		for _, name := range []string{"Ready", "Ready=False", "Ready!=False", "", "=", "!=", "!"} {
			f.Add(name, object)
		}
	}
	f.Fuzz(func(t *testing.T, text, object string) {
		row, err := decodeRow([]byte(object))
		if err != nil {
			return
		}
		condition, err := match.DefaultCostLimit.ParseFor([]string{"condition=" + text}, false)
		if name, _, given := strings.Cut(text, "="); name == "" || given && name == "!" {
			if err == nil {
				t.Fatalf("%q has no name", text)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if met, why, err := condition.Check(t.Context(), row, nil); met == (why != "" || err != nil) {
			t.Errorf("%q: met is %v, but %q, %v", text, met, why, err)
		}
	})
}
