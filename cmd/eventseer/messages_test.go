package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestInterruptedSays stops a command before it begins: its one line names no other error.
func TestInterruptedSays(t *testing.T) {
	a := newTestApp(t)
	var talk strings.Builder
	a.Stderr = &talk
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code := run(ctx, []string{"control", "status", "--nats", "nats://127.0.0.1:1"}, a)
	if lines := strings.Split(strings.TrimSpace(talk.String()), "\n"); code != exitInterrupted || lines[len(lines)-1] != "eventseer: interrupted" {
		t.Errorf("exit code %d, %q", code, talk.String())
	}
}

// TestInterruptedCommands stops long commands: each reports that it was interrupted and prints nothing else
// at its end.
func TestInterruptedCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{
		"ev.jsonl":  `{"url":"https://icx.example/2027/","title":"International Conference on Examples","acronym":"ICX","year":2027}` + "\n",
		"list.yml":  goodConference,
		"ranks.csv": "acronym,rank,system,year\nICX,A,core,2026\n",
		"page.html": "<p>Call for papers: ICX 2027, Oslo, Norway, June 1-4, 2027.</p>",
	}
	for name, content := range files {
		write(t, filepath.Join(dir, name), content)
	}
	for _, line := range []string{
		"import jsonl DIR/ev.jsonl --data DIR/d", "backup create DIR/b.tar.zst --data DIR/d",
		"crawl --sim seed=1 --budget 20 --run DIR/run --record DIR/rec --quiet",
	} {
		if code, _, said := runCaptured(t, strings.Fields(strings.ReplaceAll(line, "DIR", dir))...); code != 0 {
			t.Fatalf("%s: exit code %d: %s", line, code, said)
		}
	}
	for _, line := range []string{
		"backup create DIR/c.tar.zst --data DIR/d", "backup verify DIR/b.tar.zst", "backup restore DIR/b.tar.zst --data DIR/r", "check --data DIR/d",
		"migrate --data DIR/d", "export --data DIR/d", "export dump --data DIR/d", "import ccfddl DIR/list.yml --data DIR/d",
		"import ranks DIR/ranks.csv --data DIR/d", "import jsonl DIR/ev.jsonl --data DIR/d", "web freeze DIR/run -o DIR/frozen/web.warc.gz",
		"lab run --web sim:seed=1 --strategies breadth-first --budget 20 -o DIR/lab", "extract DIR/page.html", "classify DIR/page.html", "find --data DIR/d",
		"crawl --sim seed=1 --budget 20 --run DIR/run2", "monitor --data DIR/d --contact me@site.example",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		a := newTestApp(t)
		var said talkLog
		a.Stdout, a.Stderr = &said, &said
		code := run(ctx, strings.Fields(strings.ReplaceAll(line, "DIR", dir)), a)
		text := strings.TrimSpace(said.String())
		if lines := strings.Split(text, "\n"); code != exitInterrupted || lines[len(lines)-1] != "eventseer: interrupted" || strings.Contains(text, "context canceled") {
			t.Errorf("%s: exit code %d:\n%s", line, code, text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "r")); err == nil {
		t.Error("a restore that was interrupted left a data directory")
	}
}

