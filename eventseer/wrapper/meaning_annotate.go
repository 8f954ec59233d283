package wrapper

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Who gave a field its meaning: Field.By.
const (
	ByOperator = "operator"
	ByEvidence = "evidence"
)

// Evidence is strong where the values of a field are the known ones nearly word for
// word, on some pages and on half of those that are known to have such a value.
const (
	strongEvidence = 0.8
	weakEvidence   = 0.6 // below it a meaning given by evidence is taken away
	strongPages    = 3
)

// A claim is a meaning that a field may have.
type claim struct {
	field *Field
	Proposal
}

// Annotate gives meanings to fields whose evidence is strong, the strongest first: no
// field two, and no meaning to two fields. Evidence of more pages may decide otherwise
// than before; what an operator said stays. It returns the fields whose meaning it
// changed.
func (w *Wrapper) Annotate() (changed []*Field) {
	before, taken := map[*Field]string{}, map[string]bool{}
	for _, f := range w.Fields {
		before[f] = f.Meaning
		if f.By == ByEvidence {
			f.Meaning, f.By, f.Strength = "", "", 0
		}
		if f.Meaning != "" {
			taken[f.Meaning] = true
		}
	}
	for _, c := range w.claims(before) {
		if c.field.Meaning == "" && !taken[c.Meaning] && !(taken[Deadlines] && strings.HasPrefix(c.Meaning, deadlinePrefix)) {
			c.field.Meaning, c.field.By, c.field.Strength = c.Meaning, ByEvidence, c.Strength
			taken[c.Meaning] = true
		}
	}
	for _, f := range w.Fields {
		if f.Meaning != before[f] {
			changed = append(changed, f)
		}
	}
	return changed
}

// claims are the proposals that evidence is strong for, the strongest first; but a list
// of deadlines with their labels comes before its items, which may change places. What
// a field meant before it means on until the evidence is weak.
func (w *Wrapper) claims(before map[*Field]string) (claims []claim) {
	for _, f := range w.Fields {
		if f.Meaning != "" || f.Ignored || !f.varies() {
			continue
		}
		for _, p := range w.Proposals(f) {
			least := strongEvidence
			if before[f] == p.Meaning {
				least = weakEvidence
			}
			if p.Strength >= least && p.Pages >= strongPages && 2*p.Pages >= w.Ledger.Known[p.Meaning] {
				claims = append(claims, claim{f, p})
			}
		}
	}
	slices.SortStableFunc(claims, func(a, b claim) int {
		if list := a.Meaning == Deadlines; list != (b.Meaning == Deadlines) {
			if list {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.field.length(), b.field.length()))
	})
	return claims
}

// varies reports whether pages gave different values: what all say, such as the event
// that a site is of, is no attribute of its records.
func (f *Field) varies() bool {
	return slices.ContainsFunc(f.Examples, func(x Example) bool { return x.Value != f.Examples[0].Value })
}

// length is that of the newest value: of two fields that say the same the shorter says
// nothing else.
func (f *Field) length() int {
	if len(f.Examples) == 0 {
		return 0
	}
	return len(f.Examples[0].Value)
}

// strength is that of the meaning a field has.
func (w *Wrapper) strength(f *Field) float64 {
	s := w.Ledger.Support[f.ID][f.Meaning]
	return s.Sum / float64(max(1, s.Pages))
}

// ErrNoField says that a wrapper has no such field.
var ErrNoField = errors.New("no such field")

// Accept makes the best proposal for a field its meaning.
func (w *Wrapper) Accept(id string) error {
	f := w.Field(id)
	if f == nil {
		return fmt.Errorf("%w: %s", ErrNoField, id)
	}
	ps := w.Proposals(f)
	if len(ps) == 0 {
		return fmt.Errorf("nothing is proposed for %s: name it", id)
	}
	return w.Rename(id, ps[0].Meaning)
}

// meaningName is what a meaning may be called.
var meaningName = regexp.MustCompile(`^[a-z][a-z0-9_.+-]{0,63}$`)

// Rename gives a field a meaning: one of Meanings, or a name of the operator's. A field
// that has the name gives it up.
func (w *Wrapper) Rename(id, meaning string) error {
	f := w.Field(id)
	switch {
	case f == nil:
		return fmt.Errorf("%w: %s", ErrNoField, id)
	case !meaningName.MatchString(meaning):
		return fmt.Errorf("%q names no field: a name has up to 64 of a-z, 0-9 and _.+-, the first a letter", meaning)
	}
	for _, other := range w.Fields {
		if other.Meaning == meaning && other != f {
			other.Meaning, other.By, other.Strength = "", "", 0
		}
	}
	f.Meaning, f.By, f.Ignored = meaning, ByOperator, false
	f.Strength = w.strength(f)
	return nil
}

// Ignore says that a field is no data.
func (w *Wrapper) Ignore(id string) error {
	f := w.Field(id)
	if f == nil {
		return fmt.Errorf("%w: %s", ErrNoField, id)
	}
	f.Meaning, f.By, f.Strength, f.Ignored = "", "", 0, true
	return nil
}
