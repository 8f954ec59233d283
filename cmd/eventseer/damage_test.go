package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/nightly"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
	"go.etcd.io/bbolt"
)

// damageVariable names the list of directories that TestDamageChild reads.
const damageVariable = "EVENTSEER_DAMAGED"

// growDatabases adds a round of records to all databases of a data directory.
func growDatabases(t *testing.T, dir string, round int) {
	t.Helper()
	ctx, now := t.Context(), testNow()
	clock := func() time.Time { return now }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{Now: clock})
	must(err)
	f, err := frontier.Open(filepath.Join(dir, app.FrontierFile), frontier.Options{Now: clock, NoWait: true, NoSync: true})
	must(err)
	links, err := backlink.OpenLinkDB(filepath.Join(dir, app.LinksFile), backlink.Options{})
	must(err)
	m, err := monitor.Open(dir, monitor.Options{Now: clock})
	must(err)
	p, err := publish.Open(ctx, publish.Options{Path: filepath.Join(dir, app.PublishFile), Now: clock, Rand: rand.NewChaCha8([32]byte{byte(round)})})
	must(err)
	for i := range 60 {
		n := 60*round + i
		url := fmt.Sprintf("https://conf%d.example.org/cfp-%d.html", n%37, n)
		_, err := st.Put(ctx, eventseer.Event{
			URL: url, Title: fmt.Sprintf("Workshop %d on Invented Matters", n), Acronym: fmt.Sprintf("WIM%d", n), Year: 2027,
			FirstSeen: now, LastSeen: now, Topics: []string{"invented", fmt.Sprintf("matter %d", n)},
			Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: eventseer.Date(fmt.Sprintf("2027-%02d-%02d", 1+n%12, 1+n%28)), Text: "due"}},
		}, []eventseer.Clip{{ID: fmt.Sprintf("c%d", n), URL: url, Title: "A clip", Summary: "of the call"}})
		must(err)
		must(f.Push(ctx, []crawler.Candidate{
			{URL: url, Score: float64(n % 10)}, {URL: url + "/more", Score: float64(n % 7)}, {URL: url + "/less", Score: 1},
		}))
		for k := range 4 {
			must(links.Add(ctx, []webgraph.Link{{Source: fmt.Sprintf("https://hub%d.example.net/%d", n, k), Target: url, Anchor: "Call for papers"}}))
		}
		_, err = m.Add(url, monitor.Event, monitor.ByOperator)
		must(err)
		must(m.Import(ctx, &webgraph.Page{URL: url, Requested: url, Status: 200, Body: fmt.Appendf(nil, "<p>page %d of round %d", n, round), FetchedAt: now}))
		must(p.RequestSignIn(ctx, fmt.Sprintf("192.0.2.%d", n%250), fmt.Sprintf("reader%d@example.org", n), eventseer.List{Name: "mine", Query: "invented"}))
	}
	for range 20 {
		l, err := f.Next(ctx)
		must(err)
		must(f.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Status: 200, Cost: 1}}))
	}
	must(errors.Join(st.Close(), f.Close(), links.Close(), m.Close(), p.Close()))
}

// A damagedCopy is a copy of one database and the change that was made to it.
type damagedCopy struct{ dir, file, damage string }

// A livePage is a page of a file that its newest state uses.
type livePage struct {
	id   int
	kind string // "branch" or "leaf"
}

// livePages lists the pages in use of a database file, without their overflow.
func livePages(t *testing.T, path string) (pages []livePage, size int) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	size = db.Info().PageSize
	err = db.View(func(tx *bbolt.Tx) error {
		tx.Inspect() // loads what Page looks up
		for range tx.Check() {
		}
		for id := 2; int64(id) < tx.Size()/int64(size); {
			p, err := tx.Page(id)
			if err != nil || p == nil {
				return err
			}
			if p.Type == "branch" || p.Type == "leaf" {
				pages = append(pages, livePage{id, p.Type})
				id += p.OverflowCount
			}
			id++
		}
		return nil
	})
	if err != nil || len(pages) == 0 {
		t.Fatal(len(pages), err)
	}
	return pages, size
}

