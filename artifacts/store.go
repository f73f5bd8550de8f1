package artifacts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"

	"evlab/experiments"
)

// Store is a content-addressed store: a blob's name is the SHA-256 of its bytes. It is safe for concurrent use, by
// several processes too.
type Store struct {
	bucket *blob.Bucket
	name   string // for errors
}

// OpenStore opens the store in a folder, making it when it is missing. Any other bucket of gocloud.dev/blob would do;
// a folder is what runs on one machine need.
func OpenStore(dir string) (*Store, error) {
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{
		CreateDir: true,
		NoTempDir: true, // a rename is whole only inside one file system
		Metadata:  fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the artifact store %s: %w", dir, err)
	}
	return &Store{bucket: bucket, name: dir}, nil
}

// Close releases the bucket.
func (s *Store) Close() error { return s.bucket.Close() }

// Put stores data and returns its digest. Storing what is there already does nothing.
func (s *Store) Put(ctx context.Context, data []byte) (experiments.Digest, error) {
	d := experiments.DigestBytes(data)
	return d, s.write(ctx, d, int64(len(data)), bytes.NewReader(data))
}

// PutJSON stores v's JSON form.
func (s *Store) PutJSON(ctx context.Context, v any) (experiments.Digest, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encoding a %T: %w", v, err)
	}
	return s.Put(ctx, data)
}

// PutFile stores the content of a file without holding it in memory.
func (s *Store) PutFile(ctx context.Context, path string) (experiments.Digest, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	d := experiments.Digest(hex.EncodeToString(h.Sum(nil)))
	return d, s.write(ctx, d, n, io.LimitReader(f, n))
}

// Get returns the bytes with digest d, verified. A blob that is missing or does not hash to d is an error that says
// which.
func (s *Store) Get(ctx context.Context, d experiments.Digest) ([]byte, error) {
	if !d.Valid() {
		return nil, fmt.Errorf("%q is not a digest", d)
	}
	data, err := s.bucket.ReadAll(ctx, key(d))
	switch {
	case gcerrors.Code(err) == gcerrors.NotFound:
		return nil, fmt.Errorf("%w: artifact %s is not in %s", ErrLost, d.Short(), s.name)
	case err != nil:
		return nil, fmt.Errorf("reading artifact %s from %s: %w", d.Short(), s.name, err)
	case experiments.DigestBytes(data) != d:
		return nil, fmt.Errorf("%w: artifact %s in %s has other bytes than its name says", ErrDamaged, d.Short(), s.name)
	}
	return data, nil
}

// GetJSON reads the artifact d into v.
func (s *Store) GetJSON(ctx context.Context, d experiments.Digest, v any) error {
	data, err := s.Get(ctx, d)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("artifact %s is not a %T: %w", d.Short(), v, err)
	}
	return nil
}

// write puts size bytes of r under d. What is there and whole stays; what is damaged is replaced, or nothing that has its
// name could ever be read again.
func (s *Store) write(ctx context.Context, d experiments.Digest, size int64, r io.Reader) error {
	if s.whole(ctx, d, size) {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // before Close it discards the write
	var file *os.File
	w, err := s.bucket.NewWriter(ctx, key(d), &blob.WriterOptions{
		ContentType: "application/octet-stream", // no sniffing: bytes go to the file as they come, so it can be synced
		BeforeWrite: func(as func(any) bool) error { as(&file); return nil },
	})
	if err != nil {
		return fmt.Errorf("storing artifact %s in %s: %w", d.Short(), s.name, err)
	}
	_, err = io.Copy(w, r)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		cancel()
		w.Close()
		return fmt.Errorf("storing artifact %s in %s: %w", d.Short(), s.name, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("storing artifact %s in %s: %w", d.Short(), s.name, err)
	}
	return nil
}

// whole reports whether the size bytes of d are there.
func (s *Store) whole(ctx context.Context, d experiments.Digest, size int64) bool {
	if a, err := s.bucket.Attributes(ctx, key(d)); err != nil || a.Size != size {
		return false
	}
	blob, err := s.bucket.NewReader(ctx, key(d), nil)
	if err != nil {
		return false
	}
	defer blob.Close()
	h := sha256.New()
	_, err = io.Copy(h, blob)
	return err == nil && hex.EncodeToString(h.Sum(nil)) == string(d)
}

func key(d experiments.Digest) string { return "sha256/" + string(d[:2]) + "/" + string(d) }
