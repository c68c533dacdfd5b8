package match_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// dear are expressions that would take all of the memory, or hours, over an
// object with a text of 200 KB.
func dear() map[string]string {
	all := func(depth int) string {
		return strings.Repeat(`lists.range(1000).all(x, `, depth) + `x >= 0` + strings.Repeat(`)`, depth)
	}
	doubled := strings.Repeat(`.map(x, x + x)`, 40)
	return map[string]string{
		"a split in a map":            `object.data.a.split("").map(x, object.data.a.split("")).size() > 0`,
		"nested loops":                all(8),
		"a text put into itself":      `object.data.a.replace("", object.data.a).size() > 0`,
		"a text joined":               `object.data.a.split("").map(x, "x").join(object.data.a).size() > 0`,
		"a text formatted":            `"%s".format([lists.range(100000).map(x, object.data.a)]).size() > 0`,
		"a range":                     `lists.range(9223372036854775807).size() > 0`,
		"found everywhere":            `lists.range(1000).map(x, object.data.a.findAll("")).size() > 0`,
		"all distinct":                `lists.range(100000).distinct().size() > 0`,
		"sets":                        `sets.contains(lists.range(100000), lists.range(100000).map(x, x + 200000))`,
		"a list joined to itself":     `[[1]]` + doubled + `.all(x, x.size() > 5)`,
		"a list of itself, flattened": `[[1]]` + strings.Repeat(`.map(x, [x, x])`, 40) + `.flatten(50).size() > 0`,
	}
}

// spent is a limit that is reached: that which users have, with -short a lower one.
func spent() match.CostLimit {
	if testing.Short() {
		return match.DefaultCostLimit / 10
	}
	return match.DefaultCostLimit
}

func TestADearExpressionIsAnErrorThatNamesTheObjectAndTheFlag(t *testing.T) {
	limit := spent()
	row := pod(t, "a", `data: {a: `+strings.Repeat("x", 200<<10)+`}`)
	for name, expression := range dear() {
		t.Run(name, func(t *testing.T) {
			where, err := limit.Compile(match.ObjectOnly, expression)
			if err != nil {
				t.Fatal(err)
			}
			before := allocated()
			got, _, err := where.Eval(t.Context(), time.Now(), row, nil)
			var dear *match.CostError
			if got || !errors.As(err, &dear) {
				_, first := where.Misses()
				t.Fatalf("got %v, %v, %s", got, err, first)
			}
			want := fmt.Sprintf(`--where costs more than %d for pod/a in namespace "shop", so whether it holds is not known; `+
				`write a cheaper expression, or raise the limit with --cel-cost-limit (0 is no limit)`, limit)
			if err.Error() != want {
				t.Errorf("got %v", err)
			}
			if count, _ := where.Misses(); count != 0 {
				t.Error("it is told twice")
			}
			if grown := allocated() - before; grown > 4<<30 {
				t.Errorf("took %d MB in all", grown>>20)
			}
		})
	}
}

// allocated is how many bytes have ever been allocated: more than are ever held.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

func TestADearConditionEndsTheWait(t *testing.T) {
	condition, err := spent().ParseFor([]string{`cel=lists.range(10000).all(x, lists.range(10000).all(y, x + y >= 0))`}, false)
	if err != nil {
		t.Fatal(err)
	}
	met, why, err := condition.Check(t.Context(), pod(t, "a", ""), nil)
	var dear *match.CostError
	if met || why != "" || !errors.As(err, &dear) || dear.Flag != "--for=cel" || dear.Object != `pod/a in namespace "shop"` {
		t.Errorf("got %v, %q, %v", met, why, err)
	}
}

func TestTheLimitCanBeMovedAndLifted(t *testing.T) {
	row := rowOf(t, webPod)
	for limit, want := range map[match.CostLimit]bool{0: true, 1: false, 100_000: false, 1_000_000_000: true} {
		where, err := limit.Compile(match.ObjectOnly, `lists.range(5000).map(x, x).size() == 5000 && lists.range(5000).map(x, x).size() == 5000`)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := where.Eval(t.Context(), time.Now(), row, nil)
		if got != want || errors.As(err, new(*match.CostError)) == want {
			t.Errorf("%d: got %v, %v", limit, got, err)
		}
	}
}

// What a real expression asks of a large object is far below the limit.
func TestUsualQuestionsAboutLargeObjectsAreWithinTheLimit(t *testing.T) {
	lines := strings.Repeat("a line of some configuration file, not long\\n", 20_000) // 880 KB
	row := pod(t, "a", `data: {a: "`+lines+`"}`+"\nitems: ["+strings.Repeat("{a: 1, b: [x, y]},", 20_000)+"]")
	for _, expression := range []string{
		`object.data.a.split("\n").exists(l, l.startsWith("b"))`,
		`object.data.a.split("\n").filter(l, l.contains("file")).size() == 20000`,
		`object.data.a.replace("a", "b").replace("b", "bb").size() > 0`,
		`object.data.a.findAll("conf[a-z]+").size() == 20000`,
		`object.data.a.split("\n").join(",").size() > 0`,
		`object.data.a.matches("^(.|\n)*nothing of the kind")`,
		`object.items.filter(i, i.a == 1 && "x" in i.b).map(i, i.b).flatten().size() == 40000`,
		`"%s".format([object.data.a]).size() > 0`,
	} {
		if _, _, err := mustCompile(t, expression).Eval(t.Context(), time.Now(), row, nil); err != nil {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

// A function that is guarded answers as the library's own does.
func TestGuardedFunctionsAnswerAsTheyDid(t *testing.T) {
	row := rowOf(t, webPod)
	for _, expression := range []string{
		`"a,b,c".split(",") == ["a", "b", "c"]`, `"a,b,c".split(",", 2) == ["a", "b,c"]`, `"a".split("", -1) == ["a"]`,
		`"aab".replace("a", "x") == "xxb"`, `"aab".replace("a", "x", 1) == "xab"`,
		`["a", "b"].join() == "ab"`, `["a", "b"].join("-") == "a-b"`, `object.spec.containers.map(c, c.name).join("+") == "app+log"`,
		`"%s is %d".format(["a", 1]) == "a is 1"`, `"a1b2".findAll("[0-9]") == ["1", "2"]`, `"a1b2".findAll("[0-9]", 1) == ["1"]`,
		`[[1], [2, 3]].flatten() == [1, 2, 3]`, `[[[1]], [[2, 3]]].flatten(2) == [1, 2, 3]`, `[1, 2, 1].distinct() == [1, 2]`,
		`lists.range(3) == [0, 1, 2]`, `sets.contains([1, 2], [2])`, `sets.intersects([1, 2], [2, 3])`, `sets.equivalent([1, 2], [2, 1])`,
	} {
		for _, limit := range []match.CostLimit{0, match.DefaultCostLimit} {
			where, err := limit.Compile(match.ObjectOnly, expression)
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := where.Eval(t.Context(), time.Now(), row, nil); !got || err != nil {
				_, first := where.Misses()
				t.Errorf("limit %d: %s: got %v, %v, %s", limit, expression, got, err, first)
			}
		}
	}
}
