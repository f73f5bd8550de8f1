package outcomes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"evlab/contrasts"
	"evlab/experiments"
)

// Table is outcomes by task, condition, executor and replicate.
type Table struct {
	source     string // the file or run, for messages
	tasks      names
	conditions names
	executors  names
	replicates names
	metrics    names
	rows       []row
	values     [][]float64      // by metric, then row; NaN is missing
	labels     map[string]label // columns that say something of a task: clusters and strata
	seen       claims
}

// row says what a row's values are of, in numbers.
type row struct{ task, condition, executor, replicate int32 }

// label is one column of names by task; -1 where a task has none.
type label struct {
	names *names
	of    []int32
}

// names numbers distinct strings in the order in which they come.
type names struct {
	list []string
	at   map[string]int32
	last int32 // files mostly have the rows of a task together
}

func (n *names) number(s string) int32 {
	if int(n.last) < len(n.list) && n.list[n.last] == s {
		return n.last
	}
	if i, ok := n.at[s]; ok {
		n.last = i
		return i
	}
	if n.at == nil {
		n.at = map[string]int32{}
	}
	s = strings.Clone(s) // s may be a part of a long line
	i := int32(len(n.list))
	n.list, n.at[s] = append(n.list, s), i
	n.last = i
	return i
}

// Tasks, Conditions, Executors and Metrics are the names that the table knows, in the order in which they came.
func (t *Table) Tasks() []string      { return t.tasks.list }
func (t *Table) Conditions() []string { return t.conditions.list }
func (t *Table) Executors() []string  { return t.executors.list }
func (t *Table) Metrics() []string    { return t.metrics.list }

// Rows is the number of rows.
func (t *Table) Rows() int { return len(t.rows) }

// Groups are the names in a column of labels, sorted: the clusters or strata there are.
func (t *Table) Groups(column string) []string {
	l, ok := t.labels[column]
	if !ok {
		return nil
	}
	return slices.Sorted(slices.Values(l.names.list))
}

// Selection picks one paired sample out of a table.
type Selection struct {
	Metric   string
	A, B     string // conditions
	Executor string // may be empty when there is only one
	Cluster  string // column of labels that names the clusters; empty for tasks
	// Stratum keeps the tasks whose label in a column has this value; no column keeps all.
	StratumColumn, Stratum string
}

// Sample is the pairs of a selection, every task of the table once, and what kind of values they have.
type Sample struct {
	Pairs      []contrasts.Pair
	Binary     bool    // every value is 0 or 1 and no cell has several replicates
	Low, High  float64 // least and greatest value; 0 when there is none
	Replicates int     // most replicates of a cell
}

// UnknownNameError says that a table has not a name that was asked for, and which it has.
type UnknownNameError struct {
	Source, What, Name string
	Known              []string
}

func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("%s has no %s %q%s; there are %s", e.Source, e.What, e.Name, experiments.Suggest(e.Name, e.Known), few(e.Known))
}

// names that a selection asks for must be there.
func (t *Table) find(what, name string, known []string) (int32, error) {
	i := slices.Index(known, name)
	if i < 0 {
		return -1, &UnknownNameError{t.source, what, name, known}
	}
	return int32(i), nil
}

// few lists some names for a message.
func few(list []string) string {
	const most = 12
	if len(list) == 0 {
		return "none"
	}
	return experiments.List(list, most)
}

// ofTasks counts and lists tasks for a message.
func ofTasks(names []string) string {
	if len(names) == 1 {
		return "task " + names[0]
	}
	return fmt.Sprintf("%d tasks: %s", len(names), few(names))
}

// executor finds the executor that is meant.
func (t *Table) executor(name string) (int32, error) {
	if name == "" {
		if len(t.executors.list) > 1 {
			return -1, fmt.Errorf("%s has outcomes of several executors (%s); name one with --executor, and with --against a second one", t.source, few(t.executors.list))
		}
		return 0, nil
	}
	if slices.Equal(t.executors.list, []string{""}) {
		return -1, fmt.Errorf("%s names no executors; leave %q out", t.source, name)
	}
	return t.find("executor", name, t.executors.list)
}

