package linkruns

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/klauspost/compress/s2"
	"pgregory.net/rapid"
)

var schema = []func(*bolt.Tx) error{bolt.AddChecksums, CreateBuckets}

func openRuns(t testing.TB, path string) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(path, bolt.Options{Kind: "runs", Migrations: schema})
	if err != nil {
		t.Fatal(err)
	}
	db.NoSync = true
	return db
}

// flush writes the pending links and returns the merger after a step.
func flush(t testing.TB, db *bolt.DB, p *Pending, m Merger, sources int) (after Merger) {
	t.Helper()
	err := db.Update(func(tx *bolt.Tx) (err error) {
		if err := WriteRun(tx, p, sources); err != nil {
			return err
		}
		after, err = m.Step(tx, sources)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Reset()
	return after
}

// scanned returns the links with a prefix as text.
func scanned(t testing.TB, db *bolt.DB, p *Pending, prefix, from string, sources int) (links []string) {
	t.Helper()
	err := db.View(func(tx *bolt.Tx) error {
		pending := p.Within([]byte(prefix), ScanStart([]byte(prefix), []byte(from)))
		return Scan(tx, pending, []byte(prefix), []byte(from), sources, func(k, v []byte) bool {
			links = append(links, fmt.Sprintf("%q %q", k, v))
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return links
}

func problems(t testing.TB, db *bolt.DB) (all []error) {
	t.Helper()
	if err := db.View(func(tx *bolt.Tx) error {
		all = Check(tx, func(_, _ []byte) error { return nil })
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return append(all, bolt.Check(db)...)
}

// modelled returns the links with a prefix that a naive model expects.
func modelled(model map[string]string, prefix, from string, sources int) (links []string) {
	n, page := 0, ""
	for _, k := range slices.Sorted(maps.Keys(model)) {
		if p := k[:strings.IndexByte(k, sortedlinks.PageEnd)]; p != page {
			n, page = 0, p
		}
		if n++; n <= sources && strings.HasPrefix(k, prefix) && k >= from {
			links = append(links, fmt.Sprintf("%q %q", k, model[k]))
		}
	}
	return links
}

// A scan returns the first value of each key and the first sources of each page. Additions, flushes, steps
// of merges and restarts come in any order.
func TestRunsEqualModel(t *testing.T) {
	merged := 0
	rapid.Check(t, func(rt *rapid.T) {
		db := openRuns(t, filepath.Join(t.TempDir(), rapid.StringMatching(`[a-z]{12}`).Draw(rt, "name")+".db"))
		defer func() { _ = db.Close() }()
		var p Pending
		sources := rapid.SampledFrom([]int{1, 3, 1000}).Draw(rt, "sources")
		m := Merger{stepBytes: rapid.SampledFrom([]int{1, 300, 2000, mergeBytes}).Draw(rt, "bytes")}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		model := map[string]string{}
		for range rapid.IntRange(1, 40).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 150).Draw(rt, "links") {
				target := fmt.Sprintf("http://h%d.conf.org/%s%d", r.IntN(3), strings.Repeat("x", r.IntN(3)), r.IntN(5))
				source, value := fmt.Sprintf("https://s%d.net/%s", r.IntN(200), strings.Repeat("y", r.IntN(60))), fmt.Sprint(r.IntN(100))
				p.Add(target, source, []byte(value))
				key := string(sortedlinks.AppendPrefix(nil, target)) + "\x00" + source
				if _, known := model[key]; !known {
					model[key] = value
				}
			}
			switch rapid.IntRange(0, 5).Draw(rt, "then") {
			case 0: // a restart in the middle of a merge
				m = Merger{stepBytes: m.stepBytes}
			case 1:
			default:
				m = flush(t, db, &p, m, sources)
				merged += len(m.active)
			}
			prefix, from := rapid.SampledFrom([]string{"", "org,conf,", "org,conf,h1,)/", "org,conf,h2,)/x3\x00", "none"}).Draw(rt, "prefix"), ""
			if rapid.Bool().Draw(rt, "from") && len(model) > 0 {
				from = slices.Sorted(maps.Keys(model))[r.IntN(len(model))]
			}
			if got, want := scanned(t, db, &p, prefix, from, sources), modelled(model, prefix, from, sources); !slices.Equal(got, want) {
				rt.Fatalf("prefix %q from %q: %d links, want %d\n%s\n%s", prefix, from, len(got), len(want), got, want)
			}
		}
		for _, err := range problems(t, db) {
			rt.Error(err)
		}
	})
	if merged == 0 {
		t.Error("no merge had several steps")
	}
}

// However many runs are written, few remain, and no step writes more than its bytes and a block.
func TestRunsAreFew(t *testing.T) {
	db := openRuns(t, filepath.Join(t.TempDir(), "runs.db"))
	defer func() { _ = db.Close() }()
	var p Pending
	var m Merger
	most := 0
	for i := range 400 {
		for n := range 20 {
			p.Add(fmt.Sprintf("http://conf%d.org/", (i*7+n*13)%100), fmt.Sprintf("https://s%d.net/%d", n, i), []byte("hf"))
		}
		m = flush(t, db, &p, m, 1000)
		if err := db.View(func(tx *bolt.Tx) error {
			runs, err := listRuns(tx)
			most = max(most, len(runs))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if most > 2*fanIn {
		t.Errorf("%d runs", most)
	}
	if n := len(scanned(t, db, &p, "", "", 1000)); n != 8000 {
		t.Errorf("%d links, want 8000", n)
	}
	if all := problems(t, db); len(all) > 0 {
		t.Error(all)
	}
}

// Large runs are merged by levels, in several steps.
func TestLevels(t *testing.T) {
	for size, want := range map[uint64]int{0: 0, firstLevel - 1: 0, firstLevel: 1, fanIn*firstLevel - 1: 1, fanIn * firstLevel: 2, 1<<64 - 1: maxLevel} {
		if got := levelOf(size); got != want {
			t.Errorf("%d bytes: level %d, want %d", size, got, want)
		}
	}
	of := func(id, size uint64) run { return run{id: id, age: id, bytes: size} }
	large := uint64(firstLevel)
	runs := []run{of(1, large), of(2, 5), of(3, 5), of(4, large), of(5, 5), of(6, 5)}
	if g := nextGroup(runs, map[uint64]bool{}); len(g) != 6 {
		t.Errorf("%v: two small runs, a large one, and so on are merged together", g)
	}
	if g := nextGroup(runs, map[uint64]bool{3: true}); g != nil {
		t.Errorf("%v: a run that is being merged lies between them", g)
	}
	if g := nextGroup(append(runs, of(7, 5), of(8, 5), of(9, 5), of(10, 5)), map[uint64]bool{}); len(g) != 6 || g[0].id != 5 {
		t.Errorf("%v: want the small runs", g)
	}
}

// filledRuns returns a database of two runs with several blocks.
func filledRuns(t testing.TB) *bolt.DB {
	t.Helper()
	db := openRuns(t, filepath.Join(t.TempDir(), "runs.db"))
	var p Pending
	r := rand.New(rand.NewPCG(1, 2))
	for range 2 {
		for range 2000 {
			p.Add(fmt.Sprintf("http://conf%d.org/%d", r.IntN(50), r.IntN(100)), fmt.Sprintf("https://s%d.net/", r.IntN(100)), []byte("hfanchor"))
		}
		flush(t, db, &p, Merger{}, 1000)
	}
	return db
}

// A stored block with valid checksums and invalid contents is an error of Check and of readers, whatever
// the contents.
func TestDamagedBlocks(t *testing.T) {
	entry := func(shared int, key string) []byte {
		return sortedlinks.AppendEntry(nil, shared, []byte(key), []byte("hf"))
	}
	for name, stored := range map[string][]byte{
		"nothing":              {},
		"no S2":                []byte("no block"),
		"empty":                s2.Encode(nil, nil),
		"too large":            s2.Encode(nil, make([]byte, maxBlock+1)),
		"zeros":                s2.Encode(nil, make([]byte, 100)),
		"another beginning":    s2.Encode(nil, entry(0, "zz,)/\x00https://a.net/")),
		"a shared beginning":   s2.Encode(nil, entry(2, "org,)/\x00https://a.net/")),
		"an end in the middle": s2.Encode(nil, entry(0, "org,)/\x00https://a.net/")[:9]),
	} {
		db := filledRuns(t)
		var key []byte
		err := db.Update(func(tx *bolt.Tx) error {
			c := tx.Bucket(blockBucket).Cursor()
			key, _ = c.First()
			key = bytes.Clone(key)
			return tx.Bucket(blockBucket).Put(key, stored)
		})
		if err != nil {
			t.Fatal(err)
		}
		if all := problems(t, db); len(all) == 0 || !errors.Is(all[0], bolt.ErrDamaged) {
			t.Errorf("%s: check returns %v", name, all)
		}
		err = db.View(func(tx *bolt.Tx) error {
			return Scan(tx, nil, nil, nil, 1000, func(_, _ []byte) bool { return true })
		})
		if !errors.Is(err, bolt.ErrDamaged) {
			t.Errorf("%s: a scan returns %v", name, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Keys out of order, within a block and between blocks, and blocks without a run are found.
func TestCheckFindsOrder(t *testing.T) {
	for name, harm := range map[string]func(tx *bolt.Tx) error{
		"swapped blocks": func(tx *bolt.Tx) error {
			b := tx.Bucket(blockBucket)
			c := b.Cursor()
			k1, v1 := c.First()
			k2, v2 := c.Next()
			k1, v1, k2, v2 = bytes.Clone(k1), bytes.Clone(v1), bytes.Clone(k2), bytes.Clone(v2)
			return errors.Join(b.Put(k1, v2), b.Put(k2, v1))
		},
		"a block twice": func(tx *bolt.Tx) error {
			b := tx.Bucket(blockBucket)
			c := b.Cursor()
			k1, v1 := c.First()
			return b.Put(append(bytes.Clone(k1), 'r'), bytes.Clone(v1))
		},
		"no run":      func(tx *bolt.Tx) error { return tx.Bucket(runBucket).Delete(runKey(1)) },
		"a short key": func(tx *bolt.Tx) error { return tx.Bucket(blockBucket).Put([]byte("x"), nil) },
		"a record":    func(tx *bolt.Tx) error { return tx.Bucket(runBucket).Put(runKey(1), []byte{1}) },
	} {
		db := filledRuns(t)
		if err := db.Update(harm); err != nil {
			t.Fatal(err)
		}
		if all := problems(t, db); len(all) == 0 {
			t.Errorf("%s: not found", name)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Links whose run is not recorded are readable after AdoptRuns.
func TestAdoptRuns(t *testing.T) {
	db := filledRuns(t)
	defer func() { _ = db.Close() }()
	var p Pending
	before := scanned(t, db, &p, "", "", 1000)
	err := db.Update(func(tx *bolt.Tx) error { return tx.Bucket(runBucket).Delete(runKey(1)) })
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		err := db.Update(func(tx *bolt.Tx) error {
			if lacks, err := LacksRecords(tx); lacks != want || err != nil {
				t.Errorf("records are missing: %t, %v", lacks, err)
			}
			return AdoptRuns(tx)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if all := problems(t, db); len(all) > 0 || !slices.Equal(before, scanned(t, db, &p, "", "", 1000)) {
		t.Errorf("other links after the adoption; %v", all)
	}
}

// Links that were removed from the pending ones are not there, and those added later are.
func TestPendingTruncate(t *testing.T) {
	var p Pending
	p.Add("http://a.org/", "https://s.net/", []byte("hf"))
	_ = p.Within(nil, nil)
	p.Add("http://b.org/", "https://s.net/", []byte("hf"))
	p.Truncate(1)
	p.Add("http://c.org/", "https://t.net/", []byte("sn"))
	p.Add(strings.Repeat("x", maxPart), "https://t.net/", nil) // too long
	var got []string
	for k, v := range p.All() {
		got = append(got, string(k)+" "+string(v))
	}
	if want := []string{"org,a,)/\x00https://s.net/ hf", "org,c,)/\x00https://t.net/ sn"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzBlock reads any bytes as a block of a run.
func FuzzBlock(f *testing.F) {
	f.Add([]byte("o"), sortedlinks.AppendEntry(nil, 0, []byte("org,a,)/\x00https://b.net/"), []byte("hf")), true)
	f.Add([]byte("o"), []byte("raw"), false)
	f.Fuzz(func(t *testing.T, begin, data []byte, compress bool) {
		if compress {
			data = s2.Encode(nil, data)
		}
		r := &runReader{prefix: runKey(1)}
		var last []byte
		_ = r.checkBlock(append(runKey(1), begin...), data, func(k, _ []byte) error {
			if bytes.Compare(k, last) <= 0 && last != nil || !bytes.HasPrefix(k, begin) && last == nil {
				t.Fatalf("%q after %q in a block of %q", k, last, begin)
			}
			last = append(last[:0:0], k...)
			return nil
		})
	})
}

// FuzzPendingOrder compares the order of pending links with that of their keys.
func FuzzPendingOrder(f *testing.F) {
	f.Add("http://a.org/ http://a.org/x http://b.a.org/", uint8(20))
	f.Fuzz(func(t *testing.T, targets string, n uint8) {
		var p Pending
		var want []string
		fields := strings.Fields(targets)
		for i := range int(n) * len(fields) {
			target := fmt.Sprint(fields[i%len(fields)], i%7)
			before := p.Len()
			p.Add(target, fmt.Sprint("s", i%5), nil)
			if p.Len() > before {
				want = append(want, string(sortedlinks.AppendPrefix(nil, target))+"\x00"+fmt.Sprint("s", i%5))
			}
			if i%11 == 0 {
				_ = p.Within([]byte("x"), nil)
			}
		}
		slices.Sort(want)
		var got []string
		for k := range p.All() {
			got = append(got, string(k))
		}
		if !slices.Equal(got, want) && !strings.Contains(targets, "\x00") {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
