package plan

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// packed is a plan with the contents of the files that it names "0", "1" and so on.
type packed struct {
	Plan     Plan     `json:"plan"`
	Contents [][]byte `json:"contents"`
}

// Pack writes a plan and its contents as text for Variable.
func Pack(p Plan, contents [][]byte) (string, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(w).Encode(packed{p, contents}), w.Close()); err != nil {
		return "", fmt.Errorf("packing a plan: %w", err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// Unpack reads what Pack wrote.
func Unpack(text string) (Plan, [][]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return Plan{}, nil, fmt.Errorf("unpacking a plan: %w", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return Plan{}, nil, fmt.Errorf("unpacking a plan: %w", err)
	}
	if data, err = io.ReadAll(r); err != nil {
		return Plan{}, nil, fmt.Errorf("unpacking a plan: %w", err)
	}
	var p packed
	if err := json.Unmarshal(data, &p); err != nil {
		return Plan{}, nil, fmt.Errorf("unpacking a plan: %w", err)
	}
	return p.Plan, p.Contents, nil
}