// Select makes the paired sample of a selection.
func (t *Table) Select(s Selection) (*Sample, error) {
	means, err := t.cells(s)
	if err != nil {
		return nil, err
	}
	out := &Sample{Binary: true, Low: math.Inf(1), High: math.Inf(-1), Pairs: make([]contrasts.Pair, 0, len(t.tasks.list))}
	cluster, clustered := t.labels[s.Cluster]
	if s.Cluster != "" && !clustered {
		return nil, fmt.Errorf("%s has no column %q to cluster by", t.source, s.Cluster)
	}
	stratum, stratified := t.labels[s.StratumColumn]
	if s.StratumColumn != "" && !stratified {
		return nil, fmt.Errorf("%s has no column %q to take strata from", t.source, s.StratumColumn)
	}
	var bare []string // tasks without a cluster
	for task, name := range t.tasks.list {
		if !means.planned[task] || stratified && stratum.name(task) != s.Stratum {
			continue
		}
		p := contrasts.Pair{Task: name}
		if clustered {
			if p.Cluster = cluster.name(task); p.Cluster == "" {
				bare = append(bare, name)
				continue
			}
		}
		p.A, p.HasA = means.a[task].mean()
		p.B, p.HasB = means.b[task].mean()
		for _, side := range []cell{means.a[task], means.b[task]} {
			if side.n == 0 {
				continue
			}
			out.Replicates = max(out.Replicates, side.n)
			out.Low, out.High = min(out.Low, side.low), max(out.High, side.high)
			out.Binary = out.Binary && side.flags && side.n == 1
		}
		out.Pairs = append(out.Pairs, p)
	}
	if len(bare) > 0 {
		return nil, fmt.Errorf("%s: column %s, which names clusters, has nothing for %s", t.source, s.Cluster, ofTasks(bare))
	}
	if out.Replicates == 0 {
		out.Low, out.High = 0, 0
	}
	return out, nil
}

func (l label) name(task int) string {
	if l.of[task] < 0 {
		return ""
	}
	return l.names.list[l.of[task]]
}

// cell adds up the decided replicates of a task under a condition.
type cell struct {
	sum       float64
	low, high float64
	n         int
	flags     bool // every value is 0 or 1
}

func (c *cell) add(v float64) {
	if c.n == 0 {
		c.low, c.high, c.flags = v, v, true
	}
	c.n++
	c.sum += v
	c.low, c.high = min(c.low, v), max(c.high, v)
	c.flags = c.flags && (v == 0 || v == 1)
}

func (c cell) mean() (float64, bool) {
	if c.n == 0 {
		return 0, false
	}
	return c.sum / float64(c.n), true
}

// pairOfCells are two conditions by task; planned are the tasks that the executor has any row of.
type pairOfCells struct {
	a, b    []cell
	planned []bool
}

func (t *Table) cells(s Selection) (*pairOfCells, error) {
	metric, err := t.find("metric", s.Metric, t.metrics.list)
	if err != nil {
		return nil, err
	}
	a, err := t.find("condition", s.A, t.conditions.list)
	if err != nil {
		return nil, err
	}
	b, err := t.find("condition", s.B, t.conditions.list)
	if err != nil {
		return nil, err
	}
	executor, err := t.executor(s.Executor)
	if err != nil {
		return nil, err
	}
	n := len(t.tasks.list)
	out := &pairOfCells{a: make([]cell, n), b: make([]cell, n), planned: make([]bool, n)}
	values := t.values[metric]
	for i, r := range t.rows {
		if r.executor != executor {
			continue
		}
		out.planned[r.task] = true
		if v := values[i]; !math.IsNaN(v) {
			switch r.condition {
			case a:
				out.a[r.task].add(v)
			case b:
				out.b[r.task].add(v)
			}
		}
	}
	return out, nil
}
