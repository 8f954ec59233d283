package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/serve"

	diff "github.com/google/go-cmp/cmp"
)

// A told is what a command line gave.
type told struct {
	Code      int
	Out, Talk string
	File      string // that it wrote
}

// tell runs a command line with settings of the environment in a folder of its own, where
// -o and --dry-run name the file "result".
func tell(t *testing.T, env map[string]string, line ...string) told {
	t.Helper()
	a := newTestApp(t)
	a.Getenv = withEnv(a, env)
	var out bytes.Buffer
	var talk talkLog
	a.Stdout, a.Stderr = &out, &talk
	t.Chdir(t.TempDir())
	code := run(t.Context(), line, a)
	text, _ := os.ReadFile("result") // most write none
	return told{code, out.String(), talk.String(), string(text)}
}

// withEnv is the environment of an app with more settings.
func withEnv(a *app.App, env map[string]string) func(string) string {
	home := a.Getenv
	return func(name string) string { return cmp.Or(env[name], home(name)) }
}

// A verb says beside a serve, byte for byte, what it says without one.
func TestVerbsBesideServe(t *testing.T) {
	data := seedData(t)
	env := map[string]string{"EVENTSEER_DATA": data, "EVENTSEER_BASE_URL": "https://seer.example/", "COLUMNS": "60"}
	prepare := func(line ...string) string {
		t.Helper()
		got := tell(t, env, line...)
		if got.Code != 0 {
			t.Fatalf("%q: %+v", line, got)
		}
		return strings.TrimSpace(got.Out)
	}
	list := prepare("clip", "add", "crawling", "--mail", "ann@readers.example", "--confirmed")
	prepare("clip", "add", "archives", "--mail", "bob@readers.example")
	prepare("monitor", "add", "https://society.example/calls")
	id := eventOf(t, prepare("find", "--format", "jsonl", "crawling"))
	lines := [][]string{
		{"find"}, {"find", "--all", "--facets", "--format", "json", "web"}, {"find", "(bad"}, {"find", "--limit", "0"},
		{"find", "--format", "ics", "-o", "result"}, {"find", "--quiet", "crawling"}, {"find", "-o", "no/such/folder"},
		{"show", id, "--history"}, {"show", "none-2027"}, {"diff", id}, {"diff", "none-2027"},
		{"export", "-o", "result"}, {"export", "--format", "csv", "web"}, {"export", "--format", "atom", "--open", "--base", "https://seer.example"},
		{"clip", "list"}, {"clip", "test", list, "--since", "900d"}, {"clip", "test", "web", "--format", "json", "-o", "result"}, {"clip", "labels"},
		{"user", "list"}, {"user", "list", "--format", "jsonl"}, {"user", "export", "ann@readers.example"}, {"user", "forget", "nobody@readers.example"},
		{"monitor", "list", "--format", "jsonl"}, {"monitor", "status"}, {"monitor", "add", "https://society.example/calls", "nonsense"}, {"check"},
		{"publish", "--dry-run=result"}, {"publish", "--dry-run=result", "-o", "-"},
	}
	a := newTestApp(t)
	a.Getenv = withEnv(a, env)
	s := startServiceAs(t, a, data, "--parts", "web", "--dumps=false")
	var beside []told
	for _, line := range lines {
		beside = append(beside, tell(t, env, line...))
	}
	for _, line := range [][]string{{"publish"}, {"compact"}, {"export", "dump"}, {"import", "jsonl", os.DevNull}} {
		if got := tell(t, env, line...); got.Code != exitLocked || !strings.Contains(got.Talk, "serve") && !strings.Contains(got.Talk, "stop the other") {
			t.Errorf("%q beside a serve: %+v", line, got)
		}
	}
	if code := s.stop(); code != 0 {
		t.Fatalf("serve exits with %d\n%s", code, s.talk)
	}
	if strings.Contains(s.talk.String(), "readers.example") {
		t.Errorf("the serve names readers:\n%s", s.talk)
	}
	for i, line := range lines {
		if d := diff.Diff(tell(t, env, line...), beside[i]); d != "" {
			t.Errorf("%q says otherwise beside a serve:\n%s", line, d)
		}
	}
	if got := beside[len(lines)-2]; !strings.Contains(got.File, "To: <bob@readers.example>") {
		t.Errorf("the dry run wrote no mail: %+v", got)
	}
}

// eventOf is the id of the event of a line of jsonl.
func eventOf(t *testing.T, line string) string {
	t.Helper()
	var e struct{ ID string }
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return e.ID
}

