package faults

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/faults/ledger"
)

// rights are the faults of what one may do, each for one of three types.
func rights() []scenario {
	refusal := []sight{{line: forbidden, within: 2 * soon}, {line: hint, within: 2 * soon}}
	only := func(verbs ...string) scenario {
		return scenario{
			user: cluster.Nobody, when: starting, broken: &configMaps, closed: true, calm: true,
			commands: []command{tail, handler, wait}, says: refusal,
			ends: map[command]ending{wait: {1, forbiddenAnywhere}},
			before: func(l *lab) {
				if len(verbs) > 0 {
					l.allow(l.namespace, configMaps, verbs)
				}
				l.allow(l.namespace, secrets, reads)
				l.allow(l.namespace, gauges, reads)
			},
			fault: func(l *lab) { l.stay(time.Second) },
		}
	}
	none, list, watch := only(), only("list"), only("watch")
	none.name, list.name, watch.name = "no right to one type", "one type may be listed and not watched", "one type may be watched and not listed"
	return []scenario{
		none, list, watch,
		{
			name: "one type may be read in one namespace of two", user: cluster.Nobody, when: starting, calm: true,
			says: refusal,
			before: func(l *lab) {
				other, err := l.newNamespace(l.Context())
				l.must(err)
				l.args = []string{"-n", l.namespace + "," + other}
				for _, one := range l.types {
					l.allow(l.namespace, one, reads)
				}
				l.allow(other, secrets, reads)
				l.allow(other, gauges, reads)
			},
			fault: func(l *lab) { l.stay(time.Second) },
		},
		{
			name: "one object of each type may be read by its name", user: cluster.Nobody, only: goal, calm: true,
			before: func(l *lab) {
				for _, one := range l.types {
					l.allow(l.namespace, one, append(reads, "get"), goal)
				}
			},
			fault: func(l *lab) {
				down(l)
				for _, one := range l.types {
					l.must(l.writer.Change(l.Context(), one, goal))
					l.must(l.writer.Replace(l.Context(), one, goal))
				}
				l.stay(3 * time.Second)
				up(l)
			},
			says: outage(),
		},
		{
			name: "the right to one type is revoked", user: cluster.Nobody, commands: all(),
			broken: &configMaps, closed: true,
			before: func(l *lab) {
				l.revoke = l.allow(l.namespace, configMaps, reads)
				l.allow(l.namespace, secrets, reads)
				l.allow(l.namespace, gauges, reads)
			},
			fault: func(l *lab) {
				l.revoke()
				l.each(func(c chain) { c.gateway.End(faultproxy.Watch("configmaps")) })
				l.stay(lasts(10*time.Second, 30*time.Second))
			},
			says: append([]sight{{line: forbidden, within: 2 * soon}, {line: hint, within: 2 * soon}}, may(lostOne, lacks)...),
			ends: map[command]ending{wait: {1, forbiddenAnywhere}},
		},
		{
			name: "the token is wrong", when: never, commands: all(),
			config: func(_ *lab, config *clientcmdapi.Config) { config.AuthInfos[cluster.Admin].Token = "wrong" },
			ends:   map[command]ending{tail: {1, denied}, handler: {1, denied}, wait: {1, denied}, query: {1, denied}},
		},
		rotated(),
		credentialPlugin(),
		wrongClock(),
	}
}

var reads = []string{"list", "watch"}

// allow gives the user rights to a type in a namespace, and returns what takes
// them back, when the server knows.
func (l *lab) allow(namespace string, one ledger.Type, verbs []string, names ...string) (revoke func()) {
	l.Helper()
	resource := one.Resource.Resource
	_, err := l.RbacV1().Roles(namespace).Create(l.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: resource},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{one.Resource.Group}, Resources: []string{resource}, Verbs: verbs, ResourceNames: names}},
	}, metav1.CreateOptions{})
	l.must(err)
	subject := func(name string) rbacv1.Subject {
		return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: name}
	}
	bindings := l.RbacV1().RoleBindings(namespace)
	_, err = bindings.Create(l.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: resource},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: resource},
		Subjects:   []rbacv1.Subject{subject(cluster.Nobody), subject(cluster.Lister)},
	}, metav1.CreateOptions{})
	l.must(err)
	options := metav1.ListOptions{}
	if len(names) > 0 {
		options.FieldSelector = "metadata.name=" + names[0]
	}
	l.untilAllowed(true, namespace, one, verbs[0], options)
	return func() {
		l.Helper()
		l.must(bindings.Delete(l.Context(), resource, metav1.DeleteOptions{}))
		l.untilAllowed(false, namespace, one, verbs[0], options)
	}
}

