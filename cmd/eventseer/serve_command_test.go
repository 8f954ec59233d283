package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"

	diff "github.com/google/go-cmp/cmp"
)

// A told is the result of a command line.
type told struct {
	Code      int
	Out, Talk string
	File      string // that it wrote
}

// tell runs a command line with settings of the environment in its own folder, where -o and --dry-run name
// the file "result".
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

// A command says byte for byte the same whether a serve has the data directory open or not.
func TestCommandsInServe(t *testing.T) {
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
	var inServe []told
	for _, line := range lines {
		inServe = append(inServe, tell(t, env, line...))
	}
	for _, line := range [][]string{{"publish"}, {"compact"}, {"export", "dump"}, {"import", "jsonl", os.DevNull}} {
		if got := tell(t, env, line...); got.Code != exitLocked || !strings.Contains(got.Talk, "serve") && !strings.Contains(got.Talk, "stop the other") {
			t.Errorf("%q while a serve runs: %+v", line, got)
		}
	}
	if code := s.stop(); code != 0 {
		t.Fatalf("serve exits with %d\n%s", code, s.talk)
	}
	if strings.Contains(s.talk.String(), "readers.example") {
		t.Errorf("the serve names readers:\n%s", s.talk)
	}
	for i, line := range lines {
		if d := diff.Diff(tell(t, env, line...), inServe[i]); d != "" {
			t.Errorf("%q says otherwise while a serve runs:\n%s", line, d)
		}
	}
	if got := inServe[len(lines)-2]; !strings.Contains(got.File, "To: <bob@readers.example>") {
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

// A request contains everything that a separate process would have known, without secrets.
func TestCommandRequest(t *testing.T) {
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
		fmt.Fprintf(w, `{"exit":%d}`, exitPartly)
	})
	a := newTestApp(t)
	a.Config = c
	if code, err := serve.RequestCommand(t.Context(), a, []string{"find", "x"}); code != exitPartly || err != nil {
		t.Fatalf("exit %d, %v", code, err)
	}
	body := <-asked
	for _, s := range []app.Secret{c.AdminToken, c.IMAPPassword, c.SMTPPassword} {
		if bytes.Contains(body, []byte(s)) {
			t.Errorf("the secret %q leaves the process", s)
		}
	}
	v, err := serve.ReadRequest(bytes.NewReader(body))
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

// A process of another kind or version is refused with what to do. One that wants to write a file
// that was not named is not obeyed.
func TestOtherProcesses(t *testing.T) {
	evil := filepath.Join(t.TempDir(), "evil")
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		code   int
		says   string
	}{
		"a crawl, or an older service": {http.NotFound, exitLocked, "restart the service"},
		"another version": {func(w http.ResponseWriter, r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(`{"build":"0.0.1"}`))
			serve.NewCommands(newTestApp(t), new(serve.Service), run).ServeHTTP(w, r)
		}, exitLocked, "and this is 0.0.1: restart"},
		"too many":               {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "60 run", http.StatusServiceUnavailable) }, exitLocked, "60 run"},
		"a file without a name":  {answer(`{"file":%q,"data":"eA=="}`, evil), exitFailed, "is not in the command line"},
		"an mbox without a name": {answer(`{"file":%q,"mbox":true}`, evil), exitFailed, "is not in the command line"},
		"no JSON":                {answer("hello"), exitFailed, "cannot be read"},
		"a line of 200 kB":       {answer(`{"stdout":"%s"}`, strings.Repeat("eHh4", 50_000)), exitFailed, "too long"},
		"an end in the middle":   {answer(`{"stdout":"eA=="}`), exitFailed, "incomplete"},
		"an end within a line":   {answer(`{"stdout":"eA==`), exitFailed, "incomplete"},
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

// answer is the handler of a process that answers with a text.
func answer(format string, args ...any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, format, args...) }
}

// Commands are run at the socket only, and not by a process that stops.
func TestCommandsRefused(t *testing.T) {
	commands := serve.NewCommands(newTestApp(t), new(serve.Service), run)
	w := httptest.NewRecorder()
	commands.ServeHTTP(w, httptest.NewRequest(http.MethodPost, admin.CommandsPath, strings.NewReader("{}")))
	if w.Code != http.StatusForbidden {
		t.Errorf("not at a socket: status %d", w.Code)
	}
	commands.Close()
	dir := t.TempDir()
	host(t, dir, commands.ServeHTTP)
	if got := tell(t, nil, "find", "--data", dir); got.Code != exitLocked || !strings.Contains(got.Talk, "stopping") {
		t.Errorf("of one that stops: %+v", got)
	}
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte("{\"stdout\":\"aGk=\"}\n{\"stderr\":\"aGk=\"}\n{\"exit\":3}\n"))
	f.Add([]byte("{\"file\":\"result\",\"data\":\"YQ==\"}\n{\"file\":\"result\",\"mbox\":true}\n{\"exit\":0}\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, answer []byte) {
		a := newTestApp(t)
		a.Flags = newRootCommand(a).PersistentFlags()
		a.Config.Output = filepath.Join(dir, "named")
		_, _ = serve.ReceiveOutput(a, bytes.NewReader(answer))
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 1 {
			t.Fatalf("%v, %v", entries, err)
		}
	})
}
