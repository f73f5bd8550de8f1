package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
)

const loopback = "127.0.0.1"

// Ports are chosen below the ranges from which the usual systems hand out ports by themselves (Linux from 32768, the
// others from 49152). Between the probe and the server's own bind a port is free for a moment, and the server takes
// the whole process down when it loses one: a range that only deliberate binds use makes that moment harmless.
const (
	lowestPort  = 20000
	highestPort = 32000
	portTries   = 200
)

// reservation holds ports by listening on them, until the server is about to bind them itself.
type reservation struct{ listeners []net.Listener }

func (r *reservation) ports() []int {
	ports := make([]int, len(r.listeners))
	for i, l := range r.listeners {
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}

func (r *reservation) release() error {
	var errs []error
	for _, l := range r.listeners {
		errs = append(errs, l.Close())
	}
	r.listeners = nil
	return errors.Join(errs...)
}

// reserve holds n loopback ports. The first is the given one unless that is 0.
func reserve(first, n int) (*reservation, error) {
	r := new(reservation)
	for len(r.listeners) < n {
		port := 0
		if len(r.listeners) == 0 {
			port = first
		}
		l, err := listen(port)
		if err != nil {
			return nil, errors.Join(err, r.release())
		}
		r.listeners = append(r.listeners, l)
	}
	return r, nil
}

// listen opens a loopback port: the given one, or any free one for 0.
func listen(port int) (net.Listener, error) {
	if port != 0 {
		l, err := net.Listen("tcp", address(port))
		switch {
		case err == nil:
			return l, nil
		case errors.Is(err, os.ErrPermission):
			return nil, fmt.Errorf("port %d may not be used by this user: give another one, or none to use any free port: %w", port, err)
		default:
			return nil, &problem{kind: ErrPortTaken, cause: err,
				text: fmt.Sprintf("port %d on %s is taken by another program: give another one, or none to use any free port", port, loopback)}
		}
	}
	var last error
	for range portTries {
		l, err := net.Listen("tcp", address(lowestPort+rand.IntN(highestPort-lowestPort)))
		if err == nil {
			return l, nil
		}
		last = err
	}
	return nil, fmt.Errorf("finding a free port on %s between %d and %d: %w", loopback, lowestPort, highestPort, last)
}

func address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }
