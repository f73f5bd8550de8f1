package outcomes

// claims remembers which rows were given, and where. A task's rows are a chain that is walked, which costs a fraction of a
// map's memory and time; the few tasks with more than longChain rows get a map.
type claims struct {
	last  []int32 // by task, the latest of its rows, -1 for none
	count []int32 // by task
	next  []int32 // by row, the one before it of the same task
	rows  []row
	place []int32
	long  map[row]int32
}

const longChain = 64

// claim notes a row, or says where it was given first.
func (c *claims) claim(at row, place int32) (first int32, twice bool) {
	for len(c.last) <= int(at.task) {
		c.last, c.count = append(c.last, -1), append(c.count, 0)
	}
	if c.count[at.task] < longChain {
		for i := c.last[at.task]; i >= 0; i = c.next[i] {
			if c.rows[i] == at {
				return c.place[i], true
			}
		}
	} else if first, twice = c.long[at]; twice {
		return first, true
	}
	c.next, c.rows, c.place = append(c.next, c.last[at.task]), append(c.rows, at), append(c.place, place)
	c.last[at.task] = int32(len(c.rows) - 1)
	switch c.count[at.task]++; {
	case c.count[at.task] == longChain:
		if c.long == nil {
			c.long = map[row]int32{}
		}
		for i := c.last[at.task]; i >= 0; i = c.next[i] {
			c.long[c.rows[i]] = c.place[i]
		}
	case c.count[at.task] > longChain:
		c.long[at] = place
	}
	return 0, false
}
