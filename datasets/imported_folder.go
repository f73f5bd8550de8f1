package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/organizer"
)

// ImportedSchema is the form of a cohort folder whose repositories are elsewhere:
//
//	cohort.json                      name, ids in order, digests, where it came from
//	refused.jsonl                    the rows that could not be taken
//	public/tasks/<id>.json           experiments.Task
//	private/tasks/<id>/tests.json, tests.patch, reference.patch, certificate.json, setting.json
const ImportedSchema = "evlab-cohort-v2"

// importedManifest is cohort.json.
type importedManifest struct {
	Schema          string             `json:"schema"`
	Name            string             `json:"name"`
	ExcludeObserved bool               `json:"exclude_observed"`
	Format          string             `json:"format"` // of the source
	Sources         []SourceFile       `json:"sources"`
	Refused         int                `json:"refused"`
	PublicDigest    experiments.Digest `json:"public_digest"`
	PrivateDigest   experiments.Digest `json:"private_digest"`
	Tasks           []string           `json:"tasks"`
}

// importedTests is private/tasks/<id>/tests.json.
type importedTests struct {
	FailToPass         []string `json:"fail_to_pass"` // empty: not measured yet
	PassToPass         []string `json:"pass_to_pass"`
	PassToPassComplete bool     `json:"pass_to_pass_complete"`
}

// sideDigest gathers names and contents of one side's files.
type sideDigest struct{ lines []string }

func (d *sideDigest) add(name string, data []byte) {
	sum := sha256.Sum256(data)
	d.lines = append(d.lines, hex.EncodeToString(sum[:])+"\t"+name+"\n")
}

func (d *sideDigest) digest() experiments.Digest {
	slices.SortFunc(d.lines, func(a, b string) int { return strings.Compare(a[65:], b[65:]) })
	return experiments.DigestBytes([]byte(strings.Join(d.lines, "")))
}

// Writable is why no cohort can be written into dir, which has to be no folder yet, or an empty one: what takes time is
// begun with that question.
func Writable(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		if info, serr := os.Stat(dir); serr == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file, and a cohort is a folder; give another place with --output", dir)
		}
	case len(entries) > 0:
		return fmt.Errorf("%s is there and not empty; give another folder with --output, or remove it", dir)
	}
	return err
}

// Write writes the cohort folder dir, whole or not at all: dir must not be there, or be an empty folder. The digests of its
// two sides are in cohort.json, and a reader checks them.
func (m *Imported) Write(dir string) (public, private experiments.Digest, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	if err := Writable(dir); err != nil {
		return "", "", err
	}
	tmp, err := partial(dir)
	if err != nil {
		return "", "", fmt.Errorf("writing cohort %s: %w", dir, err)
	}
	defer os.RemoveAll(tmp) // after the rename there is nothing left of it
	if public, private, err = m.fill(tmp); err != nil {
		return "", "", fmt.Errorf("writing cohort %s: %w", dir, err)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("writing cohort %s: %w", dir, err)
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", "", fmt.Errorf("writing cohort %s: %w", dir, err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		return "", "", fmt.Errorf("writing cohort %s: %w", dir, err)
	}
	return public, private, nil
}

// fill writes the folder's files below tmp. os.Root keeps every name below it, whatever an id might be.
func (m *Imported) fill(tmp string) (experiments.Digest, experiments.Digest, error) {
	root, err := os.OpenRoot(tmp)
	if err != nil {
		return "", "", err
	}
	defer root.Close()
	for dir, mode := range map[string]fs.FileMode{"public": 0o755, "public/tasks": 0o755, "private": 0o700, "private/tasks": 0o700} {
		if err := root.MkdirAll(dir, mode); err != nil {
			return "", "", err
		}
	}
	public, private := &sideDigest{}, &sideDigest{}
	manifest := importedManifest{Schema: ImportedSchema, Name: m.Name, Format: m.Format, Sources: m.Sources, Refused: len(m.Refused), Tasks: []string{}}
	write := func(side *sideDigest, name string, data []byte) error {
		side.add(name, data)
		return root.WriteFile(name, data, 0o644)
	}
	for i := range m.Tasks {
		t := &m.Tasks[i]
		manifest.Tasks = append(manifest.Tasks, t.ID)
		if err := experiments.CheckName("task", t.ID); err != nil {
			return "", "", err
		}
		data, err := indented(t.Task)
		if err == nil {
			err = write(public, "public/tasks/"+t.ID+".json", data)
		}
		if err == nil {
			err = root.MkdirAll("private/tasks/"+t.ID, 0o700)
		}
		if err == nil {
			err = t.writePrivate(func(name string, data []byte) error { return write(private, "private/tasks/"+t.ID+"/"+name, data) })
		}
		if err != nil {
			return "", "", err
		}
	}
	var refused []byte
	for _, r := range m.Refused {
		line, err := json.Marshal(r)
		if err != nil {
			return "", "", err
		}
		refused = append(append(refused, line...), '\n')
	}
	if err := artifacts.WriteFile(filepath.Join(tmp, "refused.jsonl"), refused); err != nil {
		return "", "", err
	}
	manifest.PublicDigest, manifest.PrivateDigest = public.digest(), private.digest()
	return manifest.PublicDigest, manifest.PrivateDigest, artifacts.WriteJSON(filepath.Join(tmp, "cohort.json"), manifest)
}

