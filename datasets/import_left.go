package datasets

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"evlab/experiments"
)

// take keeps a task that the selection wants.
func (im *importing) take(at string, t ImportedTask, errs []error) {
	t.tellLanguage()
	if im.unwanted(&t) {
		im.leave(&t)
		return
	}
	im.out.Take(at, t, errs...)
}

// mostOthers bounds the ids that are kept of rows that are not wanted.
const mostOthers = 1000

// leave counts a task that the selection does not want, and keeps what a message may say of those.
func (im *importing) leave(t *ImportedTask) {
	im.out.LeftOut++
	if len(im.others) < mostOthers {
		im.others = append(im.others, t.ID)
	}
	if im.spoken == nil {
		im.spoken = map[string]bool{}
	}
	if t.Language != "" && len(im.spoken) < 50 && len(t.Language) < 40 {
		im.spoken[t.Language] = true
	}
}

func (im *importing) unwanted(t *ImportedTask) bool {
	if l := canonicalLanguage(im.opts.Language); l != "" && t.Language != l {
		return true
	}
	return len(im.opts.Tasks) > 0 && !slices.Contains(im.opts.Tasks, t.ID)
}

// unselected says what there is instead of what the selection wants.
func (im *importing) unselected() string {
	var parts []string
	if im.opts.Language != "" && len(im.spoken) > 0 {
		parts = append(parts, "there are rows of "+strings.Join(slices.Sorted(maps.Keys(im.spoken)), ", "))
	}
	const few = 5
	for _, id := range im.opts.Tasks {
		if !slices.Contains(im.others, id) && len(im.others) < mostOthers && len(parts) < few {
			parts = append(parts, fmt.Sprintf("there is no %.120q%s", id, experiments.Suggest(id, im.others)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, "; ")
}

// formatMarks are the fields by which a row of a format is told.
var formatMarks = map[string]string{
	"multi-swe-bench": "org, number and fix_patch", "pro": "dockerhub_tag or before_repo_set_cmd", "live-multilang": "print_cmds or rebuild_cmds",
	"live": "test_cmds", "rebench": "install_config", "swebench-v5": "eval_script and image", "smith": "image_name and patch, and no test_patch",
	"swebench": "instance_id, patch and base_commit", "serbench": "state_id", "table": "repo (repository), base (base_commit), and fix (fix_commit) or patch",
}

// noFormat says of a row that is of no format what was looked for and what there is.
func noFormat(o object) error {
	return fmt.Errorf("its fields are those of no dataset that evlab reads; expected at least %s (a table), or %s (SWE-bench); its fields are %s; evlab help import lists the formats",
		formatMarks["table"], formatMarks["swebench"], fieldNames(o))
}

// fieldNames lists the fields of a row for a message.
func fieldNames(o object) string {
	const most = 20
	names := slices.Sorted(maps.Keys(o))
	for i, name := range names[:min(len(names), most)] {
		names[i] = strings.ToValidUTF8(name[:min(len(name), 40)], "\uFFFD")
	}
	if len(names) == 0 {
		return "none"
	}
	return experiments.List(names, most)
}
