package queue

// Queue hands jobs out by priority.
type Queue struct {
	jobs []Job
}

// Job is one piece of work.
type Job struct {
	Name     string
	Priority int
}

// Push adds a job.
func (q *Queue) Push(j Job) {
	q.jobs = append(q.jobs, j)
}

// Pop takes the next job.
func (q *Queue) Pop() Job {
	j := q.jobs[0]
	q.jobs = q.jobs[1:]
	return j
}