// damage changes the bytes of a file in one of the ways of disks, copies and programs, and returns
// a description. It returns "" if the file has nothing of that kind. earlier is an older state of
// the file.
func damage(r *rand.Rand, data, earlier []byte, pages []livePage, size int, way int) ([]byte, string) {
	of := func(kind string) (int, bool) {
		var some []int
		for _, p := range pages {
			if p.kind == kind {
				some = append(some, p.id)
			}
		}
		if len(some) == 0 {
			return 0, false
		}
		return some[r.IntN(len(some))], true
	}
	flip := func(id int) {
		used := usedBytes(data[id*size:])
		for range 1 + r.IntN(3) {
			data[id*size+r.IntN(used)] ^= 1 << r.IntN(8)
		}
	}
	page := pages[r.IntN(len(pages))].id
	switch way {
	case 0:
		return data[:r.IntN(len(data))], "cut short"
	case 1:
		clear(data[page*size : (page+1)*size])
		return data, "zeroed page"
	case 2:
		id := r.IntN(2)
		data[id*size+r.IntN(80)] ^= 1 << r.IntN(8)
		return data, "bits of a meta page"
	case 3:
		id, ok := of("branch")
		if !ok {
			return nil, ""
		}
		flip(id)
		return data, "bits of a branch page"
	case 4:
		id, _ := of("leaf")
		flip(id)
		return data, "bits of a leaf page"
	case 5, 6:
		id, _ := of("leaf")
		return overwriteValue(r, data, id*size)
	case 7:
		other := pages[r.IntN(len(pages))].id
		if other == page {
			return nil, ""
		}
		a, b := data[page*size:(page+1)*size], data[other*size:(other+1)*size]
		copied := slices.Clone(a)
		copy(a, b)
		copy(b, copied)
		return data, "swapped pages"
	case 8:
		for range 50 {
			id := pages[r.IntN(len(pages))].id
			if (id+1)*size <= len(earlier) && !bytes.Equal(earlier[id*size:(id+1)*size], data[id*size:(id+1)*size]) {
				copy(data[id*size:(id+1)*size], earlier[id*size:(id+1)*size])
				return data, "old copy of a page"
			}
		}
	case 9:
		id := r.IntN(2)
		copy(data[id*size:(id+1)*size], earlier[id*size:(id+1)*size])
		return data, "old copy of a meta page"
	}
	return nil, ""
}

// usedBytes returns the number of bytes in use of a branch or leaf page.
func usedBytes(page []byte) int {
	end := 16
	for i := range int(binary.LittleEndian.Uint16(page[10:])) {
		e := 16 + 16*i
		element := page[e:]
		if page[8] == 1 { // branch: pos, ksize, page
			end = max(end, e+int(binary.LittleEndian.Uint32(element)+binary.LittleEndian.Uint32(element[4:])))
		} else { // leaf: flags, pos, ksize, vsize
			end = max(end, e+int(binary.LittleEndian.Uint32(element[4:])+binary.LittleEndian.Uint32(element[8:])+binary.LittleEndian.Uint32(element[12:])))
		}
	}
	return end
}

// overwriteValue replaces a value of the leaf page at an offset by one as long: a digit by
// another where there is one.
func overwriteValue(r *rand.Rand, data []byte, at int) ([]byte, string) {
	n := int(binary.LittleEndian.Uint16(data[at+10:]))
	if n == 0 {
		return nil, ""
	}
	e := at + 16 + 16*r.IntN(n)
	pos, ksize, vsize := int(binary.LittleEndian.Uint32(data[e+4:])), int(binary.LittleEndian.Uint32(data[e+8:])), int(binary.LittleEndian.Uint32(data[e+12:]))
	from := e + pos + ksize
	if vsize == 0 || from+vsize > len(data) {
		return nil, ""
	}
	value := data[from : from+vsize]
	if digits := regexp.MustCompile(`[0-9]`).FindAllIndex(value, -1); len(digits) > 0 {
		i := digits[r.IntN(len(digits))][0]
		value[i] = '0' + (value[i]-'0'+1+byte(r.IntN(9)))%10
		return data, "overwritten value"
	}
	value[r.IntN(vsize)] ^= byte(1 + r.IntN(255))
	return data, "overwritten value"
}

