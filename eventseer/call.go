package eventseer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
)

// A Call is one announcement of an edition, with its own topics and submission address. Two calls are the
// same if kind, track and round agree; see Key. A stored call contains only what the event does not: its
// deadlines are those in Event.Deadlines with its key, and topics and address of the main call are stored in
// the event. WithCalls fills in both.
type Call struct {
	Kind CallKind `json:"kind"`
	// Track is the track as printed, "" if the kind is enough. Round is 1 or more, 0 for a call without
	// rounds.
	Track string `json:"track,omitempty"`
	Round int    `json:"round,omitempty"`
	// Topics, SubmissionURL and SubmissionSystem have the same meaning as in Event.
	Topics           []string `json:"topics,omitempty"`
	SubmissionURL    string   `json:"submission_url,omitempty"`
	SubmissionSystem string   `json:"submission_system,omitempty"`
	// Pages are the URLs of the pages that announce this call, at most MaxPages.
	Pages []string `json:"pages,omitempty"`
	// Sources is the provenance of Topics, SubmissionURL and SubmissionSystem by JSON name.
	Sources map[string]Provenance `json:"sources,omitempty"`
	// Deadlines are the deadlines of the call, filled in by WithCalls and not stored.
	Deadlines []Deadline `json:"deadlines,omitempty"`
}

// MaxCalls is the maximum length of Event.Calls.
const MaxCalls = 100

// ManyCallsRule is the rule of the warning that an event has more calls than are stored.
const ManyCallsRule = "many-calls"

// A CallKey identifies a call within its edition. The zero key is that of the main call.
type CallKey struct {
	Kind  CallKind
	Track string // normalized by TrackKey
	Round int
}

// Key returns the key of the call within its edition.
func (c Call) Key() CallKey { return CallKey{c.Kind, TrackKey(c.Track, c.Kind), c.Round} }

// CallKey returns the key of the call that a deadline belongs to.
func (d Deadline) CallKey() CallKey {
	kind := d.Call()
	return CallKey{kind, TrackKey(d.Track, kind), d.Round}
}

// compare orders keys: the main call first, then by kind, track and round.
func (k CallKey) compare(o CallKey) int {
	return cmp.Or(cmp.Compare(k.Kind, o.Kind), cmp.Compare(k.Track, o.Track), cmp.Compare(k.Round, o.Round))
}

// plainTrackWords are words in names of tracks that distinguish none, such as "track" and "main".
var plainTrackWords = text.WordSet(`track tracks paper papers submission submissions call for the of and a conference contribution contributions
	main research technical full regular long proposal proposals`)

// TrackKey returns a normalized form of a track in which all its spellings agree. It is
// case-folded, without plural s and without words that any track has or that its kind of call
// implies. It is "" for the main track, such as "Research Papers" and "Full papers".
func TrackKey(track string, kind CallKind) string {
	if track == "" {
		return ""
	}
	for _, c := range callWords {
		if c.kind == kind {
			track = c.words.ReplaceAllLiteralString(track, " ")
		}
	}
	var kept []string
	for _, w := range strings.Fields(text.FoldForComparison(track)) {
		if !plainTrackWords[w] {
			kept = append(kept, strings.TrimSuffix(w, "s"))
		}
	}
	return strings.Join(kept, " ")
}

// MarshalText writes the kind of a call, "main" for MainCall.
func (k CallKind) MarshalText() ([]byte, error) { return []byte(cmp.Or(string(k), mainCallText)), nil }

// UnmarshalText reads the kind of a call, with "main" as MainCall. Any other text is stored
// unchanged.
func (k *CallKind) UnmarshalText(s []byte) error {
	if *k = CallKind(s); *k == mainCallText {
		*k = MainCall
	}
	return nil
}

const mainCallText = "main"

// PageCalls returns the calls of an event: those stored, otherwise those implied by the addresses
// of its pages. A page that is not a call announces none. Topics and the submission address belong
// to the call of the page they were read from.
func (e Event) PageCalls() []Call {
	if len(e.Calls) > 0 {
		return e.Calls
	}
	var calls []Call
	for _, page := range e.CallPages() {
		calls = AddCall(calls, e.pageCall(page, e.callKind(PageCallKind(page))))
	}
	return calls
}

