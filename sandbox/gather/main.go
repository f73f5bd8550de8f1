// Command gather is a build cache for the go command that leaves in one folder all that one build needed, and nothing else.
//
// The one decision: it looks into another cache (the user's own) before it lets the go command compile, because that one
// usually holds most of the standard library already. It believes no entry whose content does not have the digest that
// the entry gives, so a damaged or strange cache costs time only. It is compiled by the machine's own Go toolchain like
// the supervisor and may import the standard library alone.
//
//	GOCACHEPROG="gather FROM TO" go list -export ...
//
// It speaks the protocol of cmd/go/internal/cacheprog (Go 1.24 and later).
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

type request struct {
	ID                 int64
	Command            string
	ActionID, OutputID []byte
	BodySize           int64
}

type response struct {
	ID            int64
	Err           string     `json:",omitempty"`
	KnownCommands []string   `json:",omitempty"`
	Miss          bool       `json:",omitempty"`
	OutputID      []byte     `json:",omitempty"`
	Size          int64      `json:",omitempty"`
	Time          *time.Time `json:",omitempty"`
	DiskPath      string     `json:",omitempty"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gather FROM TO")
		os.Exit(2)
	}
	if err := serve(os.Stdin, os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gather:", err)
		os.Exit(1)
	}
}

// serve answers requests until the go command closes. from may be empty or absent.
func serve(in io.Reader, out io.Writer, from, to string) error {
	var mu sync.Mutex
	enc := json.NewEncoder(out)
	answer := func(r response) error {
		mu.Lock()
		defer mu.Unlock()
		return enc.Encode(r)
	}
	if err := answer(response{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		var r request
		var body []byte
		err := readLine(lines, &r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && r.BodySize > 0 {
			var text string
			if err = readLine(lines, &text); err == nil {
				body, err = base64.StdEncoding.DecodeString(text)
			}
		}
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		if r.Command == "close" {
			running.Wait()
			return answer(response{ID: r.ID})
		}
		running.Go(func() {
			reply, err := do(r, body, from, to)
			if err != nil {
				reply = response{Err: err.Error()}
			}
			reply.ID = r.ID
			_ = answer(reply) // a go command that is gone needs no answer
		})
	}
}

// readLine reads the next JSON value, which stands on a line of its own among empty ones.
func readLine(r *bufio.Reader, v any) error {
	for {
		line, err := r.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			return json.Unmarshal(text, v)
		}
		if err != nil {
			return err
		}
	}
}

func do(r request, body []byte, from, to string) (response, error) {
	if len(r.ActionID) != sha256.Size {
		return response{}, fmt.Errorf("an action id of %d bytes", len(r.ActionID))
	}
	switch r.Command {
	case "get":
		e, ok := find(to, r.ActionID)
		if !ok {
			var content []byte
			if e, content, ok = take(from, r.ActionID); !ok {
				return response{Miss: true}, nil
			}
			if err := keep(to, r.ActionID, e, content); err != nil {
				return response{}, err
			}
		}
		return response{OutputID: e.output, Size: e.size, Time: &e.at, DiskPath: file(to, e.output, "d")}, nil
	case "put":
		if int64(len(body)) != r.BodySize || len(r.OutputID) != sha256.Size {
			return response{}, fmt.Errorf("%d bytes where %d were announced", len(body), r.BodySize)
		}
		e := entry{output: r.OutputID, size: r.BodySize, at: time.Now()}
		return response{DiskPath: file(to, e.output, "d")}, keep(to, r.ActionID, e, body)
	}
	return response{}, fmt.Errorf("no command %q", r.Command)
}

// entry is a line of a cache's index: which output an action has.
type entry struct {
	output []byte
	size   int64
	at     time.Time
}

// file is where the go command keeps an id's index ("a") or content ("d").
func file(dir string, id []byte, kind string) string {
	name := hex.EncodeToString(id)
	return filepath.Join(dir, name[:2], name+"-"+kind)
}

func find(dir string, action []byte) (entry, bool) {
	data, err := os.ReadFile(file(dir, action, "a"))
	fields := strings.Fields(string(data))
	if err != nil || len(fields) != 5 || fields[0] != "v1" || fields[1] != hex.EncodeToString(action) {
		return entry{}, false
	}
	output, err1 := hex.DecodeString(fields[2])
	size, err2 := strconv.ParseInt(fields[3], 10, 64)
	at, err3 := strconv.ParseInt(fields[4], 10, 64)
	if errors.Join(err1, err2, err3) != nil || len(output) != sha256.Size {
		return entry{}, false
	}
	return entry{output, size, time.Unix(0, at)}, true
}

// take reads an entry with its content, checked.
func take(dir string, action []byte) (entry, []byte, bool) {
	e, ok := find(dir, action)
	if !ok {
		return e, nil, false
	}
	content, err := os.ReadFile(file(dir, e.output, "d"))
	sum := sha256.Sum256(content)
	return e, content, err == nil && int64(len(content)) == e.size && bytes.Equal(sum[:], e.output)
}

// keep writes content and index, each whole.
func keep(dir string, action []byte, e entry, content []byte) error {
	if err := write(file(dir, e.output, "d"), content); err != nil {
		return err
	}
	line := fmt.Sprintf("v1 %x %x %20d %20d\n", action, e.output, e.size, e.at.UnixNano())
	return write(file(dir, action, "a"), []byte(line))
}

func write(name string, data []byte) error {
	if info, err := os.Stat(name); err == nil && info.Size() == int64(len(data)) && strings.HasSuffix(name, "-d") {
		return nil // content by digest: there already
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