func (t *ImportedTask) writePrivate(write func(name string, data []byte) error) error {
	p := &t.Private
	tests, err := indented(importedTests{append([]string{}, p.Tests.FailToPass...), append([]string{}, p.Tests.PassToPass...), p.Tests.PassToPassComplete})
	if err == nil {
		err = write("tests.json", tests)
	}
	setting, encodeErr := indented(t.Setting)
	err = errors.Join(err, encodeErr)
	if err == nil {
		err = write("setting.json", setting)
	}
	for _, patch := range []struct {
		name string
		data []byte
	}{{"tests.patch", p.Tests.Patch}, {"reference.patch", p.Reference}} {
		if err == nil && len(patch.data) > 0 {
			err = write(patch.name, patch.data)
		}
	}
	if err == nil && p.Certificate != nil {
		var data []byte
		if data, err = indented(p.Certificate); err == nil {
			err = write("certificate.json", data)
		}
	}
	return err
}

func indented(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// IsImported reports whether a folder is a cohort of ImportedSchema.
func IsImported(dir string) bool {
	data, err := readFile(dir, "cohort.json")
	var m struct {
		Schema string `json:"schema"`
	}
	return err == nil && json.Unmarshal(data, &m) == nil && m.Schema == ImportedSchema
}

// ReadImported reads a cohort folder of ImportedSchema, whose repositories are elsewhere.
func ReadImported(ctx context.Context, dir string, where Repositories) (*Cohort, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("reading cohort: %w", err)
	}
	defer root.Close() // read only: a failing close loses nothing
	m, err := readImportedFolder(root.FS())
	if err != nil {
		return nil, fmt.Errorf("reading cohort %s: %w", dir, err)
	}
	if err := where.check(); err != nil {
		return nil, fmt.Errorf("reading cohort %s: its repositories are elsewhere: say where as repos, beside path: %w", dir, err)
	}
	return m.Cohort(ctx, where)
}

// ErrDrift says that a cohort folder is not what its import wrote.
var ErrDrift = errors.New("it is not what the import wrote")

// errOwnRepositories says that a cohort folder is of the other form.
var errOwnRepositories = fmt.Errorf("cohort.json: it is a cohort with repositories of its own (%s): name it in an experiment file as it is", FolderSchema)

// readImportedFolder reads the folder with all that is wrong with it.
func readImportedFolder(fsys fs.FS) (*Imported, error) {
	var f faults
	read := func(side *sideDigest, name string, v any) []byte {
		data, err := readAtMost(fsys, name, maxPatchField)
		if err != nil {
			if side == nil || !errors.Is(err, fs.ErrNotExist) || v != nil {
				f.join(err)
			}
			return nil
		}
		if side != nil {
			side.add(name, data)
		}
		if v != nil {
			if err := json.Unmarshal(data, v); err != nil {
				f.add(name, "reading JSON: %w", err)
			}
		}
		return data
	}
	var manifest importedManifest
	read(nil, "cohort.json", &manifest)
	if err := f.err(); err != nil {
		return nil, err
	}
	switch manifest.Schema {
	case ImportedSchema:
	case FolderSchema:
		return nil, errOwnRepositories
	default:
		return nil, fmt.Errorf("cohort.json: schema %.60q: expected %q", manifest.Schema, ImportedSchema)
	}
	m := &Imported{Name: manifest.Name, Format: manifest.Format, Sources: manifest.Sources}
	if err := experiments.CheckName("cohort", manifest.Name); err != nil {
		f.add("cohort.json", "%w", err)
	}
	if len(manifest.Tasks) > maxRows {
		return nil, fmt.Errorf("cohort.json: it has more than %d tasks", maxRows)
	}
	public, private := &sideDigest{}, &sideDigest{}
	seen := map[string]bool{}
	for _, id := range manifest.Tasks {
		if err := experiments.CheckName("task", id); err != nil || seen[fileID(id)] {
			f.add("cohort.json", "tasks: %.120q is no task id, or given twice (in other case, too, it is the same file)", id)
			continue
		}
		seen[fileID(id)] = true
		t := ImportedTask{At: "tasks/" + id}
		var tests importedTests
		dir := "private/tasks/" + id + "/"
		read(public, "public/tasks/"+id+".json", &t.Task)
		read(private, dir+"tests.json", &tests)
		read(private, dir+"setting.json", &t.Setting)
		t.Private = organizer.Private{Reference: read(private, dir+"reference.patch", nil), Tests: organizer.Tests{
			Patch: read(private, dir+"tests.patch", nil), FailToPass: tests.FailToPass, PassToPass: tests.PassToPass, PassToPassComplete: tests.PassToPassComplete,
		}}
		if data := read(private, dir+"certificate.json", nil); data != nil {
			var err error
			t.Private.Certificate, err = organizer.ParseCertificate(dir+"certificate.json", data)
			f.join(err)
		}
		if t.ID != id {
			f.add("public/tasks/"+id+".json", "id %.60q: expected %q, the file's name", t.ID, id)
		}
		if err := t.Check(); err != nil {
			f.add("public/tasks/"+id+".json", "%w", err)
		}
		m.Tasks = append(m.Tasks, t)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	for _, side := range []struct {
		name      string
		want, got experiments.Digest
	}{{"public", manifest.PublicDigest, public.digest()}, {"private", manifest.PrivateDigest, private.digest()}} {
		if side.want != side.got {
			return nil, fmt.Errorf("%w: the %s side has digest %s, cohort.json says %s", ErrDrift, side.name, side.got.Short(), side.want.Short())
		}
	}
	return m, nil
}
