package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/menu"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/models"

	"github.com/spf13/cobra"
)

// The tests with the prefix TestNet are a safety net for moves of code between packages. They
// record the output of the whole program and fail if a byte of it changes. They know the program by
// its command line and by HTTP only. After an intended change,
//
//	go test ./cmd/eventseer -run 'TestScripts|TestNet' -update
//
// accepts the new output; review the diff of testdata/net before the commit.

// variable lists what differs between two runs of the same program. Everything else in a
// recorded output must be byte-equal.
var variable = []struct {
	name, reason string
	pattern      *regexp.Regexp
	with         string
}{
	{"phase", "testscript prints how long a phase of a script takes", regexp.MustCompile(`(?m)^(#.*) \([0-9]+\.[0-9]{3}s\)$`), "$1"},
	{"temporary folder", "os.MkdirTemp draws its name at random", regexp.MustCompile(`/tmp/[A-Za-z0-9_.-]+(/[0-9]{3}\b)?`), "$$TMP"},
	{"port", "the kernel assigns a free port", regexp.MustCompile(`\b(127\.0\.0\.1|localhost|\[::1\]):[0-9]{4,5}\b`), "$1:PORT"},
	{"Go", "the version of Go is stamped into the binary", regexp.MustCompile(`\bgo1\.[0-9]+(\.[0-9]+)?\b`), "GOVERSION"},
	{"progress", "how often a crawl reports its progress depends on the wall clock", regexp.MustCompile(`(?m)^([0-9]+ pages, .* in queue|\{.*"message_type":"status".*)\n`), ""},
	{"meter alone", "long work says by the wall clock how far it is", regexp.MustCompile(`(?m)^\[stderr\]\n(?:[a-z][^\n]*\b(?:[0-9][0-9hm.]*s left|for [0-9hm.]+s)\n)+(>|#|\[|\z)`), "$1"},
	{"meter", "the same beside other messages", regexp.MustCompile(`(?m)^[a-z][^\n]*\b([0-9][0-9hm.]*s left|for [0-9hm.]+s)\n`), ""},
	{"fold time", "how long the other folds take is by the wall clock too", regexp.MustCompile(`(fold [0-9]+ of [0-9]+ done), [0-9hms]+ left`), "$1"},
	{"due", "hosts rest by the wall clock, which begins at noon in each process of a script", regexp.MustCompile(`\b(ready|resting|host due) +(now|2026-11-21T12:0[0-9]:[0-9]{2}Z \((in [0-9]+s|now)\)) *`), "$1  DUE"},
	{"rest", "whether a host still rests depends on the wall clock", regexp.MustCompile(`\bresting  DUE`), "ready  DUE"},
	{"width", "the widths of the columns depend on both", regexp.MustCompile(`\bSTATE +DUE +WHY`), "STATE  DUE  WHY"},
	{"clock", "the clock of a script's process begins at noon and goes on", regexp.MustCompile(`\b2026-11-21T12:0[0-9]:[0-9]{2}(\.[0-9]+)?Z`), "NOW"},
	{"calendar clock", "the same in a calendar", regexp.MustCompile(`\b20261121T120[0-9]{3}Z`), "NOW"},
	{"correction", "the id of a correction begins with the clock", regexp.MustCompile(`\b20261121T1200[0-9]{2}\.[0-9]{9}-[0-9a-f]{12}\b`), "CORRECTION"},
	{"backup", "the pages of a database depend on the times in it", regexp.MustCompile(`\b[0-9]+ files, [0-9]+ bytes(, [0-9]+ packed)?`), "N files, N bytes"},
	{"split", "so does what the id of an event that was split off is made of", regexp.MustCompile(`\bnces-2027-[0-9a-f]{8}\b`), "nces-2027-SPLIT"},
	{"log time", "the logger has the real clock", regexp.MustCompile(`\btime=[0-9-]+T[0-9:.]+Z?`), "time=NOW"},
	{"time left", "a time budget is spent by the wall clock", regexp.MustCompile(`(?m)(^ +)?\b[0-9]+\.[0-9] s left|"seconds_left":[0-9.e-]+`), "TIME LEFT"},
	{"time taken", "a measure of the real clock", regexp.MustCompile(`\bin [0-9]+\.[0-9] s\b`), "in TIME"},
	{"disk", "the free space is the machine's", regexp.MustCompile(`\b[0-9.]+ [kMGT]B are free`), "N GB are free"},
	{"letter", "the id of a letter holds the time and a random number", regexp.MustCompile(`\btest\.[a-z0-9]{10,16}@`), "test.ID@"},
	{"DKIM key", "the key pair is drawn at random", regexp.MustCompile(`\bk=ed25519; p=[A-Za-z0-9+/=]+`), "k=ed25519; p=KEY"},
	{"snippet", "an id of a clip in a list holds those of reader and list", regexp.MustCompile(`"[0-9a-f]{16}-[0-9a-f]{16}-[0-9]+"`), `"ID-ID-N"`},
	{"reader", "ids of readers and of what they subscribe to are drawn at random", regexp.MustCompile(`(?m)^[0-9a-f]{16}\b|("(?:id|account|list)": ")[0-9a-f]{16}\b`), "${1}ID"},
	{"dump", "the file of a dump has the time of the real clock", regexp.MustCompile(`(data-label="Written"><time )[^\n]*?</time>`), "${1}></time>"},
	{"form", "a form's token is signed with a random key", regexp.MustCompile(`(name="form" value=")[^"]+`), "${1}TOKEN"},
}

