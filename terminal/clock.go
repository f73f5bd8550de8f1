package terminal

import "time"

// Clock is the time as a Progress sees it.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once, d from now, unless stop is called before.
	AfterFunc(d time.Duration, f func()) (stop func())
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// Duration writes d for people: 8s, 4m10s, 1h04m, 2d03h. Negative ones are 0s.
func Duration(d time.Duration) string {
	d = max(d.Round(time.Second), 0)
	switch s := int(d / time.Second); {
	case s < 60:
		return itoa(s) + "s"
	case s < 3600:
		return itoa(s/60) + "m" + two(s%60) + "s"
	case s < 24*3600:
		return itoa(s/3600) + "h" + two(s/60%60) + "m"
	default:
		return itoa(s/86400) + "d" + two(s/3600%24) + "h"
	}
}
