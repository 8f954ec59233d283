package store

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
)

const pageSize = 4096

// TestCrashAtEveryWrite stops a Put after each page bbolt writes (data pages in order, the meta
// page last). It demands the state before or after the Put, clean.
func TestCrashAtEveryWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	s := openStore(t, path, Options{})
	for n := range 10 {
		put(t, s, call(n, day1))
	}
	before := read(t, path)
	put(t, s, call(11, day1), eventseer.Clip{ID: "c", Seen: day1})
	after := read(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	written := changedPages(before, after)
	if len(written) < 5 {
		t.Fatalf("a Put wrote only %d pages", len(written))
	}
	torn := append(make([]byte, 0, len(after)), before...)
	torn = append(torn, make([]byte, len(after)-len(before))...)
	for n := 0; n <= len(written); n++ {
		at := filepath.Join(dir, fmt.Sprintf("torn-%d.db", n))
		if err := os.WriteFile(at, torn, 0o644); err != nil {
			t.Fatal(err)
		}
		want := 10
		if n == len(written) {
			want = 11
		}
		checkReopened(t, at, want)
		if n < len(written) {
			copy(torn[written[n]:], after[written[n]:written[n]+pageSize])
		}
	}
}

// changedPages returns the offsets of the pages that differ, data before meta.
func changedPages(before, after []byte) (offsets []int) {
	var meta []int
	for at := 0; at < len(after); at += pageSize {
		if at < len(before) && string(before[at:at+pageSize]) == string(after[at:at+pageSize]) {
			continue
		}
		if at < 2*pageSize {
			meta = append(meta, at)
			continue
		}
		offsets = append(offsets, at)
	}
	return append(offsets, meta...)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func checkReopened(t *testing.T, path string, want int) {
	t.Helper()
	s := openStore(t, path, Options{})
	checkClean(t, s)
	if got := len(outbox(t, s, 0)); got != want || s.Len() != want {
		t.Errorf("%s: %d changes, want %d", filepath.Base(path), got, want)
	}
	put(t, s, call(11, day1), eventseer.Clip{ID: "c", Seen: day1})
	if got := len(outbox(t, s, 0)); got != 11 {
		t.Errorf("%s: %d changes after the repeated Put, want 11", filepath.Base(path), got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

const killEnv = "EVENTSEER_STORE_KILL_TEST"

// TestKill kills a process in the middle of its Puts and corrections. Acknowledged changes are there,
// corrections made together are there together, and the store is undamaged.
func TestKill(t *testing.T) {
	if path := os.Getenv(killEnv); path != "" {
		putForEver(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "store.db")
	for killed := 1; killed <= 2; killed++ {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
		child.Env = append(os.Environ(), killEnv+"="+path)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		acknowledged := 0
		for acknowledged < 25 && lines.Scan() {
			acknowledged++
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		s := openStore(t, path, Options{})
		checkClean(t, s)
		events, corrected, hidden := 0, 0, 0
		for e, err := range s.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			events++
			if strings.HasPrefix(e.Title, "Corrected ") {
				corrected++
			}
			if e.Hidden {
				hidden++
			}
		}
		if acknowledged == 0 || events < acknowledged || corrected < events-killed || hidden > killed {
			t.Errorf("%d events, %d corrected, %d hidden; %d were acknowledged, %d kills", events, corrected, hidden, acknowledged, killed)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func putForEver(t *testing.T, path string) {
	s := openStore(t, path, Options{})
	for n := s.Len(); ; n++ {
		e := call(n%20, day1)
		e.Acronym, e.Title, e.URL = fmt.Sprintf("K%dX", n), fmt.Sprintf("Kind of Thing %dX", n), fmt.Sprintf("https://k%d.example/cfp", n)
		put(t, s, e)
		putSeries(t, s, eventseer.Series{ID: series.Of(e), Ranks: []eventseer.Rank{{System: "core", Value: "A", Year: n%9999 + 1}}})
		id := eventseer.EventID(fmt.Sprintf("k%dx-2027", n))
		kept, err := s.Correct(t.Context(), nil,
			eventseer.Correction{Kind: eventseer.EditCorrection, Event: id, Field: "title", Value: fmt.Sprint("Corrected ", n), Who: "ann"},
			eventseer.Correction{Kind: eventseer.HideCorrection, Event: id, Who: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Undo(t.Context(), kept[1].ID, eventseer.Undo{Who: "ann"}); err != nil {
			t.Fatal(err)
		}
		leave(t, s, eventseer.Note{Kind: eventseer.Appeal, At: day1, Text: fmt.Sprint(n)})
		fmt.Println(n)
	}
}