// netReaders matches rows of a table of readers or their lists, which are in the order of
// their random ids.
var netReaders = regexp.MustCompile(`(?m)(^ID  .*\n)+`)

// normalise replaces what varies between runs.
func normalise(text string) string {
	for _, v := range variable {
		text = v.pattern.ReplaceAllString(text, v.with)
	}
	return netReaders.ReplaceAllStringFunc(text, func(rows string) string {
		return strings.Join(slices.Sorted(strings.Lines(rows)), "")
	})
}

// netDigest describes content by size and checksum.
func netDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return fmt.Sprintf("%8d  %s", len(content), hex.EncodeToString(sum[:16]))
}

// netRun runs a command line that must succeed and returns what it prints. The folder dir
// of the test is shown as $DIR.
func netRun(t *testing.T, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := runCaptured(t, args...)
	if code != 0 {
		t.Fatalf("eventseer %q: exit %d\n%s", args, code, stderr)
	}
	return netText(dir, stdout), netText(dir, stderr)
}

// netText is text without what varies; dir is shown as $DIR.
func netText(dir, text string) string {
	return normalise(strings.ReplaceAll(text, dir, "$DIR"))
}

// netFiles lists the files below dir with size and checksum of their normalised content.
func netFiles(t *testing.T, dir string, skip func(name string) bool) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(name, dir+string(filepath.Separator)))
		if err != nil || d.IsDir() || skip(rel) {
			return err
		}
		if strings.HasSuffix(name, ".gz") {
			fmt.Fprintf(&b, "%s  %s, unpacked\n", netDigest(golden.Gunzip(t, name)), rel)
			return nil
		}
		content, err := os.ReadFile(name)
		fmt.Fprintf(&b, "%s  %s\n", netDigest([]byte(netText(dir, string(content)))), rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// netGlobalFlags begins the last section of a help, which most commands share.
const netGlobalFlags = "\nGlobal Flags:\n"

// netHelp is the help of a command.
func netHelp(t *testing.T, command ...string) string {
	t.Helper()
	stdout, _ := netRun(t, t.TempDir(), append(slices.Clip(command), "--help")...)
	return stdout
}

// TestNetHelp records the help of every command, the manual pages and the defaults.
func TestNetHelp(t *testing.T) {
	_, global, _ := strings.Cut(netHelp(t, "version"), netGlobalFlags)
	var help strings.Builder
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		text := strings.Replace(netHelp(t, args[:len(args)-1]...), netGlobalFlags+global, "", 1)
		fmt.Fprintf(&help, "$ eventseer %s\n%s\n", strings.Join(args, " "), text)
		for _, sub := range c.Commands() {
			if menu.IsAlias(sub) {
				continue // the same text as that of the command it is an alias of
			}
			walk(sub)
		}
	}
	walk(newRootCommand(newTestApp(t)))
	fmt.Fprintf(&help, "Every command but the first:%s%s", netGlobalFlags, global)
	golden.Check(t, "net/help.txt", []byte(help.String()))

	dir := t.TempDir()
	netRun(t, dir, "man", "--dir", dir)
	golden.Check(t, "net/man.txt", []byte(netFiles(t, dir, func(string) bool { return false })))
	root, err := os.ReadFile(filepath.Join(dir, "eventseer-serve.1"))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "net/eventseer-serve.1", []byte(normalise(string(root))))
}

