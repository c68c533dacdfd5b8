package match_test

import (
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

const (
	failedJob = `
apiVersion: batch/v1
kind: Job
metadata: {name: import, namespace: shop, uid: j}
status:
  startTime: "2024-05-01T10:00:00Z"
  conditions: [{type: Failed, status: "True", reason: BackoffLimitExceeded, message: Job has reached the specified backoff limit}]
`
	stuckDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: d, generation: 2}
spec: {replicas: 2, progressDeadlineSeconds: 5}
status:
  observedGeneration: 2
  replicas: 2
  updatedReplicas: 1
  conditions: [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: ReplicaSet "web-1" has timed out progressing.}]
`
	rolledOutDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: d, generation: 2}
spec: {replicas: 2}
status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2,
  conditions: [{type: Available, status: "True"}, {type: Progressing, status: "True", reason: NewReplicaSetAvailable}]}
`
)

// failing is a tally with --fail-for.
func failing(t testing.TB, anyOf bool, quantifier match.Quantifier, failFor []string, texts ...string) story {
	t.Helper()
	condition, err := match.DefaultCostLimit.ParseFor(texts, anyOf)
	if err != nil {
		t.Fatal(err)
	}
	failure, err := match.DefaultCostLimit.ParseFailFor(failFor)
	if err != nil {
		t.Fatal(err)
	}
	return story{t, match.NewTally(condition, quantifier, failure, time.Now)}
}

func (s story) has(manifest string) story {
	s.t.Helper()
	if err := s.Upsert(s.t.Context(), rowOf(s.t, manifest), nil); err != nil {
		s.t.Fatal(err)
	}
	return s
}

func (s story) hasNot(manifest string) story {
	s.t.Helper()
	if err := s.Delete(s.t.Context(), rowOf(s.t, manifest)); err != nil {
		s.t.Fatal(err)
	}
	return s
}

