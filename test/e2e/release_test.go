package e2e

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/binaries"
)

// Nothing else would notice that what was to run against an older server did not.
func TestTheServerIsOfTheReleaseThatIsAskedFor(t *testing.T) {
	var versions struct {
		Client info `json:"clientVersion"`
		Server info `json:"serverVersion"`
	}
	if err := json.Unmarshal([]byte(kubectl(t, fixture.admin, "version", "-o", "json").Stdout), &versions); err != nil {
		t.Fatal(err)
	}
	t.Logf("kubectl %s, kube-apiserver %s", versions.Client.Version, versions.Server.Version)
	client, server := versions.Client.minor(t), versions.Server.minor(t)
	switch release := fixture.cluster.Release(); release {
	case binaries.Previous:
		if server >= client {
			t.Errorf("the server is not older: 1.%d", server)
		}
	default:
		if server != client {
			t.Errorf("of the release %s, the server is 1.%d", release, server)
		}
	}
}

// info is a version as kubectl tells it.
type info struct {
	Minor   string `json:"minor"`
	Version string `json:"gitVersion"`
}

func (i info) minor(t *testing.T) int {
	t.Helper()
	minor, err := strconv.Atoi(i.Minor)
	if err != nil {
		t.Fatal(err)
	}
	return minor
}
