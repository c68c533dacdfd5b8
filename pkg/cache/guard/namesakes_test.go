package guard

import (
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// labelled is a row without uid that its label tells from others of the name.
func labelled(name, label string) *cache.Row {
	row := newRow(name, "")
	row.Labels = map[string]string{"catalog": label}
	return row
}

func TestAnEventOfOneOfSeveralObjectsOfANameIsAnsweredByAList(t *testing.T) {
	for name, test := range map[string]struct {
		event *cache.Row
		want  watch.EventType
	}{
		"of which one is not certain": {labelled("a", "3"), watch.Error},
		"of one that has not changed": {labelled("a", "2"), watch.Modified},
		"of another name":             {labelled("b", "3"), watch.Modified},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				list := newList("7", labelled("a", "1"), labelled("b", "1"), labelled("a", "2"))
				server := &fakeServer{
					list:  listing(list),
					watch: opening(play(step{event: watch.Event{Type: watch.Modified, Object: test.event}}, pause(ever))),
				}
				g, _ := guarded(server, Options{})
				var numbers []int
				for _, row := range listOnce(t, g).Items {
					numbers = append(numbers, row.Namesake)
				}
				if len(numbers) != 3 || numbers[0] != 0 || numbers[1] != 0 || numbers[2] != 1 {
					t.Errorf("numbered %v", numbers)
				}
				w, err := g.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
				if err != nil {
					t.Fatal(err)
				}
				defer w.Stop()
				event := <-w.ResultChan()
				if event.Type != test.want {
					t.Errorf("got %+v", event)
				}
				if status, ok := event.Object.(*metav1.Status); test.want == watch.Error && (!ok || status.Reason != metav1.StatusReasonExpired) {
					t.Errorf("got %+v", event.Object)
				}
			})
		})
	}
}
