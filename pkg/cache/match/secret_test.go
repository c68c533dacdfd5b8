package match_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// aSecret's password is "s3cr3t", its base64 czNjcjN0.
const aSecret = `{apiVersion: v1, kind: Secret, type: Opaque, metadata: {name: db, namespace: shop, annotations: {team: a, copy: '{"data":{"password":"czNjcjN0"}}'}},
data: {password: czNjcjN0}}`

func TestNoSummaryQuotesAValueOfASecret(t *testing.T) {
	for condition, want := range map[string]string{
		"jsonpath={.data.password}=x":                                        `.data.password is "***", not "x"`,
		"jsonpath={.data.password}!=czNjcjN0":                                `.data.password is ***`,
		"jsonpath={.data.other}=x":                                           `.data.other is not set`,
		"jsonpath={.metadata.annotations.copy}=x":                            `.metadata.annotations.copy is "***", not "x"`,
		"jsonpath={.metadata.annotations.team}=b":                            `.metadata.annotations.team is "a", not "b"`,
		"jsonpath={.type}=x":                                                 `.type is "Opaque", not "x"`,
		`cel=object.data.password == "x"`:                                    `object.data.password == "x" is false`,
		`cel=int(object.data.password.substring(2)) > 1`:                     `type conversion error`,
		`cel=object.data[object.data.password] == "x"`:                       `no such key: ***`,
		`cel=object.data.other == "x"`:                                       `no such key: other`,
		`cel=object.data.password == "***" || int(object.data.password) > 0`: `the error is about a value of the Secret, which is not shown`,
	} {
		met, why, err := mustParseFor(t, condition).Check(context.Background(), rowOf(t, aSecret), nil)
		if met || err != nil || !strings.Contains(why, want) {
			t.Errorf("%s: met %v, %v, and instead %q, want %q", condition, met, err, why, want)
		}
		if strings.Contains(why, "NjcjN0") || strings.Contains(why, "s3cr3t") {
			t.Errorf("%s: %q", condition, why)
		}
	}
}

func TestASecretMeetsConditionsByItsOwnValues(t *testing.T) {
	for _, condition := range []string{
		"jsonpath={.data.password}=czNjcjN0", "jsonpath={.data.password}!=***", `cel=object.data.password != "***"`, "jsonpath={.data.password}",
	} {
		if met, why, err := mustParseFor(t, condition).Check(context.Background(), rowOf(t, aSecret), nil); !met || err != nil {
			t.Errorf("%s: %q, %v", condition, why, err)
		}
	}
}

func TestNoErrorQuotesAValueOfASecret(t *testing.T) {
	_, _, err := mustParseFor(t, "jsonpath={.data}=x").Check(context.Background(), rowOf(t, aSecret), nil)
	if err == nil || !strings.Contains(err.Error(), "jsonpath leads to a nested object") {
		t.Errorf("got %v", err)
	}
}

func TestNoMissQuotesAValueOfASecret(t *testing.T) {
	for expression, want := range map[string]string{
		`int(object.data.password) > 1`: `type conversion error`,
		`object.data.other == "x"`:      `no such key: other`,
		`object.data.password == "***" || duration(object.data.password).getHours()>1`: `the error is about a value of the Secret`,
	} {
		where, err := match.DefaultCostLimit.Compile(match.ObjectOnly, expression)
		if err != nil {
			t.Fatal(err)
		}
		if holds, _, err := where.Eval(context.Background(), time.Now(), rowOf(t, aSecret), nil); holds || err != nil {
			t.Errorf("%s: %v, %v", expression, holds, err)
		}
		count, first := where.Misses()
		if count != 1 || !strings.Contains(first, want) || strings.Contains(first, "czNj") {
			t.Errorf("%s: %d misses, %q, want %q", expression, count, first, want)
		}
	}
}
