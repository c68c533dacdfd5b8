package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// handleFlakily is a handler for `tail -- sh -c`: it fails the first time that it
// sees an object whose number is even, and writes what it has handled to a file
// for each object.
const handleFlakily = `
cat >/dev/null
case $INFORMER_NAME in
*[02468])
	if [ ! -e "$DONE/$INFORMER_NAME.failed" ]; then
		: >"$DONE/$INFORMER_NAME.failed"
		exit 1
	fi
esac
echo "$INFORMER_EVENT $INFORMER_RESOURCE_VERSION" >"$DONE/$INFORMER_NAME.new"
mv "$DONE/$INFORMER_NAME.new" "$DONE/$INFORMER_NAME"
echo "handled $INFORMER_NAME $INFORMER_RESOURCE_VERSION"
`

// flant/shell-operator#212 and others: a failing handler held up the objects
// behind it, or the state that came after its failure was lost. Half of the
// objects fail once, the server crashes and loses its watches' history, objects
// change and go meanwhile: in the end the last state of each was handled.
func TestCommandHandlesTheLastStateThoughItFailsAndTheServerCrashes(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	namespace := s.newNamespace(t)
	cms := s.configMaps(t, namespace)
	const objects = 10
	name := func(n int) string { return fmt.Sprintf("cm-%d", n) }
	for n := range objects {
		cms.create(name(n))
	}
	done := t.TempDir()
	user := s.user(t, cluster.Admin, in(namespace))
	user.setenv("DONE=" + done)
	tail := user.tail("configmaps", "--parallel", "2", "--", "sh", "-c", handleFlakily)
	handled := func(name string) string {
		text, err := os.ReadFile(filepath.Join(done, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	allHandled := func(want func(n int) string) {
		t.Helper()
		tail.until(func([]string, []string) bool {
			for n := range objects {
				if handled(name(n)) != want(n) {
					return false
				}
			}
			return true
		})
	}
	allHandled(func(n int) string { return "ADDED " + cms.version(name(n)) })

	s.crash(t)
	for n := range objects {
		if n%3 != 0 {
			cms.change(name(n))
		}
	}
	last := map[int]string{}
	for n := range objects {
		last[n] = "ADDED " + cms.version(name(n))
		if n%3 != 0 {
			last[n] = "MODIFIED " + cms.version(name(n))
		}
	}
	allHandled(func(n int) string { return last[n] })
	cms.delete(name(3), name(4))
	tail.until(func([]string, []string) bool {
		return strings.HasPrefix(handled(name(3)), "DELETED ") && strings.HasPrefix(handled(name(4)), "DELETED ")
	})
	tail.endsBy(syscall.SIGINT)
	if count(tail.Notices(), "error:") > 0 {
		t.Errorf("it gave up: %q", tail.Notices())
	}
}

// version is the resourceVersion that the server has of an object.
func (c configMaps) version(name string) string {
	c.t.Helper()
	object, err := c.client.Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return object.ResourceVersion
}