func TestAFailureSaysWhichObjectWhichConditionAndWhy(t *testing.T) {
	const (
		jobFailed = `job.batch/import in namespace "shop" meets --fail-for=condition=Failed: Failed=True (BackoffLimitExceeded): Job has reached the specified backoff limit`
		stuck     = `Progressing=False (ProgressDeadlineExceeded): ReplicaSet "web-1" has timed out progressing.`
		noRollout = `deployment.apps/web in namespace "shop" has failed --for=rollout: deployment "web" exceeded its progress deadline: ` + stuck
	)
	failFor := []string{"jsonpath=.status.phase=Failed", "condition=Failed"}
	for name, test := range map[string]struct {
		story story
		want  string
	}{
		"a condition":              {failing(t, false, match.All(), failFor, "condition=Complete").has(failedJob), jobFailed},
		"whatever else is met":     {failing(t, false, match.Any(), failFor, "create").has(failedJob), jobFailed},
		"seen only by its end":     {failing(t, false, match.All(), failFor, "condition=Complete").has(`{apiVersion: batch/v1, kind: Job, metadata: {name: import, namespace: shop, uid: j}}`).hasNot(failedJob), jobFailed},
		"no condition":             {failing(t, false, match.All(), failFor, "condition=Complete").has(stuckDeployment), ""},
		"none asked for":           {failing(t, false, match.All(), nil, "condition=Complete").has(failedJob), ""},
		"the opposite":             {failing(t, false, match.All(), []string{"condition=Progressing!=True"}, "rollout").has(stuckDeployment), `deployment.apps/web in namespace "shop" meets --fail-for=condition=Progressing!=True: ` + stuck},
		"a path":                   {failing(t, false, match.All(), []string{"jsonpath=.spec.replicas=2"}, "create").has(stuckDeployment), `deployment.apps/web in namespace "shop" meets --fail-for=jsonpath=.spec.replicas=2: .spec.replicas=2`},
		"an expression":            {failing(t, false, match.All(), []string{"cel=object.spec.replicas == 2"}, "create").has(stuckDeployment), `deployment.apps/web in namespace "shop" meets --fail-for=cel=object.spec.replicas == 2: object.spec.replicas == 2`},
		"a deletion":               {failing(t, false, match.All(), []string{"delete"}, "condition=Complete").has(failedJob).hasNot(failedJob), `job.batch/import in namespace "shop" meets --fail-for=delete: it was deleted`},
		"nothing is no deletion":   {failing(t, false, match.All(), []string{"delete"}, "condition=Complete").expect("a"), ""},
		"a rollout":                {failing(t, false, match.All(), nil, "rollout").has(stuckDeployment), noRollout},
		"a rollout, one may do":    {failing(t, false, match.Any(), nil, "rollout").has(stuckDeployment), ""},
		"a rollout, another way":   {failing(t, true, match.All(), nil, "rollout", "delete").has(stuckDeployment), ""},
		"a rollout, no other way":  {failing(t, true, match.All(), nil, "rollout", "ready").has(stuckDeployment), noRollout},
		"not ready":                {failing(t, false, match.All(), nil, "ready").has(failedJob), `job.batch/import in namespace "shop" has failed --for=ready: Failed (JobFailed): Job Failed. failed: 0/1`},
		"not ready, a deadline":    {failing(t, false, match.All(), nil, "ready").has(stuckDeployment), `deployment.apps/web in namespace "shop" has failed --for=ready: Failed (ProgressDeadlineExceeded): ReplicaSet "web-1" has timed out progressing.`},
		"after all but its end":    {failing(t, false, match.All(), nil, "ready", "delete").has(rolledOutDeployment).has(stuckDeployment), ""},
		"before its end":           {failing(t, false, match.All(), nil, "rollout", "delete").has(stuckDeployment), noRollout},
		"one that has ceased to":   {failing(t, false, match.All(), nil, "rollout").has(stuckDeployment).has(rolledOutDeployment), noRollout},
		"after it was settled":     {failing(t, false, match.All(), []string{"create"}, "delete").expect("a"), ""},
		"not ready, but as wanted": {failing(t, true, match.All(), nil, "ready", "condition=Failed").has(failedJob), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if failed := test.story.Failed(); failed != nil {
				got = failed.Error()
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRolloutAndReadyAreMetAsKubectlAndKstatusHaveIt(t *testing.T) {
	for name, test := range map[string]struct{ text, manifest, why string }{
		"rolled out": {"rollout", rolledOutDeployment, ""},
		"ready":      {"ready", rolledOutDeployment, ""},
		"not yet":    {"rollout", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, generation: 2}, spec: {replicas: 2}, status: {observedGeneration: 2, updatedReplicas: 1}}`, `Waiting for deployment "web" rollout to finish: 1 out of 2 new replicas have been updated...`},
		"of an older generation": {"rollout", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, generation: 3}, status: {observedGeneration: 2, conditions: [{type: Progressing, reason: ProgressDeadlineExceeded}]}}`,
			"Waiting for deployment spec update to be observed..."},
		"a daemon set":              {"rollout", `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a, generation: 1}, spec: {updateStrategy: {type: RollingUpdate}}, status: {observedGeneration: 1, desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1}}`, ""},
		"a stateful set":            {"rollout", `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {replicas: 2, updateStrategy: {type: RollingUpdate}}, status: {observedGeneration: 1, readyReplicas: 1}}`, "Waiting for 1 pods to be ready..."},
		"anything without a status": {"ready", `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`, ""},
		"a custom resource":         {"ready", `{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, status: {conditions: [{type: Ready, status: "False", reason: Rusty, message: it rusts}]}}`, "InProgress (Rusty)"},
		"a job that runs":           {"ready", `{apiVersion: batch/v1, kind: Job, metadata: {name: a}, status: {startTime: x}}`, ""},
		"one that goes":             {"ready", `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, deletionTimestamp: "2024-05-01T10:00:00Z"}}`, "Terminating"},
	} {
		t.Run(name, func(t *testing.T) {
			met, why, err := mustParseFor(t, test.text).Check(t.Context(), rowOf(t, test.manifest), nil)
			if err != nil || why != test.why || met != (test.why == "") {
				t.Errorf("got %v, %q, %v", met, why, err)
			}
		})
	}
}

func TestARolloutIsOnlyAskedOfWhatRollsOut(t *testing.T) {
	for kind, want := range map[string]string{
		"Deployment": "", "DaemonSet": "", "StatefulSet": "",
		"ReplicaSet": "--for=rollout is for deployments, statefulsets and daemonsets, not for replicasets.apps",
	} {
		target := cache.Target{Kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: kind}}
		target.Resource = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}
		got := ""
		if err := mustParseFor(t, "create", "rollout").Refuses(target); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q", kind, got)
		}
	}
	if err := mustParseFor(t, "ready", "create").Refuses(cache.Target{}); err != nil {
		t.Errorf("got %v", err)
	}
	_, _, err := mustParseFor(t, "rollout").Check(t.Context(), rowOf(t, `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {updateStrategy: {type: OnDelete}}}`), nil)
	if err == nil || err.Error() != "statefulset db: rollout status is only available for RollingUpdate strategy type" {
		t.Errorf("got %v", err)
	}
}

