package mailbox

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/mailbox/mailboxtest"

	"github.com/google/go-cmp/cmp"
)

// clientOf is a client of a test server.
func clientOf(t *testing.T, s *mailboxtest.Server) IMAP {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.CA) {
		t.Fatal("no certificate")
	}
	return IMAP{Server: s.Addr, User: mailboxtest.User, Password: mailboxtest.Password, Roots: roots}
}

func numbered(n int) string {
	return fmt.Sprintf("Message-ID: <%d@x>\r\nSubject: number %d\r\n\r\ntext\r\n", n, n)
}

// fetchAll returns the URLs of the messages after a mark, and the last mark.
func fetchAll(t *testing.T, o IMAP, folder string, after FolderPosition) (urls []string, mark FolderPosition) {
	t.Helper()
	mark = after
	for m, err := range o.Fetch(context.Background(), folder, after) {
		if err != nil {
			urls = append(urls, "error: "+err.Error())
		}
		for _, p := range m.Pages {
			urls = append(urls, p.URL)
		}
		mark = m.Mark
	}
	return urls, mark
}

func TestIMAPFetch(t *testing.T) {
	s := mailboxtest.Serve(t, mailboxtest.TLS)
	o := clientOf(t, s)
	s.Append(t, "INBOX", numbered(1), "no header", numbered(3))
	got, mark := fetchAll(t, o, "INBOX", FolderPosition{})
	want := []string{"mid:1@x", "error: " + s.Addr + `: folder INBOX: message 2: broken message: it has no header: add at least a line "Subject: …" and an empty line; the other messages are read`, "mid:3@x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("first time:\n%s", diff)
	}
	if got, again := fetchAll(t, o, "INBOX", mark); got != nil || again != mark {
		t.Errorf("nothing new: %q, mark %v after %v", got, again, mark)
	}
	s.Append(t, "INBOX", numbered(4))
	if got, _ := fetchAll(t, o, "INBOX", mark); !cmp.Equal(got, []string{"mid:4@x"}) {
		t.Errorf("one is new: %q", got)
	}
	s.Renumber(t, "INBOX")
	s.Append(t, "INBOX", numbered(5))
	got, renewed := fetchAll(t, o, "INBOX", mark)
	if !cmp.Equal(got, []string{"mid:5@x"}) || renewed.Validity == mark.Validity {
		t.Errorf("numbered anew: %q, mark %v after %v", got, renewed, mark)
	}
	if n := s.Unseen(t, "INBOX"); n != 1 {
		t.Errorf("%d messages are unread, want 1: reading marks none", n)
	}
	for _, word := range []string{" SELECT ", " STORE "} {
		if strings.Contains(s.Said(), word) {
			t.Errorf("the client says %q", word)
		}
	}
	if !strings.Contains(s.Said(), "EXAMINE") || !strings.Contains(s.Said(), "BODY.PEEK[]") {
		t.Error("the folder is not opened read-only, or the messages are not peeked at")
	}
}