// What a verb tells its host is all that its own process would have known, without secrets.
func TestVisit(t *testing.T) {
	var c app.Config
	fields := reflect.ValueOf(&c).Elem()
	for i := range fields.NumField() {
		switch f := fields.Field(i); f.Interface().(type) {
		case string, app.Secret:
			f.SetString("word " + fields.Type().Field(i).Name)
		case bool:
			f.SetBool(true)
		case int, app.Duration, app.Size:
			f.SetInt(int64(36 * time.Hour))
		case uint64:
			f.SetUint(1<<64 - 1)
		case float64:
			f.SetFloat(0.1)
		case app.ProviderList:
		default:
			t.Fatalf("a setting of type %s", f.Type())
		}
	}
	dir := t.TempDir()
	c.Data = dir
	asked := make(chan []byte, 1)
	host(t, dir, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- body
		_ = (&serve.Frames{W: w}).Write(serve.FrameExit, exitPartly, nil)
	})
	a := newTestApp(t)
	a.Config = c
	if code, err := serve.AskVerb(t.Context(), a, []string{"find", "x"}); code != exitPartly || err != nil {
		t.Fatalf("exit %d, %v", code, err)
	}
	body := <-asked
	for _, s := range []app.Secret{c.AdminToken, c.IMAPPassword, c.SMTPPassword} {
		if bytes.Contains(body, []byte(s)) {
			t.Errorf("the secret %q leaves the process", s)
		}
	}
	v, err := serve.ReadVisit(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	got, err := app.ConfigOf(v.Config)
	if err != nil {
		t.Fatal(err)
	}
	c.AdminToken, c.IMAPPassword, c.SMTPPassword = "", "", ""
	if d := diff.Diff(c, got); d != "" {
		t.Error(d)
	}
}

// host answers at the socket of a data directory in place of a serve.
func host(t *testing.T, dir string, f http.HandlerFunc) {
	t.Helper()
	l, err := admin.ListenSocket(t.Context(), filepath.Join(dir, app.AdminSocket))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: f}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
}

// A host of another kind or version is refused with what to do, and one that wants to
// write what nobody named is not obeyed.
func TestOtherHosts(t *testing.T) {
	evil := filepath.Join(t.TempDir(), "evil")
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		code   int
		says   string
	}{
		"a crawl, or an older serve": {http.NotFound, exitLocked, "restart the serve"},
		"another version": {func(w http.ResponseWriter, r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(`{"build":"0.0.1"}`))
			serve.NewGuestRooms(newTestApp(t), nil, run).ServeHTTP(w, r)
		}, exitLocked, "and this is 0.0.1: restart"},
		"too many": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "60 run", http.StatusServiceUnavailable) }, exitLocked, "60 run"},
		"a file that nobody named": {func(w http.ResponseWriter, _ *http.Request) {
			_ = (&serve.Frames{W: w}).Write(serve.FrameCreate, 1, []byte(evil))
		}, exitFailed, "nobody named"},
		"a file that is not open": {func(w http.ResponseWriter, _ *http.Request) { _ = (&serve.Frames{W: w}).Write(serve.FrameFile, 9, nil) }, exitFailed, "not open"},
		"an end in the middle": {func(w http.ResponseWriter, _ *http.Request) {
			_ = (&serve.Frames{W: w}).Write(serve.FrameOut, 0, []byte("x"))
		}, exitFailed, "not whole"},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			host(t, data, tt.answer)
			if got := tell(t, nil, "find", "--data", data, "x"); got.Code != tt.code || !strings.Contains(got.Talk, tt.says) {
				t.Errorf("%+v, want exit %d and %q", got, tt.code, tt.says)
			}
		})
	}
	if _, err := os.Stat(evil); err == nil {
		t.Error("it was written")
	}
}

// Verbs are run at the socket only, and not by one that stops.
func TestGuestRoomsRefuse(t *testing.T) {
	rooms := serve.NewGuestRooms(newTestApp(t), nil, run)
	w := httptest.NewRecorder()
	rooms.ServeHTTP(w, httptest.NewRequest(http.MethodPost, admin.BesidePath, strings.NewReader("{}")))
	if w.Code != http.StatusForbidden {
		t.Errorf("not at a socket: status %d", w.Code)
	}
	rooms.Close()
	dir := t.TempDir()
	host(t, dir, rooms.ServeHTTP)
	if got := tell(t, nil, "find", "--data", dir); got.Code != exitLocked || !strings.Contains(got.Talk, "stopping") {
		t.Errorf("of one that stops: %+v", got)
	}
}

func FuzzHosted(f *testing.F) {
	f.Add([]byte("o\x00\x00\x00\x00\x02hix\x03\x00\x00\x00\x00"))
	f.Add([]byte("f\x01\x00\x00\x00\x06resultw\x01\x00\x00\x00\x01ac\x01\x00\x00\x00\x00"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, answer []byte) {
		a := newTestApp(t)
		a.Flags = newRootCommand(a).PersistentFlags()
		a.Config.Output = filepath.Join(dir, "named")
		h := serve.Hosted{App: a, Files: map[byte]io.WriteCloser{}}
		_, _ = h.Take(bytes.NewReader(answer))
		for _, file := range h.Files {
			_ = file.Close()
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 1 {
			t.Fatalf("%v, %v", entries, err)
		}
	})
}
