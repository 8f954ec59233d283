package datasets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func corrections(t *testing.T, text string) (*Corrections, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corrections.tsv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadCorrections(path)
}

func TestCorrectionsChangeTheLabelsTheyName(t *testing.T) {
	at := LabelDigest("https://icx.example/sponsors")
	c, err := corrections(t, correctionColumns+"\n"+at+"\tpage_type\tother\tconference\tpage of one event\n"+at+"\tis_cfp\tfalse\ttrue\tasks for papers\n")
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.Corrected(Label{URL: "https://icx.example/sponsors", PageType: "other"})
	if err != nil || l.PageType != "conference" || !l.IsCFP {
		t.Errorf("corrected label is %+v, error %v", l, err)
	}
	l, err = c.Corrected(Label{URL: "https://icx.example/", PageType: "other"})
	if err != nil || l.PageType != "other" || l.IsCFP {
		t.Errorf("a label without correction became %+v, error %v", l, err)
	}
	if _, err = c.Corrected(Label{URL: "https://icx.example/sponsors", PageType: "weblog"}); err == nil || !strings.Contains(err.Error(), ":2: page_type") {
		t.Errorf("a label that changed gives error %v", err)
	}
}

func TestBadCorrectionsAreErrors(t *testing.T) {
	at := LabelDigest("https://icx.example/")
	for _, bad := range []string{
		"digest\tcolumn\n",
		correctionColumns + "\nicx.example\tis_cfp\tfalse\ttrue\tasks for papers\n",
		correctionColumns + "\n" + at + "\tlang\ten\tde\tGerman\n",
		correctionColumns + "\n" + at + "\tis_cfp\tfalse\tyes\tasks for papers\n",
		correctionColumns + "\n" + at + "\tpage_type\tother\tblog\tposts\n",
		correctionColumns + "\n" + at + "\tis_cfp\tfalse\ttrue\t \n",
		correctionColumns + "\n" + at + "\tis_cfp\tfalse\ttrue\n",
		correctionColumns + strings.Repeat("\n"+at+"\tis_cfp\tfalse\ttrue\tasks for papers", 2) + "\n",
	} {
		if _, err := corrections(t, bad); err == nil || !strings.Contains(err.Error(), "corrections.tsv:") {
			t.Errorf("%q gives error %v, want one that names the line", bad, err)
		}
	}
}

// TestShippedCorrections demands that datasets/corrections.tsv can be read and is sorted.
func TestShippedCorrections(t *testing.T) {
	c, err := ReadCorrections("corrections.tsv")
	if err != nil {
		t.Fatal(err)
	}
	before := ""
	data, err := os.ReadFile("corrections.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.TrimPrefix(string(data), correctionColumns+"\n")) {
		if line < before {
			t.Errorf("%q comes after %q: sort the lines", line, before)
		}
		before = line
	}
	if len(c.byPage) == 0 {
		t.Error("it holds no correction")
	}
}
