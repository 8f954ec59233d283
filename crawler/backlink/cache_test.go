package backlink

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/google/go-cmp/cmp"
)

// An answer is paid for once within the TTL, an answer without links once in a tenth of it, and a failure is
// not cached.
func TestTTL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	clk := &clock{noon}
	p := telling("p", Page)
	full := p.answer
	at := func(when time.Duration, payer string, want int) {
		t.Helper()
		clk.at = noon.Add(when)
		d := openDB(t, path)
		defer closeClean(t, d)
		c := newChain(t, ChainOptions{Links: d, Sources: []Source{{Provider: p}}, Now: clk.now, TTL: 10 * time.Hour})
		if _, calls, err := c.Backlinks(t.Context(), payer, 5); err != nil || calls != want {
			t.Errorf("%s asks after %s: %d calls, want %d (%v)", payer, when, calls, want, err)
		}
	}
	at(0, asking, 1)
	at(1, asking, 1) // observed again, not queried again
	at(10*time.Hour-time.Second, asking, 1)
	if len(p.asked) != 1 {
		t.Errorf("asked %d times within the TTL", len(p.asked))
	}
	at(10*time.Hour, asking, 1)
	if len(p.asked) != 2 {
		t.Errorf("asked %d times, want again after the TTL", len(p.asked))
	}
	p.answer = func(Query) (Answer, error) { return Answer{Calls: 1}, nil }
	const nobody = "https://nobody.org/x"
	at(11*time.Hour, nobody, 1)
	at(12*time.Hour-time.Second, nobody, 1)
	if len(p.asked) != 3 {
		t.Errorf("asked %d times, want an empty answer kept for an hour", len(p.asked))
	}
	p.answer = full
	at(12*time.Hour, nobody, 1)
	if len(p.asked) != 4 {
		t.Errorf("asked %d times, want again after an hour", len(p.asked))
	}
}

// A cached answer has its provider, scope, time and cost; the returned answer equals the original.
func TestCachedAnswer(t *testing.T) {
	links := []Backlink{
		{Source: "https://a.net/", Target: asking, Anchor: "CFP", Title: "Calls", Provider: "p", Scope: Host, NoFollow: true, Seen: noon, Mention: true},
		{Source: "https://b.net/", Target: asking, Provider: "p", Scope: Host},
	}
	answer := Answer{Links: links, Next: "n", Calls: 1, Cost: 2.5, Dropped: 3}
	v, err := encodeAnswer(cachedAnswer{Payer: asking, At: noon, Limit: 2, Scope: Host, Answer: answer})
	if err != nil {
		t.Fatal(err)
	}
	k, err := decodeAnswer(v, "p")
	if err != nil || k.Payer != asking || !k.At.Equal(noon) || !k.isSufficientFor(2) || k.isSufficientFor(3) {
		t.Errorf("%+v, %v", k, err)
	}
	if diff := cmp.Diff(answer, k.Answer); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	long := make([]Backlink, MaxLimit)
	for i := range long {
		long[i] = Backlink{Source: fmt.Sprintf("https://a%d.net/%s", i, strings.Repeat("x", 1990)), Target: asking}
	}
	v, err = encodeAnswer(cachedAnswer{Limit: MaxLimit, Answer: Answer{Links: long}})
	if k, err2 := decodeAnswer(v, "p"); err != nil || err2 != nil || len(v) > maxAnswer || len(k.Links) == 0 || k.isSufficientFor(MaxLimit) {
		t.Errorf("%d bytes, %d links, %v, %v", len(v), len(k.Links), err, err2)
	}
}

