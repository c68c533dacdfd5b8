package cluster

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
)

// The users of every cluster. What each may do is in access.yaml; all of them
// may read discovery, as every authenticated user may.
const (
	// Admin may do everything.
	Admin = "admin"
	// Viewer has the ClusterRole view in all namespaces: no Secrets, nothing
	// that is cluster-scoped.
	Viewer = "viewer"
	// Dev may read everything in the namespace dev, and nothing elsewhere.
	Dev = "dev"
	// One may read a single object: the ConfigMap settings in the namespace dev.
	One = "one"
	// Lister may get and list pods in all namespaces, but not watch them.
	Lister = "lister"
	// Nobody has no rights.
	Nobody = "nobody"
)

// Users returns the names of all users.
func Users() []string { return []string{Admin, Viewer, Dev, One, Lister, Nobody} }

// newTokens draws a token for each user: other people on this machine can reach
// the API server's port too.
func newTokens() map[string]string {
	tokens := map[string]string{}
	for _, user := range Users() {
		tokens[user] = rand.Text()
	}
	return tokens
}

// writeTokenFile writes the file that kube-apiserver's --token-auth-file reads.
func writeTokenFile(path string, tokens map[string]string) error {
	var lines strings.Builder
	for _, user := range Users() {
		groups := ""
		if user == Admin {
			groups = ",system:masters"
		}
		fmt.Fprintf(&lines, "%s,%s,%s%s\n", tokens[user], user, user, groups)
	}
	return os.WriteFile(path, []byte(lines.String()), 0o600)
}