// TestIsInterruption tells the end of a context, and of a program that a signal ended, from
// other errors.
func TestIsInterruption(t *testing.T) {
	killed := exec.Command("sh", "-c", "kill -9 $$").Run()
	failed := exec.Command("sh", "-c", "exit 3").Run()
	for err, want := range map[error]bool{
		fmt.Errorf("read: %w", context.Canceled): true, fmt.Errorf("pdftotext: %w", killed): true,
		fmt.Errorf("pdftotext: %w", failed): false, net.ErrClosed: false,
	} {
		if got := isInterruption(err); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

// TestDemoPort checks that the demo reports a port in use before it crawls.
func TestDemoPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	code, stdout, stderr := runCaptured(t, "demo", "--listen", taken.Addr().String())
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "address already in use; --listen names another address") || strings.Contains(stderr, "Crawling") {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}

// A messageCase is a command line that fails or prints a message. It has its exit code, what its
// output must hold, by regular expressions, and what it must not.
type messageCase struct {
	name, line string // DIR means the folder of the case
	code       int
	want       []string
	not        string
	env        map[string]string // besides HOME
	files      map[string]string // name → content; records in recordsFile are imported first
}

// recordsFile is imported into DIR/ev before the command of a case runs.
const recordsFile = "ev.jsonl"

// seedMessages are the messages about seeds and lists of URLs.
var seedMessages = []messageCase{
	{"a page as seeds", "crawl --seeds DIR/page.html --contact me@site.example", exitFailed, []string{`seeds DIR/page\.html: line 1: this is a page in HTML or XML, not a list with one URL per line; .eventseer extract DIR/page\.html. reads a page`}, "xxxx", nil,
		map[string]string{"page.html": "<!DOCTYPE html><p>" + strings.Repeat("x", 5000)}},
	{"a line without scheme", "crawl --seeds DIR/bad.txt --contact me@site.example", exitUsage, []string{`seeds DIR/bad\.txt: line 2: "conf\.example/cfp" is not an http or https URL; did you mean https://conf\.example/cfp\?`, "see `eventseer crawl --help`"}, "", nil,
		map[string]string{"bad.txt": "# calls\nconf.example/cfp\n"}},
	{"mark, line ends, duplicates, fragments, private addresses", "crawl --seeds DIR/seeds.txt --contact me@site.example", exitRefused,
		[]string{`seeds DIR/seeds\.txt: line 4: "nope" is not an http or https URL; left out`, `seed http://127\.0\.0\.1:9/a: refused: .* address is not public; --allow-private fetches it`, `seed http://10\.0\.0\.1/: refused`}, `#dates: refused`, nil,
		map[string]string{"seeds.txt": "\ufeffhttp://127.0.0.1:9/a#dates\r\nhttp://127.0.0.1:9/a\r\nhttp://10.0.0.1/\r\nnope\r\n"}},
	{"10 MB of junk", "crawl --seeds DIR/junk --contact me@site.example", exitFailed, []string{`seeds DIR/junk: line 1: this is not text, byte \d+ is 0x\w\w; a list of seeds has one URL per line`}, "HTML", nil,
		map[string]string{"junk": junk(10 << 20)}},
	{"10 MB of words", "crawl --seeds DIR/words --contact me@site.example", exitUsage, []string{`seeds DIR/words: line 1: "no URL.*" is not an http or https URL; nor can any of 499999 others`}, "", nil,
		map[string]string{"words": strings.Repeat("no URL in this line\n", 500_000)}},
	{"a line without end", "crawl --seeds DIR/long --contact me@site.example", exitFailed, []string{`seeds DIR/long: line 2: it is longer than 64 KB; a list of seeds has one URL per line`}, "bufio", nil,
		map[string]string{"long": "https://conf.example/\nhttps://conf.example/" + strings.Repeat("x", 1<<20)}},
	{"junk to watch", "import urls DIR/junk --data DIR/d", exitFailed, []string{`DIR/junk: line 1: this is not text`}, "", nil, map[string]string{"junk": junk(1 << 20)}},
	{"a bad line to watch", "import urls DIR/urls --data DIR/d", exitPartly, []string{`seeds DIR/urls: line 2: "society\.example/calls" is not an http or https URL; did you mean https://society\.example/calls\?`, "partly done: 1 lines"}, "", nil,
		map[string]string{"urls": "https://society.example/\nsociety.example/calls\n"}},
	{"a private address", "robots http://127.0.0.1:9/robots.txt /x --contact me@site.example", exitFailed, []string{`address is not public; --allow-private fetches it`}, "", nil, nil},
}

// junk returns n bytes that no text contains, the same ones each time.
func junk(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return string(b)
}

// goodConference is an entry of a list in the layout of ccfddl.
const goodConference = "- title: ICX\n  description: International Conference on Examples\n  confs:\n    - {year: 2027, id: icx27, link: 'https://icx.example/2027', date: 'June 1-4, 2027', place: 'Oslo, Norway', timeline: [{deadline: '2027-01-15 23:59:59'}]}\n"

// listMessages are the messages about lists whose fields changed: what can be read is.
var listMessages = []messageCase{
	{"editions of ccfddl", "import ccfddl DIR/list.yml --data DIR/d", exitPartly,
		[]string{`DIR/list\.yml: line 5: ICY: "conferences" is not a field of this layout; did you mean "confs"\? \(1 of 2 conferences\)`, "1 files: 1 editions"}, "", nil,
		map[string]string{"list.yml": goodConference + strings.NewReplacer("ICX", "ICY", "icx", "icy", "confs:", "conferences:").Replace(goodConference)}},
	{"deadlines of ccfddl", "import ccfddl DIR/list.yml --data DIR/d", exitPartly,
		[]string{`DIR/list\.yml: line 1: ICX: edition icx27: "dead-line" is not a field of this layout; did you mean "deadline"\? \(1 of 1 deadline\)`, "1 files: 1 editions"}, "", nil,
		map[string]string{"list.yml": strings.Replace(goodConference, "deadline:", "dead-line:", 1)}},
	{"places of ccfddl", "import ccfddl DIR/list.yml --data DIR/d", exitPartly, []string{`DIR/list\.yml: none of 1 edition has place; it has fields that this layout does not have: venue; rename the one with this meaning`, "1 files: 1 editions"}, "", nil,
		map[string]string{"list.yml": strings.Replace(goodConference, "place:", "venue:", 1)}},
	{"no list", "import ccfddl DIR/list.yml --data DIR/d", exitFailed, []string{`nothing could be read, first: DIR/list\.yml: the file is not a list of conferences in YAML`}, "", nil, map[string]string{"list.yml": "- title: [\n"}},
	{"records", "import jsonl DIR/list.jsonl --data DIR/d", exitPartly, []string{`DIR/list\.jsonl: line 1: "titel" is not a field of a record; did you mean "title"\?`, "1 records imported"}, "", nil,
		map[string]string{"list.jsonl": `{"url":"https://icx.example/2027","titel":"Conference on Examples","acronym":"ICX","year":2027}` + "\n"}},
	{"ranks", "import ranks DIR/ranks.csv --data DIR/d", exitFailed, []string{`DIR/ranks\.csv: its first row names neither a series \(acronym, title, dblp\) nor a rank .*acronyme`}, "", nil,
		map[string]string{"ranks.csv": "acronyme,rang\nICX,A\n"}},
	{"feeds", "import opml DIR/feeds.opml --data DIR/d", exitFailed, []string{`DIR/feeds\.opml: the file is not OPML`}, "", nil, map[string]string{"feeds.opml": "https://blog.example/feed\n"}},
}

// placeMessages are the messages about config, data directory, home and clock.
var placeMessages = []messageCase{
	{"a file as data directory", "serve --data DIR/page.html", exitNoData, []string{`DIR/page\.html is a file; --data must name a folder`}, "", nil, map[string]string{"page.html": "x"}},
	{"the command's name", "crawl --budget x", exitUsage, []string{`"x" for "--budget" flag: it is not a valid number`, "see `eventseer crawl --help`"}, "strconv", nil, nil},
	{"an empty folder", "check --data DIR", exitNoData, []string{`DIR holds no database; --data must name another folder`}, "", nil, nil},
	{"no backup", "backup verify DIR/page.html", exitFailed, []string{`DIR/page\.html: not a complete backup: it is compressed neither with zstd nor with gzip`}, "(?s)not a complete backup.*not a complete backup", nil, map[string]string{"page.html": "x"}},
	{"no reader", "clip list --data DIR", exitNoData, []string{"there are no readers yet; `eventseer clip add"}, "", nil, nil},
	{"no store", "find --data DIR", exitNoData, []string{"no such database; `eventseer start` or `eventseer crawl` creates it"}, "", nil, nil},
	{"no data directory", "find --data DIR/none", exitNoData, []string{"no data directory at DIR/none; `eventseer start` or `eventseer crawl` makes one"}, "", nil, nil},
	{"a doctor's verdict", "doctor --data DIR", exitGate, []string{"bad +contact +no contact is set, so nothing is crawled; `eventseer start` asks for one", "not ready for a service: contact; the lines marked bad explain what to do"}, "must be put right", nil, nil},
	{"a config of version 0.8", "config check --config DIR/c.yaml", 0, []string{"DIR/c.yaml: 2 keys are set, all known", "outside their sections, which work as in version 0\\.8: host-delay; `eventseer config check --rewrite` moves them"}, "", nil,
		map[string]string{"c.yaml": "contact: me@site.example\nhost-delay: 7s\n"}},
	{"a key that is unknown", "config check --config DIR/c.yaml", exitUsage, []string{`config DIR/c\.yaml: line 2: unknown key "host-dealy"; did you mean host-delay\?`}, "", nil,
		map[string]string{"c.yaml": "contact: me@site.example\nhost-dealy: 7s\n"}},
	{"a home that is a file", "start --contact me@site.example --no-serve", exitFailed, []string{`DIR/home/\.config.*; set --config and --data, or XDG_CONFIG_HOME and XDG_DATA_HOME, to use other places than the home directory`}, "", map[string]string{"HOME": "DIR/home"}, map[string]string{"home": "x"}},
	{"a home that cannot be made", "init --contact me@site.example", exitFailed, []string{`mkdir /proc/1/none: .*; set --config and --data, or XDG_CONFIG_HOME and XDG_DATA_HOME, to use other places than the home directory`}, "", map[string]string{"HOME": "/proc/1/none"}, nil},
	{"a home that cannot be made, by the doctor", "doctor --contact me@site.example", exitGate, []string{`bad +data +/proc/1/none/.* cannot be created; name another folder with --data or the setting data`}, "", map[string]string{"HOME": "/proc/1/none"}, nil},
	{"no home", "start --contact me@site.example --no-serve", exitUsage, []string{`there is no home directory: HOME is not set, .*; set HOME, or name --data`}, "", map[string]string{"HOME": ""}, nil},
	{"no home for a config", "init --contact me@site.example --data DIR/d", exitFailed, []string{`no home directory is set: set HOME, or name --config FILE`}, "", map[string]string{"HOME": ""}, nil},
	{"no home, and none is needed", "classify DIR/page.html", 0, []string{`DIR/page\.html`}, "HOME", map[string]string{"HOME": ""}, map[string]string{"page.html": "<p>Call for papers"}},
	// The apps of tests are of January 2027.
	{"a clock a year behind", "doctor --contact me@site.example --data DIR", exitGate, []string{`bad +clock +the clock says 2027-01-11 12:00 UTC, but the newest run in DIR is of 2028-01-05: the clock is behind, or was ahead then; .*timedatectl set-ntp true`}, "", nil,
		map[string]string{"runs/2028-01-05T100000Z/log": "x"}},
	{"a clock a year ahead", "doctor --contact me@site.example --data DIR", 0, []string{"warn +clock +the clock says 2027-01-11 12:00 UTC, and the newest run in DIR is of 2026-01-05, long ago; if that is wrong, the clock is ahead; `eventseer doctor --network` compares it with other hosts"}, "", nil,
		map[string]string{"runs/2026-01-05T100000Z-2/log": "x"}},
	{"a clock that is right", "doctor --contact me@site.example --data DIR", 0, []string{`good +clock +2027-01-11 12:00 UTC`}, "", nil, map[string]string{"runs/2027-01-05T100000Z/log": "x"}},
}

// TestMessages checks that messages meet the issue "beginning". Each says what is wrong, where, and what to
// do next, with the exit code of doc/troubleshooting.md.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(seedMessages, listMessages, placeMessages, eventMessages()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

// check runs the command of the case.
func (c messageCase) check(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range c.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		write(t, path, content)
	}
	if _, ok := c.files[recordsFile]; ok {
		if code, _, said := runCaptured(t, "import", "jsonl", filepath.Join(dir, recordsFile), "--data", filepath.Join(dir, "ev")); code != 0 {
			t.Fatalf("exit code %d: %s", code, said)
		}
	}
	a := newTestApp(t)
	getenv := a.Getenv
	a.Getenv = func(name string) string {
		if value, ok := c.env[name]; ok {
			return strings.ReplaceAll(value, "DIR", dir)
		}
		return getenv(name)
	}
	var said talkLog
	a.Stdout, a.Stderr = &said, &said
	code := run(t.Context(), strings.Fields(strings.ReplaceAll(c.line, "DIR", dir)), a)
	text := said.String()
	if code != c.code {
		t.Errorf("exit code %d, want %d:\n%.2000s", code, c.code, text)
	}
	for _, want := range c.want {
		if !regexp.MustCompile(strings.ReplaceAll(want, "DIR", regexp.QuoteMeta(dir))).MatchString(text) {
			t.Errorf("it does not say %s:\n%.2000s", want, text)
		}
	}
	if c.not != "" && regexp.MustCompile(c.not).MatchString(text) {
		t.Errorf("it says %s:\n%.2000s", c.not, text)
	}
	for line := range strings.Lines(text) {
		if len(line) > 600 {
			t.Errorf("a line of %d characters: %.200s", len(line), line)
		}
	}
}

