package sandbox

import (
	"archive/tar"
	"io"
	"path"

	"evlab/sandbox/wheel"
)

// packWheels writes what a system's wheels lay out as tar entries below prefix, root's and readable by all.
func packWheels(w *tar.Writer, prefix string, s *System) error {
	makeDirs := folders(w, prefix, 0)
	return wheel.Layout(s.Wheels.Files, wheel.Python{Version: s.Wheels.Python, Local: s.Image != ""}, func(e wheel.Entry, content io.Reader) error {
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
