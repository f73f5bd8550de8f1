package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"evlab/experiments"
)

// folder finds out what a folder holds.
func (im *importing) folder(dir string) error {
	root, err := os.OpenRoot(dir) // a link that leaves the folder is no part of it
	if err != nil {
		return err
	}
	defer root.Close() // read only: a failing close loses nothing
	there := func(name string) bool { _, err := root.Stat(name); return err == nil }
	switch {
	case im.opts.Format == "cohort" || im.opts.Format == "" && there("cohort.json"):
		return im.cohort(root)
	case !there("tasks") && (im.opts.Format == "taskrepo" || im.opts.Format == "" && (there("sweb.yaml") || there("task.yaml"))):
		return notAbove(root)
	case im.opts.Format == "taskrepo" || im.opts.Format == "" && (there("sweb.yaml") || there("tasks")):
		return im.taskRepository(root)
	}
	names, err := im.tables(root.FS())
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if refused := im.out.Refused; len(refused) > 0 { // links
			return fmt.Errorf("%s: %s", refused[0].At, refused[0].Reasons[0])
		}
		if im.opts.Split == "" && (there("dataset_info.json") || there("dataset_dict.json")) {
			return errors.New("it is a folder of Arrow files as save_to_disk writes them; save it with to_parquet or to_json")
		}
		if holdsTasks(root) {
			return notAbove(root)
		}
		return errors.New("it has no .parquet, .jsonl, .json or .csv file, no cohort.json and no tasks folder" + im.ofSplit())
	}
	return im.files(dir, names)
}

// notAbove says of a folder that it is no task repository, and where one may be.
func notAbove(root *os.Root) error {
	if _, err := root.Stat("task.yaml"); err == nil {
		return errors.New("it is one task of a repository of tasks; give the folder that the folder tasks is in, and --task ID for this one alone")
	}
	if holdsTasks(root) {
		return errors.New("it holds the tasks of a repository of tasks; give the folder that it is in, and call it tasks")
	}
	return errors.New("it has no folder tasks, in which a repository of tasks has one folder for each")
}

// holdsTasks reports whether a folder of the folder is a task's. Only folders are looked into: a pipe would wait for ever.
func holdsTasks(root *os.Root) bool {
	entries, err := fs.ReadDir(root.FS(), ".")
	return err == nil && slices.ContainsFunc(entries, func(d fs.DirEntry) bool {
		_, err := root.Stat(d.Name() + "/task.yaml")
		return d.IsDir() && err == nil
	})
}

func (im *importing) ofSplit() string {
	if im.opts.Split == "" {
		return ""
	}
	return fmt.Sprintf(" of split %q", im.opts.Split)
}

// tables are the files of rows of a folder, in order: those of certificates first.
func (im *importing) tables(fsys fs.FS) (names []string, err error) {
	err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && p != ".":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() && d.Type()&fs.ModeSymlink == 0:
			return nil
		case len(names) >= maxFolderFiles:
			return fmt.Errorf("it has more than %d files", maxFolderFiles)
		}
		name := path.Base(p)
		switch strings.ToLower(path.Ext(name)) {
		case ".parquet", ".jsonl", ".ndjson", ".json", ".csv", ".tsv":
		default:
			return nil
		}
		if name == "dataset_info.json" || name == "dataset_dict.json" || name == "state.json" || name == "package.json" {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			info, err := fs.Stat(fsys, p)
			if err != nil {
				im.out.Refuse(p, name, errors.New("it is a link that leads to nothing inside of the folder: give the file itself, or a folder above that holds what it leads to"))
			}
			if err != nil || !info.Mode().IsRegular() {
				return nil
			}
		}
		if s := im.opts.Split; s != "" && !strings.HasPrefix(name, s+"-") && !strings.HasPrefix(name, s+".") && path.Base(path.Dir(p)) != s {
			return nil
		}
		names = append(names, p)
		return nil
	})
	slices.SortStableFunc(names, func(a, b string) int {
		if ca, cb := strings.Contains(path.Base(a), "certificate"), strings.Contains(path.Base(b), "certificate"); ca != cb {
			if ca {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return names, err
}

func fileDigest(file string) (experiments.Digest, error) {
	in, _, err := openRegular(file)
	if err != nil {
		return "", err
	}
	defer in.Close() // read only: a failing close loses nothing
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return "", err
	}
	return experiments.Digest(hex.EncodeToString(sum.Sum(nil))), nil
}
