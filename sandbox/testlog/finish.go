package testlog

import "strings"

// finish draws the conclusions that need the whole stream.
func (p *parser) finish() *Report {
	r := p.report
	open := map[string]bool{} // packages with a test that never ended
	for key := range p.running {
		r.Tests[key] = Unfinished // one of its starts has no end, whatever another one came to
		pkg, _, _ := strings.Cut(key, "::")
		open[pkg] = true
	}
	p.checkFamilies()
	tests, unfinished := 0, 0
	for name, s := range p.packages {
		r.Packages[name] = s.outcome
		tests += s.tests
		if s.outcome == Unfinished {
			unfinished++
		}
	}
	for _, name := range sorted(r.Packages) {
		s := p.packages[name]
		switch {
		case s.outcome == Unfinished:
			p.problem("package %s never ended", name)
		case s.outcome == Failed && s.failed == 0 && !open[name]:
			p.problem("package %s failed although none of its tests did", name)
		case s.outcome == Passed && (s.failed > 0 || open[name]):
			p.problem("package %s passed although a test of it did not", name)
		}
	}
	switch {
	case len(r.Packages) == 0:
		p.problem("there is no package in the report")
	case tests == 0:
		p.problem("no test ran")
	}
	if p.lost {
		p.problem("part of the report was left out")
	}
	r.Complete = len(r.Packages) > 0 && unfinished == 0 && !p.lost
	r.Problem = strings.Join(p.problems, "; ")
	return r
}

// checkFamilies holds it against a test that it passed while a subtest of it failed or never ended: testing fails the
// parents of what fails.
func (p *parser) checkFamilies() {
	for _, key := range sorted(p.report.Tests) {
		if o := p.report.Tests[key]; o != Failed && o != Unfinished {
			continue
		}
		pkg, test, _ := strings.Cut(key, "::")
		for {
			i := strings.LastIndexByte(test, '/')
			if i < 0 {
				break
			}
			test = test[:i]
			if p.report.Tests[Key(pkg, test)] == Passed {
				p.doubt(Key(pkg, test), "passed although its subtest "+key+" did not")
			}
		}
	}
}