// TestNetConfig records the defaults and the config file that init writes.
func TestNetConfig(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	var b strings.Builder
	for _, args := range [][]string{
		{"init", "--contact", "ops@seer.example"}, {"config", "show"}, {"config", "show", "--effective=false"},
		{"config", "show", "--origin"}, {"config", "show", "--format", "jsonl"},
	} {
		code, stdout, stderr := runCaptured(t, append(args, "--config", file, "--data", filepath.Join(dir, "data"))...)
		fmt.Fprintf(&b, "$ eventseer %s\n%s%sexit %d\n\n", strings.Join(args, " "), netText(dir, stdout), netText(dir, stderr), code)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "net/config.txt", []byte(b.String()))
	golden.Check(t, "net/config.yaml", []byte(netText(dir, string(text))))
}

// TestNetModels records the shipped models and their cards, as built into the program.
func TestNetModels(t *testing.T) {
	var b strings.Builder
	err := fs.WalkDir(models.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(models.Files(), name)
		fmt.Fprintf(&b, "%s  %s\n", netDigest(content), name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "net/models.txt", []byte(b.String()))
}

// netCrawl crawls the built-in web as the demo does and returns the folder with its store
// and a record of the pages.
func netCrawl(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	run := filepath.Join(dir, "run")
	stdout, stderr := netRun(t, dir, "crawl", "--sim", "seed=1", "--budget", "300", "--run", run, "--record", filepath.Join(dir, "web.warc.gz"), "--data", filepath.Join(dir, "data"))
	golden.Check(t, "net/crawl.txt", []byte(stdout+stderr))
	golden.Check(t, "net/crawl_files.txt", []byte(netFiles(t, run, func(name string) bool { return strings.HasPrefix(name, "state/") })))
	return dir
}

// TestNetDemo records the output of the demo, and the exports, verdicts and pages of the resulting store.
func TestNetDemo(t *testing.T) {
	dir := netCrawl(t)
	data := filepath.Join(dir, "run", "state")
	t.Run("export", func(t *testing.T) { netExports(t, dir, data) })
	t.Run("verdicts", func(t *testing.T) { netVerdicts(t, dir) })
	t.Run("find", func(t *testing.T) { netFind(t, dir, data) })
	t.Run("pages", func(t *testing.T) { netPages(t, dir, data) })
	t.Run("reader", func(t *testing.T) { netReaderPages(t, dir, data) })
	t.Run("printed", func(t *testing.T) {
		stdout, stderr := netRun(t, dir, "demo", "--no-serve", "--progress", "none")
		golden.Check(t, "net/demo.txt", []byte(stdout+stderr))
	})
}

// netExports records the store in every format.
func netExports(t *testing.T, dir, data string) {
	_, _, offered := runCaptured(t, "export", "--data", data, "--format", "none")
	_, names, ok := strings.Cut(offered, "this command offers ")
	names, _, _ = strings.Cut(names, "\n")
	formats := strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' || r == ';' })
	if !ok || len(formats) < 8 {
		t.Fatalf("export offers %q: %s", formats, offered)
	}
	var list strings.Builder
	for _, format := range formats {
		for _, more := range [][]string{nil, {"--base", "https://seer.example/"}, {"--open", "topic:web"}} {
			stdout, _ := netRun(t, dir, append([]string{"export", "--data", data, "--format", format}, more...)...)
			fmt.Fprintf(&list, "%s  %s\n", netDigest([]byte(stdout)), strings.Join(append([]string{format}, more...), " "))
			if more == nil && slices.Contains([]string{"jsonl", "csv", "atom", "ics"}, format) {
				golden.Check(t, "net/export/all."+format, []byte(netHead(stdout)))
			}
		}
	}
	for _, more := range [][]string{{"--history"}, {"--public"}, {"--history", "--public"}} {
		stdout, _ := netRun(t, dir, append([]string{"export", "--data", data}, more...)...)
		fmt.Fprintf(&list, "%s  jsonl %s\n", netDigest([]byte(stdout)), strings.Join(more, " "))
	}
	netRun(t, dir, "export", "dump", "--data", data)
	dumps := filepath.Join(data, "dumps")
	files, err := os.ReadDir(dumps)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".gz") { // SHA256SUMS depends on Go's gzip
			fmt.Fprintf(&list, "%s  dump %s, unpacked\n", netDigest(golden.Gunzip(t, filepath.Join(dumps, f.Name()))), f.Name())
		}
	}
	golden.Check(t, "net/export.txt", []byte(list.String()))
}

