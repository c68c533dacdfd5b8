// Package loopback opens ports for servers that tests start, stop and start
// again on the same port.
package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
)

// Host is the only address that anything of a test cluster listens on.
const Host = "127.0.0.1"

// Ports are drawn below those that the systems we run on give to outgoing
// connections (32768 and up on Linux, 49152 elsewhere). So while a server is
// down, no client can take its port by chance, not even by connecting to it.
const firstPort, portCount = 20000, 12768

// drawn counts the ports of this process from a place of its own. One that has been
// given away is not given again: its server may be down for a while on purpose.
var drawn = startAt(rand.Uint32N(portCount))

func startAt(n uint32) *atomic.Uint32 {
	counter := &atomic.Uint32{}
	counter.Store(n)
	return counter
}

// Listen opens a port that nobody else listens on.
func Listen() (net.Listener, error) {
	for range 100 {
		listener, err := net.Listen("tcp", Address(firstPort+int(drawn.Add(1)%portCount)))
		if err == nil {
			return listener, nil
		}
	}
	return nil, errors.New("found no free port")
}

// FreePort returns a port that nobody listens on at this moment. Whoever uses
// it has to be ready to find that somebody was faster.
func FreePort() (int, error) {
	listener, err := Listen()
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// Address returns Host and a port as one string.
func Address(port int) string { return fmt.Sprintf("%s:%d", Host, port) }
