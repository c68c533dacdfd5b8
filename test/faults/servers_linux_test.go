package faults

import (
	"context"
	"net"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// servers are the faults of API servers and etcd, which need a site of their own.
// The last brings back an older state of all, and has to stay the last.
func servers() []scenario {
	killed := func(name string, short, inLong time.Duration) scenario {
		return scenario{
			name: "the API server is killed, and back after " + name, commands: all(),
			fault: func(l *lab) { l.outage((*cluster.Cluster).KillAPIServer, lasts(short, inLong)) },
			says:  outage(),
		}
	}
	return []scenario{
		killed("a second", time.Second, time.Second),
		killed("a quarter of a minute", 6*time.Second, 15*time.Second),
		killed("a minute", 10*time.Second, time.Minute),
		{
			name: "the API server is stopped and started again", commands: all(),
			fault: func(l *lab) {
				l.outage(func(c *cluster.Cluster) { c.StopAPIServer(l.Context()) }, time.Second)
			},
			says: outage(),
		},
		{
			name: "etcd forgets its history while the connection is down", commands: all(),
			fault: func(l *lab) {
				down(l)
				l.stay(3 * time.Second)
				l.must(l.Compact(l.Context()))
				l.outage((*cluster.Cluster).KillAPIServer, 0)
			},
			says: outage(),
		},
		{
			name: "etcd is killed, and started again", commands: all(),
			fault: func(l *lab) {
				l.KillEtcd()
				l.stay(lasts(6*time.Second, 30*time.Second))
				l.must(l.StartEtcd(l.Context()))
			},
			says: append(blip(), may(waiting)...),
		},
		{
			name: "one of two API servers lags behind", commands: all(),
			fault: lagging, says: blip(),
		},
		{
			name: "etcd is restored to an older state", commands: []command{tail, handler, query}, calm: true,
			before: func(l *lab) {
				l.fill()
				l.KillEtcd()
				l.must(l.SaveEtcd())
				l.must(l.StartEtcd(l.Context()))
				for range 20 {
					l.create(configMaps, l.name())
				}
				l.prepare()
			},
			fault: func(l *lab) {
				l.outage(func(c *cluster.Cluster) {
					c.KillAPIServer()
					c.KillEtcd()
					l.must(c.RestoreEtcd())
					l.must(c.StartEtcd(l.Context()))
				}, 0)
				l.writer.Restored()
			},
			says:  append(outage(), may(lostAll, back)...),
			spare: []invariant{risingVersions},
		},
	}
}

// outage ends the server, and starts it again after a while. The way to it is
// closed as long as its port is.
func (l *lab) outage(end func(*cluster.Cluster), lasts time.Duration) {
	l.Helper()
	down(l)
	end(l.Cluster)
	l.stay(lasts)
	started := make(chan error, 1)
	go func() { started <- l.StartAPIServer(l.Context()) }()
	l.must(eventually(l.Context(), patience, func() error {
		conn, err := (&net.Dialer{}).DialContext(l.Context(), "tcp", l.Address())
		if err == nil {
			conn.Close()
		}
		return err
	}))
	up(l)
	l.must(<-started)
}

// lagging leads the commands to a second API server that does not learn what
// changes, and back.
func lagging(l *lab) {
	replica, err := l.StartReplica(l.Context())
	l.must(err)
	defer replica.Kill()
	l.stay(2 * time.Second)
	replica.Etcd.Freeze()
	l.stay(2 * time.Second)
	lead := func(address string) {
		l.each(func(c chain) {
			c.back.Retarget(address)
			c.back.Cut()
		})
	}
	lead(replica.Address())
	l.stay(lasts(10*time.Second, 30*time.Second))
	lead(l.Address())
	l.stay(time.Second)
}

// afterwards is a context for what is cleaned up when the test's own has ended.
func (l *lab) afterwards() context.Context { return context.WithoutCancel(l.Context()) }
