package sandbox

import "strings"

// loopbackSetting is the kernel's word on addresses of IPv6 on the loopback device. An engine turns it on in a container
// without a network, so that ::1, which machines have, cannot be listened on.
const loopbackSetting = "net.ipv6.conf.lo.disable_ipv6"

// loopback6 are the settings by which a container has ::1 beside 127.0.0.1.
func (d *docker) loopback6() map[string]string {
	if d.noLoopback6.Load() {
		return nil
	}
	return map[string]string{loopbackSetting: "0"}
}

// refusesLoopback6 reports whether an engine would not make or start a container for that setting's sake: its kernel has no
// IPv6, or it may not be set there. Containers are made without it then, in which ::1 cannot be had on any account.
func (d *docker) refusesLoopback6(err error) bool {
	if err == nil || !strings.Contains(err.Error(), "ipv6") {
		return false
	}
	d.noLoopback6.Store(true)
	return true
}
