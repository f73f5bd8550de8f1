package reviewfile

import (
	"fmt"

	"evlab/agreement"
	"evlab/tabular"
)

var (
	itemField     = tabular.Field{"item", "state_id", "group_id"}
	reviewerField = tabular.Field{"reviewer", "annotator", "adjudicator"}
	verdictField  = tabular.Field{"verdict", "label"}
	fieldField    = tabular.Field{"field"}
	clusterField  = tabular.Field{"repository", "repo", "cluster"}
	roleField     = tabular.Field{"role"}
)

// ReadReviews reads rows with item, reviewer, verdict and, where there are any, field (an item has several verdicts),
// repository (the unit of the bootstrap) and role (reviewer or arbiter).
func ReadReviews(files []string, choice agreement.Choice, faults *tabular.Faults) (*agreement.Study, error) {
	s := agreement.NewStudy()
	rows := 0
	err := tabular.EachRow(files, faults, []tabular.Field{itemField, reviewerField, verdictField}, func(row *tabular.Row) {
		rows++
		if r, ok := readReview(row, faults); ok {
			if err := s.Add(r, choice); err != nil {
				faults.Add(row.Fault("", err))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	switch {
	case faults.Len() > 0:
	case rows == 0:
		faults.Addf(files[0], "there are no reviews")
	default:
		if err := s.Check(choice); err != nil {
			faults.Addf(files[0], "%w", err)
		}
	}
	return s, nil
}

func readReview(row *tabular.Row, faults *tabular.Faults) (r agreement.Review, ok bool) {
	before := faults.Len()
	r.Item, _ = itemField.Text(row, faults)
	r.Reviewer, _ = reviewerField.Text(row, faults)
	r.Verdict, _ = verdictField.Text(row, faults)
	r.Field, _ = fieldField.OptionalText(row, faults)
	r.Cluster, _ = clusterField.OptionalText(row, faults)
	role, _ := roleField.OptionalText(row, faults)
	switch role {
	case "", "reviewer":
	case "arbiter":
		r.Arbiter = true
	default:
		faults.Add(row.Fault("role", fmt.Errorf("%.40q: expected reviewer or arbiter", role)))
	}
	if r.Field == agreement.AllFields {
		faults.Add(row.Fault("field", fmt.Errorf("%q is the name of all fields together", r.Field)))
	}
	return r, faults.Len() == before
}
