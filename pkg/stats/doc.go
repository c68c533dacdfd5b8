// Package stats makes the pipeline of one invocation visible: what each informer and
// each queue holds and has done, as one JSON document or as Prometheus' metrics.
package stats
