package harness

import "testing"

func TestOnlyAgesMayLieBetween(t *testing.T) {
	for _, test := range []struct {
		before, between, after string
		want                   bool
	}{
		{"web 4m35s", "web 4m36s", "web 4m37s", true},
		{"web 9m59s", "web 10m", "web 10m", true},
		{"web 1 (59s ago)", "web 1 (60s ago)", "web 1 (61s ago)", true},
		{"web 4m36s", "web 4m35s", "web 4m37s", false},
		{"web 4m35s", "api 4m36s", "web 4m37s", false},
		{"web 4m35s", "web", "web 4m37s", false},
		{"NAME  AGE\nweb   4m35s", "NAME  AGE\nweb   4m36s", "NAME  AGE\nweb   4m37s", true},
		{"NAME  AGE\nweb   4m35s", "NAME AGE\nweb   4m36s", "NAME  AGE\nweb   4m37s", false},
		{"web   4m35s", "web 4m36s", "web   4m37s", false},
		{"web 1", "web 2", "web 3", false},
	} {
		if got := SameButForAges(test.before, test.between, test.after); got != test.want {
			t.Errorf("%q, %q, %q: %v", test.before, test.between, test.after, got)
		}
	}
}
