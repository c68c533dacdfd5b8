package stats

import (
	"fmt"
	"os"

	"github.com/prometheus/client_golang/prometheus"
)

// prefix is that of the names of all metrics.
const prefix = "kubectl_informer_"

// WriteMetrics writes a document in Prometheus' text format to a file, which is
// replaced as a whole: whoever reads it never sees a part. running says that the
// invocation goes on.
func WriteMetrics(path string, d Document, running bool) error {
	// What is no file, such as /dev/stdout, would be replaced by one.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(&collector{d, running}); err != nil {
		return err
	}
	return prometheus.WriteToTextfile(path, registry)
}

// collector collects a document.
type collector struct {
	document Document
	running  bool
}

// Describe sends nothing: what there is depends on the document.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	c.invocation(metrics)
	targets, order := map[Target]*byTarget{}, []Target{}
	for _, i := range c.document.Informers {
		if targets[i.Target] == nil {
			targets[i.Target] = &byTarget{samples: map[sample]float64{}}
			order = append(order, i.Target)
		}
		targets[i.Target].add(i)
	}
	for _, target := range order {
		targets[target].send(target, metrics)
	}
}

// family is one metric: its help, its type, and its label besides those of a Target.
type family struct {
	name, help string
	kind       prometheus.ValueType
	label      string
}

// sample is one value of a family; value is that of its label.
type sample struct {
	family family
	value  string
}

const (
	counter = prometheus.CounterValue
	gauge   = prometheus.GaugeValue
)

// invocation sends what is known of the whole invocation alone.
func (c *collector) invocation(metrics chan<- prometheus.Metric) {
	requests := family{"requests_total", "Requests of the whole invocation by verb, each attempt counted.", counter, "verb"}
	sum, running := c.document.Sum, 0.0
	if c.running {
		running = 1
	}
	for _, one := range []struct {
		sample
		n float64
	}{
		{sample{family{"running", "1 while the command runs, 0 once it has ended.", gauge, ""}, ""}, running},
		{sample{family{"received_bytes_total", "Bytes received over the wire.", counter, ""}, ""}, float64(sum.BytesReceived)},
		{sample{requests, "list"}, float64(sum.Requests.List)},
		{sample{requests, "watch"}, float64(sum.Requests.Watch)},
		{sample{requests, "get"}, float64(sum.Requests.Get)},
		{sample{requests, "discovery"}, float64(*sum.Requests.Discovery)},
		{sample{family{"queue_pushed_total", "Events that were queued for the reader.", counter, ""}, ""}, float64(sum.Queue.Pushed)},
		{sample{family{"queue_merged_total", "Queued events that were merged into others of their objects.", counter, ""}, ""}, float64(sum.Queue.Merged)},
		{sample{family{"queue_events", "Events that wait for the reader.", gauge, ""}, ""}, float64(sum.Queue.Waiting)},
		{sample{family{"queue_events_max", "The most events that have waited in one queue at once.", gauge, ""}, ""}, float64(sum.Queue.MaxWaiting)},
	} {
		metrics <- one.metric(one.n, nil, nil)
	}
}

// metric makes a metric of a sample, with labels besides.
func (s sample) metric(value float64, labels, values []string) prometheus.Metric {
	if s.family.label != "" {
		labels, values = append(labels, s.family.label), append(values, s.value)
	}
	desc := prometheus.NewDesc(prefix+s.family.name, s.family.help, labels, nil)
	return prometheus.MustNewConstMetric(desc, s.family.kind, value, values...)
}