// makeDamaged writes n damaged copies of the databases of dir below out. earlier holds an
// older state of them.
func makeDamaged(t *testing.T, dir, earlier, out string, n int) (copies []damagedCopy) {
	t.Helper()
	r := rand.New(rand.NewPCG(30, 1))
	pages, size := map[string][]livePage{}, 0
	data, before := map[string][]byte{}, map[string][]byte{}
	var names []string
	for _, c := range snapshot.Checked {
		names = append(names, c.File)
		var err, err2 error
		data[c.File], err = os.ReadFile(filepath.Join(dir, c.File))
		before[c.File], err2 = os.ReadFile(filepath.Join(earlier, c.File))
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		pages[c.File], size = livePages(t, filepath.Join(dir, c.File))
		data[c.File] = withoutReserve(data[c.File], size)
		before[c.File] = withoutReserve(before[c.File], size)
	}
	for i := 0; len(copies) < n; i++ {
		name := names[i%len(names)]
		damaged, how := damage(r, slices.Clone(data[name]), before[name], pages[name], size, i/len(names)%10)
		if how == "" || bytes.Equal(damaged, data[name]) {
			continue
		}
		at := filepath.Join(out, fmt.Sprintf("%04d", len(copies)))
		if err := errors.Join(os.Mkdir(at, 0o700), os.WriteFile(filepath.Join(at, name), damaged, 0o600)); err != nil {
			t.Fatal(err)
		}
		if name == monitor.File {
			if err := os.Symlink(filepath.Join(dir, monitor.VersionsDir), filepath.Join(at, monitor.VersionsDir)); err != nil {
				t.Fatal(err)
			}
		}
		copies = append(copies, damagedCopy{at, name, how})
	}
	return copies
}

// withoutReserve drops what a file holds beyond the pages that its newest state knows.
func withoutReserve(data []byte, size int) []byte {
	return data[:max(binary.LittleEndian.Uint64(data[16+40:]), binary.LittleEndian.Uint64(data[size+16+40:]))*uint64(size)]
}

