package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// backupData makes a data directory with events, a frontier, links, some of them in the journal, and files of
// each kind.
func backupData(t *testing.T) string {
	t.Helper()
	dir := seedData(t)
	links, err := backlink.OpenLinkDB(filepath.Join(dir, app.LinksFile), backlink.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := links.Add(t.Context(), []webgraph.Link{{Source: "https://hub.example.org/", Target: "https://late.example.net/"}}); err != nil {
		t.Fatal(err)
	}
	journal, err := os.ReadFile(filepath.Join(dir, app.LinksFile+backlink.JournalSuffix))
	if err != nil || len(journal) == 0 {
		t.Fatalf("a journal of %d bytes, %v", len(journal), err)
	}
	if err := links.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := frontier.Open(filepath.Join(dir, app.FrontierFile), frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		app.LinksFile + backlink.JournalSuffix: string(journal), app.MarksFile: "[]",
		"wrappers/x.example.org.site": "{}", "versions/pages-00000.warc.gz": "", "models/cfp.model": "a model",
		"runs/1/run.json": "{}", "labels.tsv": "a file of the operator's",
	} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// filesIn lists the files below a folder.
func filesIn(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, at)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A restored directory has the same contents and gives the same search results.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{".tar.zst", ".tar.gz"} {
		dir, out := backupData(t), t.TempDir()
		file, elsewhere := filepath.Join(out, "b"+ending), filepath.Join(out, "a", "b")
		find := []string{"find", "--format", "jsonl", "--all", "web"}
		before := output(t, 0, append(find, "--data", dir)...)
		if strings.Count(before, "\n") < 2 {
			t.Fatalf("nothing to compare: %s", before)
		}
		text := output(t, 0, "backup", "create", file, "--data", dir)
		if !strings.Contains(text, "8 files") {
			t.Errorf("create says %q", text)
		}
		if text := output(t, 0, "backup", "verify", file); !strings.Contains(text, "store.db: clean") {
			t.Errorf("verify says %q", text)
		}
		output(t, 0, "backup", "restore", file, "--data", elsewhere)
		want := []string{
			app.FrontierFile, app.MarksFile, app.LinksFile, app.LinksFile + backlink.JournalSuffix, "models/cfp.model", app.StoreFile,
			"versions/pages-00000.warc.gz", "wrappers/x.example.org.site",
		}
		got := filesIn(t, elsewhere)
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("restored files (-want +got):\n%s", diff)
		}
		if after := output(t, 0, append(find, "--data", elsewhere)...); after != before {
			t.Errorf("%s: found after the restore\n%s\nbefore\n%s", ending, after, before)
		}
		links, err := backlink.OpenLinkDB(filepath.Join(elsewhere, app.LinksFile), backlink.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := links.Backlinks(t.Context(), backlink.Query{Target: "https://late.example.net/", Limit: 10}); err != nil || len(found.Links) != 1 {
			t.Errorf("%d links that were in the journal, %v", len(found.Links), err)
		}
		if err := links.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	dir, out := backupData(t), t.TempDir()
	file := filepath.Join(out, "b.tar.zst")
	output(t, exitUsage, "backup", "create", filepath.Join(out, "b.zip"), "--data", dir)
	output(t, exitNoData, "backup", "create", file, "--data", filepath.Join(out, "none"))
	output(t, exitNoData, "backup", "create", file, "--data", out)
	output(t, 0, "backup", "create", file, "--data", dir)
	output(t, exitFailed, "backup", "create", file, "--data", dir)
	output(t, exitFailed, "backup", "restore", file, "--data", dir)
	output(t, exitUsage, "backup", "restore", file, "--data", filepath.Join(out, "n"), "--max-size", "much")
	output(t, exitFailed, "backup", "restore", file, "--data", filepath.Join(out, "n"), "--max-size", "1KB")
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	output(t, exitLocked, "backup", "create", filepath.Join(out, "c.tar.zst"), "--data", dir) // no process answers at a socket
	output(t, exitLocked, "backup", "restore", file, "--data", dir, "--replace")
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, out); !slices.Equal(got, []string{"b.tar.zst"}) {
		t.Errorf("left behind: %v", got)
	}
	replaced := output(t, 0, "backup", "restore", file, "--data", dir, "--replace")
	kept, err := filepath.Glob(dir + ".before-*")
	if err != nil || len(kept) != 1 || !strings.Contains(replaced, kept[0]) {
		t.Fatalf("kept %v, %v; said %q", kept, err, replaced)
	}
	if _, err := os.Stat(filepath.Join(kept[0], "labels.tsv")); err != nil {
		t.Error(err)
	}
}

// A process that has the directory open and writes to it gives a backup at its socket,
// whose databases are clean and of one moment.
func TestBackupFromRunningProcess(t *testing.T) {
	t.Parallel()
	dir, out := backupData(t), t.TempDir()
	a := newTestApp(t)
	a.Config.Data = dir
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	open := func() (map[string]bolt.Source, func()) { return engine.State{Store: st}.Sources(), func() {} }
	l, err := admin.ListenSocket(t.Context(), filepath.Join(dir, app.AdminSocket))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(snapshot.BackupPath, snapshot.BackupHandler(a, open))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: admin.ReadHeaderTimeout}
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(l) })
	defer wg.Wait()
	defer func() { _ = server.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wg.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			e := eventseer.Event{URL: fmt.Sprintf("https://w%d.example.org/", n), Title: fmt.Sprintf("Workshop on Item W%d", n), Acronym: fmt.Sprintf("W%dX", n), Year: 2027}
			if _, err := st.Put(ctx, e, nil); err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 3 {
		file := filepath.Join(out, fmt.Sprintf("%d.tar.zst", i))
		output(t, 0, "backup", "create", file, "--data", dir)
		if text := output(t, 0, "backup", "verify", file); strings.Count(text, ": clean") != 3 {
			t.Errorf("verify says %q", text)
		}
	}
}