// A cache holds no more than its maximum; entries that expire first are removed first, and expired entries
// are removed with time.
func TestExpiringCache(t *testing.T) {
	d := openDB(t, filepath.Join(t.TempDir(), "links.db"))
	defer closeClean(t, d)
	s := answers
	s.max = 10
	keys := func() (n int) {
		_ = d.db.View(func(tx *bolt.Tx) error { n = tx.Bucket(s.bucket).Len(); return nil })
		return n
	}
	put := func(k string, now, until time.Time) {
		t.Helper()
		err := d.db.Update(func(tx *bolt.Tx) error { return s.put(tx, []byte(k), []byte("{}"), now, until) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 30 {
		put(fmt.Sprint("k", i), noon, noon.Add(time.Duration(100-i)*time.Hour))
		put(fmt.Sprint("k", i), noon, noon.Add(time.Duration(100-i)*time.Hour)) // again: replaced
	}
	if n := keys(); n != 10 {
		t.Errorf("%d kept, want 10", n)
	}
	late := noon.Add(200 * time.Hour)
	for i := range 3 {
		put(fmt.Sprint("late", i), late, late.Add(time.Hour))
	}
	if n := keys(); n != 3 {
		t.Errorf("%d kept, want the 3 that have not ended", n)
	}
}

// Answers from another file, or from the same file with other imperfections, are not confused with those of
// this one.
func TestVersions(t *testing.T) {
	d := openDB(t, filepath.Join(t.TempDir(), "links.db"))
	defer closeClean(t, d)
	for _, coverage := range []float64{1, 0} {
		c := newChain(t, ChainOptions{Links: d, Sources: []Source{{Provider: edgeList(t, toy, Spec{Coverage: coverage})}}})
		links, calls, err := c.Backlinks(t.Context(), "https://conf.org/2027/cfp.html", 9)
		if wants := coverage == 1; err != nil || calls == 0 || (len(links) > 0) != wants {
			t.Errorf("coverage %v: %v, %d calls, %v", coverage, links, calls, err)
		}
	}
}

// Damaged values in the file are reported, and queried again.
func TestBrokenAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	d := openDB(t, path)
	p := telling("p", Page)
	ask := func() {
		c := newChain(t, ChainOptions{Links: d, Sources: []Source{{Provider: p}}})
		if links, _, err := c.Backlinks(t.Context(), asking, 5); err != nil || len(links) != 1 {
			t.Errorf("%v, %v", links, err)
		}
	}
	ask()
	spoil := func(bucket []byte) {
		err := d.db.Update(func(tx *bolt.Tx) error {
			k, v := tx.Bucket(bucket).Cursor().First()
			broken := append(append([]byte{}, v[:min(8, len(v))]...), "{\"Limit\":-1"...)
			return tx.Bucket(bucket).Put(append([]byte{}, k...), broken)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	spoil(answers.bucket)
	if broken := d.Check(); len(broken) != 1 {
		t.Errorf("%v", broken)
	}
	ask()
	if len(p.asked) != 2 {
		t.Errorf("asked %d times", len(p.asked))
	}
	spoil(providerBucket)
	if _, err := NewChain(ChainOptions{Links: d, Sources: []Source{{Provider: p}}}); err == nil {
		t.Error("a standing that cannot be read: no error")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func FuzzDecodeAnswer(f *testing.F) {
	f.Add([]byte(`{"Payer":"https://a.net/","Limit":9,"Scope":1,"Calls":1,"Links":[{"Source":"https://b.net/","Target":"https://a.net/"}]}`))
	f.Add([]byte(`{"Cost":-1}`))
	f.Fuzz(func(t *testing.T, v []byte) {
		k, err := decodeAnswer(v, "p")
		if err != nil {
			return
		}
		again, err := encodeAnswer(k)
		if err != nil {
			t.Skip(err) // a time beyond what JSON can write
		}
		k2, err := decodeAnswer(again, "p")
		if err != nil || len(k2.Links) > len(k.Links) || k2.Payer != k.Payer {
			t.Errorf("%+v comes back as %+v (%v)", k, k2, err)
		}
	})
}

func FuzzDecodeState(f *testing.F) {
	f.Add([]byte(`{"Provider":"p","Scope":2,"Seen":"yes"}`), []byte(`{"name":"p","asked":3,"day":"2027-01-11"}`))
	f.Fuzz(func(t *testing.T, p, s []byte) {
		if got, err := decodeReportedLink(p); err == nil && int(got.Scope) >= len(ScopeNames) {
			t.Errorf("%+v", got)
		}
		st, err := decodeStanding(s)
		if err != nil {
			return
		}
		if _, err := st.checkAdmission(Limits{CallsPerDay: 1, Pause: time.Second}, noon); err == nil && st.DayCalls >= 1 {
			t.Errorf("%+v is let through", st)
		}
	})
}

func FuzzCursor(f *testing.F) {
	f.Add("3@Y29uZi5vcmcv")
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := ParseCursor(text); ok {
			if again, ok := ParseCursor(c.String()); !ok || again != c {
				t.Errorf("%q: %+v, then %+v", text, c, again)
			}
		}
	})
}