// contentsOf is a digest of all keys and values of a database and its buckets' sequences,
// as bbolt reads them, or why it cannot. The sequence of the sums counts transactions.
func contentsOf(path string) (sum string) {
	defer func() {
		if p := recover(); p != nil {
			sum = fmt.Sprint("panic: ", p)
		}
	}()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return err.Error()
	}
	defer func() { _ = db.Close() }()
	h := xxh3.New()
	write := func(parts ...[]byte) {
		for _, p := range parts {
			_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(p))))
			_, _ = h.Write(p)
		}
	}
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			sequence := b.Sequence()
			if string(name) == "sums" {
				sequence = 0
			}
			write(name, binary.AppendUvarint(nil, sequence))
			return b.ForEach(func(k, v []byte) error { write(k, v); return nil })
		})
	})
	if err != nil {
		return err.Error()
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestDamageChild checks the directories that its standard input names, in a process
// that TestDamage starts and that damage may end.
func TestDamageChild(t *testing.T) {
	if os.Getenv(damageVariable) == "" {
		t.Skip("TestDamage runs it")
	}
	list, err := io.ReadAll(os.Stdin)
	if err != nil {
		t.Fatal(err)
	}
	for dir := range strings.FieldsSeq(string(list)) {
		var out bytes.Buffer
		a := newTestApp(t)
		a.Stdout = &out
		fmt.Printf("begin %s\n", dir)
		broken, err := snapshot.CheckDir(t.Context(), a, dir)
		switch {
		case broken > 0:
			lines := slices.DeleteFunc(strings.Split(out.String(), "\n"), func(l string) bool { return l == "" || strings.HasSuffix(l, "not there yet") })
			fmt.Printf("result %s problem %s\n", dir, lines[0])
		case err != nil:
			fmt.Printf("result %s error %s\n", dir, strings.ReplaceAll(err.Error(), "\n", "; "))
		default:
			files, _ := filepath.Glob(filepath.Join(dir, "*.db"))
			fmt.Printf("result %s clean %s\n", dir, contentsOf(files[0]))
		}
	}
}

// checkDamaged returns the output of the check of each directory, in the order of dirs; if a check ended the
// process, its last output.
func checkDamaged(t *testing.T, dirs []string) []string {
	t.Helper()
	results := make([]string, len(dirs))
	for from := 0; from < len(dirs); {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDamageChild$", "-test.timeout=20m")
		cmd.Env = append(os.Environ(), damageVariable+"=1")
		cmd.Stdin = strings.NewReader(strings.Join(dirs[from:], "\n"))
		var talk bytes.Buffer
		cmd.Stderr = &talk
		out, err := cmd.Output()
		at := from
		for line := range strings.Lines(string(out)) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "result "+dirs[min(at, len(dirs)-1)]+" "); ok {
				results[at] = rest
				at++
			}
		}
		if at == len(dirs) {
			break
		}
		if err == nil {
			t.Fatalf("the child ended before %s\n%s", dirs[at], out)
		}
		results[at] = "died " + firstLine(talk.String()+string(out))
		from = at + 1
	}
	return results
}

// firstLine returns the line with the reason for which a Go program ended.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		for _, begin := range []string{"panic:", "fatal error:", "unexpected fault", "[signal", "SIG"} {
			if strings.HasPrefix(line, begin) {
				return strings.TrimSpace(line)
			}
		}
	}
	return "of something unknown"
}

// grownDatabases returns a folder of databases that were written to twice, and one with their state between.
func grownDatabases(t *testing.T) (dir, earlier string) {
	t.Helper()
	dir, earlier = t.TempDir(), t.TempDir()
	growDatabases(t, dir, 0)
	for _, c := range snapshot.Checked {
		data, err := os.ReadFile(filepath.Join(dir, c.File))
		if err == nil {
			err = os.WriteFile(filepath.Join(earlier, c.File), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	growDatabases(t, dir, 1)
	return dir, earlier
}

// No damaged copy of a database ends the program, and none whose contents changed is
// called clean.
func TestDamage(t *testing.T) {
	t.Parallel()
	n := 100
	if nightly.Enabled() {
		n = 1000
	}
	dir, earlier := grownDatabases(t)
	out := t.TempDir()
	if broken, err := snapshot.CheckDir(t.Context(), newTestApp(t), dir); err != nil || broken > 0 {
		t.Fatalf("before any damage: %d problems, %v", broken, err)
	}
	contents := map[string]string{}
	for _, c := range snapshot.Checked {
		contents[c.File] = contentsOf(filepath.Join(dir, c.File))
	}
	copies := makeDamaged(t, dir, earlier, out, n)
	var dirs []string
	for _, c := range copies {
		dirs = append(dirs, c.dir)
	}
	count := map[string]map[string]int{}
	for i, result := range checkDamaged(t, dirs) {
		c := copies[i]
		kind, rest, _ := strings.Cut(result, " ")
		switch {
		case kind == "clean" && rest == contents[c.file]:
			kind = "harmless"
		case kind == "clean":
			kind = "undetected"
		}
		if kind == "died" || kind == "undetected" {
			t.Errorf("%s, %s: %s %s", c.file, c.damage, kind, rest)
		} else {
			t.Logf("%s, %s: %s", c.file, c.damage, result)
		}
		if count[c.damage] == nil {
			count[c.damage] = map[string]int{}
		}
		count[c.damage][kind]++
		count[c.damage]["all"]++
	}
	for _, how := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%-24s %v", how, count[how])
	}
}
