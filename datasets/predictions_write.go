package datasets

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// PredictionRow is a prediction as a row of a predictions file, with its line's end: what ReadPredictions gives back to the
// byte, bytes that are no UTF-8 as U+DC80 to U+DCFF.
func PredictionRow(task, model string, patch []byte) ([]byte, error) {
	names, err := json.Marshal(struct {
		Task  string `json:"instance_id"`
		Model string `json:"model_name_or_path"`
	}{task, model})
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.Write(names[:len(names)-1])
	b.WriteString(`,"model_patch":"`)
	for len(patch) > 0 {
		r, size := utf8.DecodeRune(patch)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\udc%02x`, patch[0])
		case r < ' ' || r == '"' || r == '\\' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.Write(patch[:size])
		}
		patch = patch[size:]
	}
	b.WriteString("\"}\n")
	return []byte(b.String()), nil
}