// eventMessages are those of commands that are given the id of an event with a slip.
func eventMessages() (all []messageCase) {
	records := map[string]string{recordsFile: `{"id":"icx-2027","url":"https://icx.example/2027/","title":"International Conference on Examples","acronym":"ICX","year":2027,"pages":["https://icx.example/2027/"]}` + "\n"}
	for _, line := range []string{
		"show icxx-2027", "diff icxx-2027", "edit icxx-2027 title=X", "pin icxx-2027 title", "unpin icxx-2027 title", "merge icx-2027 icxx-2027",
		"split icxx-2027 https://icx.example/2027/", "hide icxx-2027", "curation log icxx-2027", "curation apart icx-2027 icxx-2027",
	} {
		all = append(all, messageCase{"a slip in " + line, line + " --data DIR/ev", exitFailed, []string{`no such event: icxx-2027; did you mean icx-2027\?`}, "", nil, records})
	}
	return append(all,
		messageCase{"a slip in find", "find id:icxx-2027 --data DIR/ev", 0, []string{`no call known here has the id .icxx-2027.; did you mean: id:icx-2027`}, "", nil, records},
		messageCase{"an id unlike any", "show zzzzzzzzzzzz --data DIR/ev", exitFailed, []string{"no such event: zzzzzzzzzzzz; `eventseer find --all` lists the events"}, "", nil, records},
		messageCase{"an empty store", "find --data DIR/ev", 0, []string{"DIR/ev holds no calls yet; next: `eventseer start`"}, "no open call matches", nil, map[string]string{recordsFile: ""}})
}

