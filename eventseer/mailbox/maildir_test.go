package mailbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-maildir"
	"github.com/google/go-cmp/cmp"
)

func TestMaildir(t *testing.T) {
	dir := t.TempDir()
	box := maildir.Dir(dir)
	if err := box.Init(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"new/1800000003.c.host":     "Message-ID: <3@x>\nSubject: c\n\nthree\n",
		"cur/1800000001.a.host:2,S": "Message-ID: <1@x>\nSubject: a\n\none\n",
		"cur/1800000002.b.host:2,":  "broken",
		"cur/1800000004.odd":        "Message-ID: <4@x>\nSubject: d\n\nwithout flags\n",
		"cur/.hidden":               "no message",
		"tmp/1800000005.e.host":     "Message-ID: <5@x>\nSubject: e\n\nbeing written\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A mail that another program delivers meanwhile is read in its order.
	_, w, err := box.Create(nil)
	if err == nil {
		_, err = w.Write([]byte("Message-ID: <2@x>\nSubject: b\n\ntwo\n"))
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	before := listing(t, dir)
	var got []string
	for page, err := range (Reader{}).Maildir(dir) {
		if err != nil {
			got = append(got, strings.TrimPrefix(page.URL, dir)+" is broken")
			continue
		}
		got = append(got, page.URL)
	}
	if len(got) == 5 && got[0] == "mid:2@x" { // its name begins with the time of today
		got = append(got[1:], got[0])
	}
	want := []string{"mid:1@x", "/cur/1800000002.b.host:2, is broken", "mid:3@x", "mid:4@x", "mid:2@x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("reading changed the maildir:\n%s", diff)
	}
	if !IsMaildir(dir) || IsMaildir(filepath.Join(dir, "cur")) || !IsMaildirPart(filepath.Join(dir, "new")) || IsMaildirPart(dir) {
		t.Error("the maildir, or a part of it, is not known as that")
	}
}

func listing(t *testing.T, dir string) (files []string) {
	t.Helper()
	for _, part := range maildirParts {
		entries, err := os.ReadDir(filepath.Join(dir, part))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			files = append(files, part+"/"+e.Name())
		}
	}
	return files
}
