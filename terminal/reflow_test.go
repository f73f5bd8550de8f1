package terminal_test

import (
	"testing"

	"evlab/terminal"
)

func TestReflow(t *testing.T) {
	const text = "It reads a file and\nwrites another one.\n\nLists:\n  short  one word\n  -o, --output string   folder to write, which is not there\n  evlab import SOURCE [flags] and more of it\n"
	for width, want := range map[int]string{
		80: text,
		24: "It reads a file and\nwrites another one.\n\nLists:\n  short  one word\n  -o, --output string\n      folder to write,\n      which is not there\n  evlab import SOURCE\n  [flags] and more of it\n",
		16: "It reads a file\nand writes\nanother one.\n\nLists:\n  short\n      one word\n  -o, --output\n  string\n      folder to\n      write,\n      which is\n      not there\n  evlab import\n  SOURCE [flags]\n  and more of it\n",
		50: "It reads a file and\nwrites another one.\n\nLists:\n  short  one word\n  -o, --output string   folder to write, which is\n                        not there\n  evlab import SOURCE [flags] and more of it\n",
	} {
		if got := terminal.Reflow(text, width); got != want {
			t.Errorf("width %d:\n%s\nwant:\n%s", width, got, want)
		}
	}
}
