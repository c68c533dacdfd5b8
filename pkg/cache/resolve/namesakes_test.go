package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kubernetes/kubernetes#102378: two groups share a name, one of them is shown
// and nobody says which.
func TestNameOfSeveralTypesIsToldWithTheChoice(t *testing.T) {
	serving := list("serving.example.com/v1", kind("services", "service", "Service", "ksvc", "svc"))
	old := list("serving.example.com/v1beta1", kind("services", "service", "Service", "ksvc", "svc"))
	short := list("zoo.example.com/v1", kind("ponies", "pony", "Pony", "po"))
	metrics := list("metrics.k8s.io/v1beta1", withVerbs(kind("pods", "", "PodMetrics"), "get", "list"), clusterScoped(kind("nodes", "", "NodeMetrics")))
	review := list("review.example.com/v1", withVerbs(kind("pods", "pod", "Pod"), "create"))
	first, second := list("a.example.com/v1", kind("certs", "cert", "Cert")), list("b.example.com/v1", kind("certs", "cert", "Cert"))
	for _, test := range []struct {
		name, args string
		more       []*metav1.APIResourceList
		target     string
		want       []string
	}{
		{"plural", "services", lists(serving, old), "services.v1.", []string{`name "services" could also match lower priority resource services.serving.example.com`}},
		{"singular, with a name", "service web", lists(serving), "services.v1.", []string{`name "service" could also match lower priority resource services.serving.example.com`}},
		{"kind, before a slash", "Service/web", lists(serving), "services.v1.", []string{`name "Service" could also match lower priority resource services.serving.example.com`}},
		{"in capitals", "SERVICES", lists(serving), "services.v1.", []string{`name "SERVICES" could also match lower priority resource services.serving.example.com`}},
		{"once for several names", "svc/web svc/db", lists(serving), "services.v1.", []string{`short name "svc" could also match lower priority resource services.serving.example.com`}},
		{"short name", "po", lists(short), "pods.v1.", []string{`short name "po" could also match lower priority resource ponies.zoo.example.com`}},
		{"two custom resources", "certs", lists(first, second), "certs.v1.a.example.com", []string{`name "certs" could also match lower priority resource certs.b.example.com`}},
		{"three types", "svc", lists(serving, list("x.example.com/v2", kind("svc", "svc", "SVC"))), "svc.v2.x.example.com",
			[]string{`name "svc" could also match lower priority resource services`, `name "svc" could also match lower priority resource services.serving.example.com`}},
		{"versions are no namesakes", "ksvc", lists(serving, old), "services.v1.serving.example.com", nil},
		{"with its group", "services.serving.example.com", lists(serving), "services.v1.serving.example.com", nil},
		{"with version and group", "services.v1.", lists(serving), "services.v1.", nil},
		{"both asked for", "services,services.serving.example.com", lists(serving), "services.v1.", nil},
		{"as member of a category", "all", lists(serving), "pods.v1.", nil},
		{"cannot be listed", "pods", lists(review), "pods.v1.", nil},
		{"events, the same in both groups", "events", nil, "events.v1.", nil},
		{"events by short name, as kubectl has it", "ev", nil, "events.v1.", []string{`short name "ev" could also match lower priority resource events.events.k8s.io`}},
		{"events, behind another type", "ev", lists(list("x.example.com/v1", kind("ev", "ev", "EV"))), "ev.v1.x.example.com",
			[]string{`name "ev" could also match lower priority resource events`, `name "ev" could also match lower priority resource events.events.k8s.io`}},
		{"metrics of pods", "pods", lists(metrics), "pods.v1.", nil},
		{"metrics of nodes", "no,nodes", lists(metrics), "nodes.v1.", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := &fakeDiscovery{served: with(test.more...)}
			result := resolve(t, client, args(test.args))
			if got := asArgument(result.Targets[0].Resource); got != test.target {
				t.Errorf("chose %s, want %s", got, test.target)
			}
			if diff := cmp.Diff(test.want, result.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if client.reads != 1 {
				t.Errorf("discovery was read %d times", client.reads)
			}
		})
	}
}

func lists(more ...*metav1.APIResourceList) []*metav1.APIResourceList { return more }

func TestChoiceIsTheSameInWhateverOrderListsArrive(t *testing.T) {
	served := with(list("zoo.example.com/v1", kind("ponies", "pony", "Pony", "po")))
	client := &shuffledDiscovery{fakeDiscovery{served: served}}
	result, err := New(connect(client)).Resolve(t.Context(), args("po"))
	if err != nil || len(result.Targets) != 1 || result.Targets[0].Resource.Resource != "pods" {
		t.Errorf("po: %q, %v", allWords(result.Targets), err)
	}
}

// shuffledDiscovery returns its lists in another order than its groups, as
// client-go's own client does, which takes them out of a map.
type shuffledDiscovery struct{ fakeDiscovery }

func (s *shuffledDiscovery) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	groups, resources, err := s.fakeDiscovery.ServerGroupsAndResources()
	reversed := make([]*metav1.APIResourceList, 0, len(resources))
	for i := len(resources) - 1; i >= 0; i-- {
		reversed = append(reversed, resources[i])
	}
	return groups, reversed, err
}
