package datasets

import (
	"regexp"

	"evlab/environments/requirements"
)

var pythonForm = regexp.MustCompile(`^[23](\.[0-9]{1,2}){0,2}$`)

// needs reads what a task's tests need of a package index.
func (s *Setting) needs(f *fields) {
	s.Requirements, s.Python = f.lines("requirements"), f.scalar("python")
	for _, file := range s.Requirements {
		if err := requirements.CheckPath(file); err != nil {
			f.fault("field requirements: %w", err)
		}
	}
	if len(s.Requirements) > 0 && s.Dockerfile != "" {
		f.fault("fields requirements and dockerfile: expected one of them")
	}
	if s.Python != "" && !pythonForm.MatchString(s.Python) {
		f.fault("field python: expected a version such as 3.11, found %.40q", s.Python)
	}
}
