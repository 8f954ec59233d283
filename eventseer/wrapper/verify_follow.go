package wrapper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// newPages is how many pages come between two notices of new fields, "about ten" (paper
// 004, section 5.2).
const newPages = 10

// maxToldFields bounds the fields that a notice names.
const maxToldFields = 12

// Follow lets a wrapper take account of a page that it has just read: it verifies it,
// weighs the evidence for its meanings and names what is certain. It returns what a
// person should be told. events are what is known of the page, see Weigh.
func (w *Wrapper) Follow(t *tagtree.Tree, r Reading, at time.Time, events ...eventseer.Event) []Notice {
	before := w.Status
	c := w.Verify(t, r, at)
	if c.Passed {
		w.Weigh(t, r, events...)
		w.recallNames()
		w.Annotate()
	}
	var notices []Notice
	tell := func(kind NoticeKind, format string, args ...any) {
		notices = append(notices, Notice{At: at, Kind: kind, Host: w.Host, Pattern: w.Pattern, Text: fmt.Sprintf(format, args...)})
	}
	switch {
	case w.Status == Broken && before != Broken:
		tell(SetAside, "of the last %d pages %d are not as the wrapper knows them (%s); the general extractor reads them until it is learned anew",
			len(w.Ledger.Recent), w.Failed(), strings.Join(c.Failed[:min(len(c.Failed), 3)], ", "))
	case w.Status == Active && before != Active:
		tell(Trusted, "%d pages were read rightly, %d fields have a meaning", w.Pages, w.Annotated())
	}
	if names := w.untold(); len(names) > 0 {
		tell(NewFields, "%d fields have no meaning yet: %s; `eventseer wrapper annotate` names them", len(names), strings.Join(names[:min(len(names), maxToldFields)], ", "))
	}
	return notices
}

// untold returns the fields to tell of, once newPages have come since the last time:
// those that some pages have and nobody named.
func (w *Wrapper) untold() (ids []string) {
	l := &w.Ledger
	if w.Status == Broken || w.Pages < l.Told+newPages {
		return nil
	}
	last := l.ToldField
	for _, f := range w.Fields {
		n, err := strconv.Atoi(strings.TrimPrefix(f.ID, "f"))
		if err == nil && n > last && f.Meaning == "" && !f.Ignored && f.Seen > 1 {
			ids = append(ids, f.ID)
			l.ToldField = max(l.ToldField, n)
		}
	}
	if len(ids) > 0 {
		l.Told = w.Pages
	}
	return ids
}

// A Name is what an operator said of a field, for the wrapper that takes its place.
type Name struct {
	Meaning string `json:"meaning,omitempty"`
	Ignored bool   `json:"ignored,omitempty"`
	Path    string `json:"path"`
	Attr    string `json:"attr,omitempty"`
	Part    Part   `json:"part,omitempty"`
	Label   string `json:"label,omitempty"`
}

// Restart forgets the template of a wrapper that was set aside, to learn it anew from
// the pages to come. What an operator said of fields is remembered for those that come
// to stand in the same place or behind the same label.
func (w *Wrapper) Restart() {
	fresh := New(w.Host, w.Pattern)
	fresh.Kind = w.Kind
	fresh.Ledger.Names = w.names()
	*w = *fresh
}

// names returns what an operator said, of this template and those before it.
func (w *Wrapper) names() []Name {
	var names []Name
	for _, f := range w.Fields {
		if f.By == ByOperator || f.Ignored {
			names = append(names, Name{f.Meaning, f.Ignored, f.Path, f.Attr, f.Part, f.Label})
		}
	}
	for _, n := range w.Ledger.Names {
		if n.Meaning != "" && !slices.ContainsFunc(names, func(m Name) bool { return m.Meaning == n.Meaning }) {
			names = append(names, n)
		}
	}
	return names
}

// recallNames gives fields the names they had in the template before.
func (w *Wrapper) recallNames() {
	w.Ledger.Names = slices.DeleteFunc(w.Ledger.Names, func(n Name) bool {
		for _, f := range w.Fields {
			if f.By == ByOperator || f.Attr != n.Attr || f.Part != n.Part || f.Label != n.Label || n.Label == "" && f.Path != n.Path {
				continue
			}
			if n.Ignored {
				return w.Ignore(f.ID) == nil
			}
			return w.Rename(f.ID, n.Meaning) == nil
		}
		return false
	})
}

func (w *Wrapper) Failed() (n int) {
	for _, c := range w.Ledger.Recent {
		if !c.Passed {
			n++
		}
	}
	return n
}

// A NoticeKind says what a person is told of a wrapper.
type NoticeKind string

// The kinds of notices.
const (
	NewFields NoticeKind = "new_fields" // fields that nobody named (paper 004, section 5.2)
	SetAside  NoticeKind = "set_aside"  // the wrapper fails; the general extractor reads its pages
	Reinduced NoticeKind = "reinduced"  // it was learned anew
	Trusted   NoticeKind = "trusted"    // it reads pages from now on
)

// A Notice is what a person is told of a wrapper.
type Notice struct {
	At      time.Time  `json:"at"`
	Kind    NoticeKind `json:"kind"`
	Host    string     `json:"host"`
	Pattern string     `json:"pattern"`
	Text    string     `json:"text"`
}