// callKind returns a kind of call in the context of the event: a journal's call is the main call of
// a special issue.
func (e Event) callKind(kind CallKind) CallKind {
	if kind == JournalCall && e.Kind == SpecialIssue {
		return MainCall
	}
	return kind
}

// pageCall returns the call that a page of the event announces. Unless it is the main one, it has
// the data of the page.
func (e Event) pageCall(page string, kind CallKind) Call {
	c := Call{Kind: kind, Pages: []string{page}}
	if kind == MainCall {
		return c
	}
	from := func(field string) bool {
		src := e.Sources[field]
		if cmp.Or(src.URL, e.URL) != page {
			return false
		}
		if src != (Provenance{}) {
			if c.Sources == nil {
				c.Sources = map[string]Provenance{}
			}
			c.Sources[field] = src
		}
		return true
	}
	if len(e.Topics) > 0 && from("topics") {
		c.Topics = e.Topics
	}
	if e.SubmissionURL != "" && from("submission_url") {
		c.SubmissionURL = e.SubmissionURL
	}
	if e.SubmissionSystem != "" && from("submission_system") {
		c.SubmissionSystem = e.SubmissionSystem
	}
	return c
}

// AddCall returns calls with one more, in order of their keys, at most MaxCalls. If the call
// exists, it gains the topics and pages of the new one and the values it lacks; of two addresses
// the smaller one is used, so that the order of pages does not matter. The arguments are not
// changed.
func AddCall(calls []Call, c Call) []Call {
	key := c.Key()
	at, found := slices.BinarySearchFunc(calls, key, func(o Call, k CallKey) int { return o.Key().compare(k) })
	if !found {
		out := slices.Insert(slices.Clone(calls), at, c)
		return out[:min(len(out), MaxCalls)]
	}
	calls = slices.Clone(calls)
	o := calls[at]
	o.Track = smallerNonEmpty(o.Track, c.Track)
	if len(o.Topics) == 0 && len(c.Topics) > 0 {
		o.setSource("topics", c)
	}
	o.Topics = uniteText(o.Topics, c.Topics, MaxTopics, text.FoldForComparison)
	if address := smallerNonEmpty(o.SubmissionURL, c.SubmissionURL); address != o.SubmissionURL {
		o.SubmissionURL, o.SubmissionSystem = address, c.SubmissionSystem
		o.setSource("submission_url", c)
		o.setSource("submission_system", c)
	} else if o.SubmissionSystem == "" && c.SubmissionSystem != "" {
		o.SubmissionSystem = c.SubmissionSystem
		o.setSource("submission_system", c)
	}
	o.Pages = uniteText(o.Pages, c.Pages, MaxPages, func(s string) string { return s })
	calls[at] = o
	return calls
}

// setSource copies the provenance of a field from another reading of the call.
func (c *Call) setSource(field string, from Call) {
	src, ok := from.Sources[field]
	if !ok {
		return
	}
	c.Sources = maps.Clone(c.Sources)
	if c.Sources == nil {
		c.Sources = map[string]Provenance{}
	}
	c.Sources[field] = src
}

