package mailbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/mailbox/mailboxtest"

	"github.com/google/go-cmp/cmp"
)

const rawBoxText = "From a@x.example Sun Nov 22 09:30:00 2026\nSubject: one\n\nFrom here on\n>From there\n\nFrom a@x.example Sun Nov 22 09:31:00 2026\nSubject: two\n\nend\n\n"

func TestRaw(t *testing.T) {
	dir := t.TempDir()
	for _, part := range maildirParts {
		if err := os.Mkdir(filepath.Join(dir, part), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"new/2.x": "Subject: two\n\nend\n", "cur/1.x:2,S": "Subject: one\n\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		seq  func(func([]byte, error) bool)
		want []string
	}{
		{"mbox", RawMessages(strings.NewReader(rawBoxText), "box"), []string{"Subject: one\r\n\r\nFrom here on\r\nFrom there\r\n", "Subject: two\r\n\r\nend\r\n"}},
		{"message", RawMessages(strings.NewReader("Subject: one\n\ntext"), "a.eml"), []string{"Subject: one\n\ntext"}},
		{"empty", RawMessages(strings.NewReader(" \n"), "a.eml"), nil},
		{"maildir", RawMaildir(dir), []string{"Subject: one\n\n", "Subject: two\n\nend\n"}},
	} {
		var got []string
		for raw, err := range c.seq {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			got = append(got, string(raw))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func TestFetchedRaw(t *testing.T) {
	s := mailboxtest.Serve(t, mailboxtest.TLS)
	s.Append(t, "INBOX", numbered(1), numbered(2))
	var got []string
	for m := range clientOf(t, s).Fetch(context.Background(), "INBOX", FolderPosition{}) {
		got = append(got, string(m.Raw))
	}
	if d := cmp.Diff([]string{numbered(1), numbered(2)}, got); d != "" {
		t.Error(d)
	}
}