// Who asks a running process by TCP gets nothing.
func TestBackupIsForTheSocket(t *testing.T) {
	a := newTestApp(t)
	a.Config.Data = backupData(t)
	open := func() (map[string]bolt.Source, func()) { return nil, func() {} }
	server := httptest.NewServer(snapshot.BackupHandler(a, open))
	defer server.Close()
	resp, err := server.Client().Get(server.URL + snapshot.BackupPath)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	if err := resp.Body.Close(); err != nil || resp.StatusCode != 403 || len(body) > 200 {
		t.Errorf("status %d with %d bytes, %v", resp.StatusCode, len(body), err)
	}
}

// plainBackup returns the tar file of a backup, not packed.
func plainBackup(t *testing.T) []byte {
	t.Helper()
	a := newTestApp(t)
	var b bytes.Buffer
	if _, err := snapshot.WriteBackup(t.Context(), a, &b, backupData(t), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func packed(t testing.TB, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(snapshot.BackupWindow))
	if err == nil {
		_, err = w.Write(plain)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A backup of which the end is missing, wherever, or of which a byte is another, is
// refused.
func TestDamagedBackup(t *testing.T) {
	t.Parallel()
	plain := plainBackup(t)
	read := func(file []byte) error {
		_, err := (&snapshot.BackupReader{Ctx: t.Context(), MaxSize: 1 << 30}).Read(bytes.NewReader(file))
		return err
	}
	if err := read(packed(t, plain)); err != nil {
		t.Fatal(err)
	}
	whole := packed(t, plain)
	for n := 0; n < len(whole)-1; n += 1 + len(whole)/97 {
		if err := read(whole[:n]); !errors.Is(err, snapshot.ErrBadBackup) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	end := len(plain) - 1024 // what follows the last file is padding
	for n := 0; n < end; n += 512 * (1 + end/512/97) {
		if err := read(packed(t, plain[:n])); !errors.Is(err, snapshot.ErrBadBackup) {
			t.Errorf("%d of %d bytes unpacked: %v", n, len(plain), err)
		}
	}
	store := bytes.Index(plain, []byte("SOON"))
	if store < 0 {
		t.Fatal("the backup does not hold the store's events")
	}
	changed := slices.Clone(plain)
	changed[store]++
	if err := read(packed(t, changed)); !errors.Is(err, snapshot.ErrBadBackup) {
		t.Errorf("a byte changed: %v", err)
	}
	if err := read([]byte("no archive")); !errors.Is(err, snapshot.ErrBadBackup) {
		t.Errorf("no archive: %v", err)
	}
}

// rewrittenBackup writes a backup to file after change has changed its store. The manifest has the new
// digests of the files; the caller may change it.
func rewrittenBackup(t *testing.T, file string, change func(path string), manifest func(m map[string]any)) {
	t.Helper()
	type entry struct {
		name string
		data []byte
	}
	var entries []entry
	for r := tar.NewReader(bytes.NewReader(plainBackup(t))); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		data, err2 := io.ReadAll(r)
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{h.Name, data})
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	var files []map[string]any
	for _, e := range entries {
		var err error
		switch e.name {
		case app.StoreFile:
			path := filepath.Join(t.TempDir(), e.name)
			if err = os.WriteFile(path, e.data, 0o600); err == nil {
				change(path)
				e.data, err = os.ReadFile(path)
			}
		case snapshot.BackupManifestName:
			m := map[string]any{}
			if err = json.Unmarshal(e.data, &m); err == nil {
				m["files"] = files
				manifest(m)
				e.data, err = json.Marshal(m)
			}
		}
		sum := sha256.Sum256(e.data)
		files = append(files, map[string]any{"name": e.name, "size": len(e.data), "sha256": hex.EncodeToString(sum[:])})
		if err == nil {
			err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.data)), Mode: 0o600})
		}
		if err == nil {
			_, err = w.Write(e.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), os.WriteFile(file, packed(t, b.Bytes()), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// A value inside a backup that was changed is found, with its checksums and the manifest's digests of files
// changed too. A backup from before manifests had contents is still restored.
func TestBackupProvesContents(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	changed, old := filepath.Join(out, "changed.tar.zst"), filepath.Join(out, "old.tar.zst")
	add := func(path string) {
		st, err := store.Open(path, store.Options{MustExist: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = st.Put(t.Context(), eventseer.Event{URL: "https://added.example.org/", Title: "Workshop on Additions", Acronym: "WADD", Year: 2027}, nil)
		if err := errors.Join(err, st.Close()); err != nil {
			t.Fatal(err)
		}
	}
	rewrittenBackup(t, changed, add, func(map[string]any) {})
	for _, line := range [][]string{{"verify", changed}, {"restore", changed, "--data", filepath.Join(out, "a")}} {
		code, said, talk := runCaptured(t, append([]string{"backup"}, line...)...)
		if code != exitFailed || !strings.Contains(talk, `store.db: bucket "`) || !strings.Contains(talk, "when the backup was made") {
			t.Errorf("%v: exit code %d, %s%s", line, code, said, talk)
		}
	}
	rewrittenBackup(t, old, add, func(m map[string]any) { delete(m, "contents") })
	output(t, 0, "backup", "verify", old)
	output(t, 0, "backup", "restore", old, "--data", filepath.Join(out, "b"))
}

// A damaged database is not backed up, because the backup would be taken for a good one.
func TestNoBackupOfDamage(t *testing.T) {
	t.Parallel()
	dir, file := backupData(t), filepath.Join(t.TempDir(), "b.tar.zst")
	overwriteStored(t, filepath.Join(dir, app.StoreFile), "event")
	code, said, talk := runCaptured(t, "backup", "create", file, "--data", dir)
	if code != exitFailed || !strings.Contains(talk, "store.db: ") || !strings.Contains(talk, "check --repair") && !strings.Contains(talk, "--repair") {
		t.Errorf("exit code %d, %s%s", code, said, talk)
	}
	if left := filesIn(t, filepath.Dir(file)); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// tarOf makes a tar file with these headers, each followed by as many bytes as it states.
func tarOf(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, h.Size)); err != nil && h.Typeflag == tar.TypeReg {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed(t, b.Bytes())
}

// No name in a backup leads out of the folder to which it is unpacked.
func TestHostileBackup(t *testing.T) {
	t.Parallel()
	regular := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 5} }
	for name, headers := range map[string][]tar.Header{
		"up":            {regular("../store.db")},
		"up below":      {regular("wrappers/../../x")},
		"absolute":      {regular("/etc/passwd")},
		"unclean":       {regular("wrappers//x")},
		"backslash":     {regular(`wrappers\..\..\x`)},
		"drive":         {regular("wrappers/c:x")},
		"a line end":    {regular("wrappers/a\nb")},
		"deep":          {regular("wrappers/a/b/c/d/e")},
		"long":          {regular("wrappers/" + strings.Repeat("x", 400))},
		"unknown":       {regular("admin.sock")},
		"a folder only": {regular("wrappers")},
		"link":          {{Typeflag: tar.TypeSymlink, Name: "wrappers/x", Linkname: "/etc/passwd"}},
		"hard link":     {{Typeflag: tar.TypeLink, Name: "wrappers/x", Linkname: "/etc/passwd"}},
		"device":        {{Typeflag: tar.TypeChar, Name: "wrappers/x"}},
		"folder":        {{Typeflag: tar.TypeDir, Name: "wrappers/x/"}},
		"twice":         {regular("store.db"), regular("store.db")},
		"large":         {{Typeflag: tar.TypeReg, Name: "store.db", Size: 2000}},
		"no manifest":   {regular("store.db")},
		"bad manifest":  {regular("store.db"), regular(snapshot.BackupManifestName)},
	} {
		out := t.TempDir()
		file, into := filepath.Join(out, "b.tar.zst"), filepath.Join(out, "into")
		if err := errors.Join(os.Mkdir(into, 0o755), os.WriteFile(file, tarOf(t, headers...), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := snapshot.UnpackBackup(t.Context(), file, into, 1000); !errors.Is(err, snapshot.ErrBadBackup) {
			t.Errorf("%s: %v, want errBadBackup", name, err)
		}
		for _, made := range filesIn(t, out) {
			if made != "b.tar.zst" && made != "into/store.db" {
				t.Errorf("%s: it made %s", name, made)
			}
		}
		output(t, exitFailed, "backup", "restore", file, "--data", filepath.Join(out, "data"))
		if _, err := os.Stat(filepath.Join(out, "data")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: it was restored", name)
		}
	}
}

func FuzzBackup(f *testing.F) {
	f.Add(tarOf(f, tar.Header{Typeflag: tar.TypeReg, Name: "store.db", Size: 3}))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, data := range [][]byte{file, packed(t, file)} {
			m, err := (&snapshot.BackupReader{Ctx: t.Context(), MaxSize: 1 << 16, Keep: func(name string, r io.Reader) error {
				if !filepath.IsLocal(name) || !snapshot.IsBackupName(name) {
					t.Errorf("kept %q", name)
				}
				n, err := io.Copy(io.Discard, r)
				if n > 1<<16 {
					t.Errorf("%s has %d bytes", name, n)
				}
				return err
			}}).Read(bytes.NewReader(data))
			if err == nil && m.Format != snapshot.BackupFormat {
				t.Errorf("took a manifest of the format %d", m.Format)
			}
		}
	})
}

// If the disk becomes full at any byte, no backup is left.
func TestBackupOnFullDisk(t *testing.T) {
	a, dir := newTestApp(t), backupData(t)
	size := len(plainBackup(t))
	for room := 0; room < size-2048; room += 1 + size/41 {
		if _, err := snapshot.WriteBackup(t.Context(), a, &fullWriter{room}, dir, nil); err == nil {
			t.Errorf("room for %d of %d bytes: no error", room, size)
		}
	}
}

var errFull = errors.New("disk full")

type fullWriter struct{ room int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if len(p) > w.room {
		return 0, errFull
	}
	w.room -= len(p)
	return len(p), nil
}