// untilAllowed waits until the server knows what the user may do.
func (l *lab) untilAllowed(want bool, namespace string, one ledger.Type, verb string, options metav1.ListOptions) {
	l.Helper()
	config, err := l.Config(cluster.Nobody)
	l.must(err)
	client, err := dynamic.NewForConfig(config)
	l.must(err)
	l.must(eventually(l.Context(), patience, func() error {
		resource := client.Resource(one.Resource).Namespace(namespace)
		var err error
		if verb == "watch" {
			watch, failed := resource.Watch(l.Context(), options)
			if err = failed; err == nil {
				watch.Stop()
			}
		} else {
			_, err = resource.List(l.Context(), options)
		}
		if (err == nil) != want {
			return fmt.Errorf("allowed to %s %s: %v, want %v", verb, one.Resource.Resource, err, want)
		}
		return nil
	}))
}

// unauthorized is what API servers answer to a token that they do not know.
func unauthorized() http.Handler {
	return faultproxy.Status(apierrors.NewUnauthorized("Unauthorized").ErrStatus)
}

// tokenOf reads a user's token.
func tokenOf(l *lab, user string) string {
	l.Helper()
	config, err := l.Config(user)
	l.must(err)
	return config.BearerToken
}

// rotated is a token in a file, which has the next one before the first runs out,
// as those that hand out tokens see to: clients read such a file once a minute.
func rotated() scenario {
	file := func(l *lab) string { return filepath.Join(l.dir, "token") }
	return scenario{
		name: "a token runs out a minute after its file has the next one", user: cluster.Nobody, commands: all(),
		before: func(l *lab) {
			for _, one := range l.types {
				l.allow(l.namespace, one, reads)
			}
			l.must(os.WriteFile(file(l), []byte(tokenOf(l, cluster.Nobody)), 0o600))
		},
		config: func(l *lab, config *clientcmdapi.Config) {
			config.AuthInfos[cluster.Nobody] = &clientcmdapi.AuthInfo{TokenFile: file(l)}
		},
		fault: func(l *lab) {
			l.must(os.WriteFile(file(l), []byte(tokenOf(l, cluster.Lister)), 0o600))
			l.stay(time.Minute)
			old := "Bearer " + tokenOf(l, cluster.Nobody)
			l.answer(func(r faultproxy.Request) bool { return r.Header.Get("Authorization") == old }, func(chain) (int, http.Handler) {
				return faultproxy.Always, unauthorized()
			})
			l.each(func(c chain) { c.gateway.End(faultproxy.Watch("")) })
			l.stay(3 * time.Second)
		},
		says: blip(),
	}
}

// plugin has the kubeconfig run a credential plugin, which fails while the file
// broken is there, and whose tokens are good until the time that date(1) makes of
// until.
func plugin(l *lab, config *clientcmdapi.Config, until string) {
	l.Helper()
	path := filepath.Join(l.dir, "credentials.sh")
	script := fmt.Sprintf(`#!/bin/sh
test ! -e %s || exit 1
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s","expirationTimestamp":"%%s"}}' "$(date -u -d '%s' +%%Y-%%m-%%dT%%H:%%M:%%SZ)"
`, broken(l), tokenOf(l, cluster.Admin), until)
	l.must(os.WriteFile(path, []byte(script), 0o700))
	config.AuthInfos[cluster.Admin] = &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: path, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}}
}

func broken(l *lab) string { return filepath.Join(l.dir, "broken") }

// credentialPlugin is one that needs the network, as most do.
func credentialPlugin() scenario {
	return scenario{
		name: "a credential plugin fails during an outage", commands: all(),
		config: func(l *lab, config *clientcmdapi.Config) { plugin(l, config, "+1 sec") },
		fault: func(l *lab) {
			l.must(os.WriteFile(broken(l), nil, 0o600))
			down(l)
			l.stay(lasts(9*time.Second, 60*time.Second))
			l.must(os.Remove(broken(l)))
			up(l)
		},
		says: outage(),
	}
}

// wrongClock is what an hour's difference of clocks looks like from here, where
// nobody may set one: the server's dates are an hour off, and credentials ran out
// an hour ago by our clock that the server takes.
func wrongClock() scenario {
	return scenario{
		name: "the clock is an hour wrong", when: starting, commands: all(), calm: true,
		config: func(l *lab, config *clientcmdapi.Config) { plugin(l, config, "-1 hour") },
		fault: func(l *lab) {
			var dated atomic.Int64
			l.answer(faultproxy.Any, func(c chain) (int, http.Handler) {
				return faultproxy.Always, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					dated.Add(1)
					w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
					c.gateway.Forward().ServeHTTP(w, r)
				})
			})
			waitFor(l, func(c chain) bool { return c.gateway.Count(faultproxy.Watch("")) > 2 })
			l.begin()
			down(l)
			l.stay(3 * time.Second)
			up(l)
			if dated.Load() == 0 {
				l.Error("no answer had a wrong date")
			}
		},
		says: append(may(waiting), outage()...),
	}
}

// singular is how an object of a type is asked for by its name.
func singular(one ledger.Type, name string) string {
	return strings.TrimSuffix(one.Resource.GroupResource().String(), ".") + "/" + name
}
