package publish

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// Texts implements eventseer.TextStore.
func (f *fakeStore) Texts(_ context.Context, id eventseer.EventID, before time.Time) (texts []eventseer.PageText, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.texts[id] {
		if before.IsZero() || p.Seen.Before(before) {
			texts = []eventseer.PageText{p} // the newest version
		}
	}
	return texts, nil
}

func (f *fakeStore) putText(id eventseer.EventID, text string, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.texts[id] = append(f.texts[id], eventseer.PageText{URL: "https://conf.example/" + string(id) + "/topics", Text: text, Seen: at})
}

// Lists match the words of pages, also those that come with a later version, once each. They show
// the sentences around them with the printed form.
func TestListsAskForTexts(t *testing.T) {
	w := newWorld(t)
	w.subscribe("ann@uni.example", eventseer.List{Query: "spillway", Rhythm: eventseer.Immediate})
	a, b := call("a-2027", "Conference on Dams", "2027-02-01"), call("b-2027", "Conference on Canals", "2027-02-01")
	w.store.putText(a.ID, "# Topics\nWe ask for papers. Those on spillways of any height are welcome. Posters come later.", noon)
	w.store.put(a, eventseer.Change{New: true, At: noon})
	w.store.putText(b.ID, "# Topics\nWe ask for papers on locks.", noon)
	w.store.put(b, eventseer.Change{New: true, At: noon})
	w.publish()
	letters := w.mail.taken()
	if len(letters) != 1 {
		t.Fatalf("%d letters", len(letters))
	}
	said := strings.Join(strings.Fields(strings.ReplaceAll(letters[0].Text, "\n  | ", " ")), " ")
	for _, want := range []string{"We ask for papers. Those on *spillways* of any height are welcome. Posters come later.", `"spillways" for "spillway" in the text of its page`, "https://conf.example/a-2027/topics"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in:\n%s", want, letters[0].Text)
		}
	}
	for day, text := range []string{"We ask for papers on locks and lakes.", "We ask for papers on spillways and lakes.", "We ask for papers on lakes and spillways."} {
		w.until(noon.AddDate(0, 0, day+1))
		w.store.putText(b.ID, text, w.clock)
		w.store.put(b, eventseer.Change{At: w.clock})
		w.publish()
		if got, want := len(w.mail.taken()), day%2; got != want {
			t.Errorf("day %d: %d letters, want %d", day, got, want)
		}
	}
}