// netHeadSize is how much of a long output is recorded in full; checksums cover all of it.
const netHeadSize = 120_000

// netHead is the beginning of a text, up to a line's end.
func netHead(text string) string {
	if len(text) <= netHeadSize {
		return text
	}
	end := strings.LastIndexByte(text[:netHeadSize], '\n') + 1
	return text[:end] + fmt.Sprintf("[%d more bytes]\n", len(text)-end)
}

// netVerdicts records the output of classify, extract, analyze and diff for the crawled pages. One line of
// each is unchanged, the others are checksums, so that a difference names its page.
func netVerdicts(t *testing.T, dir string) {
	warc := filepath.Join(dir, "web.warc.gz")
	for _, args := range [][]string{
		{"classify", warc, "--format", "jsonl"}, {"extract", warc, "--format", "jsonl", "--all"}, {"analyze", warc, "--format", "jsonl"},
	} {
		var b strings.Builder
		stdout, stderr := netRun(t, dir, args...)
		for i, line := range slices.Collect(strings.Lines(stdout)) {
			if i < 3 || args[0] == "classify" {
				b.WriteString(line)
			} else {
				fmt.Fprintf(&b, "%s  %s\n", netDigest([]byte(line)), netURL.FindString(line))
			}
		}
		golden.Check(t, "net/"+args[0]+".txt", []byte(b.String()+stderr))
	}
}

var netURL = regexp.MustCompile(`https?://[^"\\]+`)

// netFind records answers of find and show.
func netFind(t *testing.T, dir, data string) {
	var b strings.Builder
	for _, args := range [][]string{
		{"find"}, {"find", "web"}, {"find", "--all"}, {"find", "country:norway"}, {"find", "topic:web", "--format", "csv"}, {"find", "-nosuchword", "--format", "txt"},
	} {
		code, stdout, stderr := runCaptured(t, append(args, "--data", data)...)
		fmt.Fprintf(&b, "$ eventseer %s\n%s%sexit %d\n\n", strings.Join(args, " "), netText(dir, stdout), netText(dir, stderr), code)
	}
	golden.Check(t, "net/find.txt", []byte(b.String()))
}

// TestNetLab records an experiment on the built-in web: its report and its files.
func TestNetLab(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr := netRun(t, dir, "lab", "run", "--web", "sim:seed=3", "--strategies", "breadth-first,best-first,eventseer,oracle", "--budget", "80", "--progress", "none", "-o", dir)
	golden.Check(t, "net/lab/printed.txt", []byte(stdout+stderr))
	golden.Check(t, "net/lab/files.txt", []byte(netFiles(t, dir, func(name string) bool { return name == ".lock" })))
	for _, name := range []string{"summary.json", "curves.csv", "report.html"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, path.Join("net/lab", name), []byte(netHead(netText(dir, string(content)))))
	}
	again, _ := netRun(t, dir, "lab", "report", dir, "--format", "jsonl")
	golden.Check(t, "net/lab/report.jsonl", []byte(again))
}
