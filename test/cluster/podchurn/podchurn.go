// Package podchurn answers lists and watches of pods as an API server with many pods would
// of which many change each second: more than a real one has time for beside a test. It
// stands in for that part of a server, behind a faultproxy.HTTP.
package podchurn

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Namespace is where the pods are.
const Namespace = "churn"

// Pods are so many pods.
type Pods struct {
	count              int
	managed, variables string
	changes            atomic.Int64
}

// Changes is how many changes have been sent.
func (p *Pods) Changes() int64 { return p.changes.Load() }

// NewPods returns pods of less than a kilobyte.
func NewPods(count int) *Pods { return &Pods{count: count} }

// NewLargePods returns pods as large as those of real clusters are, of 7 KB.
func NewLargePods(count int) *Pods {
	entry := `"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:type":{}}},`
	return &Pods{
		count: count,
		managed: `{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":{` +
			strings.TrimSuffix(strings.Repeat(entry, 50), ",") + `}}}`,
		variables: strings.TrimSuffix(strings.Repeat(`{"name":"SETTING_OF_THE_PROGRAM","value":"a value that is as long as most are"},`, 40), ","),
	}
}

// Name is the name of a pod.
func Name(n int) string { return fmt.Sprintf("web-%05d", n) }

const columns = `[{"name":"Name","type":"string","format":"name","priority":0},{"name":"Ready","type":"string","priority":0},` +
	`{"name":"Status","type":"string","priority":0},{"name":"Restarts","type":"string","priority":0},` +
	`{"name":"Age","type":"string","priority":0},{"name":"IP","type":"string","priority":1},{"name":"Node","type":"string","priority":1}]`

// row is a pod as a row of a Table, with all of it or with its metadata alone. Its
// revision is what changes.
func (p *Pods) row(to *bytes.Buffer, n, revision int, whole bool) {
	status := "Running"
	if revision%2 == 1 {
		status = "CrashLoopBackOff"
	}
	kind, apiVersion := "PartialObjectMetadata", "meta.k8s.io/v1"
	if whole {
		kind, apiVersion = "Pod", "v1"
	}
	fmt.Fprintf(to, `{"cells":[%q,"1/1",%q,"%d","3h","10.0.0.1","node-%d"],"object":{"kind":%q,"apiVersion":%q,"metadata":{"name":%q,"namespace":%q,`+
		`"uid":"00000000-0000-0000-0000-%012d","resourceVersion":"%d","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"web","shard":"%d"},"managedFields":[%s]}`,
		Name(n), status, revision, n%100, kind, apiVersion, Name(n), Namespace, n, 1000+revision*p.count+n, n%16, p.managed)
	if whole {
		fmt.Fprintf(to, `,"spec":{"nodeName":"node-%d","containers":[{"name":"main","image":"nginx:1.29","env":[%s]}]},`+
			`"status":{"phase":"Running","podIP":"10.0.0.1","containerStatuses":[{"name":"main","restartCount":%d,"ready":true}]}`, n%100, p.variables, revision)
	}
	to.WriteString("}}")
}

// List answers a list with all pods on one page.
func (p *Pods) List(w http.ResponseWriter, r *http.Request) {
	var answer bytes.Buffer
	fmt.Fprintf(&answer, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1000"},"columnDefinitions":%s,"rows":[`, columns)
	for n := range p.count {
		if n > 0 {
			answer.WriteByte(',')
		}
		p.row(&answer, n, 0, isWhole(r))
	}
	answer.WriteString("]}")
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer.Bytes()) // who does not read it any more need not
}

// Watch answers a watch with so many changes a second, of one pod after the other,
// until it is given up.
func (p *Pods) Watch(perSecond int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		const ticks = 50 // a second
		changed := 0
		for range every(r.Context(), time.Second/ticks) {
			var events bytes.Buffer
			for range perSecond / ticks {
				fmt.Fprintf(&events, `{"type":"MODIFIED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"%s"},"columnDefinitions":`,
					strconv.Itoa(1000+p.count+changed))
				if changed == 0 {
					events.WriteString(columns)
				} else {
					events.WriteString("null")
				}
				events.WriteString(`,"rows":[`)
				p.row(&events, changed%p.count, 1+changed/p.count, isWhole(r))
				events.WriteString("]}}\n")
				changed++
			}
			if _, err := w.Write(events.Bytes()); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
			p.changes.Add(int64(perSecond / ticks))
		}
	})
}

func isWhole(r *http.Request) bool { return r.URL.Query().Get("includeObject") == "Object" }

// every yields on a period until ctx ends.
func every(ctx context.Context, period time.Duration) func(yield func() bool) {
	return func(yield func() bool) {
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if !yield() {
				return
			}
		}
	}
}