// kstatus gives a pod 15 seconds to be scheduled: nothing happens to it when they are over.
func TestAPodThatIsNotScheduledInTimeFailsByTimeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		created := time.Now().UTC().Format(time.RFC3339)
		s := failing(t, false, match.All(), nil, "ready").has(`{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop, creationTimestamp: "` + created + `"},
  status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}}`)
		if s.Failed() != nil || s.Next().IsZero() {
			t.Fatalf("got %v, next %v", s.Failed(), s.Next())
		}
		time.Sleep(time.Until(s.Next()))
		if err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if failed := s.Failed(); failed == nil || failed.Why != "Failed (PodUnschedulable): Pod could not be scheduled" {
			t.Errorf("got %v", failed)
		}
	})
}

func TestOfSeveralConditionsThoseThatAreMetAreNamed(t *testing.T) {
	for name, test := range map[string]struct {
		story story
		want  [][]string
	}{
		"all of them":             {failing(t, false, match.All(), nil, "condition=failed", "create", "jsonpath=.metadata.name!=x", "cel=true").has(failedJob), [][]string{{"Failed=True", "create", ".metadata.name!=x", "true"}}},
		"the first of them":       {failing(t, true, match.All(), nil, "condition=Complete", "condition=Failed", "create").has(failedJob), [][]string{{"Failed=True"}}},
		"the opposite":            {failing(t, false, match.All(), nil, "condition=Complete!=True", "condition=Failed!=False").has(failedJob), [][]string{{"no condition Complete", "Failed=True"}}},
		"before the end":          {failing(t, false, match.All(), nil, "condition=Failed", "delete").has(failedJob).hasNot(failedJob), [][]string{{"Failed=True", "delete"}}},
		"the end alone":           {failing(t, false, match.All(), nil, "condition=Complete", "delete").has(failedJob).hasNot(failedJob), [][]string{{"delete"}}},
		"the end, one of several": {failing(t, true, match.All(), nil, "condition=Complete", "delete").has(failedJob).hasNot(failedJob), [][]string{{"delete"}}},
		"rollout and ready":       {failing(t, false, match.All(), nil, "rollout", "ready").has(rolledOutDeployment), [][]string{{"rollout", "ready"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got [][]string
			for _, met := range test.story.Meeting() {
				got = append(got, met.Terms)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// The value of a Secret that meets a condition is not named with it.
func TestWhatASecretMeetsIsNamedAsItWasAsked(t *testing.T) {
	s := failing(t, false, match.All(), []string{"jsonpath=.data.password"}, "jsonpath=.data.password!=x").has(
		`{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: shop}, data: {password: aHVudGVyMg==}}`)
	if got := s.Meeting(); len(got) != 1 || !reflect.DeepEqual(got[0].Terms, []string{".data.password!=x"}) {
		t.Errorf("got %v", got)
	}
	if s.Failed() == nil || s.Failed().Why != ".data.password" {
		t.Errorf("got %v", s.Failed())
	}
}

func TestDeletionOfNothing(t *testing.T) {
	for name, test := range map[string]struct {
		quantifier match.Quantifier
		// met is of an empty set; gone, when one was deleted.
		met, gone bool
	}{
		"all":          {match.All(), true, true},
		"none":         {match.None(), true, false},
		"any":          {match.Any(), false, true},
		"one":          {count(t, "1"), false, true},
		"at least one": {count(t, ">=1"), false, true},
		"two":          {count(t, "2"), false, false},
	} {
		for _, texts := range [][]string{{"delete"}, {"condition=Ready", "delete"}} {
			t.Run(name, func(t *testing.T) {
				if got := begin(t, test.quantifier, texts...).Met(); got != test.met {
					t.Errorf("%q of an empty set: met is %v", texts, got)
				}
				if got := begin(t, test.quantifier, texts...).expect("a").Met(); got != test.met {
					t.Errorf("%q of a name without an object: met is %v", texts, got)
				}
				if got := begin(t, test.quantifier, texts...).notReady("a").deleted("a").Met(); got != test.gone {
					t.Errorf("%q after a deletion: met is %v", texts, got)
				}
			})
		}
	}
}

func TestWhoLeavesTheSetIsNotDeleted(t *testing.T) {
	s := failing(t, false, match.All(), []string{"delete"}, "condition=Ready").expect("a").notReady("a", "b")
	for _, name := range []string{"a", "b"} {
		s.Leave(pod(t, name, ``))
	}
	if s.Lost() != nil || s.Failed() != nil || s.Summary() != "0 of 1: a no longer matches" {
		t.Errorf("got %v, %v, %q", s.Lost(), s.Failed(), s.Summary())
	}
	if s := begin(t, match.Any(), "delete").ready("a", "b"); s.Met() {
		t.Error("nothing was deleted yet")
	} else if s.Leave(pod(t, "a", ``)); s.Met() {
		t.Error("to leave is not to be deleted")
	}
}

func TestANameThatNeverExistedIsNamed(t *testing.T) {
	s := begin(t, match.All(), "condition=Ready")
	other := podNamed("b")
	other.Namespace = "test"
	s.Expect(podNamed("a"), false)
	s.Expect(other, true)
	if got, want := s.Summary(), `0 of 2: pods "a" was never there in namespace "shop"; pods "b" was never there in namespace "test", or does not match`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.deleted("a"); s.Summary() != `0 of 2: pods "a" was never there in namespace "shop"; pods "b" was never there in namespace "test", or does not match` {
		t.Errorf("got %s", s.Summary())
	}
	if s.notReady("a").deleted("a"); s.Lost() == nil {
		t.Errorf("got %s", s.Summary())
	}
}

func TestWhatIsForgottenIsNotCounted(t *testing.T) {
	all := podNamed("")
	for name, test := range map[string]struct {
		forgotten cache.Target
		want      string
	}{
		"a name":                   {podNamed("a"), `1 of 1`},
		"a type":                   {all, `0 of 1: pods "a" was never there`},
		"a type somewhere else":    {cache.Target{Kind: all.Kind, Namespace: "test"}, `1 of 2: pods "a" was never there`},
		"a type everywhere":        {cache.Target{Kind: all.Kind}, `0 of 1: pods "a" was never there`},
		"a type that is another's": {cache.Target{Kind: schema.GroupVersionKind{Kind: "Secret"}}, `1 of 2: pods "a" was never there`},
	} {
		s := begin(t, match.All(), "condition=Ready").expect("a").ready("b")
		if s.Forget(test.forgotten); s.Summary() != test.want {
			t.Errorf("%s: got %q", name, s.Summary())
		}
	}
}

func TestConditionsThatNobodyHasOrGets(t *testing.T) {
	s := failing(t, false, match.All(), []string{"condition=Faild", "condition=failed"}, "condition=Redy!=True", "condition=Failed", "create").has(failedJob).ready("a")
	asked, present := s.UnknownConditions()
	if want := []string{"Faild", "Redy"}; !reflect.DeepEqual(asked, want) {
		t.Errorf("got %q", asked)
	}
	if want := []string{"Complete", "ContainersReady", "DisruptionTarget", "Failed", "FailureTarget", "Initialized", "PodScheduled", "Ready", "SuccessCriteriaMet", "Suspended"}; !reflect.DeepEqual(present, want) {
		t.Errorf("got %q", present)
	}
	if asked, _ := begin(t, match.All(), "condition=Ready").ready("a").UnknownConditions(); len(asked) > 0 {
		t.Errorf("got %q", asked)
	}
}

func TestAFailForThatIsNoneIsRefused(t *testing.T) {
	_, err := match.DefaultCostLimit.ParseFailFor([]string{"condition=Failed", "Failed"})
	var unknown *match.UnknownConditionError
	if !errors.As(err, &unknown) || unknown.Flag != "--fail-for" || unknown.Text != "Failed" {
		t.Errorf("got %v", err)
	}
	_, err = match.DefaultCostLimit.ParseFailFor([]string{"condition="})
	if err == nil || err.Error() != "condition wait format must be --fail-for=condition=NAME or --fail-for=condition=NAME=VALUE" {
		t.Errorf("got %v", err)
	}
}
