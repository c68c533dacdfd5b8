package faults

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// All pages but the first come as metadata and as cells, which are joined only where the
// server says that both are of one list: a real one does, for types of all kinds.
func TestLaterPagesAreJoinedOfMetadataAndCells(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	maps := s.configMaps(t, "default")
	for i := range 20 {
		maps.create(fmt.Sprintf("m%02d", i))
	}
	user := s.user(t, cluster.Admin)
	ours := user.informer("list", "configmaps", "--chunk-size", "5", "--stats")
	theirs := user.kubectl("get", "configmaps", "--chunk-size", "5")
	// Between the two, ages go on.
	ages := regexp.MustCompile(`\d+m?s?\n`)
	if got, want := ages.ReplaceAllString(ours.Stdout, "\n"), ages.ReplaceAllString(theirs.Stdout, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A first page, and two requests for each of the other three.
	if !regexp.MustCompile(`\(7 list, `).MatchString(ours.Stderr) {
		t.Errorf("stats: %s", ours.Stderr)
	}
}
