package sandbox

import (
	"archive/tar"
	"io"
	"path"

	"evlab/sandbox/wheel"
)

// packWheels writes what wheels lay out as tar entries below prefix, root's and readable by all.
func packWheels(w *tar.Writer, prefix string, wheels *Wheels) error {
	made := map[string]bool{".": true}
	var makeDirs func(name string) error
	makeDirs = func(name string) error {
		if made[name] {
			return nil
		}
		made[name] = true
		if err := makeDirs(path.Dir(name)); err != nil {
			return err
		}
		return writeDir(w, path.Join(prefix, name), 0, 0o755)
	}
	return wheel.Layout(wheels.Files, wheels.Python, func(e wheel.Entry, content io.Reader) error {
		if err := makeDirs(path.Dir(e.Path)); err != nil {
			return err
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(prefix, e.Path), Mode: e.Mode, Size: e.Size, ModTime: imageTime}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := io.CopyN(w, content, e.Size)
		return err
	})
}