// TestHomeOfTheAccount has the program find the home directory of its account if HOME is not set.
func TestHomeOfTheAccount(t *testing.T) {
	account, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", "")
	if got := getenv("HOME"); got != account.HomeDir || got == "" {
		t.Errorf("home %q, want %q", got, account.HomeDir)
	}
	t.Setenv("HOME", "/elsewhere")
	if got := getenv("HOME"); got != "/elsewhere" {
		t.Errorf("home %q", got)
	}
}

// TestWaitingForNATSSays checks that commands that wait for a node of NATS report it once.
func TestWaitingForNATSSays(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"control status", "worker --data DIR"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			a := newTestApp(t)
			var said talkLog
			a.Stdout, a.Stderr = &said, &said
			code := run(ctx, append(strings.Fields(strings.ReplaceAll(line, "DIR", t.TempDir())), "--nats", "nats://127.0.0.1:1"), a)
			text := said.String()
			if n := strings.Count(text, "no connection to the bus yet"); n != 1 || strings.Count(text, "\n") != 2 {
				t.Errorf("exit code %d, said %d times:\n%s", code, n, text)
			}
		})
	}
}

// TestDoctorNetwork has the doctor ask a host on loopback, whose clock is right or a year off.
func TestDoctorNetwork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		date string
		code int
		want string
	}{
		"right":        {testNow().Format(http.TimeFormat), 0, `good +network +1 of 1 hosts of seeds respond`},
		"a year later": {testNow().AddDate(1, 0, 0).Format(http.TimeFormat), exitGate, `bad +clock +the clock says 2027-01-11 12:00 UTC, hosts say 2028-01-11 12:00 UTC; .*set it`},
		"a year ago":   {testNow().AddDate(-1, 0, 0).Format(http.TimeFormat), exitGate, `bad +clock +the clock says 2027-01-11 12:00 UTC, hosts say 2026-01-11 12:00 UTC; .*set it`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := atomic.Int32{}
			host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				w.Header().Set("Date", c.date)
				http.NotFound(w, r)
			}))
			defer host.Close()
			code, stdout, stderr := runCaptured(t, "doctor", "--network", "--allow-private", "--contact", "me@site.example", "--data", t.TempDir(), "--config", seedConfig(t, host.URL))
			if code != c.code || !regexp.MustCompile(c.want).MatchString(stdout) || asked.Load() != 1 {
				t.Errorf("exit code %d, %d requests:\n%s%s", code, asked.Load(), stdout, stderr)
			}
			if code, stdout, _ = runCaptured(t, "doctor", "--contact", "me@site.example", "--data", t.TempDir(), "--config", seedConfig(t, host.URL)); code != 0 || asked.Load() != 1 {
				t.Errorf("without --network: exit code %d, %d requests:\n%s", code, asked.Load(), stdout)
			}
		})
	}
}

// seedConfig writes a config with one seed.
func seedConfig(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "seeds: ["+url+"]\n")
	return path
}