// TestIMAPBatches fetches more messages than fit into a batch.
func TestIMAPBatches(t *testing.T) {
	s := mailboxtest.Serve(t, mailboxtest.TLS)
	var want []string
	for n := range 2*maxBatch + 7 {
		s.Append(t, "INBOX", numbered(n))
		want = append(want, fmt.Sprintf("mid:%d@x", n))
	}
	got, _ := fetchAll(t, clientOf(t, s), "INBOX", FolderPosition{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestIMAPStopped stops after each message in turn and continues at its mark: nothing is lost or repeated.
func TestIMAPStopped(t *testing.T) {
	s := mailboxtest.Serve(t, mailboxtest.TLS)
	o := clientOf(t, s)
	var want, got []string
	for n := range 5 {
		s.Append(t, "INBOX", numbered(n))
		want = append(want, fmt.Sprintf("mid:%d@x", n))
	}
	var mark FolderPosition
	for range 10 {
		for m, err := range o.Fetch(context.Background(), "INBOX", mark) {
			if err != nil {
				t.Fatal(err)
			}
			got, mark = append(got, m.Pages[0].URL), m.Mark
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestIMAPConnection(t *testing.T) {
	for _, how := range []string{mailboxtest.StartTLS, mailboxtest.Plain} {
		s := mailboxtest.Serve(t, how)
		s.Append(t, "INBOX", numbered(1))
		o := clientOf(t, s)
		o.StartTLS, o.Insecure = how == mailboxtest.StartTLS, how == mailboxtest.Plain
		if got, _ := fetchAll(t, o, "INBOX", FolderPosition{}); !cmp.Equal(got, []string{"mid:1@x"}) {
			t.Errorf("%s: %q", how, got)
		}
	}
}

func TestIMAPRefused(t *testing.T) {
	secure, plain := mailboxtest.Serve(t, mailboxtest.TLS), mailboxtest.Serve(t, mailboxtest.Plain)
	for _, tt := range []struct {
		name   string
		change func(*IMAP)
		want   string
	}{
		{"wrong password", func(o *IMAP) { o.Password = "secret word" }, "refuses the login of ann@home.example"},
		{"a folder that is not there", func(*IMAP) {}, "folder Nowhere"},
		{"a certificate of a stranger", func(o *IMAP) { o.Roots = x509.NewCertPool() }, "certificate"},
		{"no TLS where it is asked for", func(o *IMAP) { o.Server = plain.Addr }, "no TLS"},
		{"no STARTTLS", func(o *IMAP) { o.Server, o.StartTLS = plain.Addr, true }, "STARTTLS"},
		{"no TLS to others", func(o *IMAP) { o.Server, o.Insecure = "mail.example:143", true }, "not a loopback address"},
		{"no server", func(o *IMAP) { o.Server = "" }, "needs a server"},
		{"no user", func(o *IMAP) { o.User = "" }, "needs a server"},
	} {
		o := clientOf(t, secure)
		tt.change(&o)
		got, _ := fetchAll(t, o, "Nowhere", FolderPosition{})
		if len(got) != 1 || !strings.Contains(got[0], tt.want) {
			t.Errorf("%s: %q", tt.name, got)
		}
		if strings.Contains(fmt.Sprint(got), o.Password) {
			t.Errorf("%s: the password is in %q", tt.name, got)
		}
	}
}

func TestIMAPInterrupted(t *testing.T) {
	s := mailboxtest.Serve(t, mailboxtest.TLS)
	s.Append(t, "INBOX", numbered(1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range clientOf(t, s).Fetch(ctx, "INBOX", FolderPosition{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v", err)
		}
	}
}

// TestIMAPHostileServer speaks to servers that break the protocol.
func TestIMAPHostileServer(t *testing.T) {
	for name, script := range map[string]string{
		"nonsense":        "* OK\r\n\x00\x01garbage\r\n",
		"hangs up":        "",
		"a long line":     "* OK " + strings.Repeat("x", 1<<20),
		"an endless list": "* OK [CAPABILITY IMAP4rev1] x\r\n" + strings.Repeat("* 1 EXISTS\r\n", 1000),
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, script)
			_ = conn.Close()
		}()
		o := IMAP{Server: listener.Addr().String(), User: "ann", Password: "secret word", Insecure: true}
		got, _ := fetchAll(t, o, "INBOX", FolderPosition{})
		if len(got) != 1 || !strings.HasPrefix(got[0], "error: ") {
			t.Errorf("%s: %q", name, got)
		}
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}
}

// dialogue is a server that answers each command by its first word, with the tag of the command for
// each "TAG". It leaves a command without an answer waiting.
func dialogue(t *testing.T, answers map[string]string) IMAP {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.WriteString(conn, answers["greeting"])
				for in := bufio.NewScanner(conn); in.Scan(); {
					tag, command, _ := strings.Cut(in.Text(), " ")
					word := strings.Fields(strings.TrimPrefix(command, "UID "))[0]
					if strings.Contains(command, "BODY.PEEK") {
						word = "bodies"
					}
					_, _ = io.WriteString(conn, strings.ReplaceAll(answers[word], "TAG", tag))
				}
			}()
		}
	}()
	return IMAP{Server: listener.Addr().String(), User: "ann", Password: "x", Insecure: true, patience: time.Second / 2}
}

// TestIMAPWrongNumbers: a server that sends unrequested messages, or one twice, does not move the
// mark past others.
func TestIMAPWrongNumbers(t *testing.T) {
	t.Parallel() // it waits for a server that does not answer
	body := func(n, uid int) string {
		text := numbered(uid)
		return fmt.Sprintf("* %d FETCH (UID %d BODY[]<0> {%d}\r\n%s)\r\n", n, uid, len(text), text)
	}
	answers := map[string]string{
		"greeting": "* OK [CAPABILITY IMAP4rev1] x\r\n",
		"LOGIN":    "TAG OK [CAPABILITY IMAP4rev1] x\r\n",
		"EXAMINE":  "* 2 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 9] x\r\nTAG OK [READ-ONLY] x\r\n",
		"FETCH":    "* 1 FETCH (UID 3 RFC822.SIZE 90)\r\n* 2 FETCH (UID 5 RFC822.SIZE 90)\r\n* 2 FETCH (UID 1 RFC822.SIZE 90)\r\nTAG OK x\r\n",
		"bodies":   body(1, 4294967295) + body(2, 3) + body(2, 3) + body(1, 1) + body(2, 5) + "TAG OK x\r\n",
		"LOGOUT":   "* BYE x\r\nTAG OK x\r\n",
	}
	got, mark := fetchAll(t, dialogue(t, answers), "INBOX", FolderPosition{Validity: 7, UID: 1})
	if diff := cmp.Diff([]string{"mid:3@x", "mid:5@x"}, got); diff != "" || mark != (FolderPosition{Validity: 7, UID: 5}) {
		t.Errorf("mark %v; (-want +got):\n%s", mark, diff)
	}
	for _, silent := range []string{"greeting", "LOGIN", "EXAMINE", "FETCH", "bodies"} {
		some := maps.Clone(answers)
		delete(some, silent)
		for _, err := range dialogue(t, some).Fetch(t.Context(), "INBOX", FolderPosition{}) {
			if !errors.Is(err, ErrSlow) {
				t.Errorf("no answer to %s: %v", silent, err)
			}
		}
	}
}

func TestFirstBatch(t *testing.T) {
	many := make([]sizedMessage, maxBatch+1)
	for _, tt := range []struct {
		name string
		list []sizedMessage
		want int
	}{
		{"few", make([]sizedMessage, 3), 3},
		{"many", many, maxBatch},
		{"large", []sizedMessage{{1, maxBatchBytes - 1}, {2, 2}, {3, 1}}, 1},
		{"too large", []sizedMessage{{1, 1 << 40}, {2, 2}}, 1},
	} {
		if got := len(firstBatch(tt.list)); got != tt.want {
			t.Errorf("%s: %d messages, want %d", tt.name, got, tt.want)
		}
	}
}