// smallerNonEmpty returns the smaller of two texts, ignoring "".
func smallerNonEmpty(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

// uniteText appends the values of another list that the list lacks, compared by key.
func uniteText(old, new []string, limit int, key func(string) string) []string {
	seen := make(map[string]bool, len(old)+len(new))
	var out []string
	for _, s := range slices.Concat(old, new) {
		if k := key(s); !seen[k] && len(out) < limit {
			seen[k] = true
			out = append(out, s)
		}
	}
	return out
}

// OtherCallOnly reports whether a page announces calls of the event, but not its main one.
func OtherCallOnly(calls []Call, page string) bool {
	other := false
	for _, c := range calls {
		if slices.Contains(c.Pages, page) {
			if c.Kind == MainCall {
				return false
			}
			other = true
		}
	}
	return other
}

// WithCalls returns the event with complete calls, for readers. These are the calls that pages
// announce and those implied by deadlines, each with its deadlines. The main call comes first, with
// the data of the event. WithCalls is pure and idempotent.
func (e Event) WithCalls() Event {
	calls := slices.Clone(e.PageCalls())
	for i := range calls {
		calls[i].Deadlines = nil
	}
	for _, d := range e.Deadlines {
		key := d.CallKey()
		if kind := e.callKind(key.Kind); kind != key.Kind {
			key.Kind, key.Track = kind, TrackKey(d.Track, key.Kind)
		}
		at, found := slices.BinarySearchFunc(calls, key, func(o Call, k CallKey) int { return o.Key().compare(k) })
		if !found {
			calls = slices.Insert(calls, at, Call{Kind: key.Kind, Track: trackOf(d, key), Round: d.Round})
		}
		calls[at].Deadlines = append(calls[at].Deadlines, d)
	}
	for i := range calls {
		if calls[i].Key() == (CallKey{}) {
			calls[i] = e.mainCall(calls[i], calls)
		}
	}
	e.Calls = calls[:min(len(calls), MaxCalls)]
	return e
}

// trackOf returns the track of a call that is known only by a deadline.
func trackOf(d Deadline, key CallKey) string {
	if key.Track == "" {
		return ""
	}
	return d.Track
}

// mainCall fills in the main call from the event, without values read from pages of other calls.
func (e Event) mainCall(c Call, calls []Call) Call {
	c.Topics, c.SubmissionURL, c.SubmissionSystem, c.Sources = nil, "", "", nil
	of := func(field string) bool {
		src, ok := e.Sources[field]
		if OtherCallOnly(calls, cmp.Or(src.URL, e.URL)) {
			return false
		}
		if ok {
			c.setSource(field, Call{Sources: e.Sources})
		}
		return true
	}
	if len(e.Topics) > 0 && of("topics") {
		c.Topics = e.Topics
	}
	if e.SubmissionURL != "" && of("submission_url") {
		c.SubmissionURL = e.SubmissionURL
	}
	if e.SubmissionSystem != "" && of("submission_system") {
		c.SubmissionSystem = e.SubmissionSystem
	}
	return c
}

// SubmissionOf returns the submission address for a deadline. It is that of the main call for all
// its tracks and rounds, otherwise that of the deadline's own call. It is "" if no page has one.
func (e Event) SubmissionOf(d Deadline) string {
	key := d.CallKey()
	if e.callKind(key.Kind) == MainCall {
		return e.SubmissionURL
	}
	for _, c := range e.PageCalls() {
		if k := c.Key(); k.Kind == key.Kind && k.Track == key.Track && c.SubmissionURL != "" {
			return c.SubmissionURL
		}
	}
	return ""
}

// Name returns the name of a call within its edition: "Demos", "Short papers, round 2". The main
// call is "Main call".
func (c Call) Name() string {
	name := "Main call"
	switch key := c.Key(); {
	case c.Kind == MainCall && key.Track != "":
		name = c.Track
	case c.Kind != MainCall:
		name = strings.ToUpper(string(c.Kind[:1])) + string(c.Kind[1:])
		if key.Track != "" {
			name += ", " + c.Track
		}
	}
	if c.Round > 0 {
		name += fmt.Sprintf(", round %d", c.Round)
	}
	return name
}

// boundedCalls returns the calls of a record within the limits, in order of their keys. It adds a
// warning with the number of calls left out.
func boundedCalls(calls []Call, warnings []Warning) ([]Call, []Warning) {
	var kept []Call
	seen := map[CallKey]bool{}
	for _, c := range calls {
		c.Kind, c.Track, c.Round = cutToMaxText(c.Kind), cutToMaxText(c.Track), max(0, c.Round)
		c.SubmissionURL, c.SubmissionSystem = cutToMaxText(c.SubmissionURL), cutToMaxText(c.SubmissionSystem)
		c.Topics, c.Pages = boundedList(c.Topics, MaxTopics, cutToMaxText), boundedList(c.Pages, MaxPages, cutToMaxText)
		c.Sources, c.Deadlines = boundedSources(c.Sources), nil
		if c.Key() == (CallKey{}) { // stored in the event itself
			c.Topics, c.SubmissionURL, c.SubmissionSystem, c.Sources = nil, "", "", nil
		}
		seen[c.Key()] = true
		kept = AddCall(kept, c)
	}
	if n := len(seen) - len(kept); n > 0 {
		text := fmt.Sprintf("the record has %d calls; the first %d by kind, track and round are kept", len(seen), len(kept))
		warnings = append(slices.DeleteFunc(slices.Clone(warnings), func(w Warning) bool { return w.Rule == ManyCallsRule }), Warning{ManyCallsRule, text})
		warnings = warnings[max(0, len(warnings)-MaxWarnings):]
	}
	return kept, warnings
}
