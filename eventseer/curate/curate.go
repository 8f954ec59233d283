package curate

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/internal/text"
)

// maxAddress bounds ids and addresses in a correction, in bytes.
const maxAddress = 2000

// idTime is the format of the time in an ID: sorting IDs as text sorts them by time.
const idTime = "20060102T150405.000000000"

// New returns a correction in the form for storage, with its ID. The same correction by the same
// editor at the same time gets the same ID. Its error is an ErrBad.
func New(c eventseer.Correction) (eventseer.Correction, error) {
	c.At, c.Undone, c.ID = c.At.UTC(), nil, ""
	c.Who = text.CutRunes(text.Printable(strings.ToValidUTF8(c.Who, "\uFFFD")), 100)
	c.Why = text.CutRunes(text.Printable(strings.ToValidUTF8(c.Why, "\uFFFD")), eventseer.MaxCorrectionText)
	c.Pages = slices.Compact(slices.Sorted(slices.Values(c.Pages)))
	record, err := json.Marshal(c)
	if err != nil {
		return c, err
	}
	sum := sha256.Sum256(record)
	c.ID = c.At.Format(idTime) + fmt.Sprintf("-%x", sum[:6])
	if c.Kind == eventseer.SplitCorrection && c.Other == "" {
		c.Other = eventseer.EventID(fmt.Sprintf("%s-%x", text.CutBytes(string(c.Event), 150), sum[:4]))
	}
	return c, Check(c)
}

// Check returns an ErrBad if a correction, perhaps of another store, is invalid.
func Check(c eventseer.Correction) error {
	stamp, _, _ := strings.Cut(c.ID, "-")
	at, err := time.Parse(idTime, stamp)
	switch {
	case err != nil || !at.Equal(c.At) || len(c.ID) > 60:
		return badErrorf("%.60q is not the ID of a correction of %s", c.ID, c.At.Format(time.RFC3339))
	case c.Event == "" || c.Who == "":
		return badErrorf("%s: event and editor are needed", c.ID)
	}
	for _, s := range append([]string{string(c.Event), string(c.Other), c.Page, c.OtherPage, c.Field, c.Who, c.Old, c.Value, c.Why}, c.Pages...) {
		limit := maxAddress
		if s == c.Value || s == c.Old || s == c.Why {
			limit = 100 * eventseer.MaxCorrectionText
		}
		if len(s) > limit || !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return badErrorf("%s: %.60q is too long or not text", c.ID, s)
		}
	}
	return checkKind(c)
}

func checkKind(c eventseer.Correction) error {
	switch c.Kind {
	case eventseer.EditCorrection, eventseer.PinCorrection:
		_, err := Set(eventseer.Event{}, c.Field, c.Value)
		return err
	case eventseer.MergeCorrection, eventseer.ApartCorrection:
		if c.Other == "" || c.Other == c.Event {
			return badErrorf("%s of %s: another event is needed", c.Kind, c.Event)
		}
	case eventseer.SplitCorrection:
		if len(c.Pages) == 0 || len(c.Pages) > eventseer.MaxCorrectionPages || c.Other == "" || c.Other == c.Event {
			return badErrorf("split of %s: 1 to %d pages are needed", c.Event, eventseer.MaxCorrectionPages)
		}
	case eventseer.HideCorrection:
	default:
		return badErrorf("%.30q is not a kind of correction", c.Kind)
	}
	return nil
}

// MergeUndo merges two corrections with the same ID: if one is undone, the result is, by the first who
// undid it.
func MergeUndo(a, b eventseer.Correction) eventseer.Correction {
	if a.Undone == nil || b.Undone != nil && compareUndo(*b.Undone, *a.Undone) < 0 {
		a.Undone = b.Undone
	}
	return a
}

func compareUndo(a, b eventseer.Undo) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Who, b.Who), cmp.Compare(a.Why, b.Why))
}

// Apply returns an event with the corrections of its editors applied to the record of the pages.
// Undone corrections are ignored; the others apply in the order of their IDs, regardless of their
// order in the list. A correction that became invalid by a changed vocabulary is left out.
func Apply(e eventseer.Event, corrections []eventseer.Correction) eventseer.Event {
	corrections = slices.Clone(corrections)
	slices.SortFunc(corrections, func(a, b eventseer.Correction) int { return cmp.Compare(a.ID, b.ID) })
	changed := false
	for _, c := range corrections {
		if c.Undone != nil {
			continue
		}
		switch c.Kind {
		case eventseer.EditCorrection, eventseer.PinCorrection:
			if out, err := Set(e, c.Field, c.Value); err == nil {
				e, changed = out, true
			}
		case eventseer.HideCorrection:
			e.Hidden = true
		}
	}
	if changed {
		e = validate.Event(e)
	}
	return e
}

// Diff returns the fields by which two records of an event differ, in the form of a change.
func Diff(before, after eventseer.Event) []eventseer.FieldChange { return change.Diff(before, after) }
