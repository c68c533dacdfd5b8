package cmd

import (
	"slices"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
)

// absences finds, among the indexes that a question reads, the paths that no
// object has. What one type or namespace lacks another may have.
type absences []reading

// reading is one index that was read of one Indexer.
type reading struct {
	indexer    toolscache.Indexer
	definition index.Definition
}

func (a *absences) read(indexer toolscache.Indexer, definitions ...index.Definition) {
	for _, definition := range definitions {
		*a = append(*a, reading{indexer, definition})
	}
}

// notices has a line for each path that is in none of the Indexers.
func (a *absences) notices() []string {
	var notices []string
	for _, r := range *a {
		if !index.Absent(r.indexer, r.definition) || a.somewhere(r.definition.Name) {
			continue
		}
		if notice := r.definition.AbsenceNotice(); !slices.Contains(notices, notice) {
			notices = append(notices, notice)
		}
	}
	return notices
}

func (a *absences) somewhere(name string) bool {
	return slices.ContainsFunc(*a, func(r reading) bool {
		return r.definition.Name == name && len(r.indexer.ListIndexFuncValues(name)) > 0
	})
}
