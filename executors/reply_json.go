package executors

import (
	"encoding/json"

	"evlab/evidence"
)

// storedReply is a reply's JSON form. Text is base64 there: a reply is kept to the byte, and JSON strings can hold
// UTF-8 only, while a replayed patch may be in any encoding.
type storedReply struct {
	Kind         string       `json:"kind"`
	Ask          evidence.Ask `json:"ask"`
	Patch        []byte       `json:"patch,omitempty"`
	Text         []byte       `json:"text"`
	PromptTokens int          `json:"prompt_tokens"`
	ReplyTokens  int          `json:"reply_tokens"`
}

// MarshalJSON writes the form in which replies are stored.
func (r Reply) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedReply{r.Kind, r.Ask, r.Patch, []byte(r.Text), r.PromptTokens, r.ReplyTokens})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Reply) UnmarshalJSON(data []byte) error {
	var s storedReply
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*r = Reply{s.Kind, s.Ask, s.Patch, string(s.Text), s.PromptTokens, s.ReplyTokens}
	return nil
}
