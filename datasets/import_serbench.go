package datasets

import (
	"errors"
	"fmt"

	"evlab/evidence"
	"evlab/organizer"
)

// readSERBench reads a state with its certificate, which stands in the row or in the file of certificates beside it. Its
// pool is left where it is: evlab score reads the states themselves.
func readSERBench(f *fields, opts ImportOptions) (t ImportedTask) {
	t.ID = f.required("state_id")
	t.Repo, t.BaseCommit = f.first("repository", "repo"), f.first("base_commit", "commit")
	t.Language, t.Episode = f.languageOf("language"), f.optional("episode")
	t.CreatedAt = createdAt(f.object["created_at"])
	card := f
	if f.has("state") {
		if card = f.nested("state"); card == nil {
			return t
		}
		defer func() { f.adopt("state", card) }()
	}
	t.State = evidence.StateCard{
		Issue: card.first("issue", "problem_statement"), Need: card.first("need", "information_need"), Observation: card.optional("observation"),
		OpenedFiles: card.list("opened_files"), Queries: card.list("queries"), TestOutput: card.optional("test_output"), Diff: card.optional("diff"),
		Hypothesis: card.optional("hypothesis"), Subgoal: card.optional("subgoal"), Trajectory: card.optional("trajectory"),
		Boundary: card.first("boundary", "state_type"), Observed: card.list("observed"),
	}
	if t.State.Boundary == "" {
		t.State.Boundary = f.first("boundary", "state_type")
	}
	if len(t.State.Observed) == 0 {
		t.State.Observed = append(f.list("observed"), f.list("observed_evidence_ids")...)
	}
	t.Private.Reference, t.Private.Tests.Patch = f.patch("patch"), f.patch("test_patch")
	f.lists(&t)
	raw, at := []byte(f.object["certificate"]), "certificate"
	if !f.has("certificate") {
		raw, at = opts.certificates[t.ID].text, opts.certificates[t.ID].at
	}
	if len(raw) == 0 {
		f.fault("state %.120q has no certificate, in its row or in a file of certificates", t.ID)
		return t
	}
	c, err := organizer.ParseCertificate(at, raw)
	if err != nil {
		f.errs = append(f.errs, err)
		return t
	}
	if c.StateID != t.ID {
		f.fault("its certificate is that of state %.120q", c.StateID)
	}
	t.Private.Certificate = c
	t.Setting = Setting{Rule: RuleEvlab}
	return t
}

// certificateRow is a row of a file of certificates.
type certificateRow struct {
	text []byte
	at   string
}

// isCertificate tells a row that is a certificate from one that is a state.
func isCertificate(o object) bool {
	schema, _, err := o.text("schema")
	return err == nil && schema == organizer.CertificateSchema && has(o, "groups")
}

// keepCertificate notes a certificate for its state.
func (opts *ImportOptions) keepCertificate(o object, text []byte, at string) error {
	id, there, err := o.text("state_id")
	switch {
	case err != nil:
		return err
	case !there:
		return errors.New("field state_id is missing")
	case opts.certificates[id].text != nil:
		return fmt.Errorf("the certificate of state %.120q is given at %s already", id, opts.certificates[id].at)
	}
	opts.certificates[id] = certificateRow{append([]byte(nil), text...), at}
	return nil
}
